import { afterEach, describe, expect, test, vi } from 'vitest'
import { difference, monotonic, systemClock } from '../src/lease/clock.ts'

afterEach(() => vi.restoreAllMocks())

test('two clocks that are read one after the other, with a wait between, are not taken for that much apart', () => {
  let time = 1000
  let waits = [180, 20, 0, 50]
  const one = () => time
  const other = () => {
    time += waits[0] ?? 5
    waits = waits.slice(1)
    return time - 700
  }
  expect(difference(one, other)).toBe(700)
})

test('all processes of a machine read one clock', () => {
  const before = Number(process.hrtime.bigint()) / 1e6
  const shown = monotonic()
  const after = Number(process.hrtime.bigint()) / 1e6
  expect(shown).toBeGreaterThan(before - 0.5)
  expect(shown).toBeLessThan(after + 0.5)
})

describe('a wall clock', () => {
  /** What both clocks show. Each reading of the wall clock takes as long as is said, once. */
  let wall = 0
  let time = 0
  let waits: number[] = []

  /** A clock with a tolerance of 100 ms; lets time pass, on the wall by so much more, and tells whether it was sleep. */
  function watched(): (ms: number, more: number) => boolean {
    ;[wall, time, waits] = [1_000_000, 5000, []]
    vi.spyOn(performance, 'now').mockImplementation(() => time)
    vi.spyOn(Date, 'now').mockImplementation(() => {
      const waited = waits.shift() ?? 0
      time += waited
      wall += waited
      return wall
    })
    const clock = systemClock(100)
    return (ms, more) => {
      time += ms
      wall += ms + more
      return clock.slept(clock.now())
    }
  }

  test.each([
    ['ahead', 3_600_000],
    ['back', -3_600_000],
  ])('that jumps %s is noticed, once', (_, jump) => {
    const passes = watched()
    expect(passes(50, 0)).toBe(false)
    expect(passes(50, jump)).toBe(true)
    expect(passes(50, 0)).toBe(false)
  })

  test('that jumps within a millisecond of the last look is noticed at the next', () => {
    const passes = watched()
    expect(passes(50, 0)).toBe(false)
    expect(passes(0.4, 3_600_000)).toBe(false)
    expect(passes(0.4, 0)).toBe(false)
    expect(passes(0.4, 0)).toBe(true)
    expect(passes(0.4, 0)).toBe(false)
  })

  test('that is corrected a little at a time is not, however far it goes', () => {
    const passes = watched()
    for (let i = 0; i < 100; i += 1) expect(passes(50, 20)).toBe(false)
  })

  test('that was read late, because the thread had to wait, has not jumped', () => {
    const passes = watched()
    waits = [700, 300]
    expect(passes(50, 0)).toBe(false)
    // Not even if that was taken for the truth until now.
    waits = [90]
    expect(passes(50, 0)).toBe(false)
    expect(passes(50, 0)).toBe(false)
    waits = [700]
    expect(passes(50, 3_600_000)).toBe(true)
  })

  test('and a monotonic one that goes back is', () => {
    const passes = watched()
    expect(passes(50, 0)).toBe(false)
    expect(passes(-20, 0)).toBe(true)
  })
})
