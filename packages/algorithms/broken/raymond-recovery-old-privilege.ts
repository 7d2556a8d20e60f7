import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { raymondRecovery } from '../src/token/raymond-recovery.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof raymondRecovery>('raymond-recovery-old-privilege', {
    ...raymondRecovery,
    receive: {
      ...raymondRecovery.receive,
      privilege(node, here, message, from) {
        const { count = 0 } = node.recovery.incarnations.find(({ neighbour }) => neighbour === from) ?? {}
        raymondRecovery.receive.privilege(node, here, { ...message, incarnation: count }, from)
      },
    },
  }),
  of: 'raymond-recovery',
  published: null,
  fails: 'one-token',
  rule: 'A privilege counts whenever it arrives, though it was sent before its sender or its receiver failed.',
  failure:
    'A node comes back while the privilege is under way to it. All its neighbours point at it, so it has the ' +
    'privilege again. Then the old one arrives.',
  repair: 'Count the restarts of each channel, and drop a message with an earlier count.',
  instance: { nodes: 2, requests: 1, channels: 'unordered', crashes: 1, restarts: 1 },
}
