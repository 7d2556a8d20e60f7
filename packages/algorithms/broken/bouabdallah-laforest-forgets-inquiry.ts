import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { bouabdallahLaforest } from '../src/multi/bouabdallah-laforest.ts'

const { receive } = bouabdallahLaforest

export const variant: BrokenVariant = {
  algorithm: renamed<typeof bouabdallahLaforest>('bouabdallah-laforest-forgets-inquiry', {
    ...bouabdallahLaforest,
    receive: {
      ...receive,
      inquire(node, here, { turns }, from) {
        const missing = node.claims.filter(({ isHere }) => !isHere)
        const answered = turns.filter(
          ({ resource, turn }) =>
            !missing.some((claim) => claim.resource === resource && claim.turn === turn),
        )
        receive.inquire(node, here, { type: 'inquire', turns: answered }, from)
      },
    },
  }),
  of: 'bouabdallah-laforest',
  published: null,
  fails: 'no-deadlock',
  rule: 'A node that does not have the token drops an inquiry for it.',
  failure:
    'The control token runs ahead: the one who registers next inquires while this node still waits for the token. It is never ' +
    'sent on.',
  repair: 'A node that waits notes who inquired, like one that is inside.',
  instance: { nodes: 3, requests: 1, channels: 'unordered' },
}
