/**
 * Singhal, "A dynamic information-structure mutual exclusion algorithm for distributed systems", IEEE Transactions
 * on Parallel and Distributed Systems 3(1), 1992; here after Velazquez 1993, section 5.
 *
 * Whom a node must ask (its request set R) and whom it must tell on leaving (its inform set I) are no fixed
 * structure, as in Sanders 1987, but change with every message: who gives permission to j adds j to its R, who
 * receives permission from j strikes j out. The sets begin as a staircase, R of node i being the nodes below i:
 * of every two nodes exactly one must ask the other, which is all that exclusion needs, and half of what Carvalho
 * and Roucairol begin with. From then on the two do the same: the rules, and why they are right, are in pairwise.ts.
 *
 * Assumes reliable channels between every two nodes. In a fresh system a lone request of node i costs 2i messages,
 * n-1 on average over all nodes. It stays at that: one request at a time, node i must ask exactly those that have
 * entered since it did last. So the nodes stand in a row, the latest entry first, and the requester's place in it,
 * from 0, is the number it must ask; a requester drawn at random has a random place, 2·(n-1)/2 messages on average.
 * (The staircase is the row 0, 1, 2, …) When everyone asks again at once, the requester is the last of the row:
 * 2(n-1). The paper has 3(n-1)/2 under heavy load; that is a load between, at which half of the others come first.
 *
 * Where we differ:
 *  - The survey asks for channels that keep order. With the number of the own request kept apart from the clock,
 *    as here, none is needed.
 *  - R does not contain the node itself. Of two sets R, the survey says that they meet; what holds, and suffices, is
 *    that i is in the R of j, or j in that of i, or a message between them is under way.
 *  - Requests may be shared. A request that asks nobody takes no number. The fence travels with the replies.
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
      'Of every two nodes one must ask the other, at first the higher the lower. Who gives its permission away must ' +
      'ask next time, who received it need not: whom to ask follows who entered last.',
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
      // Once all have entered it is 2(n-1); but a run has its first round too, which the staircase makes cheaper.
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
