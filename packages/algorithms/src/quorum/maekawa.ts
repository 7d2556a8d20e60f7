/**
 * Maekawa, "A sqrt(N) algorithm for mutual exclusion in decentralized systems", ACM TOCS 3(2), 1985, with the
 * correction of Sanders 1987, section 5; told in Velazquez 1993, section 5.
 *
 * Instead of asking everyone, each node asks a fixed set of about sqrt(n) nodes, its quorum, which it belongs
 * to. Any two quorums share a node, and a node grants one request at a time, so two nodes cannot both have all
 * their grants. On a finite projective plane every quorum has K nodes with n = K(K-1) + 1, and every two meet
 * in exactly one: no smaller sets can do it.
 *
 * The rules of arbiters and requesters are those of `arbiter.ts`. Maekawa's own rule sends a FAIL only to a newcomer that
 * cannot be first. A request that was to get the next grant and is then overtaken by a smaller one is never told. It does
 * not yield, and three nodes can wait for each other for ever. Sanders found this; the published rule is a broken variant.
 *
 * Costs 3(K-1) messages when nobody competes: REQUEST, GRANT and RELEASE for each other member. In competition FAIL,
 * INQUIRE, YIELD and a second GRANT are added, at most 7(K-1) in all (Sanders, section 6). With `fail=none` requesters
 * yield whenever asked and no FAIL is sent: at most 6(K-1).
 *
 * Assumes reliable channels between every two nodes. The papers also assume that they keep order; with tagged
 * messages that is not needed.
 */
import type { Algorithm } from '@turnwise/core/algorithm'
import { quorumSizes } from '@turnwise/core/quorum/quorums'
import type { Setup } from '@turnwise/core/setup'
import { arbiterRules } from './arbiter.ts'
import { ARBITER_SHAPES, type ArbiterMessage, type ArbiterState } from './arbiter-state.ts'

interface Options {
  fail: 'all' | 'none'
}

export const maekawa: Algorithm<ArbiterState, ArbiterMessage, Options> = {
  facts: {
    name: 'maekawa',
    title: 'Maekawa',
    year: 1985,
    family: 'quorum',
    idea:
      'Ask about sqrt(n) nodes instead of all. Any two such sets share a node, and that node grants only one of ' +
      'two rivals. Rivals that hold part of their grants give them back to the one that asked first.',
    sources: ['velazquez-1993 §5', 'sanders-1987 §5'],
    entries: 1,
    sharedMode: false,
    channels: 'unordered',
    topology: 'complete',
    knows: 'quorum',
    quorums: true,
    messages: {
      formula: '3(K-1) to 7(K-1), K the size of a quorum',
      letters: (setup) => ({ K: { what: 'quorum size', ...sizes(setup) } }),
      light: (setup) => times(3, 3, setup),
      heavy: (setup) => ({ ...times(3, setup.options.fail === 'all' ? 7 : 6, setup), mean: null }),
    },
    // The arbiter both quorums share may be one of the two nodes, which then needs no message to itself.
    syncDelay: { formula: '2', hops: () => ({ min: 1, max: 2 }) },
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
  },
  shapes: ARBITER_SHAPES,
  ...arbiterRules<Options>(({ fail }) => fail),
}

function sizes({ quorums }: Setup<Options>) {
  return quorums === null ? { min: 1, max: 1, mean: 1 } : quorumSizes(quorums)
}

function times(low: number, high: number, setup: Setup<Options>) {
  const { min, max, mean } = sizes(setup)
  return { min: low * (min - 1), max: high * (max - 1), mean: low * (mean - 1) }
}
