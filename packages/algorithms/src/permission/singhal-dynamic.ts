/**
 * Singhal, "A dynamic information-structure mutual exclusion algorithm for distributed systems", IEEE Transactions
 * on Parallel and Distributed Systems 3(1), 1992; here after Velazquez 1993, section 5.
 *
 * The nodes that a node must ask (its request set R) and must tell on leaving (its inform set I) are not fixed, as in
 * Sanders 1987, but change with every message. A node that gives permission to j adds j to its R. A node that receives
 * permission from j removes j. The sets begin as a staircase: R of node i is the nodes below i. So of every two nodes
 * exactly one must ask the other. Exclusion needs no more, and it is half of what Carvalho and Roucairol begin with.
 * From then on the two algorithms are the same: the rules, and why they are right, are in pairwise.ts.
 *
 * Assumes reliable channels between every two nodes. In a fresh system a lone request of node i costs 2i messages, n-1
 * on average over all nodes. This average stays: with one request at a time, node i must ask exactly the nodes that
 * have entered since its own last entry. Put the nodes in a row, the latest entry first. The requester's place in it,
 * from 0, is the number of nodes it must ask. A random requester has a random place: 2·(n-1)/2 messages on average.
 * (The staircase is the row 0, 1, 2, …) When everyone asks again at once, the requester is the last of the row: 2(n-1).
 * The paper has 3(n-1)/2 under heavy load. That is a load in between, at which half of the others come first.
 *
 * Where we differ:
 *  - The survey asks for ordered channels. Here the number of the own request is kept apart from the clock, so no order
 *    is needed.
 *  - R does not contain the node itself. The survey says that any two sets R meet. In fact i is in the R of j, or j in
 *    that of i, or a message between them is under way; that suffices.
 *  - Requests may be shared. A request that asks no node needs no number. The fence travels with the replies.
 */
import type { Algorithm } from '@turnwise/core/algorithm'
import { type PairwiseMessage, type PairwiseState, pairwiseRules, pairwiseShapes } from './pairwise.ts'

export const singhalDynamic: Algorithm<PairwiseState, PairwiseMessage> = {
  facts: {
    name: 'singhal-dynamic',
    title: 'Singhal (dynamic)',
    year: 1992,
    family: 'permission',
    idea:
      'Of every two nodes one must ask the other; at first the higher asks the lower. A node that gives its ' +
      'permission away must ask next time, and the node that received it need not. So a node asks those that have ' +
      'entered since it did.',
    sources: ['velazquez-1993 §5', 'sanders-1987 §8'],
    entries: 1,
    sharedMode: true,
    channels: 'unordered',
    topology: 'complete',
    knows: 'everyone',
    quorums: false,
    messages: {
      formula: 'n-1 on average, at most 2(n-1)',
      light: ({ nodes }) => ({ min: 0, max: 2 * (nodes - 1), mean: nodes - 1 }),
      // Once all have entered it is 2(n-1). But the staircase makes the first round of a run cheaper.
      heavy: ({ nodes }) => ({ min: 0, max: 2 * (nodes - 1), mean: nodes === 1 ? 0 : null }),
    },
    syncDelay: { formula: '1', hops: () => ({ min: 1, max: 1 }) },
    faults: ['spike', 'pause'],
    fallsSilent: true,
    timing: 'any',
    timers: {},
  },
  options: {},
  shapes: pairwiseShapes,
  ...pairwiseRules({ startsWith: (self, other) => self < other }),
}
