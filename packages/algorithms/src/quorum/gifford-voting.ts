/**
 * Gifford, "Weighted voting for replicated data", 7th SOSP, 1979; told in Velazquez 1993, section 5.
 *
 * Nodes have votes, some more than others, and a node may enter when nodes with more than half of all votes have
 * granted. Any two such sets share a node. A node that is reliable or near gets more votes, and quorums that include it
 * are small: with votes 2, 1, 1 the first node and any other form a quorum, and the other two do not. One vote each is
 * Thomas' majority; a single voter is a coordinator.
 *
 * By default node 0 has two votes and all others one. If n is even that makes the number of votes odd, and some sets of
 * n/2 nodes become quorums. So one vote improves the majority that Garcia-Molina and Barbara 1985 call dominated.
 *
 * Gifford's readers and writers need r votes and w votes with r + w > V and 2w > V. Here every request is a
 * writer, alone inside, and w is the least that 2w > V allows: an arbiter grants one request at a time.
 *
 * A node asks itself, then those with the most votes; the rules are those of `arbiter.ts` without FAIL, and of
 * `substitution.ts` for failed nodes. Costs 3 messages for each other member when nobody competes, at most 6. Nodes may
 * fail as long as the others have more than half of the votes: with votes 2, 1, 1 the first may not. Why nobody starves
 * and what it assumes: as for Thomas' majority.
 */
import type { Algorithm } from '@turnwise/core/algorithm'
import { assignVotes, votingQuorum, whyNoVotes } from '@turnwise/core/quorum/votes'
import type { Setup } from '@turnwise/core/setup'
import type { ArbiterMessage } from './arbiter-state.ts'
import {
  RECLAIM,
  SUBSTITUTION_SHAPES,
  type SubstitutionOptions,
  type SubstitutionState,
} from './substitution.ts'
import { messagesBetween, othersAsked, votingRules } from './voting.ts'

export interface GiffordOptions extends SubstitutionOptions {
  votes: readonly number[]
}

export const giffordVoting: Algorithm<SubstitutionState, ArbiterMessage, GiffordOptions> = {
  facts: {
    name: 'gifford-voting',
    title: 'Gifford, weighted voting',
    year: 1979,
    family: 'quorum',
    idea:
      'Every node has some votes, and a node that has gathered more than half of them may enter. A node with many ' +
      'votes makes small quorums. A node without votes is never asked.',
    sources: ['velazquez-1993 §5'],
    entries: 1,
    sharedMode: false,
    channels: 'unordered',
    topology: 'complete',
    knows: 'everyone',
    quorums: false,
    messages: {
      formula: '3q to 6q, q the other nodes of a quorum',
      letters: (setup) => ({ q: { what: 'other nodes of a quorum', ...others(setup) } }),
      light: (setup) => messagesBetween(3, 3, others(setup)),
      heavy: (setup) => ({ ...messagesBetween(3, 6, others(setup)), mean: null }),
    },
    // The arbiter both quorums share may be one of the two nodes, which then needs no message to itself.
    syncDelay: { formula: '2', hops: () => ({ min: 1, max: 2 }) },
    faults: ['spike', 'pause', 'crash'],
    fallsSilent: true,
    timing: 'any',
    timers: {},
  },
  options: {
    ...RECLAIM,
    votes: {
      kind: 'list',
      default: [2],
      min: 0,
      // Sums of them are exact.
      max: 1_000_000,
      title: 'Votes of each node',
      about: 'the votes of node 0, node 1 and so on; those that are not named have one',
      misfit: (votes, nodes) => whyNoVotes(nodes, votes),
    },
  },
  shapes: SUBSTITUTION_SHAPES,
  ...votingRules<GiffordOptions>(votesIn),
}

function votesIn({ nodes, options }: Setup<GiffordOptions>) {
  return assignVotes(nodes, options.votes)
}

function others(setup: Setup<GiffordOptions>) {
  const votes = votesIn(setup)
  return othersAsked(setup.nodes, (node) => votingQuorum(votes, node) ?? [])
}
