import { expect, test } from 'vitest'
import { Namesakes } from '../../src/observe/namesakes.ts'
import { groupKey, lockKey, semaphoreKey } from '../../src/protocol/names.ts'
import { meshes } from '../meshes.ts'

const FOUR_AND_FIVE =
  'semaphore "pool" is used with 4 permits and with 5 permits: each is a semaphore of its own, so up to 9 callers are inside'

test('two versions of a program with different numbers are told, and so is the operator', async () => {
  const [a, b] = await meshes(2, 'memory')
  await a.semaphore('pool', 4).acquire()
  await b.semaphore('pool', 5).acquire()
  // As when the next process of a deployment comes or goes: the table of the new view has all holds.
  await a.forget()
  const isTold = () => [a, b].every(({ status }) => status.trouble.includes(FOUR_AND_FIVE))
  await expect.poll(isTold).toBe(true)
  await Promise.all([a.leave(), b.leave()])
})

const NONE: ReadonlySet<string> = new Set()

function told(keys: readonly string[]): readonly string[] {
  const namesakes = new Namesakes()
  namesakes.look(keys, NONE, 0)
  return namesakes.lines
}

test('groups with other lists, and semaphores with other algorithms', () => {
  expect(told([groupKey('halls', ['east', 'west']), groupKey('halls', ['west', 'north', 'east'])])).toEqual([
    'group "halls" is used with the lists [east, north, west] and [east, west]: each is a group of its own, so two callers can hold the same name',
  ])
  expect(told([semaphoreKey('pool', 4, null), semaphoreKey('pool', 4, 'raymond-k')])).toEqual([
    'semaphore "pool" is used with 4 permits by raymond-k and with 4 permits: each is a semaphore of its own, so up to 8 callers are inside',
  ])
})

test('other names and other kinds are no namesakes', () => {
  const kinds = [lockKey('pool'), semaphoreKey('pool', 4, null), groupKey('pool', ['a', 'b'])]
  expect(told([...kinds, semaphoreKey('pools', 5, null)])).toEqual([])
})

test('one that was not used for a minute is forgotten', () => {
  const namesakes = new Namesakes()
  namesakes.look([semaphoreKey('pool', 4, null), semaphoreKey('pool', 5, null)], NONE, 0)
  expect(namesakes.lines).toEqual([FOUR_AND_FIVE])
  namesakes.look([semaphoreKey('pool', 5, null)], NONE, 60_000)
  expect(namesakes.lines).toEqual([FOUR_AND_FIVE])
  // One that is held is in use.
  namesakes.look([], new Set([semaphoreKey('pool', 4, null)]), 120_000)
  expect(namesakes.lines).toEqual([FOUR_AND_FIVE])
  namesakes.look([], NONE, 120_001)
  expect(namesakes.lines).toEqual([])
})

test('programs choose the names: a line is bounded, and tells a terminal nothing', () => {
  const [escape] = told([4, 5].map((permits) => semaphoreKey('pool\n\u001b[2J', permits, null)))
  expect(escape).toContain('semaphore "pool\\u000a\\u001b[2J" is used')
  const lists = Array.from({ length: 300 }, (_, i) => groupKey('order', [`item ${i}`, 'x'.repeat(900)]))
  const [line = ''] = told(lists)
  expect(line).toMatch(
    /^group "order" is used with the lists \[.*…\] and .*, and perhaps in more ways: each is/,
  )
  expect(line.length).toBeLessThan(1200)
})

test('locks in use, however many, do not keep a tick from the semaphores behind them', () => {
  const locks = Array.from({ length: 5000 }, (_, i) => lockKey(`orders/${i}`))
  const namesakes = new Namesakes()
  namesakes.begun([...locks.slice(0, 900), semaphoreKey('pool', 4, null)])
  namesakes.look([...locks, semaphoreKey('pool', 5, null)], NONE, 0)
  expect(namesakes.lines).toEqual([FOUR_AND_FIVE])
})

test('however many names there are, a tick looks at some of them, and some namesakes are told', () => {
  const namesakes = new Namesakes()
  const held = [4, 5].flatMap((permits) =>
    Array.from({ length: 5000 }, (_, i) => semaphoreKey(`tenants/${i}`, permits, null)),
  )
  let read = 0
  namesakes.begun(
    (function* () {
      for (const key of held) {
        read += 1
        yield key
      }
    })(),
  )
  for (let ticks = 1; ticks <= 10; ticks += 1) {
    namesakes.look([], NONE, ticks)
    expect(read).toBeLessThanOrEqual(1000 * ticks)
  }
  expect(read).toBe(held.length)
  expect(namesakes.lines).toHaveLength(10)
})
