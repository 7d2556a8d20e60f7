import type { AnyElection } from '@turnwise/core/algorithm'
import { type ElectionWishes, electionConfig } from '@turnwise/simulator/election-configuration'
import { type ElectionReport, electionReport } from '@turnwise/simulator/election-report'
import { ElectionSimulation } from '@turnwise/simulator/election-simulation'

export function electionRun(algorithm: AnyElection, wishes: ElectionWishes): ElectionReport {
  return electionReport(new ElectionSimulation(electionConfig(algorithm, wishes)).runToEnd())
}

/** The mean number of messages over all who may call the election, one each. */
export function meanCost(
  algorithm: AnyElection,
  nodes: number,
  dead: string,
  types?: readonly string[],
): number {
  const { setup } = electionConfig(algorithm, { nodes, dead })
  const living = Array.from({ length: nodes }, (_, node) => node).filter((node) => !setup.dead.includes(node))
  const costs = living.map((initiator) => {
    const { messages } = electionRun(algorithm, { nodes, dead, initiators: String(initiator) })
    return types === undefined
      ? messages.total
      : types.reduce((sum, type) => sum + (messages.byType[type] ?? 0), 0)
  })
  return costs.reduce((sum, cost) => sum + cost, 0) / costs.length
}
