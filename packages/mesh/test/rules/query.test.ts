/** Who holds and who waits elsewhere: how a long answer is told. */
import { get } from '@turnwise/core/bounds'
import { expect, test } from 'vitest'
import { SOUND } from '../../broken/under.ts'
import type { NameStanding } from '../../src/protocol/messages.ts'
import { Script } from '../script.ts'

const NAMES = 2300

/** a holds many names, and b has asked for all of them. */
function asked(inLine: readonly NameStanding[] = []): Script {
  const script = new Script(['a', 'b'], SOUND)
  script.do('a', { kind: 'renew' })
  script.beat('a', 'b')
  for (let i = 0; i < NAMES; i += 1) script.request('a', `name ${i}`)
  script.sent.length = 0
  script.holdsBack = (_, __, { type }) => type === 'link-ack'
  script.do('b', { kind: 'ask', name: null, ticket: 7 })
  const question = get(script.of('a', 'asked'), 0)
  const { name, epoch, ticket, from } = question
  script.do('a', { kind: 'answer', to: from, ticket, name, epoch, inLine })
  return script
}

const told = (script: Script) => script.of('b', 'told').flatMap(({ names }) => names)

test('a few pieces are under way, and the others follow as these are acknowledged', () => {
  const script = asked()
  expect(script.of('b', 'told')).toHaveLength(2)
  expect(told(script)).toHaveLength(1000)
  expect(script.of('b', 'told').every(({ more }) => more)).toBe(true)
  script.holdsBack = () => false
  script.letGo()
  expect(told(script)).toHaveLength(NAMES)
  expect(script.of('b', 'told').map(({ more }) => more)).toEqual([true, true, true, true, false])
  expect(script.node('a').tellings).toEqual([])
})

test('so it is with those who wait for one name, however many', () => {
  const script = new Script(['a', 'b'], SOUND)
  script.do('a', { kind: 'renew' })
  script.beat('a', 'b')
  for (let i = 0; i < NAMES; i += 1) script.request('a', 'L', `${i}`)
  script.holdsBack = (_, __, { type }) => type === 'link-ack'
  script.do('a', { kind: 'answer', to: 'b', ticket: 7, name: null, epoch: 1, inLine: [] })
  expect(script.of('b', 'told')).toHaveLength(2)
  script.holdsBack = () => false
  script.letGo()
  const counts = told(script).map(({ name, held, pending }) => [name, held.length, pending.length])
  expect(counts).toEqual([['L', 1, 499], ...[500, 500, 500, 300].map((pending) => ['L', 0, pending])])
  expect(script.of('b', 'told').map(({ more }) => more)).toEqual([true, true, true, true, false])
  expect(script.node('a').tellings).toEqual([])
})

test('those who stand in line are told last', () => {
  const inLine = Array.from({ length: 300 }, (_, i) => ({
    name: `line ${i}`,
    held: [],
    pending: [{ mode: 'exclusive' as const, age: 1 }],
  }))
  const script = asked(inLine)
  script.holdsBack = () => false
  script.letGo()
  expect(told(script)).toHaveLength(NAMES + 300)
  expect(told(script).slice(NAMES)).toEqual(inLine)
})

test('with its view an answer is over', () => {
  const script = asked()
  script.holdsBack = () => false
  script.do('b', { kind: 'renew' })
  expect(script.node('a').tellings).toEqual([])
  const before = told(script).length
  script.letGo()
  script.do('a', { kind: 'answer', to: 'b', ticket: 7, name: null, epoch: 1, inLine: [] })
  expect(told(script)).toHaveLength(before)
})

test('an answer about nothing is an answer', () => {
  const script = new Script(['a', 'b'], SOUND)
  script.do('a', { kind: 'renew' })
  script.beat('a', 'b')
  for (const name of [null, 'nobody wants it']) {
    script.do('a', { kind: 'answer', to: 'b', ticket: 1, name, epoch: 1, inLine: [] })
    expect(script.of('b', 'told').at(-1)).toMatchObject({ names: [], more: false })
    expect(script.node('a').tellings).toEqual([])
  }
})
