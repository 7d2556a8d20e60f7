import { describe, expect, test } from 'vitest'
import { difference, monotonic, systemClock } from '../src/host/clock.ts'

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

describe('a clock that is watched for sleep', () => {
  /** Time passes when the test says so, and once more between two readings, if it asks for a wait. */
  function world() {
    const state = { time: 1000, asleep: 0, wait: 0 }
    const clock = systemClock(50, {
      monotonic: () => state.time - state.asleep,
      wall: () => {
        state.time += state.wait
        state.wait = 0
        return 1_000_000 + state.time
      },
    })
    return { state, slept: () => clock.slept(clock.now()) }
  }

  test('has not slept because the thread waited between two readings, nor is the wait found later', () => {
    const { state, slept } = world()
    state.wait = 3000
    expect(slept()).toBe(false)
    state.time += 10
    expect(slept()).toBe(false)
    state.wait = 40
    expect(slept()).toBe(false)
    expect(slept()).toBe(false)
  })

  test('has slept when monotonic time stood still, and says so once', () => {
    const { state, slept } = world()
    state.time += 5000
    state.asleep += 5000
    expect(slept()).toBe(true)
    expect(slept()).toBe(false)
  })

  test('has slept also if the thread waited at the same moment', () => {
    const { state, slept } = world()
    state.time += 5000
    state.asleep += 5000
    state.wait = 200
    expect(slept()).toBe(true)
  })

  test('counts a step back of the monotonic clock, and of the wall clock', () => {
    const { state, slept } = world()
    state.asleep = 20
    expect(slept()).toBe(true)
    state.time -= 100
    state.asleep -= 100
    expect(slept()).toBe(true)
  })
})
