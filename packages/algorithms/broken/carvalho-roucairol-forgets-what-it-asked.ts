import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { carvalhoRoucairol } from '../src/permission/carvalho-roucairol.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof carvalhoRoucairol>('carvalho-roucairol-forgets-what-it-asked', {
    ...carvalhoRoucairol,
    withdraw(node, here) {
      node.asked = node.asked.map(() => null)
      carvalhoRoucairol.withdraw?.(node, here)
    },
  }),
  of: 'carvalho-roucairol',
  published: null,
  fails: 'exclusion',
  rule: 'A node that withdraws its request forgets whom it has asked, and replies to every node it deferred.',
  failure:
    'One of them had replied before it asked, and its reply is still under way. It gets our permission and ' +
    'enters. Then its reply arrives, and we have its permission too.',
  repair:
    'Remember which nodes have not replied yet. Until such a node replies, defer its requests with larger ' +
    'numbers, and do not ask it again.',
  instance: { nodes: 2, requests: 2, channels: 'unordered', withdrawals: 1 },
}
