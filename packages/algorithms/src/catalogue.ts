import type { AnyAlgorithm } from '@turnwise/core/algorithm'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { carvalhoRoucairol } from './permission/carvalho-roucairol.ts'
import { centralCoordinator } from './permission/central-coordinator.ts'
import { lamport } from './permission/lamport.ts'
import { raynalPrime } from './permission/raynal-prime.ts'
import { raynalPrimeModified } from './permission/raynal-prime-modified.ts'
import { ricartAgrawala } from './permission/ricart-agrawala.ts'
import { ricartAgrawalaMembership } from './permission/ricart-agrawala-membership.ts'
import { singhalDynamic } from './permission/singhal-dynamic.ts'
import { agrawalElAbbadi } from './quorum/agrawal-el-abbadi.ts'
import { giffordVoting } from './quorum/gifford-voting.ts'
import { maekawa } from './quorum/maekawa.ts'
import { thomasMajority } from './quorum/thomas-majority.ts'
import { helaryPlouzeauRaynal } from './token/helary-plouzeau-raynal.ts'
import { helaryPlouzeauRaynalComplete } from './token/helary-plouzeau-raynal-complete.ts'
import { martinRing } from './token/martin-ring.ts'
import { mizunoNeilsenRao } from './token/mizuno-neilsen-rao.ts'
import { naimiTrehel } from './token/naimi-trehel.ts'
import { naimiTrehelRecovery } from './token/naimi-trehel-recovery.ts'
import { neilsenMizuno } from './token/neilsen-mizuno.ts'
import { nishioLiManning } from './token/nishio-li-manning.ts'
import { raymond } from './token/raymond.ts'
import { ricartAgrawalaToken } from './token/ricart-agrawala-token.ts'
import { singhalHeuristic } from './token/singhal-heuristic.ts'
import { suzukiKasami } from './token/suzuki-kasami.ts'
import { suzukiKasamiBounded } from './token/suzuki-kasami-bounded.ts'
import { tokenRing } from './token/token-ring.ts'

/** Every algorithm, by family and year. A test fails when a file is missing here. */
export const catalogue: readonly AnyAlgorithm[] = [
  tokenRing,
  ricartAgrawalaToken,
  suzukiKasami,
  suzukiKasamiBounded,
  martinRing,
  naimiTrehel,
  naimiTrehelRecovery,
  helaryPlouzeauRaynal,
  helaryPlouzeauRaynalComplete,
  raymond,
  singhalHeuristic,
  nishioLiManning,
  mizunoNeilsenRao,
  neilsenMizuno,
  lamport,
  centralCoordinator,
  ricartAgrawala,
  ricartAgrawalaMembership,
  carvalhoRoucairol,
  raynalPrime,
  singhalDynamic,
  raynalPrimeModified,
  thomasMajority,
  giffordVoting,
  maekawa,
  agrawalElAbbadi,
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
