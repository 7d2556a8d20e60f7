import { get } from '@turnwise/core/bounds'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { grid } from '../src/quorum/grid.ts'
import { majority } from '../src/quorum/majority.ts'
import { projective } from '../src/quorum/projective.ts'
import { quorumsFromLists } from '../src/quorum/quorum-from-text.ts'
import { firstDisjointPair, firstOutsideOwnQuorum, type Quorums, quorumSizes } from '../src/quorum/quorums.ts'
import { tree } from '../src/quorum/tree.ts'

const UP_TO = Array.from({ length: 60 }, (_, i) => i + 1)

const constructions = [
  { name: 'majority', build: majority, sizes: UP_TO },
  { name: 'grid', build: grid, sizes: UP_TO },
  { name: 'tree', build: tree, sizes: UP_TO },
  { name: 'projective', build: projective, sizes: UP_TO },
]

/** Looks at every member of every pair, and for nothing clever. */
function dumbDisjointPair(quorums: Quorums): { a: number; b: number } | null {
  const lists = all(quorums)
  for (let a = 0; a < quorums.nodes; a += 1) {
    for (let b = a + 1; b < quorums.nodes; b += 1) {
      let common = 0
      for (const x of get(lists, a)) for (const y of get(lists, b)) if (x === y) common += 1
      if (common === 0) return { a, b }
    }
  }
  return null
}

function all(quorums: Quorums): (readonly number[])[] {
  return Array.from({ length: quorums.nodes }, (_, node) => quorums.of(node))
}

describe.each(constructions)('$name quorums', ({ name, build, sizes }) => {
  test('are built for some numbers of nodes, under the name of the command line', () => {
    expect(sizes.length).toBeGreaterThan(0)
    for (const n of sizes) {
      expect(build(n).kind).toBe(name)
      expect(build(n).nodes).toBe(n)
    }
  })

  // shows velazquez-1993 3.2 The permission-based approach
  test('every two meet', () => {
    for (const n of sizes) expect(dumbDisjointPair(build(n)), `n=${n}`).toBeNull()
  })

  test('every node is in its own', () => {
    for (const n of sizes) all(build(n)).forEach((members, node) => expect(members).toContain(node))
  })

  test('members are nodes, each once, in rising order', () => {
    for (const n of sizes) {
      for (const members of all(build(n))) {
        expect(members).toEqual([...new Set(members)].toSorted((a, b) => a - b))
        expect(members.every((node) => Number.isInteger(node) && node >= 0 && node < n)).toBe(true)
      }
    }
  })

  test('a node asks the same nodes whenever it asks', () => {
    for (const n of sizes) {
      const quorums = build(n)
      expect(all(quorums)).toEqual(all(quorums))
    }
  })

  test('the checks of the library agree', () => {
    for (const n of sizes) {
      expect(firstDisjointPair(build(n))).toBeNull()
      expect(firstOutsideOwnQuorum(build(n))).toBeNull()
    }
  })
})

describe('majority', () => {
  // shows velazquez-1993 5 Majorities (Thomas)
  // shows claim majority-size
  test('asks floor(n/2) + 1 nodes', () => {
    for (const n of UP_TO) {
      const size = Math.floor(n / 2) + 1
      expect(quorumSizes(majority(n))).toEqual({ min: size, max: size, mean: size })
    }
  })

  test('goes on from the last node to the first', () => {
    expect(all(majority(5))).toEqual([
      [0, 1, 2],
      [1, 2, 3],
      [2, 3, 4],
      [0, 3, 4],
      [0, 1, 4],
    ])
  })

  test('asks every node equally often', () => {
    for (const n of UP_TO) {
      const asked = all(majority(n)).flat()
      for (let node = 0; node < n; node += 1) {
        expect(asked.filter((member) => member === node)).toHaveLength(Math.floor(n / 2) + 1)
      }
    }
  })
})

describe('grid', () => {
  // shows velazquez-1993 5 Quorum protocols (Agrawal and El Abbadi)
  test('asks 2 sqrt(n) - 1 nodes where n is a square', () => {
    for (let side = 1; side <= 12; side += 1) {
      const size = 2 * side - 1
      expect(quorumSizes(grid(side * side))).toEqual({ min: size, max: size, mean: size })
    }
  })

  test('never asks more than 2 ceil(sqrt(n)) - 1 nodes', () => {
    for (const n of UP_TO) {
      expect(quorumSizes(grid(n)).max).toBeLessThanOrEqual(2 * Math.ceil(Math.sqrt(n)) - 1)
    }
  })

  test('asks the row and the column, also where the last row is short', () => {
    // 0 1 2
    // 3 4 5
    // 6 7
    expect(grid(8).of(4)).toEqual([1, 3, 4, 5, 7])
    expect(grid(8).of(5)).toEqual([2, 3, 4, 5])
    expect(grid(8).of(7)).toEqual([1, 4, 6, 7])
  })
})

describe('tree', () => {
  // shows velazquez-1993 5 Quorum protocols (Agrawal and El Abbadi)
  test('asks a path from the root to a leaf', () => {
    for (const n of UP_TO) {
      for (const members of all(tree(n))) {
        expect(members[0]).toBe(0)
        members.slice(1).forEach((child, i) => expect(Math.floor((child - 1) / 2)).toBe(members[i]))
        expect(2 * get(members, members.length - 1) + 1).toBeGreaterThanOrEqual(n)
      }
    }
  })

  test('goes from the node down to the left', () => {
    expect(tree(7).of(0)).toEqual([0, 1, 3])
    expect(tree(7).of(2)).toEqual([0, 2, 5])
    expect(tree(7).of(6)).toEqual([0, 2, 6])
  })

  test('asks h nodes in a complete tree of 2^h - 1', () => {
    for (let height = 1; height <= 8; height += 1) {
      const sizes = { min: height, max: height, mean: height }
      expect(quorumSizes(tree(2 ** height - 1))).toEqual(sizes)
    }
  })
})

describe('checks', () => {
  test('name the first two quorums that do not meet', () => {
    const split = quorumsFromLists([
      [0, 1],
      [1, 2],
      [0, 2],
      [1, 3],
    ])
    expect(firstDisjointPair(split)).toEqual({ a: 2, b: 3 })
  })

  test('name the first node that its own quorum leaves out', () => {
    expect(firstOutsideOwnQuorum(quorumsFromLists([[0], [0], [2]]))).toBe(1)
  })

  test('sizes are the least, the largest and the mean', () => {
    expect(quorumSizes(quorumsFromLists([[0], [0, 1], [0, 1, 2]]))).toEqual({ min: 1, max: 3, mean: 2 })
  })

  test('agree with the dumb check on any lists', () => {
    const lists = fc
      .integer({ min: 1, max: 9 })
      .chain((n) => fc.array(fc.uniqueArray(fc.nat(n - 1), { minLength: 1 }), { minLength: n, maxLength: n }))
    fc.assert(
      fc.property(lists, (members) => {
        const quorums = quorumsFromLists(members)
        expect(firstDisjointPair(quorums)).toEqual(dumbDisjointPair(quorums))
        const outside = members.findIndex((list, node) => !list.includes(node))
        expect(firstOutsideOwnQuorum(quorums)).toBe(outside === -1 ? null : outside)
      }),
      { seed: 1, numRuns: 500 },
    )
  })
})
