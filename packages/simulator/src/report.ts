import type { NodeId } from '@turnwise/core/algorithm'
import type { Prediction } from '@turnwise/core/facts'
import type { CostJudge } from '@turnwise/core/judges/cost-judge'
import { changedSettings } from '@turnwise/core/options'
import { TICKS_PER_UNIT } from '@turnwise/core/trace/trace'
import type { SimulationConfig, WorldConfig } from './engine.ts'
import { lawsIn } from './latency.ts'
import { writePriorities } from './priority-shares.ts'
import type { Run } from './run.ts'
import type { Simulation } from './simulation.ts'

/** The outcome of a run. Times are in units. Other programs rely on these names. */
export interface Report {
  readonly algorithm: string
  readonly nodes: number
  readonly seed: number
  readonly load: string
  /** The share of requests that ask to share. */
  readonly readers: number
  /** The shares of requests that have a priority, as they were asked for. */
  readonly priorities: string
  /** How many may be inside together. */
  readonly k: number
  /** How many resources there are, and how many of them each request takes; null where there is one lock. */
  readonly resources: number
  readonly take: number | null
  /** Settings of the algorithm that differ from the defaults, as NAME=VALUE. */
  readonly set: readonly string[]
  /** Entries made and counted. */
  readonly entries: number
  /** Requests of living nodes never granted and not withdrawn. */
  readonly unserved: number
  readonly messages: {
    readonly total: number
    readonly perEntry: number | null
    readonly byType: Readonly<Record<string, number>>
    readonly mostInFlight: number
  }
  readonly predicted: {
    readonly perEntry: Prediction
    readonly formula: string
    /** In message delays. */
    readonly syncDelay: { readonly min: number; readonly max: number }
  }
  readonly violations: readonly {
    readonly judge: string
    readonly at: number
    readonly nodes: readonly NodeId[]
    readonly text: string
  }[]
  readonly maxInside: number
  /** How many were inside at a time, on average from the first counted entry to the end; null without an entry. */
  readonly meanInside: number | null
  readonly responseTime: {
    readonly mean: number
    readonly p50: number
    readonly p99: number
    readonly max: number
  } | null
  /** The same for each priority, the most urgent first; empty where nothing is urgent. */
  readonly byPriority: readonly {
    readonly priority: number
    readonly entries: number
    readonly responseTime: Report['responseTime']
  }[]
  /** If latency depends on zones: the nodes of each, zone 0 first. */
  readonly byZone: readonly {
    readonly zone: number
    readonly entries: number
    readonly responseTime: Report['responseTime']
  }[]
  /** Entries in a unit of time, from the first that is counted to the last exit; null without a time. */
  readonly throughput: number | null
  readonly syncDelay: { readonly mean: number; readonly max: number } | null
  readonly fairness: { readonly jain: number | null; readonly maxBypass: number }
  readonly faults: {
    readonly requested: number
    readonly fired: number
    readonly neverFired: readonly string[]
  }
  /** Calls of handlers. */
  readonly events: number
  /** True if the run was stopped because it went on for ever without an entry. */
  readonly gaveUp: boolean
  readonly topology: string
  readonly quorum: string | null
  readonly structure: string | null
  readonly channels: 'fifo' | 'unordered'
  readonly latency: string
}

