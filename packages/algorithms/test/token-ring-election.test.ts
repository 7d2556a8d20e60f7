import { simulationConfig } from '@turnwise/simulator/configuration'
import { reportOf } from '@turnwise/simulator/report'
import { Simulation } from '@turnwise/simulator/simulation'
import { expect, test } from 'vitest'
import { tokenRing } from '../src/token/token-ring.ts'
import { tokenRingElection } from '../src/token/token-ring-election.ts'

function run(wishes: Parameters<typeof simulationConfig>[1]) {
  return reportOf(new Simulation(simulationConfig(tokenRingElection, wishes)).runToEnd())
}

test('without a crash it is the token ring, message for message', () => {
  for (const load of ['light', 'heavy', 'closed:5']) {
    const wishes = { nodes: 7, load, entries: 100, latency: 'uniform:0,2' }
    const plain = reportOf(new Simulation(simulationConfig(tokenRing, wishes)).runToEnd())
    expect(run(wishes).messages).toEqual(plain.messages)
  }
})

test('a crash costs a question to each of the living and an answer from each', () => {
  for (const nodes of [3, 5, 9]) {
    const { messages } = run({ nodes, load: 'closed:20', entries: 60, fault: ['crash:1@30'] })
    expect(messages.byType).toMatchObject({ coordinator: nodes - 2, answer: nodes - 2 })
  }
})

test('whoever crashes, and however many: all who live are served, fences rise', () => {
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
