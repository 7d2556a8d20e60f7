import { variant as interruptible } from '@turnwise/algorithms/broken/suzuki-kasami-interruptible-release'
import { lamport } from '@turnwise/algorithms/permission/lamport'
import { sanders } from '@turnwise/algorithms/quorum/sanders'
import { suzukiKasami } from '@turnwise/algorithms/token/suzuki-kasami'
import { describe, expect, test } from 'vitest'
import { check } from '../src/index.ts'
import type { Search } from '../src/search.ts'
import { searched, worldsOf } from './harness.ts'

const WORLDS = [
  { algorithm: lamport, world: { nodes: 2, requests: 2 } },
  { algorithm: sanders, world: { nodes: 2, requests: 2, channels: 'unordered' } },
  { algorithm: suzukiKasami, world: { nodes: 3 } },
] as const

/** How many messages are under way in the fullest channel of each world. */
function fullest(search: Search): number[] {
  return [...worldsOf(search)].map(({ mail }) => {
    const channels = mail.map(({ from, to }) => `${from} ${to}`)
    return Math.max(0, ...channels.map((channel) => channels.filter((other) => other === channel).length))
  })
}

/** The states that a full search can reach without one in which a channel has more than this. */
function within(search: Search, room: number): { states: number; transitions: number } {
  const counts = fullest(search)
  const { edges } = search
  if (edges === null) throw new Error('the steps were not kept')
  const found = new Set([0])
  let transitions = 0
  // A set that grows is walked to its end.
  for (const state of found) {
    for (let edge = edges.from(state); edge < edges.to(state); edge += 1) {
      const to = edges.target(edge)
      if ((counts[to] ?? 0) > room) continue
      transitions += 1
      found.add(to)
    }
  }
  return { states: found.size, transitions }
}

describe.each(WORLDS)('$algorithm.facts.name', ({ algorithm, world }) => {
  const full = searched(algorithm, world)

  test('a bound on channels leaves exactly the worlds that need no more room', () => {
    const most = Math.max(...fullest(full))
    expect(most).toBeGreaterThan(1)
    for (let room = 1; room < most; room += 1) {
      const { states, transitions, leftOut } = searched(algorithm, { ...world, room })
      expect({ room, states, transitions, leftOut }).toEqual({ room, ...within(full, room), leftOut: 'room' })
    }
  })

  test('a bound that no channel reaches changes nothing', () => {
    const { states, transitions, depth, leftOut } = searched(algorithm, { ...world, room: 99 })
    expect({ states, transitions, depth, leftOut }).toEqual({
      states: full.states,
      transitions: full.transitions,
      depth: full.depth,
      leftOut: null,
    })
  })
})

test('runs of any length: requests pile up only so far, and nothing is claimed beyond', () => {
  const any = { nodes: 3, requests: 'any', channels: 'fifo', mostStates: 20_000 } as const
  expect(check(suzukiKasami, any).complete).toBe(false)
  const { complete, failure, properties } = check(suzukiKasami, { ...any, room: 2 })
  expect({ complete, failure }).toEqual({ complete: true, failure: null })
  const inStates = 'holds while no channel has more than 2 messages'
  const inRuns = 'some runs end where a channel would have more than 2 messages'
  const open = properties.filter(({ holds }) => holds === null)
  expect(Object.fromEntries(open.map(({ name, reason }) => [name, reason]))).toEqual({
    exclusion: inStates,
    'one-token': inStates,
    'no-deadlock': inStates,
    rules: inStates,
    'can-enter': inRuns,
    'no-starvation': inRuns,
    'fences-rise': inStates,
  })
})

test('a run against a property is a run of the algorithm, and the bound makes no deadlock of its own', () => {
  const world = { nodes: 2, requests: 'any', channels: 'fifo', room: 1 } as const
  const { failure } = check(interruptible.algorithm, world)
  expect(failure).toMatchObject({ name: 'no-deadlock', holds: false })
  const unbounded = check(interruptible.algorithm, { nodes: 2, requests: 2, channels: 'fifo' })
  expect(unbounded.failure).toMatchObject({ name: 'no-deadlock', reason: failure?.reason })
})

test('both bounds are named', () => {
  const { properties } = check(lamport, { nodes: 2, requests: 'any', clock: 6, room: 1 })
  const exclusion = properties.find(({ name }) => name === 'exclusion')
  expect(exclusion?.reason).toBe('holds while no clock passes 6 and no channel has more than 1 message')
})

test('a reduction refuses it', () => {
  expect(() => check(suzukiKasami, { nodes: 2, room: 1, reduced: true })).toThrow(
    'reduction: a bound on channels ends runs, and the order of steps decides which',
  )
})
