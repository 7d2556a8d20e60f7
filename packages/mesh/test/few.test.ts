import { expect, test } from 'vitest'
import { Few } from '../src/locks/few.ts'

test('Few keeps entries as a Map does', () => {
  const few = new Few<number, string>()
  const map = new Map<number, string>()
  const same = () => {
    expect([...few]).toEqual([...map])
    expect([...few.values()]).toEqual([...map.values()])
    expect(few.size).toBe(map.size)
    for (let key = 0; key < 5; key += 1) {
      expect(few.get(key)).toBe(map.get(key))
      expect(few.has(key)).toBe(map.has(key))
    }
  }
  const add = (key: number) => {
    few.add(key, `entry ${key}`)
    map.set(key, `entry ${key}`)
    same()
  }
  const remove = (key: number) => {
    expect(few.delete(key)).toBe(map.delete(key))
    same()
  }
  same()
  for (const key of [0, 1, 2]) add(key)
  // A new entry stays behind those that are older, although the first place is free.
  remove(0)
  add(3)
  remove(4)
  for (const key of [1, 3, 2]) remove(key)
  add(4)
  remove(4)
})

test('an entry of Few may go while others are read', () => {
  const few = new Few<number, string>()
  for (const key of [0, 1, 2]) few.add(key, '')
  const seen: number[] = []
  for (const [key] of few) {
    seen.push(key)
    few.delete(key)
  }
  expect(seen).toEqual([0, 1, 2])
  expect(few.size).toBe(0)
})
