import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { bouabdallahLaforest } from '../src/multi/bouabdallah-laforest.ts'

const { receive } = bouabdallahLaforest

export const variant: BrokenVariant = {
  algorithm: renamed<typeof bouabdallahLaforest>('bouabdallah-laforest-without-turn', {
    ...bouabdallahLaforest,
    receive: {
      ...receive,
      inquire(node, here, { turns }, from) {
        const tokens = [...node.kept, ...node.claims]
        const believed = turns.map(
          (turn) => tokens.find(({ resource }) => resource === turn.resource) ?? turn,
        )
        receive.inquire(node, here, { type: 'inquire', turns: believed }, from)
      },
    },
  }),
  of: 'bouabdallah-laforest',
  published: null,
  fails: 'no-deadlock',
  rule: 'An inquiry names the resource and nothing else. A node that keeps the token without using it sends it.',
  failure:
    'A node keeps a token for another, whose inquiry is under way, and registers for it again. The inquiry of a third, behind ' +
    'the new request, comes first and gets the token. The second waits for the first, which waits for the second.',
  repair:
    'The control token has a turn beside each name. An inquiry repeats it, so that both are told apart.',
  instance: { nodes: 3, requests: 2, channels: 'unordered' },
}
