import { describe, expect, test } from 'vitest'
import { InvalidInput } from '../src/invalid-input.ts'
import { planeOrder, projective } from '../src/quorum/projective.ts'
import { quorumSizes } from '../src/quorum/quorums.ts'

const planeSize = (order: number) => order * order + order + 1

/** Written out, so that the test does not share the library's idea of a prime power. */
const ORDERS = [2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32]

describe.each(ORDERS.filter((order) => order <= 16))('plane of order %i', (order) => {
  const n = planeSize(order)
  const plane = projective(n)
  const lines = Array.from({ length: n }, (_, node) => plane.of(node))

  test('every two quorums meet in exactly one node', () => {
    const counts = new Set<number>()
    lines.forEach((a, i) => {
      for (const b of lines.slice(0, i)) counts.add(a.filter((node) => b.includes(node)).length)
    })
    expect([...counts]).toEqual([1])
  })

  test('every node is in q + 1 quorums, its own among them', () => {
    const asked = Array.from({ length: n }, () => 0)
    for (const member of lines.flat()) asked[member] += 1
    expect(new Set(asked)).toEqual(new Set([order + 1]))
    lines.forEach((members, node) => expect(members).toContain(node))
  })

  test('every quorum has q + 1 nodes', () => {
    expect(quorumSizes(plane)).toEqual({ min: order + 1, max: order + 1, mean: order + 1 })
  })
})

describe.each(ORDERS.filter((order) => order > 16).concat(37, 49, 64, 81))('plane of order %i', (order) => {
  test('every number below n is the difference of exactly two members (Singer 1938)', () => {
    const n = planeSize(order)
    const line = projective(n).of(0)
    const differences = line.flatMap((a) => line.filter((b) => a !== b).map((b) => (a - b + n) % n))
    expect(differences.toSorted((a, b) => a - b)).toEqual(Array.from({ length: n - 1 }, (_, i) => i + 1))
  })
})

test('the planes of orders 2 and 3 are the turns of the well-known difference sets', () => {
  expect(projective(7).of(0)).toEqual([0, 1, 3])
  expect(projective(7).of(5)).toEqual([1, 5, 6])
  expect(projective(13).of(0)).toEqual([0, 1, 3, 9])
})

test('planeOrder knows every order to 32, and no other', () => {
  const found: number[] = []
  for (let n = 0; n <= planeSize(32); n += 1) {
    const order = planeOrder(n)
    if (order === null) continue
    expect(planeSize(order)).toBe(n)
    found.push(order)
  }
  expect(found).toEqual(ORDERS)
})

describe('a number of nodes without a plane', () => {
  test.each([
    { nodes: 1, nearest: '7' },
    { nodes: 3, nearest: '7' },
    { nodes: 6, nearest: '7' },
    { nodes: 8, nearest: '7 and 13' },
    { nodes: 12, nearest: '7 and 13' },
    { nodes: 14, nearest: '13 and 21' },
    { nodes: 43, nearest: '31 and 57' },
    { nodes: 111, nearest: '91 and 133' },
    { nodes: 10_302, nearest: '9507 and 10303' },
  ])('$nodes is refused, and $nearest named', ({ nodes, nearest }) => {
    expect(planeOrder(nodes)).toBeNull()
    const complaint = `no projective plane of ${nodes} nodes can be built, the nearest of ${nearest}`
    expect(() => projective(nodes)).toThrow(new InvalidInput(complaint))
    expect(() => projective(nodes)).toThrow(InvalidInput)
  })
})
