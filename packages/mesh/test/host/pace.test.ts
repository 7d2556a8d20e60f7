import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Pace } from '../../src/host/pace.ts'
import { ONE_TICK } from '../../src/protocol/quiet.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const TICK = 100

test('time passes tick by tick, or several ticks at once', () => {
  let due = 0
  const pace = new Pace(TICK, () => (due += 1))
  pace.next(ONE_TICK, 0)
  expect(pace.isLong).toBe(false)
  vi.advanceTimersByTime(TICK)
  expect([due, pace.passed(TICK)]).toEqual([1, 1])
  pace.next({ ticks: 2, tenths: 2.5 }, TICK)
  expect(pace.isLong).toBe(true)
  vi.advanceTimersByTime(2.5 * TICK - 1)
  expect(due).toBe(1)
  vi.advanceTimersByTime(1)
  expect([due, pace.passed(3.5 * TICK)]).toEqual([2, 2])
  pace.stop()
})

test('a step that is cut short ends in a tick, and counts what has passed', () => {
  let due = 0
  const pace = new Pace(TICK, () => (due += 1))
  pace.next({ ticks: 5, tenths: 5 }, 0)
  vi.advanceTimersByTime(1.6 * TICK)
  pace.quicken()
  expect(pace.isLong).toBe(false)
  vi.advanceTimersByTime(TICK)
  expect([due, pace.passed(2.6 * TICK)]).toEqual([1, 3])
  // However late the loop was: what was to pass has passed, and no more.
  expect(pace.passed(50 * TICK)).toBe(5)
  pace.stop()
})

test('events of a turn look once whether a long step must be cut short', async () => {
  let looks = 0
  let isHasty = false
  const pace = new Pace(
    TICK,
    () => {},
    () => {
      looks += 1
      return isHasty
    },
  )
  pace.next(ONE_TICK, 0)
  pace.look()
  await Promise.resolve()
  expect(looks).toBe(0)
  pace.next({ ticks: 5, tenths: 5 }, TICK)
  for (let event = 0; event < 3; event += 1) pace.look()
  await Promise.resolve()
  expect([looks, pace.isLong]).toEqual([1, true])
  isHasty = true
  pace.look()
  await Promise.resolve()
  expect([looks, pace.isLong]).toEqual([2, false])
  pace.next({ ticks: 5, tenths: 5 }, 2 * TICK)
  pace.look()
  pace.stop()
  await Promise.resolve()
  expect([looks, vi.getTimerCount()]).toEqual([2, 0])
})
