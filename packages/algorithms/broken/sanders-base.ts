import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { arbiterRules } from '../src/quorum/arbiter.ts'
import { relation, requestSets, type SandersOptions, sanders } from '../src/quorum/sanders.ts'

const neverTold = { ...relation, failHelps: () => false, inquireHelps: () => false }

export const variant: BrokenVariant = {
  algorithm: renamed('sanders-base', {
    ...sanders,
    ...arbiterRules<SandersOptions>(() => 'all', requestSets, neverTold),
  }),
  of: 'sanders',
  published: 'sanders-1987 §3.2; the failure in §5',
  fails: 'no-deadlock',
  rule: 'An arbiter does not take a grant back before the release.',
  failure:
    'Delays make two arbiters decide differently: each of two nodes holds a grant that the other waits for.',
  repair: 'Add FAIL, INQUIRE and YIELD: a node that must wait gives a grant back for a smaller timestamp.',
  instance: { nodes: 3, requests: 1, channels: 'fifo', structure: 'figure-2' },
}
