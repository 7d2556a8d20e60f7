/**
 * Carvalho and Roucairol, "On mutual exclusion in computer networks", technical correspondence, CACM 26(2), 1983;
 * here after Velazquez 1993, section 5, and Sanders 1987, section 8.
 *
 * Ricart and Agrawala ask everyone for every entry. But a reply is good for more than one: until its sender asks
 * for permission itself, nothing has changed between the two. So a node keeps the permissions it has been given,
 * and asks only those from which it has none, or to which it has since given its own. A node that nobody disturbs
 * enters again without a message.
 *
 * The rules are in pairwise.ts; here everyone begins without permissions, so that the first entry of all is
 * Ricart and Agrawala's. Why it is safe and why nobody starves is told there.
 *
 * Assumes reliable channels between every two nodes; messages may overtake each other. An entry costs two messages
 * for each missing permission: 0 to 2(n-1). One request at a time by anyone, it is n-1 on average: node i misses
 * the permission of j if j has entered after i did, and of the two either was the last one equally often. When all
 * ask again at once, everyone else enters between two entries of a node, and it is 2(n-1).
 *
 * Where we differ:
 *  - Requests may be shared. A kept permission then says for what it is good.
 *  - A request may be taken back, without a message: its replies still come, and bring permissions to keep.
 *  - A request that asks nobody takes no number: there is none that it would be compared with.
 *  - The fence travels with the replies. Numbers cannot serve: a node enters with the permissions that it has while
 *    smaller numbers wait for it.
 */
import type { Algorithm } from '@turnwise/core/algorithm'
import { type PairwiseMessage, type PairwiseState, pairwiseRules, pairwiseShapes } from './pairwise.ts'

export const carvalhoRoucairol: Algorithm<PairwiseState, PairwiseMessage> = {
  facts: {
    name: 'carvalho-roucairol',
    title: 'Carvalho-Roucairol',
    year: 1983,
    family: 'permission',
    idea:
      'A permission, once given, holds until its giver asks for it back by a request of its own. To enter, ask only ' +
      'those whose permission you do not have; who enters again and again undisturbed asks nobody.',
    sources: ['velazquez-1993 §5', 'sanders-1987 §8'],
    entries: 1,
    sharedMode: true,
    channels: 'unordered',
    topology: 'complete',
    knows: 'everyone',
    quorums: false,
    messages: {
      formula: '0 to 2(n-1), n-1 on average',
      light: ({ nodes }) => ({ min: 0, max: 2 * (nodes - 1), mean: nodes - 1 }),
      heavy: ({ nodes }) => ({ min: 0, max: 2 * (nodes - 1), mean: 2 * (nodes - 1) }),
    },
    syncDelay: { formula: '1', hops: () => ({ min: 1, max: 1 }) },
    faults: ['spike', 'pause'],
    fallsSilent: true,
    timing: 'any',
    timers: {},
  },
  options: {},
  shapes: pairwiseShapes,
  ...pairwiseRules({ startsWith: () => false }),
}
