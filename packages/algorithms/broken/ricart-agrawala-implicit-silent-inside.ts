import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { ricartAgrawalaImplicit } from '../src/permission/ricart-agrawala-implicit.ts'

const { receive } = ricartAgrawalaImplicit

export const variant: BrokenVariant = {
  algorithm: renamed<typeof ricartAgrawalaImplicit>('ricart-agrawala-implicit-silent-inside', {
    ...ricartAgrawalaImplicit,
    receive: {
      ...receive,
      request(node, here, message, from) {
        if (node.ours === null || node.answers.some((answer) => answer !== 'settled'))
          receive.request(node, here, message, from)
        else node.highest = Math.max(node.highest, message.number)
      },
    },
  }),
  of: 'ricart-agrawala-implicit',
  published: null,
  fails: 'exclusion',
  rule: 'A node that is inside says nothing: it will soon have left, and then it has no objection.',
  failure: 'Silence counts as a reply: a node that asks enters too, if the other stays longer than T.',
  repair: 'Say DEFERRED wherever the original algorithm would not reply at once.',
  instance: { nodes: 2, requests: 1, channels: 'unordered' },
}