export function reportOf(simulation: Simulation): Report {
  const { config, jury } = simulation
  const { algorithm, setup } = config
  const { cost, order } = jury
  return {
    algorithm: algorithm.facts.name,
    nodes: setup.nodes,
    seed: config.seed,
    load: config.load.text,
    readers: config.readers ?? 0,
    priorities: writePriorities(config.priorities ?? []),
    k: setup.entries,
    resources: setup.resources,
    take: config.take ?? null,
    set: changedSettings(algorithm.options, setup.options),
    entries: jury.entries,
    unserved: simulation.unserved,
    messages: {
      total: cost.messages,
      perEntry: jury.entries === 0 ? null : cost.messages / jury.entries,
      byType: messagesByType(cost),
      mostInFlight: cost.mostInFlight,
    },
    predicted: {
      perEntry: predictionFor(config),
      formula: algorithm.facts.messages.formula,
      syncDelay: algorithm.facts.syncDelay.hops(setup),
    },
    violations: violationsIn(simulation),
    maxInside: jury.holds.exclusion.mostInside,
    meanInside: cost.meanInside,
    responseTime: inUnits(cost.responses.summary()),
    byPriority: cost.responsesByPriority.map(([priority, responses]) => ({
      priority,
      entries: responses.length,
      responseTime: inUnits(responses.summary()),
    })),
    byZone: cost.responsesByZone.map(([zone, responses]) => ({
      zone,
      entries: responses.length,
      responseTime: inUnits(responses.summary()),
    })),
    throughput: cost.countedTime === null ? null : (jury.entries * TICKS_PER_UNIT) / cost.countedTime,
    syncDelay: inUnits(cost.syncDelay),
    fairness: { jain: order.jain, maxBypass: order.mostBypassed },
    faults: faultsIn(simulation),
    events: simulation.events,
    gaveUp: simulation.gaveUp,
    topology: setup.topology.kind,
    quorum: setup.quorums?.kind ?? null,
    structure: setup.structure?.kind ?? null,
    channels: config.channels,
    latency: config.latency.text,
  }
}

/** In order of their types. */
export function messagesByType({ sentByType }: CostJudge): Report['messages']['byType'] {
  return Object.fromEntries([...sentByType].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

export function violationsIn({ jury }: Run<WorldConfig>): Report['violations'] {
  return jury.violations.map((violation) => ({ ...violation, at: violation.at / TICKS_PER_UNIT }))
}

export function faultsIn({ config: { faults }, firedFaults }: Run<WorldConfig>): Report['faults'] {
  const neverFired = faults.filter((fault) => !firedFaults.has(fault)).map(({ text }) => text)
  return { requested: faults.length, fired: firedFaults.size, neverFired }
}

/** Loads other than light and heavy lie between the two; no closed form gives their mean. */
export function predictionFor(config: SimulationConfig): Prediction {
  const prediction = predictionOfLoad(config)
  // The closed forms are for requests that exclude each other; readers that share stay within the bounds.
  if ((config.readers ?? 0) === 0 || prediction.min === prediction.max) return prediction
  return { ...prediction, mean: null }
}

function predictionOfLoad(config: SimulationConfig): Prediction {
  const { algorithm, setup, load, latency } = config
  const { messages } = algorithm.facts
  const light = withStart(messages.light(setup), messages.start?.light(setup), config)
  if (load.kind === 'light') return light
  const heavy = withStart(messages.heavy(setup), messages.start?.heavy(setup), config)
  const constant = lawsIn(latency).length === 1 && latency.everywhere.kind === 'constant'
  if (load.kind === 'heavy')
    return constant ? heavy : { ...heavy, mean: heavy.min === heavy.max ? heavy.min : null }
  const min = Math.min(light.min, heavy.min)
  const max = Math.max(light.max, heavy.max)
  return { min, max, mean: min === max ? min : null }
}

/** The cost of the start is shared by all entries, or by those of the warm-up. */
function withStart(
  entry: Prediction,
  start: Prediction | undefined,
  { entries, warmup }: SimulationConfig,
): Prediction {
  if (start === undefined || warmup > 0) return entry
  const mean = entry.mean === null || start.mean === null ? null : entry.mean + start.mean / entries
  return { min: entry.min + start.min / entries, max: entry.max + start.max / entries, mean }
}

function inUnits<Figures extends { readonly [name: string]: number }>(
  figures: Figures | null,
): Figures | null {
  if (figures === null) return null
  const scaled = Object.entries(figures).map(([name, value]) => [name, value / TICKS_PER_UNIT])
  return Object.fromEntries(scaled) as Figures
}
