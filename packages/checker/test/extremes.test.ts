import { raymond } from '@turnwise/algorithms/token/raymond'
import { suzukiKasami } from '@turnwise/algorithms/token/suzuki-kasami'
import { get } from '@turnwise/core/bounds'
import { describe, expect, test } from 'vitest'
import { Explored } from '../src/explored.ts'
import type { Extremes } from '../src/extremes.ts'
import { Search } from '../src/search.ts'
import { checked, instanceOf } from './harness.ts'
import { SIX } from './six.ts'
import { desk, fickle, rightNeighbour, ring, treadmill } from './toys.ts'

/**
 * The extremes of a graph without loops, found by remembering for every state all that runs to it can have come
 * to: the messages and entries so far, and by whom each waiting node was overtaken how often.
 */
function bruteForce(explored: Explored): Extremes {
  const { edges, states, nodes } = explored
  const runs = Array.from({ length: states }, () => new Set<string>())
  get(runs, 0).add(
    JSON.stringify({ messages: 0, entries: 0, overtaken: Array.from({ length: nodes }, () => 0) }),
  )
  const ratios: number[] = []
  let maxOvertaking = 0
  const changed = new Set([0])
  for (const state of changed) {
    changed.delete(state)
    for (const text of get(runs, state)) {
      const run = JSON.parse(text) as { messages: number; entries: number; overtaken: number[] }
      if (explored.isAtRest(state) && run.entries > 0) ratios.push(run.messages / run.entries)
      for (let edge = edges.from(state); edge < edges.to(state); edge += 1) {
        const entered = edges.entered(edge)
        const messages = run.messages + edges.messages(edge)
        const entries = run.entries + (entered === -1 ? 0 : 1)
        const overtaken = run.overtaken.map((times, node) => {
          if (!explored.waits(state, node) || entered === node) return 0
          return entered === -1 ? times : times + 1
        })
        maxOvertaking = Math.max(maxOvertaking, ...overtaken)
        const target = edges.target(edge)
        const next = JSON.stringify({ messages, entries, overtaken })
        if (get(runs, target).has(next)) continue
        get(runs, target).add(next)
        changed.add(target)
      }
    }
  }
  return { messagesPerEntry: { min: Math.min(...ratios), max: Math.max(...ratios) }, maxOvertaking }
}

describe('the extremes are those of all runs, one by one', () => {
  const worlds = SIX.flatMap((algorithm) =>
    [
      { nodes: 2, requests: 1 },
      { nodes: 2, requests: 2 },
      { nodes: 3, requests: 1 },
    ].map((world) => ({ algorithm, ...world })),
  )
  // Three nodes of Lamport have half a million states.
  const small = worlds.filter(({ algorithm, nodes }) => algorithm.facts.name !== 'lamport' || nodes === 2)

  test.each(small.map((world) => [world.algorithm.facts.name, world.nodes, world.requests, world] as const))(
    '%s, %i nodes, %i requests',
    (_name, _nodes, _requests, { algorithm, ...world }) => {
      const { extremes, check } = checked(algorithm, world)
      expect(extremes).toEqual(bruteForce(new Explored(check.search)))
    },
  )
})

describe('with any number of requests', () => {
  test('suzuki-kasami: nothing while the token stays, n when it moves; a request on its way holds nobody up', () => {
    const { extremes } = checked(suzukiKasami, { nodes: 2, requests: null })
    expect(extremes).toEqual({ messagesPerEntry: { min: 0, max: 2 }, maxOvertaking: null })
  })

  test('raymond: the token can be asked for across the tree again and again', () => {
    const costs = (requests: number | null) =>
      checked(raymond, { nodes: 3, requests }).extremes?.messagesPerEntry
    // From the root to a child, 2 messages, and from there to the other, 4.
    expect(costs(1)).toEqual({ min: 0, max: 3 })
    // Only the first entry of a run is cheap: the mean comes closer to 4 ...
    expect(costs(2)).toEqual({ min: 0, max: 3.5 })
    // ... which is the least upper bound.
    expect(costs(null)).toEqual({ min: 0, max: 4 })
  })

  test('a token that turns for ever: no most messages, but a least; overtaken once by each of the others', () => {
    const { extremes } = checked(ring(rightNeighbour), { nodes: 3, requests: null })
    expect(extremes).toEqual({ messagesPerEntry: { min: 1, max: null }, maxOvertaking: 2 })
  })

  test('no bound where messages are sent for requests that are taken back', () => {
    const { extremes } = checked(fickle, { nodes: 2, budgets: { withdrawals: 1 } })
    expect(extremes?.messagesPerEntry).toEqual({ min: 0, max: null })
  })

  test('nobody enters: there is nothing to divide by', () => {
    expect(checked(treadmill, { nodes: 2 }).extremes).toEqual({ messagesPerEntry: null, maxOvertaking: 0 })
  })
})

test('a search that is cut short has no extremes', () => {
  expect(checked(desk, { nodes: 2, setup: { entries: 1 } }).extremes).not.toBeNull()
  expect(checked(desk, { nodes: 2, setup: { entries: 1 } }, 10).extremes).toBeNull()
})

test('a search that keeps no edges cannot be analysed', () => {
  const searchWith = (edges: boolean) =>
    new Search(instanceOf(desk, { nodes: 2 }), { mostStates: 100, edges, followFences: false })
  expect(() => new Explored(searchWith(true))).not.toThrow()
  expect(() => new Explored(searchWith(false))).toThrow('the search kept no edges')
})
