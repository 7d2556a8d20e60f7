import { expect, test } from 'vitest'
import { difference, monotonic } from '../src/host/clock.ts'

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
