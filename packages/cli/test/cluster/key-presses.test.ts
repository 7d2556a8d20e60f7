import { describe, expect, test } from 'vitest'
import { keysIn, wishOf } from '../../src/cluster/key-presses.ts'
import { refusal } from '../../src/cluster/up-deeds.ts'

const UP = '\u001B[A'
const DOWN = '\u001B[B'

describe('what a key asks for', () => {
  test.each([
    ['k', 'kill'],
    ['K', 'kill'],
    ['r', 'restart'],
    ['p', 'pause'],
    ['c', 'continue'],
    ['x', 'cut'],
    ['h', 'heal'],
  ])('%s: %s', (key, deed) => expect(wishOf(key, 0, 5)).toEqual({ is: 'deed', deed }))

  test.each(['q', '\u0003', '\u0004'])('%j quits', (key) => expect(wishOf(key, 0, 5)).toEqual({ is: 'quit' }))

  test('e is for the engine', () => expect(wishOf('e', 3, 5)).toEqual({ is: 'engine' }))

  test('a number selects, if there is such a node', () => {
    expect(wishOf('1', 3, 5)).toEqual({ is: 'select', index: 0 })
    expect(wishOf('5', 3, 5)).toEqual({ is: 'select', index: 4 })
    expect(wishOf('6', 3, 5)).toBeNull()
    expect(wishOf('0', 3, 5)).toBeNull()
  })

  test('arrows go round', () => {
    expect(wishOf(DOWN, 4, 5)).toEqual({ is: 'select', index: 0 })
    expect(wishOf(UP, 0, 5)).toEqual({ is: 'select', index: 4 })
    expect(wishOf('\u001BOB', 0, 5)).toEqual({ is: 'select', index: 1 })
  })

  test.each(['z', ' ', '\r', '\u001B', 'constructor'])('%j means nothing', (key) =>
    expect(wishOf(key, 0, 5)).toBeNull(),
  )

  test('several keys at once are told apart', () => {
    expect(keysIn(`2k${DOWN}${UP}q`)).toEqual(['2', 'k', DOWN, UP, 'q'])
    expect(keysIn('')).toEqual([])
  })
})

describe('what cannot be done is said, with the key that could', () => {
  const running = { runs: 'running', isCut: false } as const
  const paused = { runs: 'paused', isCut: false } as const
  const dead = { runs: 'dead', isCut: true } as const

  test.each([
    ['kill', dead, 'b is dead already: r starts it again'],
    ['restart', running, 'b runs: k kills it'],
    ['pause', dead, 'b is dead: r starts it again'],
    ['pause', paused, 'b is paused already: c continues it'],
    ['continue', running, 'b is not paused: p pauses it'],
    ['cut', dead, 'b is cut off already: h heals its links'],
    ['heal', running, 'b is not cut off: x cuts it off'],
  ] as const)('%s', (deed, condition, complaint) => expect(refusal('b', deed, condition)).toBe(complaint))

  test.each([
    ['kill', running],
    ['kill', paused],
    ['restart', dead],
    ['pause', running],
    ['continue', paused],
    ['cut', running],
    ['heal', dead],
  ] as const)('%s can be done', (deed, condition) => expect(refusal('b', deed, condition)).toBeNull())
})
