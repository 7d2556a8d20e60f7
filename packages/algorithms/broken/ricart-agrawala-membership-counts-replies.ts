import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { ricartAgrawalaMembership } from '../src/permission/ricart-agrawala-membership.ts'

const { receive, facts } = ricartAgrawalaMembership

export const variant: BrokenVariant = {
  algorithm: renamed<typeof ricartAgrawalaMembership>('ricart-agrawala-membership-counts-replies', {
    ...ricartAgrawalaMembership,
    // A probe of a living node should do no harm, whenever it is sent.
    facts: { ...facts, timers: { ...facts.timers, answer: 'pace' } },
    receive: {
      ...receive,
      reply(node, here, _reply, from) {
        // One reply less is outstanding, no matter which node replied, and to which request.
        const counted = node.awaiting.includes(from) ? from : node.awaiting[0]
        if (node.question !== 'request' || node.ours === null || counted === undefined) return
        receive.reply(node, here, { type: 'reply', number: node.ours }, counted)
      },
    },
  }),
  of: 'ricart-agrawala-membership',
  published: 'ricart-agrawala-1981 §2.2, 7.3, 7.4',
  fails: 'exclusion',
  rule:
    'Each REPLY lowers the count of outstanding replies, and a node answers a probe with a REPLY too. The bit map of ' +
    '7.4 tells whom to probe. Nothing says that the second REPLY of a node does not count.',
  failure:
    'A node replies to the request, and to a probe that was sent before this reply arrived. The second REPLY ' +
    'counts for a node that has not replied, or for the next request.',
  repair: 'Keep the names of the nodes that have not replied, and let a REPLY say which request it answers.',
  instance: { nodes: 2, requests: 2, channels: 'unordered', set: ['wait=1'] },
}
