import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { pass, ricartAgrawalaRing } from '../src/permission/ricart-agrawala-ring.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof ricartAgrawalaRing>('ricart-agrawala-ring-holds-until-entry', {
    ...ricartAgrawalaRing,
    receive: {
      request(node, here, message, from) {
        if (message.request.node === here.self) {
          for (const request of node.held) pass(here, request)
          node.held = []
        }
        ricartAgrawalaRing.receive.request(node, here, message, from)
      },
    },
  }),
  of: 'ricart-agrawala-ring',
  published: null,
  fails: 'exclusion',
  rule: 'A node holds requests later than its own until its turn, and sends them on as it enters.',
  failure: 'The next request comes home while the node is still inside.',
  repair:
    'Hold them until the node leaves. A request that all nodes have let pass is the permission to enter.',
  instance: { nodes: 2, requests: 1, channels: 'unordered' },
}
