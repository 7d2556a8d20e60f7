import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { ricartAgrawalaRingNoted } from '../src/permission/ricart-agrawala-ring-noted.ts'

const { receive } = ricartAgrawalaRingNoted

export const variant: BrokenVariant = {
  algorithm: renamed<typeof ricartAgrawalaRingNoted>('ricart-agrawala-ring-noted-early-reply', {
    ...ricartAgrawalaRingNoted,
    receive: {
      ...receive,
      request(node, here, message, from) {
        if (message.request.node === here.self) node.early = node.early.map(() => false)
        receive.request(node, here, message, from)
      },
    },
  }),
  of: 'ricart-agrawala-ring-noted',
  published: 'ricart-agrawala-1981 §6.3',
  fails: 'no-deadlock',
  rule: 'The node sets its count of missing replies from the notes when the request comes home.',
  failure:
    'A reply goes straight, the request goes round the ring. Setting the count forgets a reply that arrived ' +
    'before, and the node waits for it for ever.',
  repair: 'Remember who has replied before the request is home.',
  instance: { nodes: 2, requests: 1, channels: 'unordered' },
}
