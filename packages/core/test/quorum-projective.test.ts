import { increase } from '@turnwise/core/bounds'
import { describe, expect, test } from 'vitest'
import { InvalidInput } from '../src/invalid-input.ts'
import { grid } from '../src/quorum/grid.ts'
import { planeOrder, projective } from '../src/quorum/projective.ts'
import { type Quorums, quorumSizes } from '../src/quorum/quorums.ts'

const planeSize = (order: number) => order * order + order + 1

/** Written out, so that the test does not share the library's idea of a prime power. */
const ORDERS = [2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32]

describe.each(ORDERS.filter((order) => order <= 16))('plane of order %i', (order) => {
  const n = planeSize(order)
  const plane = projective(n)
  const lines = Array.from({ length: n }, (_, node) => plane.of(node))

  // shows sanders-1987 3.2 Figure 1c
  test('every two quorums meet in exactly one node', () => {
    const counts = new Set<number>()
    lines.forEach((a, i) => {
      const members = new Set(a)
      for (const b of lines.slice(0, i)) counts.add(b.filter((node) => members.has(node)).length)
    })
    expect([...counts]).toEqual([1])
  })

  test('every node is in q + 1 quorums, its own among them', () => {
    const asked = Array.from({ length: n }, () => 0)
    for (const member of lines.flat()) increase(asked, member)
    expect(new Set(asked)).toEqual(new Set([order + 1]))
    expect(lines.every((members, node) => members.includes(node))).toBe(true)
  })

  // shows velazquez-1993 5 Maekawa
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
  const WITHOUT = Array.from({ length: 400 }, (_, i) => i + 1).filter((n) => planeOrder(n) === null)
  const lists = (quorums: Quorums) => Array.from({ length: quorums.nodes }, (_, node) => quorums.of(node))

  test.each([
    { nodes: 1, order: 2, points: 7 },
    { nodes: 6, order: 2, points: 7 },
    { nodes: 8, order: 3, points: 13 },
    { nodes: 14, order: 4, points: 21 },
    // There is no plane of order 6, and none of 43 points.
    { nodes: 43, order: 7, points: 57 },
    { nodes: 111, order: 11, points: 133 },
    { nodes: 10_302, order: 101, points: 10_303 },
  ])('$nodes: the plane of order $order, folded, and it says so', ({ nodes, order, points }) => {
    expect(planeSize(order)).toBe(points)
    const { fallback } = projective(nodes)
    expect(fallback).toContain(`no projective plane of ${nodes} points`)
    expect(fallback).toContain(`order ${order} with its ${points} points folded onto ${nodes} node`)
    expect(fallback).toContain(`point p to node p mod ${nodes}`)
    expect(projective(points).fallback).toBeUndefined()
  })

  test('of the lines of 13 points on 10 nodes: points 10, 11 and 12 are nodes 0, 1 and 2', () => {
    expect([0, 1, 2, 9].map((node) => projective(13).of(node))).toEqual([
      [0, 1, 3, 9],
      [1, 2, 4, 10],
      [2, 3, 5, 11],
      [5, 9, 10, 12],
    ])
    expect([0, 1, 2, 9].map((node) => projective(10).of(node))).toEqual([
      [0, 1, 3, 9],
      [0, 1, 2, 4],
      [1, 2, 3, 5],
      [0, 2, 5, 9],
    ])
  })

  test('no quorum is larger than a line, and on average none than those of a grid', () => {
    for (const n of WITHOUT) {
      const { max, mean } = quorumSizes(projective(n))
      const order = ORDERS.find((q) => planeSize(q) > n) ?? Number.NaN
      expect(max, `n=${n}`).toBeLessThanOrEqual(order + 1)
      expect(mean, `n=${n}`).toBeLessThanOrEqual(quorumSizes(grid(n)).mean)
    }
  })

  test('every two quorums meet, and every node is in its own', () => {
    for (const n of WITHOUT.filter((nodes) => nodes % 7 === 0 || nodes < 60)) {
      const quorums = lists(projective(n))
      const meet = quorums.every((a, i) => {
        const members = new Set(a)
        return quorums.slice(0, i).every((b) => b.some((node) => members.has(node)))
      })
      expect(meet, `n=${n}`).toBe(true)
      expect(
        quorums.every((members, node) => members.includes(node)),
        `n=${n}`,
      ).toBe(true)
    }
  })

  test.each([0, -1, 2.5, 1e9, Number.NaN])('%d nodes are refused', (nodes) => {
    const complaint = `no projective plane for ${nodes} nodes can be built, only for 1 to 10000000`
    expect(() => projective(nodes)).toThrow(new InvalidInput(complaint))
  })
})
