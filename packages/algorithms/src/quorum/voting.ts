import type { Prediction } from '@turnwise/core/facts'
import { type Votes, votesOf, votingQuorum } from '@turnwise/core/quorum/votes'
import { oncePerSetup, type Setup } from '@turnwise/core/setup'
import { type SubstitutionOptions, substitutionRules } from './substitution.ts'

/** The rules of algorithms that enter with more than half of the votes; `assigned` gives the votes of each node. */
export function votingRules<Options extends SubstitutionOptions>(assigned: (setup: Setup<Options>) => Votes) {
  const votesIn = oncePerSetup(assigned)
  return substitutionRules<Options>({
    without: (setup, down, node, asked) => votingQuorum(votesIn(setup), node, down, asked),
    enough: (setup, granted) => votesOf(votesIn(setup), granted) >= votesIn(setup).needed,
  })
}

/** Messages per entry if each of the other members costs `low` to `high`. */
export function messagesBetween(low: number, high: number, others: Prediction): Prediction {
  return {
    min: low * others.min,
    max: high * others.max,
    mean: others.mean === null ? null : low * others.mean,
  }
}

/** How many others a node asks: the least, the most, and the mean over all nodes. */
export function othersAsked(nodes: number, asks: (node: number) => readonly number[]): Prediction {
  const counts = Array.from(
    { length: nodes },
    (_, node) => asks(node).filter((other) => other !== node).length,
  )
  const sum = counts.reduce((a, b) => a + b, 0)
  return {
    min: counts.reduce((a, b) => Math.min(a, b)),
    max: counts.reduce((a, b) => Math.max(a, b)),
    mean: sum / nodes,
  }
}
