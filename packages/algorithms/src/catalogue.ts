import type { AnyAlgorithm } from '@turnwise/core/algorithm'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { centralCoordinator } from './permission/central-coordinator.ts'
import { lamport } from './permission/lamport.ts'
import { ricartAgrawala } from './permission/ricart-agrawala.ts'
import { maekawa } from './quorum/maekawa.ts'
import { raymond } from './token/raymond.ts'
import { suzukiKasami } from './token/suzuki-kasami.ts'

/** Every algorithm, by family and year. A test fails when a file is missing here. */
export const catalogue: readonly AnyAlgorithm[] = [
  suzukiKasami,
  raymond,
  lamport,
  centralCoordinator,
  ricartAgrawala,
  maekawa,
]

export function algorithmNamed(name: string): AnyAlgorithm {
  const found = catalogue.find(({ facts }) => facts.name === name)
  if (found !== undefined) return found
  const near = catalogue
    .map(({ facts }) => facts.name)
    .filter((known) => known.includes(name) || name.includes(known))
  const hint = near.length > 0 ? near.join(', ') : catalogue.map(({ facts }) => facts.name).join(', ')
  throw new InvalidInput(`"${name}" is not an algorithm of the catalogue: ${hint}`)
}
