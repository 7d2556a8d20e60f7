/** Which algorithm serves a name, and whether a mesh can run it. */
import { readAlgorithmText } from '@turnwise/algorithms/former-settings'
import { knownAlgorithm } from '@turnwise/algorithms/texts'
import type { AnyAlgorithm } from '@turnwise/core/algorithm'
import { type AskedWorld, takeAskedWorld } from '@turnwise/core/asked-world'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { changedSettings, listOptions, readOptions, settingsInMesh } from '@turnwise/core/options'
import { algorithmIn, isGroup } from './names.ts'
import type { Settings } from './record.ts'

/** The default algorithm for locks and elections. */
export const DEFAULT_ALGORITHM = 'token-queue'

/** The default algorithm for semaphores. */
export const SEMAPHORES = 'srimani-reddy'

/** The algorithm of groups. */
export const GROUPS = 'bouabdallah-laforest'

/** A semaphore's name can name its algorithm, and names come from any node. So every node knows these. */
export const SERVE_OTHERS = [SEMAPHORES, 'raymond-k', 'kakugawa', GROUPS]

/** The algorithm of this name, if a mesh can run it. `whyUnservable` says which it cannot. */
export function servable(name: string, entries: 1 | 'k' = 1): AnyAlgorithm {
  return serving(name, entries).algorithm
}

export interface Serving {
  readonly algorithm: AnyAlgorithm
  readonly options: object
  /** The graph, quorums or structure that the text asks for. */
  readonly asked: AskedWorld
}

/**
 * Settings may follow the name, as for `--set`: `ricart-agrawala priority=20`. So may the values of `--topology`, `--quorum` and
 * `--structure`: `maekawa quorum=tree`.
 */
export function serving(name: string, entries: 1 | 'k' = 1): Serving {
  const asked = readAlgorithmText(name)
  const algorithm = knownAlgorithm(asked.name)
  const { asked: world, settings } = takeAskedWorld(asked.settings)
  const all = [...settingsInMesh(algorithm.options), ...settings]
  const options = readOptions(algorithm.options, all, algorithm.facts.name)
  const why = whyUnservable(algorithm, options, entries)
  if (why !== null) {
    throw new InvalidInput(`"${name}" cannot serve ${entries === 1 ? 'a mesh' : 'semaphores'}: ${why}`)
  }
  return { algorithm, options, asked: world }
}

/** Why it cannot serve locks, or semaphores; null if it can. */
export function whyUnservable(
  { facts, options: specs }: AnyAlgorithm,
  options: object,
  entries: 1 | 'k',
): string | null {
  if (facts.entries !== entries)
    return entries === 1 ? 'it lets several callers in at a time' : 'it lets only one in'
  if (!facts.fallsSilent) return 'it sends messages even while nobody wants the lock'
  if (facts.timing === 'bounded') return 'it needs a bound on message delays, which no network keeps'
  if (facts.medium !== undefined) return 'it needs a broadcast medium'
  if (Object.values(facts.timers).some((kind) => kind !== 'pace'))
    return 'it detects failures by time-outs, and a mesh does that with its views'
  if (facts.knownToFail !== undefined) return 'it is known to fail'
  if (facts.zones || changedSettings(specs, options).some((setting) => setting.startsWith('zones=')))
    return 'its zones are blocks of numbers; members of a mesh state theirs: join({ zone })'
  if (entries === 'k' && facts.quorums)
    return 'two quorums that overlap keep a caller out while permits are free'
  const times = listOptions(specs).filter(([, spec]) => spec.kind === 'integer' && spec.setsTimer === true)
  const timed = changedSettings(specs, options).find((setting) =>
    times.some(([option]) => setting.startsWith(`${option}=`)),
  )
  return timed === undefined ? null : `${timed} sets a timer, and a mesh has none for algorithms`
}

/** The algorithm that serves a name. */
export function algorithmFor(settings: Pick<Settings, 'algorithm'>, name: string): AnyAlgorithm {
  return servingFor(settings, name).algorithm
}

/** The algorithm of this name, as the user wrote it. */
export function algorithmTextFor({ algorithm }: Pick<Settings, 'algorithm'>, name: string): string {
  if (name.startsWith('#')) return algorithmIn(name) ?? SEMAPHORES
  return isGroup(name) ? GROUPS : algorithm
}

export function servingFor(settings: Pick<Settings, 'algorithm'>, name: string): Serving {
  return serving(algorithmTextFor(settings, name), name.startsWith('#') ? 'k' : 1)
}
