/** Everything that can be played by its name, broken variants among it. What plays a run loads only what it needs. */
import { brokenElections, gallery } from '@turnwise/algorithms/broken/gallery'
import type { BrokenVariant } from '@turnwise/algorithms/broken-variant'
import { catalogue, elections, namesOf } from '@turnwise/algorithms/catalogue'
import { unknownAlgorithm } from '@turnwise/algorithms/unknown-algorithm'
import type { AnyProtocol } from '@turnwise/core/algorithm'
import { type RunSpec, type WorldSpec, worldFor } from './world-spec.ts'

export { MOST_NODES_SHOWN, RESOURCES_SHOWN, type RunSpec, type WorldSpec } from './world-spec.ts'

/** Everything that can be watched, broken variants apart. */
export const known: readonly AnyProtocol[] = [...catalogue, ...elections]

/** Algorithms with one rule changed, which fail for it. */
export const variants: readonly BrokenVariant<AnyProtocol>[] = [...gallery, ...brokenElections]

/** What can be played by its name. */
export const playable: readonly AnyProtocol[] = [...known, ...variants.map(({ algorithm }) => algorithm)]

export function variantNamed(name: string): BrokenVariant<AnyProtocol> | null {
  return variants.find(({ algorithm }) => algorithm.facts.name === name) ?? null
}

export function protocolNamed(name: string, all: readonly AnyProtocol[] = playable): AnyProtocol {
  const found = all.find(({ facts }) => facts.name === name)
  if (found === undefined) throw unknownAlgorithm(name, namesOf(known))
  return found
}

/** Reads the words. An error is one line that begins with the name of the setting. */
export function worldOf(spec: RunSpec, all: readonly AnyProtocol[] = playable): WorldSpec {
  return worldFor(spec, protocolNamed(spec.algorithm, all))
}
