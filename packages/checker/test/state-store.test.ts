import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { StateStore } from '../src/state-store.ts'

/** Values at which the written form grows by a byte, and those around them, among ordinary ones. */
const value = fc.oneof(
  { weight: 4, arbitrary: fc.nat(5) },
  { weight: 1, arbitrary: fc.nat(2 ** 28) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(127, 128, 129, 16_383, 16_384, 2_097_151, 2_097_152, 2 ** 28 - 1, 2 ** 28),
  },
)
const world = fc.array(value, { maxLength: 12 })

function read(store: StateStore, state: number): number[] {
  const buffer = new Int32Array(2048)
  return Array.from(buffer.subarray(0, store.read(state, buffer)))
}

function add(store: StateStore, numbers: readonly number[], parent: number): number {
  return store.add(Int32Array.from(numbers), numbers.length, parent)
}

function find(store: StateStore, numbers: readonly number[]): number {
  return store.find(Int32Array.from(numbers), numbers.length)
}

describe('the state store', () => {
  test('is a list without repetition: the same as a map of texts', () => {
    fc.assert(
      fc.property(fc.array(world, { maxLength: 60 }), fc.array(world, { maxLength: 10 }), (added, asked) => {
        const store = new StateStore()
        const known = new Map<string, number>()
        const parents: number[] = []
        for (const numbers of added) {
          const text = numbers.join(' ')
          const before = known.get(text)
          const parent = parents.length * 7
          expect(find(store, numbers)).toBe(before ?? -1)
          expect(add(store, numbers, parent)).toBe(before ?? known.size)
          expect(store.isNew).toBe(before === undefined)
          if (before !== undefined) continue
          known.set(text, known.size)
          parents.push(parent)
        }
        expect(store.length).toBe(known.size)
        for (const [text, state] of known) {
          expect(read(store, state).join(' ')).toBe(text)
          expect(store.parentOf(state)).toBe(parents[state])
        }
        for (const numbers of asked) expect(find(store, numbers)).toBe(known.get(numbers.join(' ')) ?? -1)
      }),
    )
  })

  test('worlds that differ in length, in order or in how numbers fall into bytes are different', () => {
    const worlds = [[], [0], [0, 0], [1], [128], [0, 1], [1, 0], [129], [1, 1], [16_384], [0, 0, 1], [128, 1]]
    const store = new StateStore()
    worlds.forEach((numbers, i) => expect(add(store, numbers, 0)).toBe(i))
    worlds.forEach((numbers, i) => expect(find(store, numbers)).toBe(i))
  })

  test('grows: many states, all found again, none that was not added', () => {
    const store = new StateStore()
    // More than the first tables hold, and long enough to outgrow the first bytes long before the states.
    const count = 40_000
    const worldOf = (i: number) => [i % 3, i, (i * 7919) % 2 ** 28, i % 200, 5, 5, 5, 5, i >> 4]
    const misplaced: number[] = []
    for (let i = 0; i < count; i += 1) if (add(store, worldOf(i), i >> 1) !== i) misplaced.push(i)
    expect(misplaced).toEqual([])
    expect(store.length).toBe(count)
    for (let i = 0; i < count; i += 17) {
      expect(add(store, worldOf(i), 99)).toBe(i)
      expect(store.isNew).toBe(false)
      expect(read(store, i)).toEqual(worldOf(i))
      expect(store.parentOf(i)).toBe(i >> 1)
      expect(find(store, [...worldOf(i), 0])).toBe(-1)
    }
    expect(store.length).toBe(count)
    expect(store.memory).toBeGreaterThan(count * (9 + 12))
  })
})
