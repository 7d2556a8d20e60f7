import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { ricartAgrawala } from '../src/permission/ricart-agrawala.ts'

const { receive } = ricartAgrawala

export const variant: BrokenVariant = {
  algorithm: renamed<typeof ricartAgrawala>('ricart-agrawala-without-tie-break', {
    ...ricartAgrawala,
    receive: {
      ...receive,
      request(node, here, { number }, from) {
        node.highest = Math.max(node.highest, number)
        if (node.ours !== null && node.ours < number) node.deferred[from] = true
        else here.send(from, { type: 'reply' })
      },
    },
  }),
  of: 'ricart-agrawala',
  published: null,
  fails: 'exclusion',
  rule: 'Of two requests with the same number neither has priority.',
  failure: 'Two nodes that ask at the same time choose the same number, and each replies to the other.',
  repair: 'Among equal numbers the smaller node has priority (section 2.1).',
  instance: { nodes: 2, requests: 1, channels: 'unordered' },
}
