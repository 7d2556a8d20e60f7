import { Check } from '@turnwise/checker/check'
import { type Instance, NO_TROUBLE } from '@turnwise/checker/instance'
import { electionConfig } from '@turnwise/simulator/election-configuration'
import { expect, test } from 'vitest'
import { LONG } from '../../../test/extent.ts'
import { variant as neverOff } from '../broken/bully-never-off.ts'
import { bully } from '../src/election/bully.ts'
import { electionRun, meanCost } from './election-runs.ts'

const SIZES = [2, 3, 5, 8, 13, 30]

// shows kessler-2024 The Bully Algorithm: example
test('Kessler 2024: of P1 to P7, P7 is dead and P4 calls: 6 election, 3 answer, 5 coordinator messages', () => {
  const { elected, messages } = electionRun(bully, { nodes: 7, dead: '6', initiators: '3' })
  expect(elected).toBe(5)
  expect(messages).toMatchObject({ total: 14, byType: { election: 6, answer: 3, coordinator: 5 } })
})

// shows kessler-2024 The Bully Algorithm: best and worst case
// shows claim bully-best-case
test('best case: the second highest notices, 1 + (n-2) messages', () => {
  for (const nodes of SIZES) {
    const report = electionRun(bully, { nodes, dead: 'highest', initiators: String(nodes - 2) })
    expect(report.messages.total).toBe(1 + (nodes - 2))
    expect(report.messages.total).toBe(report.predicted.min)
  }
})

// shows kessler-2024 The Bully Algorithm: best and worst case
test('worst case: the lowest calls, or all do: n^2-n-1 messages', () => {
  for (const nodes of SIZES) {
    for (const initiators of ['0', 'all']) {
      const report = electionRun(bully, { nodes, dead: 'highest', initiators })
      expect(report.messages.total).toBe(nodes * nodes - nodes - 1)
      expect(report.messages.total).toBe(report.predicted.max)
    }
  }
})

// shows kessler-2024 The Bully Algorithm: best and worst case
test('on average over who calls it, as predicted', () => {
  for (const nodes of SIZES) {
    const { predicted } = electionRun(bully, { nodes, dead: 'highest' })
    expect(meanCost(bully, nodes, 'highest')).toBeCloseTo(predicted.mean ?? Number.NaN, 9)
  }
})

test('if the highest lives: n^2-1 messages with equal delays, never more than 2^n+n-3', () => {
  for (const nodes of SIZES) {
    const report = electionRun(bully, { nodes, dead: 'none', initiators: '0' })
    expect(report.messages.total).toBe(nodes * nodes - 1)
    expect(report.predicted).toMatchObject({ min: nodes - 1, max: 2 ** nodes + nodes - 3 })
    const all = electionRun(bully, { nodes, dead: 'none', initiators: 'all' })
    expect(all.messages.total).toBe(all.predicted.min)
  }
  for (const [dead, initiators] of [
    ['none', '0'],
    ['none', 'all'],
    ['1,2', '0'],
    ['1,2', 'all'],
  ] as const) {
    for (let seed = 1; seed <= 20; seed += 1) {
      const wishes = { nodes: 6, dead, initiators, latency: 'uniform:0,24', seed }
      const { messages, predicted } = electionRun(bully, wishes)
      expect(messages.total).toBeGreaterThanOrEqual(predicted.min)
      expect(messages.total).toBeLessThanOrEqual(predicted.max)
    }
  }
})

test('that bound is reached: the most messages of any run, where the highest calls after it was asked', () => {
  for (const nodes of [2, 3]) {
    const { setup } = electionConfig(bully, { nodes, dead: 'none', initiators: 'all' })
    const instance: Instance = {
      algorithm: bully,
      setup,
      requests: 1,
      channels: 'unordered',
      timing: 'bounded',
      budgets: NO_TROUBLE,
    }
    const check = new Check(instance, 10_000)
    while (!check.run(10_000));
    const { max } = electionRun(bully, { nodes, dead: 'none', initiators: 'all' }).predicted
    // Called once more, it announces itself to the n-1 others once more.
    expect(check.result.messagesPerElection?.max).toBe(max + nodes - 1)
  }
})

// shows kessler-2024 The Bully Algorithm: principle
test('the highest living process is elected, whichever are dead and whichever calls, at any bounded delay', () => {
  for (const latency of ['constant:1', 'uniform:0,3']) {
    for (const dead of ['none', 'highest', '3,4', '0', '0,1,2,3', '1,3']) {
      for (const initiators of ['one', 'all']) {
        const { violations, elected } = electionRun(bully, { nodes: 5, dead, initiators, latency, seed: 7 })
        expect(violations, `${dead} dead, ${initiators} call`).toEqual([])
        expect(elected).not.toBeNull()
      }
    }
  }
})

// shows kessler-2024 The Bully Algorithm: example
test('Kessler 2024: if P6 crashes before it announces itself, P4 and P5 begin again, and P5 wins', () => {
  const report = electionRun(bully, { nodes: 7, dead: '6', initiators: '3', fault: ['crash:5@30'] })
  expect(report).toMatchObject({ elected: 4, violations: [] })
})

test('a coordinator that crashes later is replaced; when it is back, it takes over again', () => {
  const wishes = { nodes: 5, dead: 'none', initiators: '0' }
  expect(electionRun(bully, { ...wishes, fault: ['crash:4@500'] })).toMatchObject({
    elected: 3,
    violations: [],
  })
  const fault = ['crash:4@500', 'restart:4@1000']
  expect(electionRun(bully, { ...wishes, fault })).toMatchObject({ elected: 4, violations: [] })
})

// shows kessler-2024 The Bully Algorithm: principle
test('crashes at any moment of an election leave one coordinator, the highest of the living', () => {
  for (let at = 0; at <= 60; at += 1) {
    for (const crash of [3, 4]) {
      const { violations } = electionRun(bully, {
        nodes: 6,
        dead: '5',
        initiators: '1',
        latency: 'uniform:0,3',
        fault: [`crash:${crash}@${at}`],
        seed: at,
      })
      expect(violations, `crash:${crash}@${at}`).toEqual([])
    }
  }
})

test('a node alone elects itself without a message', () => {
  expect(electionRun(bully, { nodes: 1 })).toMatchObject({
    elected: 0,
    messages: { total: 0 },
    predicted: { max: 0 },
  })
})

// shows kessler-2024 The Bully Algorithm: rules RE1, RH1, RH2
test('the state that never goes back to ELECTION-OFF: the second election never ends', LONG, () => {
  const wishes = { nodes: 3, dead: '2', initiators: '0,0@200' }
  expect(electionRun(neverOff.algorithm, wishes).violations).toMatchObject([
    { judge: 'progress', nodes: [0] },
  ])
  expect(electionRun(bully, wishes).violations).toEqual([])
})
