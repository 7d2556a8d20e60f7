import { NO_TROUBLE } from '@turnwise/checker/instance'
import { Search } from '@turnwise/checker/search'
import type { AnyAlgorithm } from '@turnwise/core/algorithm'
import { type RunWishes, simulationConfig } from '@turnwise/simulator/configuration'

/** Every order in which the nodes can enter when each asks so often, such as `0110`; what the checker explored. */
export function entryOrders(algorithm: AnyAlgorithm, requests: number, wishes: RunWishes): string[] {
  const { setup } = simulationConfig(algorithm, wishes)
  const instance = {
    algorithm,
    setup,
    requests,
    channels: 'fifo',
    timing: 'any',
    budgets: NO_TROUBLE,
  } as const
  const search = new Search(instance, { mostStates: 200_000, edges: true, followFences: false })
  while (!search.run(100_000));
  if (search.failure !== null || search.cutShort || search.edges === null) throw new Error('not explored')
  const { edges } = search
  const known = new Map<number, ReadonlySet<string>>()
  // Requests are finite, so no run comes back to a state it has left.
  const from = (state: number): ReadonlySet<string> => {
    const found = known.get(state)
    if (found !== undefined) return found
    const orders = new Set<string>()
    for (let edge = edges.from(state); edge < edges.to(state); edge += 1) {
      const entered = edges.entered(edge)
      for (const rest of from(edges.target(edge))) orders.add(`${entered < 0 ? '' : entered}${rest}`)
    }
    if (orders.size === 0) orders.add('')
    known.set(state, orders)
    return orders
  }
  return [...from(0)].toSorted()
}
