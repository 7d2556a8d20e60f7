import { get } from '@turnwise/core/bounds'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  agreementFrom,
  agreementSizes,
  broadcast,
  columnsAndRows,
  firstMissedHolder,
  type QuorumAgreement,
} from '../src/quorum/agreement.ts'
import { grid } from '../src/quorum/grid.ts'
import { majority } from '../src/quorum/majority.ts'
import { projective } from '../src/quorum/projective.ts'
import { tree } from '../src/quorum/tree.ts'

const UP_TO = Array.from({ length: 60 }, (_, i) => i + 1)

const constructions = [
  { name: 'grid', build: columnsAndRows, sizes: UP_TO },
  { name: 'broadcast', build: broadcast, sizes: UP_TO },
  { name: 'tree', build: (n: number) => agreementFrom(tree(n)), sizes: UP_TO },
  { name: 'majority', build: (n: number) => agreementFrom(majority(n)), sizes: UP_TO },
  { name: 'projective', build: (n: number) => agreementFrom(projective(n)), sizes: UP_TO },
]

interface Meeting {
  readonly asks: number
  readonly holds: number
  /** In how many nodes R_asks and A_holds meet, counted member by member. */
  readonly common: number
}

function meetings(agreement: QuorumAgreement): Meeting[] {
  const all = Array.from({ length: agreement.nodes }, (_, node) => node)
  const told = all.map((holds) => agreement.acquired(holds))
  return all.flatMap((asks) => {
    const asked = agreement.request(asks)
    return told.map((members, holds) => {
      let common = 0
      for (const a of asked) for (const b of members) if (a === b) common += 1
      return { asks, holds, common }
    })
  })
}

function dumbMissedHolder(agreement: QuorumAgreement): { asks: number; holds: number } | null {
  const missed = meetings(agreement).find(({ common }) => common === 0)
  return missed === undefined ? null : { asks: missed.asks, holds: missed.holds }
}

function fromLists(request: number[][], acquired: number[][]): QuorumAgreement {
  return {
    kind: 'lists',
    nodes: request.length,
    request: (node) => get(request, node),
    acquired: (node) => get(acquired, node),
  }
}

describe.each(constructions)('$name', ({ name, build, sizes }) => {
  // shows velazquez-1993 4 Mizuno-Neilsen-Rao
  test('every request set meets every acquired set', () => {
    for (const n of sizes) {
      expect(build(n)).toMatchObject({ kind: name, nodes: n })
      expect(dumbMissedHolder(build(n)), `n=${n}`).toBeNull()
      expect(firstMissedHolder(build(n)), `n=${n}`).toBeNull()
    }
  })

  test('members are nodes, each once, in rising order, the node itself among them', () => {
    for (const n of sizes) {
      const agreement = build(n)
      for (let node = 0; node < n; node += 1) {
        for (const members of [agreement.request(node), agreement.acquired(node)]) {
          expect(members.every((member, i) => i === 0 || member > get(members, i - 1))).toBe(true)
          expect(get(members, 0) >= 0 && get(members, members.length - 1) < n && members.includes(node)).toBe(
            true,
          )
        }
      }
    }
  })
})

describe('grid', () => {
  test('each column meets each row in exactly one node, also where the last row is short', () => {
    for (const n of UP_TO) {
      const once = meetings(columnsAndRows(n)).filter(({ common }) => common === 1)
      expect(once).toHaveLength(n * n)
    }
  })

  test('a row that is short is filled up from the row above', () => {
    // 0 1 2
    // 3 4 5
    // 6 7 8
    // 9
    expect(columnsAndRows(10).request(4)).toEqual([1, 4, 7])
    expect(columnsAndRows(10).request(3)).toEqual([0, 3, 6, 9])
    expect(columnsAndRows(10).acquired(4)).toEqual([3, 4, 5])
    expect(columnsAndRows(10).acquired(9)).toEqual([7, 8, 9])
  })

  // shows velazquez-1993 4 Mizuno-Neilsen-Rao, cost
  test('2 sqrt(2n) - 2 messages where n is twice a square: Velazquez 1993, section 4', () => {
    for (const side of [1, 2, 3, 4, 5, 10]) {
      const n = 2 * side * side
      const { request, acquired } = agreementSizes(columnsAndRows(n))
      expect(request.max + 1 + 2 * acquired.max).toBe(2 * Math.sqrt(2 * n) - 2)
    }
  })

  test('no other width is cheaper by more than a message', () => {
    for (const n of UP_TO) {
      const { request, acquired } = agreementSizes(columnsAndRows(n))
      for (let width = 1; width <= n; width += 1) {
        const other = Math.ceil(n / width) + 2 * (width - 1)
        expect(request.max + 1 + 2 * acquired.max).toBeLessThanOrEqual(other + 1)
      }
    }
  })

  test('is what the quorums of a grid become', () => {
    expect(agreementFrom(grid(8)).request(3)).toEqual([1, 3, 5, 7])
    expect(agreementFrom(grid(8)).acquired(3)).toEqual([2, 3])
  })
})

describe('checks', () => {
  // shows claim agreement-meets
  test('that R_i meets A_i is not enough', () => {
    const own = fromLists([[0], [1]], [[0], [1]])
    expect(firstMissedHolder(own)).toEqual({ asks: 0, holds: 1 })
  })

  test('sizes count the others: the least, the most and the mean', () => {
    const agreement = fromLists([[0], [0, 1], [0, 1, 2]], [[0], [0], [2]])
    expect(agreementSizes(agreement)).toEqual({
      request: { min: 0, max: 2, mean: 1 },
      acquired: { min: 0, max: 1, mean: 1 / 3 },
    })
  })

  test('agree with the dumb check on any lists', () => {
    const lists = (n: number) =>
      fc.array(fc.uniqueArray(fc.nat(n - 1), { minLength: 1 }), { minLength: n, maxLength: n })
    const agreements = fc
      .integer({ min: 1, max: 8 })
      .chain((n) => fc.tuple(lists(n), lists(n)))
      .map(([request, acquired]) => fromLists(request, acquired))
    fc.assert(
      fc.property(agreements, (agreement) => {
        expect(firstMissedHolder(agreement)).toEqual(dumbMissedHolder(agreement))
      }),
      { seed: 1, numRuns: 500 },
    )
  })
})
