import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { arbiterRules } from '../src/quorum/arbiter.ts'
import { relation, requestSets, type SandersOptions, sanders } from '../src/quorum/sanders.ts'

export const variant: BrokenVariant = {
  algorithm: renamed('sanders-missing-fail', {
    ...sanders,
    ...arbiterRules<SandersOptions>(() => 'overtaken', requestSets, relation),
  }),
  of: 'sanders',
  published: 'sanders-1987 §5, which does not say what a larger timestamp is compared with',
  fails: 'no-deadlock',
  rule:
    'FAIL goes to a newcomer that the granted request precedes, and to queued requests with a larger timestamp, as we read it: ' +
    'those that the newcomer overtakes.',
  failure:
    'A newcomer smaller than the granted request, but not the smallest in the queue, is told nothing. It must ' +
    'wait, does not know that, and keeps the grants it has.',
  repair: 'Send a FAIL to every newcomer that is not the first in the queue.',
  instance: {
    nodes: 3,
    requests: 1,
    channels: 'fifo',
    structure: '0.2/1.2/2:0.1.2/1.2/2',
    set: ['own=first'],
  },
}
