import { brokenElections, gallery } from '@turnwise/algorithms/broken/gallery'
import type { BrokenElection, BrokenVariant } from '@turnwise/algorithms/broken-variant'
import { algorithmNamed, electionNamed, elections } from '@turnwise/algorithms/catalogue'
import { innocents } from '@turnwise/algorithms/innocent/innocents'
import type { InnocentVariant } from '@turnwise/algorithms/innocent-variant'
import { type AnyAlgorithm, type AnyElection, type AnyProtocol, isElection } from '@turnwise/core/algorithm'
import { InvalidInput } from '@turnwise/core/invalid-input'

/** A broken variant by its name; undefined if there is none. */
export function variantNamed(name: string): BrokenVariant | BrokenElection | undefined {
  return [...gallery, ...brokenElections].find(({ algorithm }) => algorithm.facts.name === name)
}

/** A suspected rule that turned out innocent, by the name of its file; undefined if there is none. */
export function innocentNamed(name: string): InnocentVariant | undefined {
  return innocents.find((innocent) => innocent.name === name)
}

/** Anything that can be checked: an algorithm or an election, of the catalogue, broken, or suspected. */
export function protocolOrVariantNamed(name: string): AnyProtocol {
  const variant = variantNamed(name) ?? innocentNamed(name)
  if (variant !== undefined) return variant.algorithm
  return elections.some(({ facts }) => facts.name === name) ? electionNamed(name) : algorithmNamed(name)
}

/** A mutual exclusion algorithm of the catalogue, or a variant of one. */
export function algorithmOrVariantNamed(name: string): AnyAlgorithm {
  const variant = variantNamed(name) ?? innocentNamed(name)
  if (variant === undefined) return algorithmNamed(name)
  if (isElection(variant.algorithm)) throw new InvalidInput(`"${name}" is an election: use turnwise elect`)
  return variant.algorithm
}

/** An election of the catalogue, or a variant of one. */
export function electionOrVariantNamed(name: string): AnyElection {
  const variant = variantNamed(name) ?? innocentNamed(name)
  return variant !== undefined && isElection(variant.algorithm) ? variant.algorithm : electionNamed(name)
}
