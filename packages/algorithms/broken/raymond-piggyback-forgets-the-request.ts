import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { raymondPiggyback } from '../src/token/raymond-piggyback.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof raymondPiggyback>('raymond-piggyback-forgets-the-request', {
    ...raymondPiggyback,
    receive: {
      ...raymondPiggyback.receive,
      'privilege-and-request': (node, here, { fence }, from) =>
        raymondPiggyback.receive.privilege(node, here, { type: 'privilege', fence }, from),
    },
  }),
  of: 'raymond-piggyback',
  published: null,
  fails: 'no-deadlock',
  rule: 'A node that receives the privilege and a request in one message handles only the privilege.',
  failure: 'The sender waits for an answer to its request, and does not ask again.',
  repair: 'Handle both, the privilege first.',
  instance: { nodes: 3, requests: 1, channels: 'unordered', topology: 'line' },
}
