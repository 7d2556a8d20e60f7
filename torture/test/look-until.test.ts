import { expect, test } from 'vitest'
import { lookUntil, type Patience, type Time } from '../src/look-until.ts'

/** A clock that these sleeps move on by as much as they say, whatever was asked for. */
function clock(...sleeps: number[]): Time {
  let now = 0
  return {
    now: () => now,
    sleep: () => {
      now += sleeps.shift() ?? 50
      return Promise.resolve()
    },
  }
}

const patient: Patience = {
  deadline: 100_000,
  pause: 50,
  stop: new AbortController().signal,
  tooLong: 500,
  heldUp: () => {},
}

test('a program that was held up hears of it before it looks again, so it holds that against nobody', async () => {
  let quietSince = 0
  const time = clock(50, 46_000)
  const isLate = () => time.now() > quietSince + 30_000
  const held: number[] = []
  const heldUp = (at: number, milliseconds: number) => {
    quietSince = at
    held.push(milliseconds)
  }
  let looks = 0
  const isSo = () => isLate() || ++looks === 5
  expect(await lookUntil(isSo, { ...patient, heldUp }, time)).toBe(true)
  expect(held).toEqual([46_000])
  expect(looks).toBe(5)
})

test('the time in which it was held up is not part of what it waits', async () => {
  const time = clock(50, 180_000)
  expect(await lookUntil(() => time.now() > 180_500, { ...patient, deadline: 1000 }, time)).toBe(true)
  expect(await lookUntil(() => false, { ...patient, deadline: time.now() + 1000 }, time)).toBe(false)
})

test('what takes as long as it was asked to holds nobody up', async () => {
  const held: number[] = []
  const options = { ...patient, deadline: 2000, heldUp: (at: number) => held.push(at) }
  expect(await lookUntil(() => false, options, clock(500, 400, 50))).toBe(false)
  expect(held).toEqual([])
})

test('it ends when it is so, when it is stopped, and at its deadline', async () => {
  const time = clock()
  expect(await lookUntil(() => time.now() >= 200, patient, time)).toBe(true)
  expect(time.now()).toBe(200)
  expect(await lookUntil(() => false, { ...patient, deadline: 1000 }, time)).toBe(false)
  expect(time.now()).toBe(1050)
  expect(await lookUntil(() => false, { ...patient, stop: AbortSignal.abort() }, time)).toBe(false)
  expect(time.now()).toBe(1050)
})
