import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { bouabdallahLaforest } from '../src/multi/bouabdallah-laforest.ts'

const { receive } = bouabdallahLaforest

export const variant: BrokenVariant = {
  algorithm: renamed<typeof bouabdallahLaforest>('bouabdallah-laforest-answers-inside', {
    ...bouabdallahLaforest,
    receive: {
      ...receive,
      inquire(node, here, inquiry, from) {
        const isInside = node.claims.length > 0 && node.claims.every(({ isHere }) => isHere)
        if (!isInside) return receive.inquire(node, here, inquiry, from)
        here.send(from, { type: 'tokens', resources: inquiry.turns.map(({ resource }) => resource) })
        node.claims = node.claims.filter(
          (claim) => !inquiry.turns.some(({ resource }) => resource === claim.resource),
        )
      },
    },
  }),
  of: 'bouabdallah-laforest',
  published: null,
  fails: 'exclusion',
  rule: 'A node that has the token sends it to a node that inquires, at once.',
  failure: 'It is inside with that resource, and then the other is too.',
  repair: 'A node that is inside notes who inquired, and sends the token when it leaves.',
  instance: { nodes: 2, requests: 1, channels: 'unordered' },
}
