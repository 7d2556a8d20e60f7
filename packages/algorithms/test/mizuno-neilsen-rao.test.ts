/** Velazquez 1993, section 4: what it says of the algorithm of Mizuno, Neilsen and Rao, sentence by sentence. */
import { quorumsFrom } from '@turnwise/core/quorum/quorum-from-text'
import type { TraceEvent } from '@turnwise/core/trace/trace'
import { type RunWishes, simulationConfig } from '@turnwise/simulator/configuration'
import { predictionFor, reportOf } from '@turnwise/simulator/report'
import { playScenario } from '@turnwise/simulator/scenario'
import { Simulation } from '@turnwise/simulator/simulation'
import { describe, expect, test } from 'vitest'
import { mizunoNeilsenRao } from '../src/token/mizuno-neilsen-rao.ts'
import { suzukiKasami } from '../src/token/suzuki-kasami.ts'

function run(wishes: RunWishes) {
  const config = simulationConfig(mizunoNeilsenRao, wishes)
  const report = reportOf(new Simulation(config).runToEnd())
  expect(report.violations).toEqual([])
  expect(report.unserved).toBe(0)
  return { perEntry: report.messages.perEntry ?? Number.NaN, predicted: predictionFor(config), report }
}

/** What the first entry of a world costs, from a token that lies idle. */
function firstEntry(nodes: number, quorum: string, home: number, requester: number): number {
  const commands = [`world nodes=${nodes} quorum=${quorum} home=${home}`, `request ${requester}`]
  const played = playScenario(
    [...commands, 'deliver all', 'messages', '----', ''].join('\n'),
    mizunoNeilsenRao,
  )
  return Number(/^(\d+) messages/m.exec(played)?.[1])
}

describe('locating the token', () => {
  // shows velazquez-1993 4 Mizuno-Neilsen-Rao
  test('ends where another member of R holds it; else the one node in which R and A meet relays', () => {
    for (const nodes of [7, 13]) {
      const { length: size } = quorumsFrom('projective', nodes).of(0)
      for (let home = 0; home < nodes; home += 1) {
        for (let requester = 0; requester < nodes; requester += 1) {
          if (requester === home) continue
          const isAsked = quorumsFrom('projective', nodes).of(requester).includes(home)
          const asked = size - 1
          const told = size - 1
          const expected = asked + (isAsked ? 0 : 1) + 1 + told
          expect(firstEntry(nodes, 'projective', home, requester)).toBe(expected)
        }
      }
    }
  })

  test('nobody is asked by a node that has the token, nor by one that is alone', () => {
    expect(firstEntry(7, 'projective', 3, 3)).toBe(0)
    expect(run({ nodes: 1, entries: 5, load: 'heavy' }).perEntry).toBe(0)
  })
})

describe('the upper bound', () => {
  const WORLDS = [
    { quorum: 'projective', nodes: 7, bound: 3 * 3 - 2 },
    { quorum: 'projective', nodes: 13, bound: 3 * 4 - 2 },
    { quorum: 'projective', nodes: 31, bound: 3 * 6 - 2 },
    { quorum: 'grid', nodes: 8, bound: 2 * Math.sqrt(2 * 8) - 2 },
    { quorum: 'grid', nodes: 18, bound: 2 * Math.sqrt(2 * 18) - 2 },
    { quorum: 'grid', nodes: 32, bound: 2 * Math.sqrt(2 * 32) - 2 },
    { quorum: 'tree', nodes: 7, bound: 3 * 3 - 2 },
    { quorum: 'tree', nodes: 15, bound: 3 * 4 - 2 },
    { quorum: 'tree', nodes: 31, bound: 3 * 5 - 2 },
  ]

  // shows velazquez-1993 4 Mizuno-Neilsen-Rao, cost
  test.each(WORLDS)('$quorum of $nodes: at most $bound messages', ({ bound, ...world }) => {
    for (const load of ['light', 'heavy', 'closed:3', 'poisson:0.5']) {
      for (const latency of ['constant:1', 'exponential:1']) {
        for (let seed = 1; seed <= 2; seed += 1) {
          const { perEntry, predicted } = run({ ...world, load, latency, seed, entries: 100 })
          expect(predicted.max).toBe(bound)
          expect(perEntry).toBeLessThanOrEqual(bound)
        }
      }
    }
  })

  const met = WORLDS.filter(({ quorum }) => quorum !== 'tree')
  test.each(met)('$quorum of $nodes: met when everybody asks', ({ bound, ...world }) => {
    const { perEntry, predicted } = run({ ...world, load: 'heavy', entries: 40 * world.nodes })
    expect(predicted.mean).toBe(bound)
    expect(perEntry).toBeGreaterThan(0.98 * bound)
  })

  // shows velazquez-1993 4 Mizuno-Neilsen-Rao, cost
  test('about 3 sqrt(n) on a plane, of the order of log n on a tree', () => {
    for (const nodes of [31, 57, 133]) {
      const { predicted } = run({ nodes, quorum: 'projective', entries: 20 })
      expect(predicted.max / (3 * Math.sqrt(nodes))).toBeCloseTo(1, 1)
    }
    for (const nodes of [31, 63, 127]) {
      const { predicted } = run({ nodes, quorum: 'tree', entries: 20 })
      expect(predicted.max).toBe(3 * Math.log2(nodes + 1) - 2)
    }
  })
})

test('one request at a time costs on average what is predicted, on any sets', () => {
  for (const quorum of ['tree', 'majority', 'grid', 'projective']) {
    const { perEntry, predicted } = run({ nodes: 13, quorum, load: 'light', entries: 4000 })
    expect(perEntry / (predicted.mean ?? Number.NaN)).toBeCloseTo(1, 1.5)
  }
})

test('on a folded plane too; at heavy load no mean is foretold, for its lines meet more than once', () => {
  for (const nodes of [10, 17]) {
    const { perEntry, predicted } = run({ nodes, quorum: 'projective', load: 'light', entries: 4000 })
    expect(perEntry / (predicted.mean ?? Number.NaN)).toBeCloseTo(1, 1.5)
    expect(run({ nodes, quorum: 'projective', load: 'heavy', entries: 100 }).predicted.mean).toBeNull()
  }
})

// shows velazquez-1993 4 Mizuno-Neilsen-Rao, cost
describe("Suzuki and Kasami's algorithm is a special case", () => {
  function entriesAndMessages(algorithm: typeof mizunoNeilsenRao | typeof suzukiKasami, wishes: RunWishes) {
    const entries: string[] = []
    const sent: string[] = []
    const record = (event: TraceEvent) => {
      if (event.is === 'enter') entries.push(`${event.at} ${event.node} ${event.fence}`)
      if (event.is === 'send') sent.push(`${event.at} ${event.from}>${event.to}`)
    }
    new Simulation({ ...simulationConfig(algorithm, wishes), record }).runToEnd()
    return { entries, sent }
  }

  for (const load of ['light', 'heavy', 'closed:2', 'poisson:0.3']) {
    test(`the same entries at the same times, and as many messages between the same nodes: ${load}`, () => {
      for (const nodes of [2, 3, 5, 8]) {
        const world = { nodes, load, latency: 'exponential:1', entries: 100, seed: nodes }
        const special = entriesAndMessages(mizunoNeilsenRao, { ...world, set: ['agreement=broadcast'] })
        // Both scan by number here, as the papers do.
        const original = entriesAndMessages(suzukiKasami, { ...world, set: ['scan=ascending'] })
        expect(special).toEqual(original)
        expect(special.entries).toHaveLength(100)
      }
    })
  }
})
