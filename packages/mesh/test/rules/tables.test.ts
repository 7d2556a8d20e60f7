/** Reports and records of very many names: what is repeated, who is waited for, and what a view does of each name. */
import { expect, test } from 'vitest'
import { SOUND } from '../../broken/under.ts'
import { Script } from '../script.ts'
import { LEASE } from '../simulation/plan.ts'

const MANY = 1200
const name = (i: number) => `name ${i}`

/** In one view; b holds many names, and c has died. */
function holding(many = MANY): Script {
  const script = new Script(['a', 'b', 'c'], SOUND)
  script.do('a', { kind: 'renew' })
  script.beat('a', 'b', 'c')
  for (let i = 0; i < many; i += 1) script.request('b', name(i))
  script.beat('a', 'b', 'c')
  expect(script.node('b').holding).toBe(many)
  script.kill('c')
  script.sent.length = 0
  return script
}

const count = (script: Script, from: string, type: string) =>
  script.sent.filter((each) => each.from === from && each.to !== from && each.message.type === type).length

/** What was held back arrives, and both begin the next view. */
function expectNothingLostInTheEnd(script: Script): void {
  script.holdsBack = () => false
  script.letGo()
  script.pass(15)
  expect(script.views).toEqual({ a: 2, b: 2 })
  expect(script.node('b').holding).toBe(MANY)
}

test('a long report is made once for a ballot, and again when the connection is another', () => {
  const script = holding()
  script.passes = (_, __, message) => message.type !== 'promise'
  script.do('a', { kind: 'renew' })
  script.pass(3)
  expect(count(script, 'a', 'prepare')).toBeGreaterThan(2)
  expect(count(script, 'b', 'promise')).toBe(1)
  script.do('b', { kind: 'connected', peer: 'a' })
  script.pass(1)
  expect(count(script, 'b', 'promise')).toBe(2)
})

test('a short report is repeated as often as it is asked for', () => {
  const script = holding(5)
  script.passes = (_, __, message) => message.type !== 'promise'
  script.do('a', { kind: 'renew' })
  script.pass(3)
  expect(count(script, 'b', 'promise')).toBe(count(script, 'a', 'prepare') / 2)
})

test('a node that has promised and is heard is waited for, however long its report takes: it loses nothing', () => {
  const script = holding()
  script.holdsBack = (_, __, message) => message.type === 'promise'
  script.do('a', { kind: 'renew' })
  script.pass(60)
  expect(count(script, 'a', 'install')).toBe(0)
  expect(script.node('b').holding).toBe(MANY)
  expectNothingLostInTheEnd(script)
})

// Two hosts ask for another view at the same moment, and each promises the next epoch to itself. The one that votes took the other's
// "promised 3" for a promise to its own ballot, and waited for its report for 20 leases.
test('a node that has promised the epoch to another ballot is not waited for: all are in one view again', () => {
  const script = new Script(['a', 'b'], SOUND, { voters: ['a'], firstStart: ['a'] })
  script.pass(20)
  const { a: before, b } = script.views
  expect(b).toBe(before)
  const epoch = Number(before) + 1
  script.holdsBack = (_, __, message) => message.type === 'prepare'
  script.do('a', { kind: 'renew' })
  script.do('b', { kind: 'renew' })
  script.holdsBack = () => false
  script.letGo()
  expect([script.node('a'), script.node('b')].map(({ durable }) => durable.promised)).toEqual([
    { epoch, ballot: expect.stringMatching(/^a/) },
    { epoch, ballot: expect.stringMatching(/^b/) },
  ])
  script.pass(50)
  expect(script.node('a').begun?.members.map(({ id }) => id)).toEqual(['a', 'b'])
  expect(script.views['a']).toBeGreaterThan(epoch)
  expect(script.views['b']).toBe(script.views['a'])
})

test('a long record that is under way is not sent again, nobody else proposes meanwhile, and nothing is lost', () => {
  const script = holding()
  script.holdsBack = (_, to, message) => to === 'b' && message.type === 'install'
  script.do('a', { kind: 'renew' })
  script.pass(60)
  // To b and to c, in six leases.
  expect(count(script, 'a', 'install')).toBeLessThanOrEqual(2 * 3)
  expect(count(script, 'b', 'prepare')).toBe(0)
  expect(script.node('b').holding).toBe(MANY)
  expectNothingLostInTheEnd(script)
})

test('a view does nothing for a name that is held on; its release is the first use', () => {
  const script = holding()
  script.do('a', { kind: 'renew' })
  script.pass(15)
  const seat = (i: number) => script.node('b').names.get(name(i))?.seats[0]
  expect(seat(0)).toMatchObject({ instance: null, holds: [{ caller: 'b' }] })
  script.request('a', name(0), 'next')
  expect(script.grants(name(0))).toHaveLength(1)
  script.release('b', name(0))
  script.release('b', name(1))
  script.request('a', name(1), 'next')
  expect(script.grants(name(0)).at(-1)).toMatchObject({ id: 'a', caller: 'next' })
  expect(script.grants(name(1)).at(-1)).toMatchObject({ id: 'a', caller: 'next' })
  expect(script.twoHolders).toBeNull()
  // Through another view it is reported as before.
  script.do('a', { kind: 'renew' })
  script.pass(15)
  expect(script.node('b').begun?.table[name(2)]).toEqual(script.node('a').begun?.table[name(2)])
  expect(script.node('b').holding).toBe(MANY - 2)
})

test('of very many who wait when a view begins some are asked for at once, and the rest soon after', () => {
  const script = new Script(['a'], SOUND)
  for (let i = 0; i < 1000; i += 1) script.request('a', name(i))
  script.do('a', { kind: 'renew' })
  script.beat('a')
  expect(script.node('a').unasked.size).toBeGreaterThan(500)
  for (let woken = 0; woken < 10; woken += 1) script.do('a', { kind: 'wake' })
  script.beat('a')
  expect(script.node('a').holding).toBe(1000)
  expect(script.now).toBeLessThan(LEASE)
})
