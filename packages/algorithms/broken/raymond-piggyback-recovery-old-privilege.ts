import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { raymondPiggybackRecovery } from '../src/token/raymond-piggyback-recovery.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof raymondPiggybackRecovery>('raymond-piggyback-recovery-old-privilege', {
    ...raymondPiggybackRecovery,
    receive: {
      ...raymondPiggybackRecovery.receive,
      'privilege-and-request'(node, here, message, from) {
        const { count = 0 } = node.recovery.incarnations.find(({ neighbour }) => neighbour === from) ?? {}
        raymondPiggybackRecovery.receive['privilege-and-request'](
          node,
          here,
          { ...message, incarnation: count },
          from,
        )
      },
    },
  }),
  of: 'raymond-piggyback-recovery',
  published: null,
  fails: 'one-token',
  rule:
    'A privilege that carries a request counts whenever it arrives. Only plain messages are dropped by their ' +
    'count.',
  failure:
    'A node comes back while the privilege is under way, and gets a new one. Then the old one arrives, with its ' +
    'request.',
  repair: 'Drop both by the count that they carry.',
  instance: { nodes: 3, requests: 1, channels: 'unordered', topology: 'line', crashes: 1, restarts: 1 },
}
