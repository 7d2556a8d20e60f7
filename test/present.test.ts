import { expect, test } from 'vitest'
import { atLeast, present } from './present.ts'

test('an entry that a test needs is there, or it throws', () => {
  const held: Readonly<Record<string, boolean>> = { a: false }
  expect(present(held['a'])).toBe(false)
  expect(() => present(held['b'])).toThrow('a value that the test needs is undefined')
})

test('a list is as long as a test needs it, without a hole, or it throws', () => {
  const [a, b] = atLeast(2, ['a', 'b', 'c'])
  expect([a, b]).toEqual(['a', 'b'])
  expect(() => atLeast(2, ['a'])).toThrow('the test needs 2 items, and 1 are there')
  expect(() => atLeast(2, /(a)|(b)/.exec('b') ?? [])).toThrow('the test needs 2 items, and 1 are there')
  expect(() => atLeast(1, [])).toThrow('the test needs 1 items, and 0 are there')
})
