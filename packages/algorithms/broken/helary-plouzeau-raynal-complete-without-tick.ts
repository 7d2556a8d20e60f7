import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { helaryPlouzeauRaynalComplete } from '../src/token/helary-plouzeau-raynal-complete.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof helaryPlouzeauRaynalComplete>('helary-plouzeau-raynal-complete-without-tick', {
    ...helaryPlouzeauRaynalComplete,
    release(node, here) {
      const { clock } = node
      helaryPlouzeauRaynalComplete.release(node, here)
      node.clock = clock
    },
  }),
  of: 'helary-plouzeau-raynal-complete',
  published: null,
  fails: 'no-deadlock',
  rule: 'A node that sends the token away on leaving writes its clock into the token, and the clock does not tick.',
  failure: 'Its next request has the same stamp as the date in the token, looks satisfied and is not served.',
  repair: 'Let the clock tick when the node sends the token away: line (A) of the paper.',
  instance: { nodes: 2, requests: 2, channels: 'unordered' },
}
