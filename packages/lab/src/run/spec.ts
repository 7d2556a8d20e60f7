/** Everything that can be played by its name, broken variants among it. What plays a run loads those only when it needs one. */
import { brokenElections, gallery } from '@turnwise/algorithms/broken/gallery'
import type { BrokenVariant } from '@turnwise/algorithms/broken-variant'
import type { AnyProtocol } from '@turnwise/core/algorithm'
import { known, protocolAmong, type RunSpec, type WorldSpec, worldAmong } from './world.ts'

export { known, MOST_NODES_SHOWN, RESOURCES_SHOWN, type RunSpec, type WorldSpec } from './world.ts'

/** Algorithms with one rule changed, which fail for it. */
export const variants: readonly BrokenVariant<AnyProtocol>[] = [...gallery, ...brokenElections]

/** What can be played by its name. */
export const playable: readonly AnyProtocol[] = [...known, ...variants.map(({ algorithm }) => algorithm)]

export function variantNamed(name: string): BrokenVariant<AnyProtocol> | null {
  return variants.find(({ algorithm }) => algorithm.facts.name === name) ?? null
}

export function protocolNamed(name: string, all: readonly AnyProtocol[] = playable): AnyProtocol {
  return protocolAmong(name, all)
}

/** Reads the words. An error is one line that begins with the name of the setting. */
export function worldOf(spec: RunSpec, all: readonly AnyProtocol[] = playable): WorldSpec {
  return worldAmong(spec, all)
}
