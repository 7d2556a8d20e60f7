import { Check } from '@turnwise/checker/check'
import { NO_TROUBLE } from '@turnwise/checker/instance'
import type { Election } from '@turnwise/core/algorithm'
import { electionConfig } from '@turnwise/simulator/election-configuration'
import { latencyFromFile } from '@turnwise/simulator/latency'
import { expect, test } from 'vitest'
import { variant as deadNumber } from '../broken/ring-election-dead-number.ts'
import { type Message, propose, ringElection, type State } from '../src/election/ring-election.ts'
import { electionRun, meanCost } from './election-runs.ts'

const SIZES = [2, 3, 5, 8, 13, 30]
const OF_THE_ELECTION = ['election', 'coordinator']

// shows kessler-2024 The Ring-Based Algorithm: ring
test('Kessler 2024: five processes, the last dead, the first calls: 3n-1 = 11 messages, and 3 mend the ring', () => {
  const { elected, messages } = electionRun(ringElection, { nodes: 5, dead: '4', initiators: '0' })
  expect(elected).toBe(3)
  expect(messages.byType).toEqual({ election: 7, coordinator: 4, predecessor: 1, successor: 2 })
})

// shows kessler-2024 The Ring-Based Algorithm: cost
test('n alive: 2n messages if the highest calls, 3n-1 if the one after it does', () => {
  for (const nodes of SIZES) {
    const cost = (initiator: number) =>
      electionRun(ringElection, { nodes, dead: 'none', initiators: String(initiator) }).messages.total
    expect(cost(nodes - 1)).toBe(2 * nodes)
    expect(cost(0)).toBe(3 * nodes - 1)
  }
})

// shows kessler-2024 The Ring-Based Algorithm: cost
// shows claim ring-election-average
test('on average over who calls it: 2n + (n-1)/2, n alive', () => {
  for (const nodes of SIZES) {
    expect(meanCost(ringElection, nodes, 'none')).toBeCloseTo(2 * nodes + (nodes - 1) / 2, 9)
    const { predicted } = electionRun(ringElection, { nodes, dead: 'none' })
    expect(predicted.mean).toBeCloseTo(2 * nodes + (nodes - 1) / 2, 9)
    if (nodes > 2) {
      const alive = nodes - 1
      expect(meanCost(ringElection, nodes, 'highest', OF_THE_ELECTION)).toBeCloseTo(
        2 * alive + (alive - 1) / 2,
        9,
      )
    }
  }
})

// shows claim ring-election-average
test('everyone calls: n(n+1)/2 election messages where the ring falls, 2n-1 where it rises', () => {
  for (const nodes of SIZES) {
    const { messages, violations } = electionRun(ringElection, { nodes, dead: 'none', initiators: 'all' })
    // The numbers rise along the ring, so the next node drops every number but the highest.
    expect(messages.byType).toEqual({ election: 2 * nodes - 1, coordinator: nodes })
    expect(violations).toEqual([])
  }
})

// shows kessler-2024 The Ring-Based Algorithm: rules
test('crashes at any moment of an election leave one coordinator, the highest of the living', () => {
  for (let at = 0; at <= 30; at += 1) {
    for (const crash of [0, 2, 4]) {
      const { violations } = electionRun(ringElection, {
        nodes: 5,
        dead: 'none',
        initiators: '0,3',
        latency: 'uniform:0,3',
        fault: [`crash:${crash}@${at}`],
        seed: at,
      })
      expect(violations, `crash:${crash}@${at}`).toEqual([])
    }
  }
})

// shows kessler-2024 The Ring-Based Algorithm: ring
test('two neighbours that crash together break the ring: next-of-next bridges one gap only', () => {
  const { violations } = electionRun(ringElection, { nodes: 5, dead: '3,4', initiators: '0' })
  expect(violations).toMatchObject([{ judge: 'progress' }])
  expect(electionRun(ringElection, { nodes: 5, dead: '2,4', initiators: '0' }).violations).toEqual([])
})

test('channels must keep order: an announcement may not be overtaken by the next election', () => {
  const { setup } = electionConfig(ringElection, { nodes: 3, dead: 'none' })
  const check = new Check(
    {
      algorithm: ringElection,
      setup,
      requests: 2,
      channels: 'unordered',
      timing: 'any',
      budgets: NO_TROUBLE,
    },
    100_000,
  )
  while (!check.run(100_000));
  expect(check.result.properties.find(({ holds }) => holds === false)?.name).toBe('no-deadlock')
})

test('without the flag of Chang and Roberts the highest announces itself once for every call', () => {
  const flagless: Election<State, Message> = {
    ...ringElection,
    elect: (node, here) => propose(node, here, here.self),
    receive: {
      ...ringElection.receive,
      election(node, here, { id }, from) {
        if (id < here.self) propose(node, here, here.self)
        else ringElection.receive.election(node, here, { type: 'election', id }, from)
      },
    },
  }
  const wishes = { nodes: 8, dead: 'none', initiators: '1,3,5' }
  expect(electionRun(flagless, wishes).messages.byType['coordinator']).toBe(3 * 8)
  expect(electionRun(ringElection, wishes).messages.byType['coordinator']).toBe(8)
})

test('the number of a crashed process goes round for ever, unless those who know of the crash drop it', () => {
  // It arrives when the ring is mended already.
  const latency = latencyFromFile({ links: { '3>0': 'constant:20' } }, 4)
  const wishes = { nodes: 4, dead: 'none', initiators: '3,1@15', fault: ['crash:3@0.5'], latency }
  expect(electionRun(deadNumber.algorithm, wishes).gaveUp).toBe(true)
  expect(electionRun(ringElection, wishes)).toMatchObject({ elected: 2, gaveUp: false, violations: [] })
})
