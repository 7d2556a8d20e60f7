/**
 * Carvalho and Roucairol, "On mutual exclusion in computer networks", technical correspondence, CACM 26(2), 1983;
 * here after Velazquez 1993, section 5, and Sanders 1987, section 8.
 *
 * In Ricart and Agrawala's algorithm a node asks all others for every entry. But a reply is good for more than one
 * entry: until its sender asks for permission itself, nothing has changed between the two. So a node keeps the
 * permissions it has been given. It asks only nodes from which it has none, or to which it has since given its own.
 * While no other node asks, it enters again without a message.
 *
 * The rules are in pairwise.ts, which also says why it is safe and why nobody starves. Here every node begins without
 * permissions, so the very first entry is Ricart and Agrawala's.
 *
 * Assumes reliable channels between every two nodes; messages may overtake each other. An entry costs two messages for
 * each missing permission: 0 to 2(n-1). With one request at a time, by any node, it is n-1 on average. Node i lacks the
 * permission of j if j entered after i did, and either was the last one equally often. When all ask again at once,
 * every other node enters between two entries of a node, and it is 2(n-1).
 *
 * Where we differ:
 *  - Requests may be shared. A kept permission then says what it allows.
 *  - A request may be withdrawn, without a message. Its replies still come, and bring permissions to keep.
 *  - A request that asks no node needs no number, since it is compared with none.
 *  - The fence travels with the replies. Numbers cannot serve as fences, because a node enters with kept permissions
 *    while smaller numbers wait for it.
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
      'A permission holds until its giver sends a request of its own. To enter, ask only the nodes whose ' +
      'permission you do not have. A node that enters repeatedly while no other asks sends no message.',
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
