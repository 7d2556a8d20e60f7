import { get } from '@turnwise/core/bounds'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  gridFamily,
  listedFamily,
  projectiveFamily,
  type QuorumFamily,
  treeFamily,
  votingFamily,
} from '../src/quorum/family.ts'
import { quorumsFromLists } from '../src/quorum/quorum-from-text.ts'
import {
  availabilityOf,
  coterieFault,
  dominationOf,
  loadOf,
  resilienceOf,
} from '../src/quorum/quorum-metrics.ts'

const majorityFamily = (nodes: number) => votingFamily('majority', nodes, [])

const SMALL: [string, QuorumFamily][] = [
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((n): [string, QuorumFamily] => [`majority ${n}`, majorityFamily(n)]),
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((n): [string, QuorumFamily] => [`tree ${n}`, treeFamily(n)]),
  ...[4, 5, 7, 8, 9].map((n): [string, QuorumFamily] => [`grid ${n}`, gridFamily(n)]),
  ...[3, 5, 7, 8, 9].map((n): [string, QuorumFamily] => [`projective ${n}`, projectiveFamily(n)]),
  ['votes 2,1,1', votingFamily('votes', 3, [2, 1, 1])],
  ['votes 3,2,2,1,0', votingFamily('votes', 5, [3, 2, 2, 1, 0])],
]

/** All sets of nodes, as lists. */
function subsets(nodes: number): number[][] {
  return Array.from({ length: 2 ** nodes }, (_, code) =>
    [...Array(nodes).keys()].filter((i) => (code >> i) & 1),
  )
}

const upOf = (nodes: number, set: readonly number[]) =>
  Array.from({ length: nodes }, (_, i) => set.includes(i))

function quorumsOf(family: QuorumFamily): readonly (readonly number[])[] {
  if (family.quorums === null) throw new Error('too many quorums to list')
  return family.quorums
}

describe.each(SMALL)('%s', (name, family) => {
  const { nodes } = family
  const quorums = quorumsOf(family)

  test('a set meets the system exactly if it holds one of the listed quorums; none is listed twice', () => {
    for (const set of subsets(nodes)) {
      const holds = quorums.some((quorum) => quorum.every((node) => set.includes(node)))
      expect(family.isMet(upOf(nodes, set))).toBe(holds)
    }
    expect(new Set(quorums.map((quorum) => quorum.join())).size).toBe(quorums.length)
  })

  test('it is a coterie, but for grids with a short row and folded planes: one quorum may hold another', () => {
    const meet = quorums.every((a) => quorums.every((b) => a.some((node) => b.includes(node))))
    const holding = quorums.some((a) => quorums.some((b) => a !== b && a.every((node) => b.includes(node))))
    expect(meet).toBe(true)
    expect(holding).toBe(['grid 5', 'grid 7'].includes(name))
    expect(coterieFault(quorums)?.fault).toBe(holding ? 'contained' : undefined)
  })

  test('what dominates it holds no quorum and meets all', () => {
    const dumb = subsets(nodes).some(
      (set) =>
        !family.isMet(upOf(nodes, set)) && quorums.every((quorum) => quorum.some((i) => set.includes(i))),
    )
    const found = dominationOf(family)
    expect(found !== null).toBe(dumb)
    if (found === null) return
    expect(family.isMet(upOf(nodes, found))).toBe(false)
    expect(quorums.every((quorum) => quorum.some((node) => found.includes(node)))).toBe(true)
  })

  test('resilience: so many failures always leave a quorum, one more need not', () => {
    const survives = (failures: number) =>
      subsets(nodes)
        .filter((down) => down.length === failures)
        .every((down) => quorums.some((quorum) => !quorum.some((node) => down.includes(node))))
    const found = resilienceOf(family) ?? Number.NaN
    expect(survives(found)).toBe(true)
    expect(survives(found + 1)).toBe(false)
  })

  test('availability: the sum over all sets of living nodes', () => {
    for (const up of [0, 0.1, 0.5, 0.95, 1]) {
      let sum = 0
      for (const set of subsets(nodes)) {
        if (!quorums.some((quorum) => quorum.every((node) => set.includes(node)))) continue
        sum += up ** set.length * (1 - up) ** (nodes - set.length)
      }
      const found = availabilityOf(family, up)
      expect(found.exact).toBe(true)
      expect(found.value).toBeCloseTo(sum, 12)
    }
  })

  test('load: no random choice of quorums beats it, and where there is a closed form the program agrees', () => {
    const { value } = loadOf(family, () => [])
    const { load: _closed, ...open } = family
    const searched = loadOf(open, () => [])
    expect(searched.by).not.toBe('own quorums')
    expect(searched.value).toBeCloseTo(value, 9)
    // Naor and Wool 1998: at least 1/c(S) and c(S)/n, where c(S) is the size of the smallest quorum.
    const smallest = Math.min(...quorums.map(({ length }) => length))
    expect(value).toBeGreaterThanOrEqual(Math.max(1 / smallest, smallest / nodes) - 1e-9)
    fc.assert(
      fc.property(
        fc.array(fc.nat(9), { minLength: quorums.length, maxLength: quorums.length }),
        (weights) => {
          const total = weights.reduce((a, b) => a + b, 0)
          if (total === 0) return
          const busy = [...Array(nodes).keys()].map((node) =>
            weights.reduce(
              (sum, weight, i) => sum + (get(quorums, i).includes(node) ? weight / total : 0),
              0,
            ),
          )
          expect(Math.max(...busy)).toBeGreaterThanOrEqual(value - 1e-9)
        },
      ),
      { seed: 1, numRuns: 50 },
    )
  })
})

