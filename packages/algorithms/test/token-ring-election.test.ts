import { simulationConfig } from '@turnwise/simulator/configuration'
import { reportOf } from '@turnwise/simulator/report'
import { Simulation } from '@turnwise/simulator/simulation'
import { expect, test } from 'vitest'
import { tokenRing } from '../src/token/token-ring.ts'
import { tokenRingElection } from '../src/token/token-ring-election.ts'

function run(wishes: Parameters<typeof simulationConfig>[1]) {
  return reportOf(new Simulation(simulationConfig(tokenRingElection, wishes)).runToEnd())
}

const SIZES = [3, 4, 5, 9, 16]

/** How many messages of elections a crash of one node costs. */
function electionCost(nodes: number, crashed: number): number {
  const { messages, violations } = run({
    nodes,
    load: 'closed:20',
    entries: 60,
    fault: [`crash:${crashed}@30`],
  })
  expect(violations).toEqual([])
  return (messages.byType['election'] ?? 0) + (messages.byType['coordinator'] ?? 0)
}

// shows kessler-2024 Token Ring Algorithm: failures
test('without a crash it is the token ring, message for message', () => {
  for (const load of ['light', 'heavy', 'closed:5']) {
    const wishes = { nodes: 7, load, entries: 100, latency: 'uniform:0,2' }
    const plain = reportOf(new Simulation(simulationConfig(tokenRing, wishes)).runToEnd())
    expect(run(wishes).messages).toEqual(plain.messages)
  }
})

// shows kessler-2024 Token Ring Algorithm: failures
test('a crash costs m + 2n messages, n alive, if the highest is m places behind the one before the gap', () => {
  for (const nodes of SIZES) {
    const alive = nodes - 1
    const costs = Array.from({ length: nodes }, (_, crashed) => electionCost(nodes, crashed))
    costs.forEach((cost, crashed) => {
      // Places in the ring of the living: the caller is before the gap, the highest at the end.
      const caller = (crashed + alive) % nodes
      const place = caller > crashed ? caller - 1 : caller
      expect(cost, `node ${crashed} of ${nodes}`).toBe(alive - 1 - place + 2 * alive)
    })
    // The highest calls it where the highest of all, or the one after it, has crashed; the one after it at worst.
    expect(Math.min(...costs)).toBe(2 * alive)
    expect(Math.max(...costs)).toBe(3 * alive - 1)
  }
})

test('one that is left alone makes its token without a message', () => {
  expect(electionCost(2, 0)).toBe(0)
  expect(electionCost(2, 1)).toBe(0)
})

test('neighbours that crash together are bypassed', () => {
  for (const nodes of [4, 6, 9]) {
    for (let first = 0; first < nodes; first += 1) {
      const fault = [`crash:${first}@30`, `crash:${(first + 1) % nodes}@30`]
      const report = run({ nodes, load: 'closed:2', entries: 60, fault })
      expect(report, `${first} of ${nodes}`).toMatchObject({ violations: [], unserved: 0, gaveUp: false })
    }
  }
})

test('any processes crash, however many: all that live are served, fences rise', () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const at = (share: number) => (seed * share) % 50
    const fault = [`crash:5@${at(3)}`, `crash:4@${at(7)}`, `crash:1@${at(11)}`]
    for (const load of ['heavy', 'closed:2']) {
      const report = run({ nodes: 6, load, entries: 80, latency: 'exponential:1', fault, seed })
      expect(report.violations, `seed ${seed}`).toEqual([])
      expect(report).toMatchObject({ unserved: 0, gaveUp: false })
    }
  }
})

test('crashes during an election, at any delays: one token, and all who live are served', () => {
  for (let seed = 1; seed <= 60; seed += 1) {
    const later = (share: number) => 20 + ((seed * share) % 13)
    const fault = [
      `crash:2@20`,
      `crash:7@${later(3)}`,
      `crash:6@${later(5)}`,
      `crash:3@${later(7)}`,
      'spike:0.1,30',
    ]
    const report = run({ nodes: 8, load: 'closed:2', entries: 80, latency: 'exponential:2', fault, seed })
    expect(report, `seed ${seed}`).toMatchObject({ violations: [], unserved: 0, gaveUp: false })
  }
})
