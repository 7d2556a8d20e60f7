import { simulationConfig } from '@turnwise/simulator/configuration'
import { reportOf } from '@turnwise/simulator/report'
import { Simulation } from '@turnwise/simulator/simulation'
import { expect, test } from 'vitest'
import { centralCoordinatorElection } from '../src/permission/central-coordinator-election.ts'

function run(wishes: Parameters<typeof simulationConfig>[1]) {
  return reportOf(new Simulation(simulationConfig(centralCoordinatorElection, wishes)).runToEnd())
}

test('Kessler 2024: three messages per use of a critical section, request, grant, release', () => {
  for (const nodes of [2, 3, 5, 9]) {
    const script = { text: 'script', kind: 'script' as const, lines: [0, 10, 20].map((at) => line(at, 0)) }
    expect(run({ nodes, load: script }).messages.byType).toEqual({ request: 3, grant: 3, release: 3 })
    const own = { ...script, lines: [line(0, nodes - 1)] }
    expect(run({ nodes, load: own }).messages.total).toBe(0)
  }
})

function line(at: number, node: number) {
  return { at, does: 'request' as const, node, ask: { mode: 'exclusive' as const, priority: 0 } }
}

test('a takeover costs a question to each of the living and an answer from each', () => {
  for (const nodes of [3, 5, 9]) {
    const { messages } = run({ nodes, load: 'closed:20', entries: 60, fault: [`crash:${nodes - 1}@30`] })
    expect(messages.byType).toMatchObject({ coordinator: nodes - 2, standing: nodes - 2 })
  }
})

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
