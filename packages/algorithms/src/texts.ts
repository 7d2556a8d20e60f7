/**
 * Algorithms by name, each loaded on demand: a service runs one of them, and need not load all before it can acquire a
 * lock. A program that has the whole catalogue hands it to `know`.
 */
import type { AnyAlgorithm } from '@turnwise/core/algorithm'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { unknownAlgorithm } from './unknown-algorithm.ts'

/** In the order of the catalogue. `npm run lists` writes it from the folders. */
const TEXTS: Readonly<Record<string, () => Promise<AnyAlgorithm>>> = {
  'token-ring': () => import('./token/token-ring.ts').then(({ tokenRing }) => tokenRing),
  'token-ring-on-demand': () =>
    import('./token/token-ring-on-demand.ts').then(({ tokenRingOnDemand }) => tokenRingOnDemand),
  'token-ring-election': () =>
    import('./token/token-ring-election.ts').then(({ tokenRingElection }) => tokenRingElection),
  'ricart-agrawala-token': () =>
    import('./token/ricart-agrawala-token.ts').then(({ ricartAgrawalaToken }) => ricartAgrawalaToken),
  'suzuki-kasami': () => import('./token/suzuki-kasami.ts').then(({ suzukiKasami }) => suzukiKasami),
  'suzuki-kasami-bounded': () =>
    import('./token/suzuki-kasami-bounded.ts').then(({ suzukiKasamiBounded }) => suzukiKasamiBounded),
  'martin-ring': () => import('./token/martin-ring.ts').then(({ martinRing }) => martinRing),
  'naimi-trehel': () => import('./token/naimi-trehel.ts').then(({ naimiTrehel }) => naimiTrehel),
  'naimi-trehel-recovery': () =>
    import('./token/naimi-trehel-recovery.ts').then(({ naimiTrehelRecovery }) => naimiTrehelRecovery),
  'helary-plouzeau-raynal': () =>
    import('./token/helary-plouzeau-raynal.ts').then(({ helaryPlouzeauRaynal }) => helaryPlouzeauRaynal),
  'helary-plouzeau-raynal-complete': () =>
    import('./token/helary-plouzeau-raynal-complete.ts').then(
      ({ helaryPlouzeauRaynalComplete }) => helaryPlouzeauRaynalComplete,
    ),
  'helary-plouzeau-raynal-reconfiguration': () =>
    import('./token/helary-plouzeau-raynal-reconfiguration.ts').then(
      ({ helaryPlouzeauRaynalReconfiguration }) => helaryPlouzeauRaynalReconfiguration,
    ),
  'helary-plouzeau-raynal-regeneration': () =>
    import('./token/helary-plouzeau-raynal-regeneration.ts').then(
      ({ helaryPlouzeauRaynalRegeneration }) => helaryPlouzeauRaynalRegeneration,
    ),
  raymond: () => import('./token/raymond.ts').then(({ raymond }) => raymond),
  'raymond-piggyback': () =>
    import('./token/raymond-piggyback.ts').then(({ raymondPiggyback }) => raymondPiggyback),
  'raymond-recovery': () =>
    import('./token/raymond-recovery.ts').then(({ raymondRecovery }) => raymondRecovery),
  'raymond-piggyback-recovery': () =>
    import('./token/raymond-piggyback-recovery.ts').then(
      ({ raymondPiggybackRecovery }) => raymondPiggybackRecovery,
    ),
  'singhal-heuristic': () =>
    import('./token/singhal-heuristic.ts').then(({ singhalHeuristic }) => singhalHeuristic),
  'mishra-srimani': () => import('./token/mishra-srimani.ts').then(({ mishraSrimani }) => mishraSrimani),
  'mishra-srimani-coordinator': () =>
    import('./token/mishra-srimani-coordinator.ts').then(
      ({ mishraSrimaniCoordinator }) => mishraSrimaniCoordinator,
    ),
  'nishio-li-manning': () =>
    import('./token/nishio-li-manning.ts').then(({ nishioLiManning }) => nishioLiManning),
  'nishio-li-manning-detection': () =>
    import('./token/nishio-li-manning-detection.ts').then(
      ({ nishioLiManningDetection }) => nishioLiManningDetection,
    ),
  'mizuno-neilsen-rao': () =>
    import('./token/mizuno-neilsen-rao.ts').then(({ mizunoNeilsenRao }) => mizunoNeilsenRao),
  'neilsen-mizuno': () => import('./token/neilsen-mizuno.ts').then(({ neilsenMizuno }) => neilsenMizuno),
  'token-queue': () => import('./token/token-queue.ts').then(({ tokenQueue }) => tokenQueue),
  lamport: () => import('./permission/lamport.ts').then(({ lamport }) => lamport),
  'central-coordinator': () =>
    import('./permission/central-coordinator.ts').then(({ centralCoordinator }) => centralCoordinator),
  'ricart-agrawala': () =>
    import('./permission/ricart-agrawala.ts').then(({ ricartAgrawala }) => ricartAgrawala),
  'ricart-agrawala-implicit': () =>
    import('./permission/ricart-agrawala-implicit.ts').then(
      ({ ricartAgrawalaImplicit }) => ricartAgrawalaImplicit,
    ),
  'ricart-agrawala-broadcast': () =>
    import('./permission/ricart-agrawala-broadcast.ts').then(
      ({ ricartAgrawalaBroadcast }) => ricartAgrawalaBroadcast,
    ),
  'ricart-agrawala-medium': () =>
    import('./permission/ricart-agrawala-medium.ts').then(({ ricartAgrawalaMedium }) => ricartAgrawalaMedium),
  'ricart-agrawala-ring': () =>
    import('./permission/ricart-agrawala-ring.ts').then(({ ricartAgrawalaRing }) => ricartAgrawalaRing),
  'ricart-agrawala-ring-noted': () =>
    import('./permission/ricart-agrawala-ring-noted.ts').then(
      ({ ricartAgrawalaRingNoted }) => ricartAgrawalaRingNoted,
    ),
  'ricart-agrawala-modulo': () =>
    import('./permission/ricart-agrawala-modulo.ts').then(({ ricartAgrawalaModulo }) => ricartAgrawalaModulo),
  'ricart-agrawala-membership': () =>
    import('./permission/ricart-agrawala-membership.ts').then(
      ({ ricartAgrawalaMembership }) => ricartAgrawalaMembership,
    ),
  'central-coordinator-election': () =>
    import('./permission/central-coordinator-election.ts').then(
      ({ centralCoordinatorElection }) => centralCoordinatorElection,
    ),
  'carvalho-roucairol': () =>
    import('./permission/carvalho-roucairol.ts').then(({ carvalhoRoucairol }) => carvalhoRoucairol),
  'raynal-prime': () => import('./permission/raynal-prime.ts').then(({ raynalPrime }) => raynalPrime),
  'singhal-dynamic': () =>
    import('./permission/singhal-dynamic.ts').then(({ singhalDynamic }) => singhalDynamic),
  'raynal-prime-modified': () =>
    import('./permission/raynal-prime-modified.ts').then(({ raynalPrimeModified }) => raynalPrimeModified),
  'thomas-majority': () => import('./quorum/thomas-majority.ts').then(({ thomasMajority }) => thomasMajority),
  'gifford-voting': () => import('./quorum/gifford-voting.ts').then(({ giffordVoting }) => giffordVoting),
  maekawa: () => import('./quorum/maekawa.ts').then(({ maekawa }) => maekawa),
  sanders: () => import('./quorum/sanders.ts').then(({ sanders }) => sanders),
  'sanders-dynamic': () => import('./quorum/sanders-dynamic.ts').then(({ sandersDynamic }) => sandersDynamic),
  'sanders-recovery': () =>
    import('./quorum/sanders-recovery.ts').then(({ sandersRecovery }) => sandersRecovery),
  'agrawal-el-abbadi': () =>
    import('./quorum/agrawal-el-abbadi.ts').then(({ agrawalElAbbadi }) => agrawalElAbbadi),
  'ordered-resources': () =>
    import('./multi/ordered-resources.ts').then(({ orderedResources }) => orderedResources),
  'raymond-k': () => import('./multi/raymond-k.ts').then(({ raymondK }) => raymondK),
  'srimani-reddy': () => import('./multi/srimani-reddy.ts').then(({ srimaniReddy }) => srimaniReddy),
  kakugawa: () => import('./multi/kakugawa.ts').then(({ kakugawa }) => kakugawa),
  'bouabdallah-laforest': () =>
    import('./multi/bouabdallah-laforest.ts').then(({ bouabdallahLaforest }) => bouabdallahLaforest),
  composed: () => import('./zones/composed.ts').then(({ composed }) => composed),
}

const known = new Map<string, AnyAlgorithm>()

/** From now on `knownAlgorithm` finds these. */
export function know(algorithms: readonly AnyAlgorithm[]): void {
  for (const algorithm of algorithms) known.set(algorithm.facts.name, algorithm)
}

/** Whether an algorithm of this name can be loaded. */
export function hasText(name: string): boolean {
  return Object.hasOwn(TEXTS, name)
}

/** Resolves when these are known. */
export function load(names: readonly string[]): Promise<void> {
  const texts = names.map((name) => {
    const text = hasText(name) ? TEXTS[name] : undefined
    return text?.() ?? Promise.reject<AnyAlgorithm>(unknownAlgorithm(name, Object.keys(TEXTS)))
  })
  return Promise.all(texts).then(know)
}

export function knownAlgorithm(name: string): AnyAlgorithm {
  const found = known.get(name)
  if (found !== undefined) return found
  if (!hasText(name)) throw unknownAlgorithm(name, Object.keys(TEXTS))
  throw new InvalidInput(`"${name}" is not loaded here; loaded: ${[...known.keys()].join(', ')}`)
}
