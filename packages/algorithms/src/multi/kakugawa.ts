/**
 * Kakugawa, Fujita, Yamashita and Ae, "Availability of k-coterie", IEEE Transactions on Computers 42(5), 1993; here
 * after Velazquez 1993, section 6.
 *
 * Maekawa's algorithm for k entries. Instead of one quorum for each node there is a k-coterie. Of any k + 1 of its
 * quorums two meet. While fewer than k disjoint quorums are taken, there is another that meets none of them. With every
 * request a node chooses a quorum and asks its members, each of which grants one request at a time.
 *
 * Why it is safe: k + 1 nodes inside would have k + 1 quorums, two of which share an arbiter. Why nobody starves: the
 * rules of arbiters and requesters are those of `arbiter.ts`, and an old request is granted before newer ones.
 *
 * Costs 3s messages when nobody competes, s being the number of other members: REQUEST, GRANT and RELEASE for each. In
 * competition FAIL, INQUIRE, YIELD and a second GRANT are added, at most 7s in all (Sanders 1987, section 6). The
 * survey's 5s, like Maekawa's, counts neither that GRANT nor the FAIL of the correction. With `fail=none` at most 6s.
 *
 * Assumes reliable channels between every two nodes; with tagged messages they need not keep order. A node must send
 * its release to the quorum with which it entered. A broken variant chooses another.
 *
 * Where we differ:
 *  - The survey's non-intersection condition is too weak (see `k-coterie.ts`).
 *  - The survey lets a node choose an "appropriate" quorum, and pretend that it was asked itself. But a node cannot
 *    know which quorums are free. We draw one of those that the node belongs to, if there are any (`draw=own`), or one
 *    of all (`draw=any`). A request waits for the drawn quorum, even if another is free. Two drawn quorums of a large
 *    k-majority mostly meet, so fewer than k are inside; disjoint majorities avoid this.
 *  - Disjoint quorums do not hear of each other's entries, so fences only tell entries apart. If two quorums meet, the
 *    later entry has the larger fence, and with k = 1 fences rise.
 */
import type { Algorithm, NodeId } from '@turnwise/core/algorithm'
import type { Prediction } from '@turnwise/core/facts'
import type { Setup } from '@turnwise/core/setup'
import { timestampFence } from '@turnwise/core/timestamp'
import { arbiterRules } from '../quorum/arbiter.ts'
import { ARBITER_SHAPES, type ArbiterMessage, type ArbiterState } from '../quorum/arbiter-state.ts'

export interface Options {
  fail: 'all' | 'none'
  draw: 'own' | 'any'
}

export const kakugawa: Algorithm<ArbiterState, ArbiterMessage, Options> = {
  facts: {
    name: 'kakugawa',
    title: 'Kakugawa et al., k-coteries',
    year: 1993,
    family: 'multi',
    idea:
      "Maekawa's arbiters with other quorums: k of them may be disjoint, but of any k + 1 two meet. So up to k " +
      'nodes can be inside together, each with its own quorum. A node chooses a quorum with every request.',
    sources: ['velazquez-1993 §6', 'sanders-1987 §5'],
    entries: 'k',
    sharedMode: false,
    channels: 'unordered',
    topology: 'complete',
    knows: 'quorum',
    quorums: true,
    messages: {
      formula: '3s to 7s, s the number of other members of the quorum',
      letters: (setup) => ({ s: { what: 'other members of the quorum', ...others(setup) } }),
      light: (setup) => times(3, 3, setup),
      heavy: (setup) => ({ ...times(3, setup.options.fail === 'all' ? 7 : 6, setup), mean: null }),
    },
    // With k = 1 as Maekawa. With more, the next node may already have its grants when the section becomes empty.
    syncDelay: { formula: '2', hops: ({ entries }) => ({ min: entries === 1 ? 1 : 0, max: 2 }) },
    faults: ['spike', 'pause'],
    fallsSilent: true,
    timing: 'any',
    timers: {},
  },
  options: {
    fail: {
      kind: 'choice',
      default: 'all',
      choices: ['all', 'none'],
      title: 'FAIL is sent to',
      about: 'who is told that it must wait: all who must, or none and a requester yields whenever asked',
    },
    draw: {
      kind: 'choice',
      default: 'own',
      choices: ['own', 'any'],
      title: 'Quorum that is asked',
      about: 'which quorum a request asks: one that the node belongs to, if there is one, or any',
    },
  },
  shapes: { ...ARBITER_SHAPES, fence: { clock: 'fence', scaled: true, onlyFences: true } },
  ...arbiterRules<Options>(({ fail }) => fail, {
    // Those inside when the world begins may have chosen quorums that do not meet.
    of: ({ quorums, inside }, node) =>
      quorums?.choice?.apart[inside.indexOf(node)] ?? quorums?.of(node) ?? [],
    enough: (_setup, granted, _node, asked) => granted.length === asked.length,
    choose: (here) => drawn(here.setup, here.self, (bound) => here.random(bound)),
    // Disjoint quorums may count the same number; the node's number tells these fences apart.
    fence: (count, { self, setup }) => timestampFence({ time: count, node: self }, setup.nodes),
  }),
}

function drawn(
  { quorums, options }: Setup<Options>,
  self: NodeId,
  random: (bound: number) => number,
): readonly NodeId[] {
  return quorums?.choice?.draw(self, options.draw, random) ?? []
}

function others({ quorums, options }: Setup<Options>) {
  return quorums?.choice?.others(options.draw) ?? { min: 0, max: 0, mean: 0 }
}

function times(low: number, high: number, setup: Setup<Options>): Prediction {
  const { min, max, mean } = others(setup)
  return { min: low * min, max: high * max, mean: low * mean }
}