describe('what the literature says', () => {
  // shows velazquez-1993 5 Quorums and coteries (Gifford; Garcia-Molina and Barbara)
  test('coteries of Garcia-Molina and Barbara 1985', () => {
    const pairs = [
      [0, 1],
      [1, 2],
      [0, 2],
    ]
    expect(coterieFault(pairs)).toBeNull()
    expect(dominationOf(listedFamily(quorumsFromLists(pairs)))).toBeNull()
    expect(
      coterieFault([
        [0, 1],
        [0, 1, 2],
      ]),
    ).toMatchObject({ fault: 'contained' })
    expect(
      coterieFault([
        [0, 1],
        [2, 3],
      ]),
    ).toMatchObject({ fault: 'disjoint' })
    expect(coterieFault([[0]])).toBeNull()
    expect(
      dominationOf(
        listedFamily(
          quorumsFromLists([
            [0, 1],
            [0, 1],
            [1, 2],
          ]),
        ),
      ),
    ).not.toBeNull()
  })

  test('majorities of an odd number are not dominated, of an even number they are; one more vote mends it', () => {
    for (let nodes = 1; nodes <= 9; nodes += 1) {
      expect(dominationOf(majorityFamily(nodes)) === null, `${nodes} nodes`).toBe(nodes % 2 === 1)
      if (nodes % 2 === 0) expect(dominationOf(votingFamily('votes', nodes, [2]))).toBeNull()
    }
  })

  test('trees are not dominated, planes of order 2 neither, grids are', () => {
    for (let nodes = 1; nodes <= 12; nodes += 1) expect(dominationOf(treeFamily(nodes))).toBeNull()
    expect(dominationOf(projectiveFamily(7))).toBeNull()
    expect(dominationOf(projectiveFamily(13))).not.toBeNull()
    expect(dominationOf(gridFamily(9))).not.toBeNull()
  })

  test('loads of Naor and Wool 1998: majority, grid, plane, and 2/(h+2) for a tree of height h', () => {
    expect(loadOf(majorityFamily(9), () => [])).toEqual({ value: 5 / 9, by: 'closed form' })
    expect(loadOf(gridFamily(9), () => [])).toEqual({ value: 5 / 9, by: 'fairness' })
    expect(loadOf(projectiveFamily(31), () => [])).toEqual({ value: 6 / 31, by: 'fairness' })
    for (const [nodes, height] of [
      [3, 1],
      [7, 2],
      [15, 3],
      [63, 5],
    ] as const) {
      expect(loadOf(treeFamily(nodes), () => []).value).toBeCloseTo(2 / (height + 2), 9)
    }
    // Everyone asks node 0 in any case.
    expect(loadOf(votingFamily('votes', 3, [2, 1, 1]), () => []).value).toBeCloseTo(1, 9)
  })

  // shows velazquez-1993 5 Quorum protocols (Agrawal and El Abbadi)
  test('resilience: a minority, log2(n+1) - 1 of a tree, q of a plane, sqrt(n) - 1 of a grid', () => {
    for (let nodes = 1; nodes <= 30; nodes += 1) {
      expect(resilienceOf(majorityFamily(nodes))).toBe(Math.ceil(nodes / 2) - 1)
    }
    for (const height of [1, 2, 3, 4, 5]) expect(resilienceOf(treeFamily(2 ** height - 1))).toBe(height - 1)
    expect(resilienceOf(projectiveFamily(7))).toBe(2)
    expect(resilienceOf(projectiveFamily(13))).toBe(3)
    expect(resilienceOf(gridFamily(16))).toBe(3)
    expect(resilienceOf(gridFamily(25))).toBe(4)
    expect(resilienceOf(gridFamily(26))).toBe(3)
  })

  test('a tree is more available than its root, and less than a majority', () => {
    const majority = availabilityOf(majorityFamily(15), 0.9).value
    const tree = availabilityOf(treeFamily(15), 0.9).value
    expect(tree).toBeGreaterThan(0.9)
    expect(tree).toBeLessThan(majority)
  })
})

test('beyond sixteen nodes availability is sampled: the same with the same seed, and the interval holds the truth', () => {
  const lines = projectiveFamily(21)
  const sampled = availabilityOf(lines, 0.8, 7)
  expect(sampled).toEqual(availabilityOf(lines, 0.8, 7))
  expect(sampled.exact).toBe(false)
  // A majority has a closed form to compare with; without it, it is sampled like any other.
  const { availability: _closed, ...majority } = majorityFamily(21)
  const truth = availabilityOf(majorityFamily(21), 0.6).value
  const guess = availabilityOf(majority, 0.6, 3)
  expect(guess.low).toBeLessThan(truth)
  expect(guess.high).toBeGreaterThan(truth)
  expect(guess.high - guess.low).toBeLessThan(0.01)
})
