import { structureOf } from '@turnwise/core/structure/structure'
import { validate } from '@turnwise/core/structure/validate'
import type { TraceEvent } from '@turnwise/core/trace/trace'
import { type RunWishes, simulationConfig } from '@turnwise/simulator/configuration'
import { Simulation } from '@turnwise/simulator/simulation'
import { Stage } from '@turnwise/simulator/stage'
import { expect, test } from 'vitest'
import { algorithmNamed } from '../src/catalogue.ts'
import { type DynamicState, sandersDynamic } from '../src/quorum/sanders-dynamic.ts'
import { enterAlone } from './alone.ts'
import { entryOrders } from './entry-orders.ts'

/** Section 8 of Sanders (1987): an information structure that changes with every GRANT. */

function members(set: readonly boolean[]): number[] {
  return set.flatMap((has, node) => (has ? [node] : []))
}

/** The union of the local views, in which a node also asks itself. */
function unionOf(views: readonly DynamicState[]) {
  return structureOf(
    views.map(({ inform }) => members(inform)),
    views.map(({ request }, node) => [node, ...members(request)]),
  )
}

// shows sanders-1987 8 Dynamic Information Structures, rules
test('2(n-1) messages for the first entry, none to enter again, two for each permission lost since', () => {
  const { setup } = simulationConfig(sandersDynamic, { nodes: 3 })
  const stage = new Stage(sandersDynamic, setup)
  expect([1, 1, 0, 1].map((node) => enterAlone(stage, node))).toEqual([4, 0, 4, 2])
})

// shows sanders-1987 8 Dynamic Information Structures, local views (Figure 5)
test('the local views agree, and their union satisfies the theorem, after every run', () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const wishes = { nodes: 2 + (seed % 6), seed, load: 'closed:3', latency: 'exponential:1', entries: 30 }
    const simulation = new Simulation(simulationConfig(sandersDynamic, wishes)).runToEnd()
    const views = Array.from({ length: wishes.nodes }, (_, node) => simulation.stateOf(node) as DynamicState)
    expect(validate(unionOf(views)).flaws).toEqual([])
    // Section 8 prints that i is in S_i if j is in I_i; it is S_j that i is in.
    views.forEach(({ inform }, i) => {
      views.forEach(({ status }, j) => expect(status[i], `${i} ${j}`).toBe(inform[j]))
    })
  }
})

// shows sanders-1987 8 Dynamic Information Structures, rules
test('it enters when and as cheaply as Carvalho-Roucairol, which it retells', () => {
  for (const nodes of [2, 3, 5, 8]) {
    for (const load of ['light', 'heavy', 'poisson:0.3', 'closed:4']) {
      for (const seed of [1, 2, 3]) {
        const wishes = { nodes, load, seed, entries: 60 }
        expect(told('sanders-dynamic', wishes)).toEqual(told('carvalho-roucairol', wishes))
      }
    }
  }
})

// shows sanders-1987 8 Dynamic Information Structures, rules
test('and in the same orders, in every interleaving', () => {
  for (const [nodes, requests] of [
    [2, 2],
    [3, 1],
  ] as const) {
    const orders = entryOrders(sandersDynamic, requests, { nodes })
    expect(orders).toEqual(entryOrders(algorithmNamed('carvalho-roucairol'), requests, { nodes }))
  }
})

/** Who entered when, and all messages. */
function told(name: string, wishes: RunWishes): string[] {
  const events: string[] = []
  const config = simulationConfig(algorithmNamed(name), wishes)
  const record = (event: TraceEvent) => {
    if (event.is === 'enter') events.push(`${event.node} enters at ${event.at}`)
    if (event.is === 'send') events.push(`${event.from} to ${event.to} at ${event.at}`)
  }
  new Simulation({ ...config, record }).runToEnd()
  return events
}
