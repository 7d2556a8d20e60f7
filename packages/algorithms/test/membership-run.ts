import type { AnyAlgorithm } from '@turnwise/core/algorithm'
import type { TraceEvent } from '@turnwise/core/trace/trace'
import { type RunWishes, simulationConfig } from '@turnwise/simulator/configuration'
import { Simulation } from '@turnwise/simulator/simulation'
import { ricartAgrawalaMembership } from '../src/permission/ricart-agrawala-membership.ts'

/** A run in which nodes come, go or fail, with what the judges and the tests ask of it. */
export function run(wishes: RunWishes, algorithm: AnyAlgorithm = ricartAgrawalaMembership) {
  const events: TraceEvent[] = []
  const record = (event: TraceEvent) => void events.push(event)
  const simulation = new Simulation({ ...simulationConfig(algorithm, wishes), record }).runToEnd()
  const sent = (type: string) => simulation.jury.cost.sentByType.get(type) ?? 0
  const { unserved, gaveUp } = simulation
  return { events, sent, violations: simulation.jury.violations, unserved, gaveUp }
}
