import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { precedes, sameTimestamp, timestampFence } from '../src/timestamp.ts'

const stamp = fc.record({ time: fc.nat(5), node: fc.nat(5) })

// shows helary-plouzeau-raynal-1988 3 (v) order of requests
// shows velazquez-1993 3.2 The permission-based approach
test('the smaller time precedes; among equal times the smaller node', () => {
  expect(precedes({ time: 1, node: 9 }, { time: 2, node: 0 })).toBe(true)
  expect(precedes({ time: 2, node: 0 }, { time: 1, node: 9 })).toBe(false)
  expect(precedes({ time: 1, node: 0 }, { time: 1, node: 1 })).toBe(true)
  expect(precedes({ time: 1, node: 1 }, { time: 1, node: 1 })).toBe(false)
})

// shows kessler-2024 Ricart-Agrawala Algorithm: clocks and order
test('a total order: of two stamps one precedes the other, unless they are the same', () => {
  fc.assert(
    fc.property(stamp, stamp, (a, b) => {
      const holds = [precedes(a, b), precedes(b, a), sameTimestamp(a, b)]
      expect(holds.filter(Boolean)).toHaveLength(1)
    }),
  )
})

// shows sanders-1987 3.1 Policy for Conflict Resolution
test('a total order: it carries over', () => {
  fc.assert(
    fc.property(stamp, stamp, stamp, (a, b, c) => {
      fc.pre(precedes(a, b) && precedes(b, c))
      expect(precedes(a, c)).toBe(true)
    }),
  )
})

test('the fence rises exactly with the timestamp', () => {
  fc.assert(
    fc.property(stamp, stamp, (a, b) => {
      expect(timestampFence(a, 6) < timestampFence(b, 6)).toBe(precedes(a, b))
    }),
  )
  expect(timestampFence({ time: 3, node: 2 }, 5)).toBe(17)
})
