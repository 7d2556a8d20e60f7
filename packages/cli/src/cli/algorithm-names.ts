import { brokenElections, gallery } from '@turnwise/algorithms/broken/gallery'
import type { BrokenElection, BrokenVariant } from '@turnwise/algorithms/broken-variant'
import { algorithmNamed, catalogue, electionNamed, elections, namesOf } from '@turnwise/algorithms/catalogue'
import { innocents } from '@turnwise/algorithms/innocent/innocents'
import type { InnocentVariant } from '@turnwise/algorithms/innocent-variant'
import { unknownAlgorithm } from '@turnwise/algorithms/unknown-algorithm'
import { type AnyAlgorithm, type AnyElection, type AnyProtocol, isElection } from '@turnwise/core/algorithm'
import { InvalidInput } from '@turnwise/core/invalid-input'

const variants: readonly (BrokenVariant | BrokenElection)[] = [...gallery, ...brokenElections]

/** A broken variant by its name; undefined if there is none. */
export function variantNamed(name: string): BrokenVariant | BrokenElection | undefined {
  return variants.find(({ algorithm }) => algorithm.facts.name === name)
}

/** A suspected rule that turned out innocent, by the name of its file; undefined if there is none. */
export function innocentNamed(name: string): InnocentVariant | undefined {
  return innocents.find((innocent) => innocent.name === name)
}

/** Anything that can be checked: an algorithm or an election, of the catalogue, broken, or suspected. */
export function protocolOrVariantNamed(name: string): AnyProtocol {
  const others = [...variants, ...innocents].map(({ algorithm }) => algorithm)
  const innocent = innocentNamed(name)
  if (innocent !== undefined) return innocent.algorithm
  const all = [...catalogue, ...elections, ...others]
  const found = all.find(({ facts }) => facts.name === name)
  if (found === undefined) throw unknownAlgorithm(name, namesOf(all))
  return found
}

/** A mutual exclusion algorithm of the catalogue, or a variant of one. */
export function algorithmOrVariantNamed(name: string): AnyAlgorithm {
  const protocol = protocolOrVariantNamed(name)
  if (isElection(protocol)) throw new InvalidInput(`"${name}" is an election: use turnwise elect`)
  return protocol
}

/** A mutual exclusion algorithm of the catalogue. */
export function soundAlgorithmNamed(name: string): AnyAlgorithm {
  const variant = variantNamed(name)
  if (variant === undefined) return algorithmNamed(name)
  const others = `turnwise explain, check and ${isElection(variant.algorithm) ? 'elect' : 'simulate'} take it`
  throw new InvalidInput(`"${name}" is a broken variant of ${variant.of}: ${others}`)
}

/** An election of the catalogue, or a variant of one. */
export function electionOrVariantNamed(name: string): AnyElection {
  const innocent = innocentNamed(name)
  if (innocent !== undefined && isElection(innocent.algorithm)) return innocent.algorithm
  const variant = variantNamed(name)
  if (variant === undefined) return electionNamed(name)
  if (!isElection(variant.algorithm)) {
    throw new InvalidInput(
      `"${name}" is a broken variant of ${variant.of}, which elects nobody: use turnwise simulate`,
    )
  }
  return variant.algorithm
}
