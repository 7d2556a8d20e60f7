/** R1: how little a mesh says that nobody asks for anything. */
import { beforeAll, describe, expect, test } from 'vitest'
import { SOUND } from '../../broken/under.ts'
import { nextStep } from '../../src/protocol/quiet.ts'
import { Script } from '../script.ts'
import { LEASE } from '../simulation/plan.ts'

const ids = Array.from({ length: 32 }, (_, i) => `n${String(i).padStart(2, '0')}`)
const voters = ids.slice(0, 5)
const first = 'n00'
const last = 'n31'
const TICKS_OF_A_LEASE = 10
const LEASES = 2

function formed(): Script {
  const script = new Script(ids, SOUND, { voters, firstStart: voters })
  script.pass(30)
  const epochs = new Set(ids.map((id) => script.node(id).begun?.epoch))
  expect([...epochs]).toEqual([expect.any(Number)])
  script.sent.length = 0
  return script
}

describe('32 nodes of which five vote', () => {
  let script: Script
  beforeAll(() => {
    script = formed()
    script.pass(LEASES * TICKS_OF_A_LEASE)
  })

  const counted = (type: string) => script.sent.filter(({ message }) => message.type === type)
  const isVoter = (id: string) => voters.includes(id)

  test('say nothing but heartbeats and acks', () => {
    expect(new Set(script.sent.map(({ message }) => message.type))).toEqual(new Set(['heartbeat', 'ack']))
  })

  test('those that do not vote speak with voters alone, twice in a lease, and are answered', () => {
    const between = (from: boolean, to: boolean) =>
      counted('heartbeat').filter((each) => isVoter(each.from) === from && isVoter(each.to) === to).length
    expect(between(false, false)).toBe(0)
    expect(between(false, true)).toBe(LEASES * 2 * 27 * 5)
    expect(between(true, false)).toBe(LEASES * 2 * 27 * 5)
    expect(between(true, true)).toBe(LEASES * 5 * 5 * 4)
  })

  test('nobody is suspected, and no lease runs out', () => {
    for (const id of ids) {
      const { deadline, begun } = script.node(id)
      expect(deadline - script.now).toBeGreaterThanOrEqual(LEASE / 2)
      expect(begun?.members).toHaveLength(32)
    }
    expect(
      counted('heartbeat').every((each) => 'suspects' in each.message && each.message.suspects.length === 0),
    ).toBe(true)
  })

  test('a host lets time pass as often as there is a heartbeat', () => {
    const steps = (id: string) => nextStep(script.node(id), script.now)
    expect(steps(first)).toEqual({ ticks: 2, tenths: 2.5 })
    expect(steps(last)).toEqual({ ticks: 5, tenths: 5 })
  })
})

test('one at which somebody waits or holds renews its lease five times in a lease, as a voter does', () => {
  const script = formed()
  script.request(last, 'L')
  expect(script.holds(last, 'L')).toHaveLength(1)
  script.sent.length = 0
  script.pass(TICKS_OF_A_LEASE)
  const beats = script.sent.filter(({ from, to, message }) => {
    return from === last && to === first && message.type === 'heartbeat'
  })
  expect(beats).toHaveLength(5)
  expect(nextStep(script.node(last), script.now)).toEqual({ ticks: 1, tenths: 1 })
  script.release(last, 'L')
  script.pass(5)
  expect(nextStep(script.node(last), script.now)).toEqual({ ticks: 5, tenths: 5 })
})

test('a step ends with the next heartbeat, also if a caller has cut the step before short', () => {
  const script = formed()
  for (const [id, between] of [
    [first, 2],
    [last, 5],
  ] as const) {
    for (let passed = 1; passed <= between; passed += 1) {
      script.pass(1)
      const left = between - (script.node(id).ticks % between)
      expect(nextStep(script.node(id), script.now).ticks, `${id} after ${script.node(id).ticks}`).toBe(left)
    }
  }
})

test('one that dies at rest is missed before its lease is over, and left out when it is', () => {
  const script = formed()
  script.pass(5)
  script.kill(last)
  script.pass(TICKS_OF_A_LEASE - 2)
  const members = () => script.node(first).begun?.members.length
  expect(nextStep(script.node(first), script.now)).toEqual({ ticks: 1, tenths: 1 })
  expect(members()).toBe(32)
  script.pass(TICKS_OF_A_LEASE)
  expect(members()).toBe(31)
})

test('a newcomer makes hosts let time pass tick by tick, until it is taken in', () => {
  const script = new Script(['a', 'b', 'c'], SOUND, {
    peers: ['a', 'b', 'c', 'd'],
    voters: ['a'],
    firstStart: ['a'],
  })
  script.pass(30)
  expect(nextStep(script.node('a'), script.now).ticks).toBe(2)
  script.add('d')
  script.pass(3)
  expect(nextStep(script.node('a'), script.now).ticks).toBe(1)
  script.pass(27)
  expect(script.node('d').begun?.members).toHaveLength(4)
  expect(nextStep(script.node('a'), script.now).ticks).toBe(2)
  expect(nextStep(script.node('d'), script.now).ticks).toBe(5)
})
