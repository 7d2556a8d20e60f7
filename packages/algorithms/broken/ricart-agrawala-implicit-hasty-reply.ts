import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { enterIfSettled, ricartAgrawalaImplicit } from '../src/permission/ricart-agrawala-implicit.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof ricartAgrawalaImplicit>('ricart-agrawala-implicit-hasty-reply', {
    ...ricartAgrawalaImplicit,
    receive: {
      ...ricartAgrawalaImplicit.receive,
      reply(node, here, { recipients }, from) {
        if (!recipients.includes(here.self) || node.answers[from] === 'settled') return
        node.answers[from] = 'settled'
        enterIfSettled(node, here)
      },
    },
  }),
  of: 'ricart-agrawala-implicit',
  published: null,
  fails: 'no-deadlock',
  rule: 'A REPLY counts as soon as it arrives, whether or not its DEFERRED has arrived.',
  failure:
    'A REPLY overtakes its DEFERRED and lets the node in. The DEFERRED arrives when the node asks again. The node ' +
    'then waits for a second REPLY that no node owes it.',
  repair: 'Count a REPLY only together with its DEFERRED, or wait for T in any case.',
  instance: { nodes: 2, requests: 2, channels: 'unordered' },
}
