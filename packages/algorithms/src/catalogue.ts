import type { AnyAlgorithm, AnyElection, AnyProtocol } from '@turnwise/core/algorithm'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { bully } from './election/bully.ts'
import { ringElection } from './election/ring-election.ts'
import { bouabdallahLaforest } from './multi/bouabdallah-laforest.ts'
import { kakugawa } from './multi/kakugawa.ts'
import { orderedResources } from './multi/ordered-resources.ts'
import { raymondK } from './multi/raymond-k.ts'
import { srimaniReddy } from './multi/srimani-reddy.ts'
import { carvalhoRoucairol } from './permission/carvalho-roucairol.ts'
import { centralCoordinator } from './permission/central-coordinator.ts'
import { centralCoordinatorElection } from './permission/central-coordinator-election.ts'
import { lamport } from './permission/lamport.ts'
import { raynalPrime } from './permission/raynal-prime.ts'
import { raynalPrimeModified } from './permission/raynal-prime-modified.ts'
import { ricartAgrawala } from './permission/ricart-agrawala.ts'
import { ricartAgrawalaBroadcast } from './permission/ricart-agrawala-broadcast.ts'
import { ricartAgrawalaImplicit } from './permission/ricart-agrawala-implicit.ts'
import { ricartAgrawalaMedium } from './permission/ricart-agrawala-medium.ts'
import { ricartAgrawalaMembership } from './permission/ricart-agrawala-membership.ts'
import { ricartAgrawalaModulo } from './permission/ricart-agrawala-modulo.ts'
import { ricartAgrawalaRing } from './permission/ricart-agrawala-ring.ts'
import { ricartAgrawalaRingNoted } from './permission/ricart-agrawala-ring-noted.ts'
import { singhalDynamic } from './permission/singhal-dynamic.ts'
import { agrawalElAbbadi } from './quorum/agrawal-el-abbadi.ts'
import { giffordVoting } from './quorum/gifford-voting.ts'
import { maekawa } from './quorum/maekawa.ts'
import { sanders } from './quorum/sanders.ts'
import { sandersDynamic } from './quorum/sanders-dynamic.ts'
import { sandersRecovery } from './quorum/sanders-recovery.ts'
import { thomasMajority } from './quorum/thomas-majority.ts'
import { helaryPlouzeauRaynal } from './token/helary-plouzeau-raynal.ts'
import { helaryPlouzeauRaynalComplete } from './token/helary-plouzeau-raynal-complete.ts'
import { helaryPlouzeauRaynalReconfiguration } from './token/helary-plouzeau-raynal-reconfiguration.ts'
import { helaryPlouzeauRaynalRegeneration } from './token/helary-plouzeau-raynal-regeneration.ts'
import { martinRing } from './token/martin-ring.ts'
import { mishraSrimani } from './token/mishra-srimani.ts'
import { mishraSrimaniCoordinator } from './token/mishra-srimani-coordinator.ts'
import { mizunoNeilsenRao } from './token/mizuno-neilsen-rao.ts'
import { naimiTrehel } from './token/naimi-trehel.ts'
import { naimiTrehelRecovery } from './token/naimi-trehel-recovery.ts'
import { neilsenMizuno } from './token/neilsen-mizuno.ts'
import { nishioLiManning } from './token/nishio-li-manning.ts'
import { nishioLiManningDetection } from './token/nishio-li-manning-detection.ts'
import { raymond } from './token/raymond.ts'
import { raymondPiggyback } from './token/raymond-piggyback.ts'
import { raymondPiggybackRecovery } from './token/raymond-piggyback-recovery.ts'
import { raymondRecovery } from './token/raymond-recovery.ts'
import { ricartAgrawalaToken } from './token/ricart-agrawala-token.ts'
import { singhalHeuristic } from './token/singhal-heuristic.ts'
import { suzukiKasami } from './token/suzuki-kasami.ts'
import { suzukiKasamiBounded } from './token/suzuki-kasami-bounded.ts'
import { tokenQueue } from './token/token-queue.ts'
import { tokenRing } from './token/token-ring.ts'
import { tokenRingElection } from './token/token-ring-election.ts'
import { tokenRingOnDemand } from './token/token-ring-on-demand.ts'
import { unknownAlgorithm } from './unknown-algorithm.ts'
import { composed } from './zones/composed.ts'

/** Every mutual exclusion algorithm, by family and year. `npm run lists` writes this list from the folders. */
export const catalogue: readonly AnyAlgorithm[] = [
  tokenRing,
  tokenRingOnDemand,
  tokenRingElection,
  ricartAgrawalaToken,
  suzukiKasami,
  suzukiKasamiBounded,
  martinRing,
  naimiTrehel,
  naimiTrehelRecovery,
  helaryPlouzeauRaynal,
  helaryPlouzeauRaynalComplete,
  helaryPlouzeauRaynalReconfiguration,
  helaryPlouzeauRaynalRegeneration,
  raymond,
  raymondPiggyback,
  raymondRecovery,
  raymondPiggybackRecovery,
  singhalHeuristic,
  mishraSrimani,
  mishraSrimaniCoordinator,
  nishioLiManning,
  nishioLiManningDetection,
  mizunoNeilsenRao,
  neilsenMizuno,
  tokenQueue,
  lamport,
  centralCoordinator,
  ricartAgrawala,
  ricartAgrawalaImplicit,
  ricartAgrawalaBroadcast,
  ricartAgrawalaMedium,
  ricartAgrawalaRing,
  ricartAgrawalaRingNoted,
  ricartAgrawalaModulo,
  ricartAgrawalaMembership,
  centralCoordinatorElection,
  carvalhoRoucairol,
  raynalPrime,
  singhalDynamic,
  raynalPrimeModified,
  thomasMajority,
  giffordVoting,
  maekawa,
  sanders,
  sandersDynamic,
  sandersRecovery,
  agrawalElAbbadi,
  orderedResources,
  raymondK,
  srimaniReddy,
  kakugawa,
  bouabdallahLaforest,
  composed,
]

/** Every election, by year. `npm run lists` writes this list too. */
export const elections: readonly AnyElection[] = [ringElection, bully]

export function namesOf(protocols: readonly AnyProtocol[]): string[] {
  return protocols.map(({ facts }) => facts.name)
}

export function electionNamed(name: string): AnyElection {
  const found = elections.find(({ facts }) => facts.name === name)
  if (found !== undefined) return found
  if (catalogue.some(({ facts }) => facts.name === name)) {
    throw new InvalidInput(
      `"${name}" is a mutual exclusion algorithm, not an election: use turnwise simulate`,
    )
  }
  throw new InvalidInput(`"${name}" is not an election: ${namesOf(elections).join(', ')}`)
}

export function algorithmNamed(name: string): AnyAlgorithm {
  const found = catalogue.find(({ facts }) => facts.name === name)
  if (found !== undefined) return found
  if (elections.some(({ facts }) => facts.name === name)) {
    throw new InvalidInput(`"${name}" is an election: use turnwise elect`)
  }
  throw unknownAlgorithm(name, namesOf(catalogue))
}
