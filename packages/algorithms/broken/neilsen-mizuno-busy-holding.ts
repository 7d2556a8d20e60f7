import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { neilsenMizuno } from '../src/token/neilsen-mizuno.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof neilsenMizuno>('neilsen-mizuno-busy-holding', {
    ...neilsenMizuno,
    request(node, here, ask) {
      const { holding } = node
      neilsenMizuno.request(node, here, ask)
      node.holding = holding
    },
    release(node, here) {
      // The token may have gone from under it.
      if (node.fence !== null) neilsenMizuno.release(node, here)
    },
  }),
  of: 'neilsen-mizuno',
  published: null,
  fails: 'exclusion',
  rule:
    'HOLDING is not cleared when the holder of an idle token enters; the survey (Velazquez 1993, section 4) ' +
    'does not say that it is.',
  failure: 'A request finds the sink inside with HOLDING set, and is sent the token from under it.',
  repair: 'HOLDING means that the token lies idle: clear it on entering.',
  instance: { nodes: 2, requests: 1, channels: 'unordered' },
}
