import { centralCoordinator } from '@turnwise/algorithms/permission/central-coordinator'
import { lamport } from '@turnwise/algorithms/permission/lamport'
import { ricartAgrawala } from '@turnwise/algorithms/permission/ricart-agrawala'
import { maekawa } from '@turnwise/algorithms/quorum/maekawa'
import { raymond } from '@turnwise/algorithms/token/raymond'
import { suzukiKasami } from '@turnwise/algorithms/token/suzuki-kasami'
import type { AnyAlgorithm } from '@turnwise/core/algorithm'

/** Algorithms of each family: what takes long is not done with the whole catalogue. */
export const SIX: readonly AnyAlgorithm[] = [
  suzukiKasami,
  raymond,
  lamport,
  centralCoordinator,
  ricartAgrawala,
  maekawa,
]
