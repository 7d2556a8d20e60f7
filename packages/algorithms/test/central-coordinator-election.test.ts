import type { AnyAlgorithm } from '@turnwise/core/algorithm'
import { simulationConfig } from '@turnwise/simulator/configuration'
import { type Report, reportOf } from '@turnwise/simulator/report'
import { Simulation } from '@turnwise/simulator/simulation'
import { expect, test } from 'vitest'
import { present } from '../../../test/present.ts'
import { variant as hasty } from '../broken/central-coordinator-election-hasty.ts'
import { centralCoordinatorElection } from '../src/permission/central-coordinator-election.ts'

type Wishes = Parameters<typeof simulationConfig>[1]

function run(wishes: Wishes, algorithm: AnyAlgorithm = centralCoordinatorElection): Report {
  return reportOf(new Simulation(simulationConfig(algorithm, wishes)).runToEnd())
}

/** Requests at given times, each by a given node. */
function script(...requests: [at: number, node: number][]) {
  const ask = { mode: 'exclusive' as const, priority: 0 }
  const lines = requests.map(([at, node]) => ({ at, does: 'request' as const, node, ask }))
  return { text: 'script', kind: 'script' as const, lines }
}

const SIZES = [2, 3, 5, 9, 20]

test('Kessler 2024: three messages per use of a critical section, request, grant, release', () => {
  for (const nodes of SIZES) {
    const elected = { coordinator: nodes - 1, standing: nodes - 1 }
    const { messages } = run({ nodes, load: script([5, 0], [15, 0], [25, 0]) })
    expect(messages.byType).toEqual({ ...elected, request: 3, grant: 3, release: 3 })
    expect(run({ nodes, load: script([5, nodes - 1]) }).messages.byType).toEqual(elected)
  }
})

test('the first coordinator is elected with 2(n-1) messages; who asks before it knows whom saves a request', () => {
  for (const nodes of SIZES) {
    const { messages, predicted } = run({ nodes, load: script([0, 0]) })
    expect(messages.byType).toEqual({ coordinator: nodes - 1, standing: nodes - 1, grant: 1, release: 1 })
    expect(messages.total).toBeLessThanOrEqual(predicted.perEntry.max)
    const heavy = run({ nodes, load: 'heavy', entries: 20 * nodes })
    expect(heavy.messages.total).toBe(3 * 20 * (nodes - 1) + (nodes - 1))
    expect(heavy.predicted.perEntry.mean).toBeCloseTo(heavy.messages.perEntry ?? Number.NaN, 9)
  }
  expect(run({ nodes: 1, load: 'heavy' }).messages.total).toBe(0)
  // What a warm-up has seen is not counted.
  const warm = run({ nodes: 9, load: 'heavy', entries: 90, warmup: 9 })
  expect(warm.predicted.perEntry).toEqual({ min: 0, max: 3, mean: 24 / 9 })
  expect(warm.messages.byType).not.toHaveProperty('coordinator')
})

/** What a crash adds to the same requests. */
function addedBy(fault: readonly string[], wishes: Wishes): Record<string, number> {
  const before = run(wishes).messages.byType
  const after = run({ ...wishes, fault }).messages.byType
  const types = Object.keys(after)
  return Object.fromEntries(types.map((type) => [type, present(after[type]) - (before[type] ?? 0)]))
}

// shows kessler-2024 Central Coordinator Algorithm: problems
test('a crash of the coordinator costs the bully’s worst case, n^2-n-1 messages, and n-2 answers how they stand', () => {
  for (const nodes of SIZES) {
    // Long before and long after: nobody is inside and nobody waits.
    const added = addedBy([`crash:${nodes - 1}@20`], { nodes, load: script([5, 0], [200, 0]) })
    expect(added).toMatchObject({
      election: (nodes * (nodes - 1)) / 2,
      coordinator: nodes - 2,
      standing: nodes - 2,
      ...(nodes > 2 ? { answer: ((nodes - 1) * (nodes - 2)) / 2 } : {}),
    })
    const ofElection = (added['election'] ?? 0) + (added['answer'] ?? 0) + (added['coordinator'] ?? 0)
    expect(ofElection).toBe(nodes * nodes - nodes - 1)
  }
})

test('a crash of any other process costs no message', () => {
  for (const nodes of [3, 5, 9]) {
    const wishes = { nodes, load: script([5, 0], [200, 0]) }
    const added = addedBy(['crash:1@20'], wishes)
    expect(Object.values(added).every((count) => count === 0)).toBe(true)
  }
})

test('the coordinator dies while one is inside and others wait: they enter after it, in the order of the answers', () => {
  const entered: number[] = []
  const config = simulationConfig(centralCoordinatorElection, {
    nodes: 5,
    load: script([5, 0], [6, 2], [7, 1]),
    inside: 'constant:100',
    fault: ['crash:4@20'],
  })
  const record: typeof config.record = (event) => {
    if (event.is === 'enter') entered.push(event.node)
  }
  const report = reportOf(new Simulation({ ...config, record }).runToEnd())
  expect(report.violations).toEqual([])
  expect(entered).toEqual([0, 1, 2])
  // Nobody asked twice.
  expect(report.messages.byType).toMatchObject({ request: 3, grant: 2 + 1, release: 3 })
})

test('the winner dies before it has announced itself: the next highest wins', () => {
  // The others hear of the crash at 25 and vote; node 3 would announce itself at 75.
  const fault = ['crash:4@20', 'crash:3@60']
  const { violations, messages, unserved } = run({ nodes: 5, load: script([5, 0], [30, 1]), fault })
  expect(violations).toEqual([])
  expect(unserved).toBe(0)
  // Ten and six of the first election; node 2 asks two dead; it announces itself to two.
  expect(messages.byType).toMatchObject({ election: 10 + 2, answer: 6, coordinator: 4 + 2, standing: 4 + 2 })
})

// shows kessler-2024 Central Coordinator Algorithm: problems
test('one coordinator after the other crashes, and so do others: all who live are served, fences rise', () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const at = (share: number) => (seed * share) % 50
    const fault = [`crash:5@${at(3)}`, `crash:4@${at(7)}`, `crash:1@${at(11)}`]
    for (const load of ['heavy', 'closed:2']) {
      const report = run({ nodes: 6, load, entries: 80, latency: 'exponential:1', fault, seed })
      expect(report.violations, `seed ${seed}`).toEqual([])
      expect(report.unserved).toBe(0)
    }
  }
})

test('time-outs that are too short cost no safety; without the failure detector’s word they do', () => {
  let broken = 0
  for (let seed = 1; seed <= 40; seed += 1) {
    const at = (share: number) => (seed * share) % 50
    const wishes = {
      nodes: 5,
      load: 'closed:2',
      entries: 60,
      latency: 'exponential:2',
      fault: [`crash:4@${at(3)}`, `pause:3@${at(7)}-${at(7) + 30}`, 'spike:0.1,30'],
      set: ['answer=1', 'announcement=2'],
      seed,
    }
    expect(run(wishes), `seed ${seed}`).toMatchObject({ violations: [], unserved: 0, gaveUp: false })
    broken += run(wishes, hasty.algorithm).violations.length
  }
  expect(broken).toBeGreaterThan(0)
})
