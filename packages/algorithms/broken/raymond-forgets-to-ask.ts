import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { assignPrivilege, raymond } from '../src/token/raymond.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof raymond>('raymond-forgets-to-ask', {
    ...raymond,
    receive: {
      ...raymond.receive,
      privilege(node, here, { fence }) {
        node.holder = here.self
        node.fence = fence
        assignPrivilege(node, here)
      },
    },
  }),
  of: 'raymond',
  published: null,
  fails: 'no-deadlock',
  rule: 'A node that receives the privilege passes it on, and does not ask for it back although others wait in its queue.',
  failure: 'Those others stay in its queue, and the next holder does not know of them.',
  repair: 'MAKE_REQUEST after every ASSIGN_PRIVILEGE.',
  instance: { nodes: 3, requests: 1, channels: 'unordered', topology: 'line' },
}
