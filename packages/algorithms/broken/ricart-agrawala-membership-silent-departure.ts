import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { ricartAgrawalaMembership } from '../src/permission/ricart-agrawala-membership.ts'

const { receive } = ricartAgrawalaMembership

export const variant: BrokenVariant = {
  algorithm: renamed<typeof ricartAgrawalaMembership>('ricart-agrawala-membership-silent-departure', {
    ...ricartAgrawalaMembership,
    receive: {
      ...receive,
      leave(node, here, message, from) {
        receive.leave(node, here, { ...message, number: node.highest }, from)
      },
    },
  }),
  of: 'ricart-agrawala-membership',
  published: null,
  fails: 'fences-rise',
  rule: 'A node that leaves says so, and nothing else.',
  failure:
    'A new node has asked its sponsor, the only other node, for the highest number. The sponsor leaves instead of ' +
    'answering. The new node begins to count at 1, below the number with which the sponsor had entered.',
  repair: 'The departing node adds the highest number it knows to its farewell.',
  instance: { nodes: 2, requests: 2, channels: 'unordered', joins: 1, leaves: 1 },
}
