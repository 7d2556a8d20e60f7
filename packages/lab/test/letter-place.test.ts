import { expect, test } from 'vitest'
import { letterPlace } from '../src/scene/letter-place.ts'

const start = { x: 0, y: 0 }
const end = { x: 100, y: 0 }

test('a letter stands beside its arrow, early on its way', () => {
  expect(letterPlace(start, end, [])).toEqual({ x: 32, y: -5 })
  expect(letterPlace(start, { x: 0, y: 100 }, [])).toEqual({ x: 10, y: 30 })
})

test('it makes way for those that are written already, until there is no room', () => {
  const taken: { x: number; y: number }[] = []
  for (let place = letterPlace(start, end, taken); place !== null; place = letterPlace(start, end, taken)) {
    taken.push(place)
  }
  expect(taken.map(({ x }) => x).toSorted((a, b) => a - b)).toEqual([32, 52, 72])
})

test('a short arrow has none', () => {
  expect(letterPlace(start, { x: 59, y: 0 }, [])).toBeNull()
})
