import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { gridFamily, projectiveFamily, type QuorumFamily, treeFamily } from '../src/quorum/family.ts'
import { fewestToHit } from '../src/quorum/fewest-to-hit.ts'
import { resilienceOverAllSets, resilienceWithin } from '../src/quorum/quorum-metrics.ts'

/** Looks at every set of nodes, and for nothing clever. */
function dumbFewest(sets: readonly (readonly number[])[], nodes: number): number {
  let fewest = nodes
  for (let code = 0; code < 2 ** nodes; code += 1) {
    const chosen = [...Array(nodes).keys()].filter((node) => (code >> node) & 1)
    const hitsAll = sets.every((set) => set.some((node) => chosen.includes(node)))
    if (hitsAll) fewest = Math.min(fewest, chosen.length)
  }
  return fewest
}

function searched({ quorums, nodes }: QuorumFamily) {
  if (quorums === null) throw new Error('too many quorums to list')
  return fewestToHit(quorums, nodes)
}

describe('the search', () => {
  test('finds what looking at every set of nodes finds, whether the sets meet or not', () => {
    const sets = fc
      .integer({ min: 1, max: 8 })
      .chain((nodes) =>
        fc.tuple(
          fc.constant(nodes),
          fc.array(fc.uniqueArray(fc.nat(nodes - 1), { minLength: 1 }), { minLength: 1, maxLength: 12 }),
        ),
      )
    fc.assert(
      fc.property(sets, ([nodes, lists]) => {
        const fewest = dumbFewest(lists, nodes)
        expect(fewestToHit(lists, nodes)).toEqual({ least: fewest, most: fewest })
      }),
      { seed: 1, numRuns: 300 },
    )
  })

  test('cut short it tells an interval, and the truth is in it', () => {
    const family = projectiveFamily(50)
    const { least: truth } = searched(family)
    let isCut = false
    for (const looks of [0, 100, 1_000, 10_000, 100_000]) {
      const { least, most } = fewestToHit(family.quorums ?? [], 50, looks)
      expect(least).toBeLessThanOrEqual(truth)
      expect(most).toBeGreaterThanOrEqual(truth)
      isCut ||= least < most
    }
    expect(isCut).toBe(true)
  })
})

describe('a grid with a short last row', () => {
  test('of up to sixteen nodes: as many failures as all sets of nodes tell', () => {
    for (let nodes = 1; nodes <= 16; nodes += 1) {
      const family = gridFamily(nodes)
      expect(family.resilience, `${nodes} nodes`).toBe(resilienceOverAllSets(family))
    }
  })

  test('of up to fifty: as many as the search finds', () => {
    for (let nodes = 17; nodes <= 50; nodes += 1) {
      const fewest = (gridFamily(nodes).resilience ?? Number.NaN) + 1
      expect(searched(gridFamily(nodes)), `${nodes} nodes`).toEqual({ least: fewest, most: fewest })
    }
  })
})

test('folded planes of up to fifty nodes: found exactly', () => {
  for (let nodes = 1; nodes <= 50; nodes += 1) {
    const within = resilienceWithin(projectiveFamily(nodes))
    expect(within?.least, `${nodes} nodes`).toBe(within?.most)
    const family = projectiveFamily(nodes)
    if (nodes <= 12) expect(within?.least).toBe(resilienceOverAllSets(family))
  }
})

test('closed forms agree with the search', () => {
  for (const family of [projectiveFamily(21), projectiveFamily(31), treeFamily(15), treeFamily(20)]) {
    const fewest = (family.resilience ?? Number.NaN) + 1
    expect(searched(family)).toEqual({ least: fewest, most: fewest })
  }
})
