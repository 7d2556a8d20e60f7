/**
 * Thomas, "A majority consensus approach to concurrency control for multiple copy databases", ACM TODS 4(2),
 * 1979; as a rule of mutual exclusion in Velazquez 1993, section 5.
 *
 * A node asks more than half of all nodes, floor(n/2) + 1 of them with itself. Any two majorities share a node, which
 * grants one request at a time. The survey writes (N+1)/2, which is right only for odd n: two halves of four nodes need
 * not meet. See the broken variant.
 *
 * Any majority will do. A node asks itself and those after it on the circle of numbers, so that all are asked equally
 * often. Asking all, and entering with the first majority that answers, would cost 3(n-1) messages instead of 3
 * floor(n/2). The rules of arbiters and requesters are those of `arbiter.ts`, without FAIL: a requester yields whenever
 * it is asked. Nobody starves, because the smallest timestamp gets every grant that it waits for.
 *
 * Costs 3 floor(n/2) messages when nobody competes, at most 6 floor(n/2) in competition: INQUIRE, YIELD and a second
 * GRANT are added. Any minority may fail: `substitution.ts` replaces it by other nodes.
 *
 * Assumes reliable channels between every two nodes, which need not keep order, and for failed nodes a failure detector.
 */
import type { Algorithm } from '@turnwise/core/algorithm'
import { assignVotes } from '@turnwise/core/quorum/votes'
import type { ArbiterMessage } from './arbiter-state.ts'
import {
  RECLAIM,
  SUBSTITUTION_SHAPES,
  type SubstitutionOptions,
  type SubstitutionState,
} from './substitution.ts'
import { messagesBetween, votingRules } from './voting.ts'

export const thomasMajority: Algorithm<SubstitutionState, ArbiterMessage, SubstitutionOptions> = {
  facts: {
    name: 'thomas-majority',
    title: 'Thomas, majority',
    year: 1979,
    family: 'quorum',
    idea:
      'Ask more than half of the nodes. Two majorities always share a node, and that node grants only one of two ' +
      'rivals. Whichever minority has failed, the others can still form a majority.',
    sources: ['velazquez-1993 §5'],
    entries: 1,
    sharedMode: false,
    channels: 'unordered',
    topology: 'complete',
    knows: 'everyone',
    quorums: false,
    messages: {
      formula: '3 floor(n/2) to 6 floor(n/2)',
      light: ({ nodes }) => messagesBetween(3, 3, others(nodes)),
      heavy: ({ nodes }) => ({ ...messagesBetween(3, 6, others(nodes)), mean: null }),
    },
    // The arbiter both majorities share may be one of the two nodes, which then needs no message to itself.
    syncDelay: { formula: '2', hops: () => ({ min: 1, max: 2 }) },
    faults: ['spike', 'pause', 'crash'],
    fallsSilent: true,
    timing: 'any',
    timers: {},
  },
  options: RECLAIM,
  shapes: SUBSTITUTION_SHAPES,
  ...votingRules<SubstitutionOptions>(({ nodes }) => assignVotes(nodes, [])),
}

function others(nodes: number) {
  const half = Math.floor(nodes / 2)
  return { min: half, max: half, mean: half }
}
