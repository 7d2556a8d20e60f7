import { get } from '@turnwise/core/bounds'
import { describe, expect, test } from 'vitest'
import { Picture } from '../../src/cluster/picture.ts'
import type { Word } from '../../src/cluster/up-messages.ts'

const name = 'orders'
const asks = (at: number): Word => ({ is: 'asks', name, at })
const enters = (at: number, fence: number, waited = 10): Word => {
  return { is: 'enters', name, at, fence: String(fence), waitedMs: waited }
}
const leaves = (at: number): Word => ({ is: 'leaves', name, at })
const loses = (at: number): Word => ({ is: 'loses', name, at })
const beats = (at: number, epoch: number, members: string, sent = 0): Word => {
  return {
    is: 'beats',
    at,
    epoch,
    members: members.split(' '),
    leaseLeft: 2000,
    sent,
    place: null,
    holds: [],
  }
}

function picture() {
  const told: string[] = []
  const shown = new Picture(['a', 'b', 'c'], [name], ({ text }) => told.push(text))
  for (const id of ['a', 'b', 'c']) {
    shown.hears(id, { is: 'joined', at: 0 })
    shown.hears(id, beats(0, 1, 'a b c'))
  }
  return { shown, told: () => told.splice(0) }
}

describe('what is told', () => {
  test('a view is told once, by any node, with who is missing and who is back', () => {
    const { shown, told } = picture()
    expect(told()).toEqual(['view 1: a b c'])
    shown.hears('a', beats(1, 2, 'a c'))
    shown.hears('c', beats(2, 2, 'a c'))
    shown.hears('b', beats(3, 1, 'a b c'))
    shown.hears('c', beats(4, 4, 'b c'))
    expect(told()).toEqual(['view 2: a c, without b', 'view 4: b c, without a, b is back'])
  })

  test('a lock moves on from one that was killed inside', () => {
    const { shown, told } = picture()
    told()
    shown.hears('b', enters(1000, 7))
    shown.does('b', 'kill', 1500)
    expect(shown.snapshot(1600).names[0]).toMatchObject({
      holder: 'b',
      holderState: 'killed',
      leaseLeft: 400,
    })
    shown.hears('c', enters(3600, 8))
    shown.hears('c', leaves(3700))
    shown.hears('a', enters(3800, 9))
    expect(told()).toEqual([
      'b is killed with kill -9 while it holds orders',
      'orders moves on to c, 2.1 s after b was killed',
    ])
  })

  test('a lock moves on from one that was paused, which finds so later', () => {
    const { shown, told } = picture()
    told()
    shown.hears('b', enters(1000, 7))
    shown.does('b', 'pause', 1500)
    shown.hears('c', enters(3600, 8))
    shown.does('b', 'continue', 5000)
    shown.hears('b', loses(5001))
    shown.hears('c', leaves(5002))
    shown.hears('a', enters(5003, 9))
    expect(told()).toEqual([
      'b is paused (SIGSTOP) while it holds orders',
      'orders moves on to c, 2.1 s after b was paused',
      'b continues (SIGCONT)',
      'b has lost orders: its lease ended',
    ])
  })

  test('a lock moves on from one that was cut off, which finds so first', () => {
    const { shown, told } = picture()
    told()
    shown.hears('b', enters(1000, 7))
    shown.does('b', 'cut', 1500)
    shown.hears('b', loses(3000))
    shown.hears('a', enters(3500, 8))
    expect(told()).toEqual([
      'b is cut off from the others while it holds orders',
      'b has lost orders: its lease ended',
      'orders moves on to a, 2.0 s after b was cut off',
    ])
  })

  test('what is given back does not move on, though the reports come in another order', () => {
    const { shown, told } = picture()
    told()
    shown.hears('b', enters(1000, 7))
    shown.hears('a', enters(1200, 8))
    shown.hears('b', leaves(1100))
    expect(shown.snapshot(1300).names[0]).toMatchObject({ holder: 'a', fence: '8', turns: 2 })
    expect(told()).toEqual([])
  })
})

describe('what is shown', () => {
  test('who waits, the longest first', () => {
    const { shown } = picture()
    shown.hears('c', asks(10))
    shown.hears('a', asks(11))
    expect(shown.snapshot(20).names[0]?.waiters).toEqual(['c', 'a'])
    shown.hears('c', enters(30, 1))
    shown.does('a', 'kill', 40)
    expect(shown.snapshot(50).names[0]?.waiters).toEqual([])
  })

  test('messages of a node that was started again count with those before', () => {
    const { shown } = picture()
    shown.hears('b', enters(100, 1))
    shown.hears('b', beats(110, 1, 'a b c', 8))
    shown.does('b', 'kill', 120)
    shown.does('b', 'restart', 130)
    expect(shown.snapshot(140).nodes[1]?.state).toBe('starting')
    shown.hears('b', { is: 'joined', at: 150 })
    shown.hears('b', beats(160, 2, 'a b c', 4))
    shown.hears('b', enters(170, 2))
    expect(shown.snapshot(200).nodes[1]).toMatchObject({ state: 'in view', sent: 12, messagesPerTurn: 6 })
  })

  test('turns a second, and quantiles of the waits', () => {
    const { shown } = picture()
    for (let i = 1; i <= 100; i += 1) shown.hears('a', enters(i * 100, i, i))
    const { turnsPerSecond, p50, p99 } = get(shown.snapshot(10_000).nodes, 0)
    expect({ turnsPerSecond, p50, p99 }).toEqual({ turnsPerSecond: 10, p50: 50, p99: 99 })
  })

  test('one that runs and is not in the view is left out', () => {
    const { shown } = picture()
    shown.hears('a', beats(10, 2, 'a c'))
    const states = (now: number) => shown.snapshot(now).nodes.map(({ state }) => state)
    expect(states(20)).toEqual(['in view', 'left out', 'left out'])
    shown.hears('c', beats(30, 2, 'a c'))
    expect(states(40)).toEqual(['in view', 'left out', 'in view'])
    expect(states(5000)).toEqual(['left out', 'left out', 'left out'])
  })
})

test('hand-offs are turns of another node than before, and zones wait together', () => {
  const { shown } = picture()
  for (const [at, id, waited] of [
    [10, 'a', 1],
    [20, 'a', 3],
    [30, 'b', 5],
    [40, 'c', 7],
    [50, 'a', 9],
  ] as const) {
    shown.hears(id, enters(at, at, waited))
    shown.hears(id, leaves(at + 5))
  }
  const { handOffs, zones } = shown.snapshot(100, [['a', 'c'], ['b']])
  expect(handOffs).toBe(3)
  expect(zones).toEqual([
    { zone: 0, nodes: ['a', 'c'], turns: 4, p50: 3, p99: 9 },
    { zone: 1, nodes: ['b'], turns: 1, p50: 5, p99: 5 },
  ])
})
