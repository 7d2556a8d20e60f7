/**
 * Agrawal and El Abbadi, "An efficient and fault-tolerant solution for distributed mutual exclusion", ACM TOCS
 * 9(1), 1991; told in Velazquez 1993, section 5.
 *
 * The nodes are arranged in a tree, and a quorum is a path from the root to a leaf: about log2(n) nodes. A node of the
 * path that has failed is replaced by two paths, from each of its children to a leaf. Any two such sets meet, whichever
 * nodes each requester takes for failed (`rooted-tree.ts` says why), and a node grants one request at a time. So
 * quorums grow with the failures, from log2(n+1) up to (n+1)/2, all the leaves. Only the failure of a leaf and all
 * nodes above it, log2(n+1) in all, leaves no quorum.
 *
 * The rules of arbiters and requesters are those of `arbiter.ts` without FAIL: a node that is asked for its grant, and
 * is not inside, gives it back. Failed nodes are replaced by the rules of `substitution.ts`. Nobody starves, because
 * the smallest timestamp gets every grant that it waits for.
 *
 * Costs 3 messages for each other member of the quorum when nobody competes, at most 6 in competition. The
 * survey's (N+1)/2 after failures is a number of members, not of messages.
 *
 * Where we differ. Messages name their request, so channels need not keep order. The paper has a complete binary tree;
 * any tree works, given as the topology, with the home node as root. Every two nodes need a channel, neighbours in the
 * tree or not. A node with a single child is in no quorum.
 *
 * An arbiter must remember its grant over a restart, or it would grant twice.
 */
import type { Algorithm } from '@turnwise/core/algorithm'
import { holdsTreeQuorum, hungUp, treeQuorum } from '@turnwise/core/quorum/rooted-tree'
import type { Setup } from '@turnwise/core/setup'
import type { ArbiterMessage } from './arbiter-state.ts'
import {
  RECLAIM,
  SUBSTITUTION_SHAPES,
  type SubstitutionOptions,
  type SubstitutionState,
  substitutionRules,
} from './substitution.ts'
import { messagesBetween, othersAsked } from './voting.ts'

export const agrawalElAbbadi: Algorithm<SubstitutionState, ArbiterMessage, SubstitutionOptions> = {
  facts: {
    name: 'agrawal-el-abbadi',
    title: 'Agrawal and El Abbadi',
    year: 1991,
    family: 'quorum',
    idea:
      'The nodes form a tree, and a path from the root to a leaf is a quorum. If a node on the path has failed, a ' +
      'path from each of its children takes its place. So quorums grow only with failures.',
    sources: ['velazquez-1993 §5'],
    entries: 1,
    sharedMode: false,
    channels: 'unordered',
    topology: 'tree',
    knows: 'everyone',
    quorums: false,
    messages: {
      formula: '3q to 6q, q the other nodes of a path, about log2(n)',
      letters: (setup) => ({ q: { what: 'other nodes of a path', ...others(setup) } }),
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
  options: RECLAIM,
  shapes: SUBSTITUTION_SHAPES,
  ...substitutionRules<SubstitutionOptions>({
    without: (setup, down, node, asked) => treeQuorum(treeIn(setup), node, down, asked),
    enough: (setup, granted) => holdsTreeQuorum(treeIn(setup), granted),
  }),
}

function treeIn({ topology, home }: Setup) {
  return hungUp(topology, home)
}

function others(setup: Setup) {
  const tree = treeIn(setup)
  return othersAsked(setup.nodes, (node) => treeQuorum(tree, node) ?? [])
}
