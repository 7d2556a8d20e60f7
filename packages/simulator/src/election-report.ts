import type { NodeId } from '@turnwise/core/algorithm'
import type { Prediction } from '@turnwise/core/facts'
import type { ElectionConfig, ElectionSimulation } from './election-simulation.ts'
import { faultsIn, messagesByType, type Report, violationsIn } from './report.ts'

/** The outcome of an election. Times are in units. Other programs rely on these names. */
export interface ElectionReport {
  readonly algorithm: string
  readonly nodes: number
  readonly seed: number
  readonly dead: readonly NodeId[]
  readonly initiators: readonly { readonly node: NodeId; readonly at: number }[]
  /** The coordinator of all living nodes; null if they do not agree. */
  readonly elected: NodeId | null
  readonly messages: {
    readonly total: number
    readonly byType: Readonly<Record<string, number>>
    readonly mostInFlight: number
  }
  readonly predicted: Prediction & { readonly formula: string }
  readonly violations: Report['violations']
  readonly faults: Report['faults']
  /** Calls of handlers. */
  readonly events: number
  /** True if the run was stopped because it went on for ever without a result. */
  readonly gaveUp: boolean
  readonly topology: string
  readonly channels: 'fifo' | 'unordered'
  readonly latency: string
}

export function electionReport(simulation: ElectionSimulation): ElectionReport {
  const { config, jury } = simulation
  const { algorithm, setup } = config
  const { cost } = jury
  return {
    algorithm: algorithm.facts.name,
    nodes: setup.nodes,
    seed: config.seed,
    dead: setup.dead,
    initiators: config.calls,
    elected: simulation.elected,
    messages: {
      total: cost.messages,
      byType: messagesByType(cost),
      mostInFlight: cost.mostInFlight,
    },
    predicted: { ...electionPrediction(config), formula: algorithm.facts.messages.formula },
    violations: violationsIn(simulation),
    faults: faultsIn(simulation),
    events: simulation.events,
    gaveUp: simulation.gaveUp,
    topology: setup.topology.kind,
    channels: config.channels,
    latency: config.latency.text,
  }
}

/** Several initiators lie between one and all; several elections one after the other add up. */
function electionPrediction({ algorithm, setup, calls }: ElectionConfig): Prediction {
  const { messages } = algorithm.facts
  const one = messages.one(setup)
  if (calls.length === 1) return one
  const all = messages.all(setup)
  const atOnce = calls.every(({ at }) => at === 0)
  if (atOnce && calls.length === setup.nodes - setup.dead.length) return all
  const max = Math.max(one.max, all.max) * (atOnce ? 1 : calls.length)
  return { min: Math.min(one.min, all.min), max, mean: null }
}
