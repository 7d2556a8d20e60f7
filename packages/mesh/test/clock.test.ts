import { afterEach, describe, expect, test, vi } from 'vitest'
import { difference, monotonic, systemClock } from '../src/host/clock.ts'

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
  /** The clock with a tolerance of 100 ms, and how to set its wall clock. */
  function watched() {
    let wall = 1_000_000
    vi.spyOn(Date, 'now').mockImplementation(() => wall)
    const clock = systemClock(100)
    const start = clock.now()
    /** Both go on, and the wall clock by so much more. */
    const passes = (ms: number, more: number) => {
      wall += ms + more
      return clock.slept(start + (now += ms))
    }
    let now = 0
    // What passes between the two readings of the start is far below the tolerance.
    return passes
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

  test('that is corrected a little at a time is not, however far it goes', () => {
    const passes = watched()
    for (let i = 0; i < 100; i += 1) expect(passes(50, 20)).toBe(false)
  })

  test('and a monotonic one that goes back is', () => {
    const passes = watched()
    expect(passes(50, 0)).toBe(false)
    expect(passes(-20, 0)).toBe(true)
  })
})
