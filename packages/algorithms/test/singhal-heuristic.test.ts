import type { NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { randomStream } from '@turnwise/core/random'
import { arrange } from '@turnwise/core/setup'
import { Stage } from '@turnwise/simulator/stage'
import { expect, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import { variant as dropsOutdated } from '../broken/singhal-heuristic-drops-outdated.ts'
import { type State, singhalHeuristic } from '../src/token/singhal-heuristic.ts'
import { enterAlone } from './alone.ts'
import { measured, SIZES } from './measured.ts'

/** What Velazquez (1993, section 4) says of Singhal's heuristic algorithm, and what our repair of it promises. */

function stageOf(nodes: number, home = 0): Stage {
  return new Stage(singhalHeuristic, arrange(singhalHeuristic.facts, { nodes, home, options: {} }).setup)
}

// shows velazquez-1993 4 Singhal (heuristic)
// shows claim singhal-heuristic-light
test('from the staircase a lone node pays its step: (n+1)/2 on the average but for the holder, who pays nothing', () => {
  for (const nodes of [1, ...SIZES]) {
    const home = nodes >> 1
    const costs = Array.from({ length: nodes }, (_, step) =>
      enterAlone(stageOf(nodes, home), (home + step) % nodes),
    )
    expect(costs).toEqual(costs.map((_, step) => (step === 0 ? 0 : step + 1)))
  }
})

test('one at a time, a node asks exactly those that executed since it last did', () => {
  const random = randomStream(1, 'requesters')
  for (const nodes of SIZES) {
    const stage = stageOf(nodes)
    // Last executed first: the staircase is such an order too.
    let order = Array.from({ length: nodes }, (_, node) => node)
    for (let entry = 0; entry < 3 * nodes; entry += 1) {
      const node = random.below(nodes)
      const place = order.indexOf(node)
      expect(enterAlone(stage, node)).toBe(place === 0 ? 0 : place + 1)
      order = [node, ...order.toSpliced(place, 1)]
    }
  }
})

// shows velazquez-1993 4 Singhal (heuristic)
test('at heavy load every entry but the first costs n', () => {
  for (const nodes of SIZES) {
    const { messages } = measured('singhal-heuristic', { nodes, load: 'heavy', entries: 5 * nodes })
    expect(messages.total).toBe(nodes * (5 * nodes - 1))
  }
})

test('the token takes one message delay from an exit to the next entry', () => {
  const { syncDelay } = measured('singhal-heuristic', { nodes: 9, load: 'heavy', entries: 200 })
  expect(syncDelay).toEqual({ mean: 1, max: 1 })
})

test('the repair costs nothing at light load', () => {
  for (const nodes of [2, 3, 5, 9, 20]) {
    const wishes = { nodes, load: 'light', latency: 'exponential:1', entries: 200 }
    const published = measured(dropsOutdated.algorithm, wishes).messages.byType
    expect(measured('singhal-heuristic', wishes).messages.byType).toEqual(published)
  }
})

/** Requests, exits and deliveries in random order, then deliveries and exits until nothing is left to do. */
function wander(stage: Stage, nodes: number, seed: number, steps: number): void {
  const random = randomStream(seed, 'schedule')
  for (let step = 0; ; step += 1) {
    const acts = stage.underWay.map((envelope) => () => stage.deliver(envelope))
    for (let node = 0; node < nodes; node += 1) {
      if (stage.statusOf(node) === 'inside') acts.push(() => stage.release(node))
      if (stage.statusOf(node) === 'idle' && step < steps) acts.push(() => stage.request(node))
    }
    if (acts.length === 0) return
    get(acts, random.below(acts.length))()
  }
}

const SEEDS = extent(15, 60)
const WORLDS = [2, 3, 4, 5, 8].flatMap((nodes) =>
  Array.from({ length: SEEDS }, (_, seed) => ({ nodes, seed })),
)

test('in silence, of any two nodes the one that executed longer ago believes the other to be requesting', () => {
  for (const { nodes, seed } of WORLDS) {
    const stage = stageOf(nodes)
    wander(stage, nodes, seed, 40 * nodes)
    const executed = stage.events
      .filter(({ is }) => is === 'enter')
      .map((event) => (event as { node: NodeId }).node)
    // Those that never did stand as the staircase has them.
    const lately = [...new Set([...executed.toReversed(), ...stage.states.keys()])]
    const states = stage.states as State[]
    lately.forEach((earlier, place) => {
      for (const later of lately.slice(0, place)) expect(states[earlier]?.states[later]).toBe('R')
    })
    expect(stage.jury.violations).toEqual([])
  }
})

test('no request number goes to the same node twice, so an entry never costs more than n', () => {
  for (const { nodes, seed } of WORLDS) {
    const stage = stageOf(nodes)
    wander(stage, nodes, seed, 40 * nodes)
    const requests = stage.events.flatMap((event) =>
      event.is === 'send' && event.message.type === 'request'
        ? `${event.from} to ${event.to}: ${JSON.stringify(event.message)}`
        : [],
    )
    expect(new Set(requests).size).toBe(requests.length)
  }
})
