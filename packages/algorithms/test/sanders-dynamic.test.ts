import { structureOf } from '@turnwise/core/structure/structure'
import { validate } from '@turnwise/core/structure/validate'
import { simulationConfig } from '@turnwise/simulator/configuration'
import { Simulation } from '@turnwise/simulator/simulation'
import { Stage } from '@turnwise/simulator/stage'
import { expect, test } from 'vitest'
import { type DynamicState, sandersDynamic } from '../src/quorum/sanders-dynamic.ts'

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

test('2(n-1) messages for the first entry, none to enter again, two for each permission lost since', () => {
  const { setup } = simulationConfig(sandersDynamic, { nodes: 3 })
  const stage = new Stage(sandersDynamic, setup)
  const costs = [1, 1, 0, 1].map((node) => {
    const before = stage.jury.cost.messages
    stage.request(node, { mode: 'exclusive', priority: 0 })
    for (let next = stage.underWay.at(0); next !== undefined; next = stage.underWay.at(0)) stage.deliver(next)
    stage.release(node)
    return stage.jury.cost.messages - before
  })
  expect(costs).toEqual([4, 0, 4, 2])
})

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
