import { get } from '@turnwise/core/bounds'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { atLeast } from '../../../test/present.ts'
import { agreementFrom, broadcast, columnsAndRows, type QuorumAgreement } from '../src/quorum/agreement.ts'
import {
  type AgreementFamily,
  agreementOfBoth,
  agreementOfQuorums,
  broadcastAgreement,
  firstMissedSet,
  gridAgreement,
  loadPerEntry,
} from '../src/quorum/agreement-family.ts'
import { listedFamily, projectiveFamily, treeFamily, votingFamily } from '../src/quorum/family.ts'
import { quorumsFrom, quorumsFromLists } from '../src/quorum/quorum-from-text.ts'
import { availabilityOf, loadOf, resilienceOf } from '../src/quorum/quorum-metrics.ts'

type Sets = readonly (readonly number[])[]
type Row = [name: string, family: AgreementFamily, own: QuorumAgreement]

const own = (kind: string, nodes: number) => agreementFrom(quorumsFrom(kind, nodes))
const upTo = (most: number) => Array.from({ length: most }, (_, i) => i + 1)

const SMALL: Row[] = [
  ...upTo(11).map((n): Row => [`grid ${n}`, gridAgreement(n), columnsAndRows(n)]),
  ...upTo(6).map((n): Row => [`broadcast ${n}`, broadcastAgreement(n), broadcast(n)]),
  ...upTo(8).map((n): Row => [`tree ${n}`, agreementOfQuorums(treeFamily(n)), own('tree', n)]),
  ['majority 5', agreementOfQuorums(votingFamily('majority', 5, [])), own('majority', 5)],
  ['projective 7', agreementOfQuorums(projectiveFamily(7)), own('projective', 7)],
]

/** All sets of nodes, as lists. */
function subsets(nodes: number): number[][] {
  return Array.from({ length: 2 ** nodes }, (_, code) =>
    [...Array(nodes).keys()].filter((i) => (code >> i) & 1),
  )
}

const holdsOne = (sets: Sets, living: readonly number[]) =>
  sets.some((set) => set.every((node) => living.includes(node)))

function listed({ request, acquired }: AgreementFamily): { asked: Sets; told: Sets } {
  if (request.quorums === null || acquired.quorums === null) throw new Error('too many sets to list')
  return { asked: request.quorums, told: acquired.quorums }
}

/** Without all that is known in closed form: everything is searched. */
function searched({ kind, request, acquired }: AgreementFamily): AgreementFamily {
  const open = ({ nodes, quorums, isMet }: AgreementFamily['request']) => ({ kind, nodes, quorums, isMet })
  return agreementOfBoth(kind, open(request), open(acquired))
}

describe.each(SMALL)('%s', (_name, family, agreement) => {
  const { nodes, request, acquired, both } = family
  const { asked, told } = listed(family)

  test('every request set meets every acquired set, and what nodes ask and tell is among them', () => {
    const meet = asked.every((r) => told.every((a) => r.some((node) => a.includes(node))))
    expect(meet).toBe(true)
    expect(firstMissedSet(asked, told)).toBeNull()
    for (let node = 0; node < nodes; node += 1) {
      expect(holdsOne(asked, agreement.request(node))).toBe(true)
      expect(holdsOne(told, agreement.acquired(node))).toBe(true)
    }
  })

  test('a living request set meets, in a living node, whichever acquired set was told', () => {
    for (const living of subsets(nodes).filter((set) => holdsOne(asked, set))) {
      const found = told.every((a) =>
        asked.some((r) => r.every((i) => living.includes(i)) && r.some((i) => a.includes(i))),
      )
      expect(found).toBe(true)
    }
  })

  test('resilience: so many failures always leave one of each, one more need not', () => {
    const survives = (failures: number, kinds: Sets[]) =>
      subsets(nodes)
        .filter((living) => living.length === nodes - failures)
        .every((living) => kinds.every((sets) => holdsOne(sets, living)))
    for (const [found, kinds] of [
      [resilienceOf(request), [asked]],
      [resilienceOf(acquired), [told]],
      [resilienceOf(both), [asked, told]],
    ] as const) {
      expect(survives(found ?? Number.NaN, [...kinds])).toBe(true)
      expect(survives((found ?? Number.NaN) + 1, [...kinds])).toBe(false)
    }
  })

  test('availability: the sum over all sets of living nodes that hold one of each', () => {
    for (const up of [0, 0.1, 0.5, 0.95, 1]) {
      const sum = (kinds: Sets[]) =>
        subsets(nodes)
          .filter((living) => kinds.every((sets) => holdsOne(sets, living)))
          .reduce((all, { length }) => all + up ** length * (1 - up) ** (nodes - length), 0)
      const values = [request, acquired, both].map((sets) => availabilityOf(sets, up))
      expect(values.every(({ exact }) => exact)).toBe(true)
      const [asking, telling, either] = atLeast(
        3,
        values.map(({ value }) => value),
      )
      expect(asking).toBeCloseTo(sum([asked]), 12)
      expect(telling).toBeCloseTo(sum([told]), 12)
      expect(either).toBeCloseTo(sum([asked, told]), 12)
      expect(either).toBeGreaterThanOrEqual(asking * telling - 1e-12)
      expect(either).toBeLessThanOrEqual(Math.min(asking, telling) + 1e-12)
    }
  })

  test('load per entry: no two random choices beat it, and the program agrees with the closed form', () => {
    const { value } = loadPerEntry(family, agreement)
    const program = loadPerEntry(searched(family), agreement)
    expect(program.by).not.toBe('own quorums')
    expect(program.value).toBeCloseTo(value, 9)
    const apart = [request, acquired].map((sets) => loadOf(sets, () => []).value)
    const openApart = [searched(family).request, searched(family).acquired].map(
      (sets) => loadOf(sets, () => []).value,
    )
    expect(openApart[0]).toBeCloseTo(get(apart, 0), 9)
    expect(openApart[1]).toBeCloseTo(get(apart, 1), 9)
    expect(value).toBeLessThanOrEqual(get(apart, 0) + get(apart, 1) + 1e-9)
    const shares = (sets: Sets) => fc.array(fc.nat(9), { minLength: sets.length, maxLength: sets.length })
    fc.assert(
      fc.property(shares(asked), shares(told), (asking, telling) => {
        const [all, allTold] = atLeast(
          2,
          [asking, telling].map((weights) => weights.reduce((a, b) => a + b, 0)),
        )
        if (all === 0 || allTold === 0) return
        const busy = [...Array(nodes).keys()].map((node) => {
          const often = (sets: Sets, weights: number[], total: number) =>
            sets.reduce((sum, set, i) => sum + (set.includes(node) ? get(weights, i) / total : 0), 0)
          return often(asked, asking, all) + often(told, telling, allTold)
        })
        expect(Math.max(...busy)).toBeGreaterThanOrEqual(value - 1e-9)
      }),
      { seed: 1, numRuns: 50 },
    )
  })
})

test('together they can be less busy than the sum of the two', () => {
  // Every request asks node 0, so it is told less often than the others, once in four entries.
  const asked = listedFamily(
    quorumsFromLists([
      [0, 1],
      [0, 2],
      [0, 2],
    ]),
  )
  const told = listedFamily(quorumsFromLists([[0], [1, 2], [1, 2]]))
  expect([asked, told].map((sets) => loadOf(sets, () => []).value)).toEqual([1, 0.5])
  const agreement = { kind: 'lists', nodes: 3, request: () => [0, 1], acquired: () => [0] }
  const found = loadPerEntry(agreementOfBoth('lists', asked, told), agreement)
  expect(found.by).toBe('linear program')
  expect(found.value).toBeCloseTo(1.25, 9)
})

describe('what is said of them', () => {
  test('columns and rows of twice a square: less load and less to survive than rows with columns', () => {
    const family = gridAgreement(18)
    expect(loadPerEntry(family, columnsAndRows(18)).value).toBeCloseTo(1 / 3 + 1 / 6, 12)
    expect(resilienceOf(family.request)).toBe(2)
    expect(resilienceOf(family.acquired)).toBe(5)
    expect(resilienceOf(family.both)).toBe(2)
  })

  test('one failure keeps everyone from being asked, so Suzuki and Kasami survive none', () => {
    const family = broadcastAgreement(5)
    expect(resilienceOf(family.both)).toBe(0)
    expect(availabilityOf(family.both, 0.9).value).toBeCloseTo(0.9 ** 5, 12)
    expect(resilienceOf(family.acquired)).toBe(4)
  })

  test('every pair is looked at for one that does not meet', () => {
    expect(firstMissedSet([[0], [1, 2]], [[0, 1], [0, 2], [0]])).toEqual({ request: [1, 2], acquired: [0] })
  })
})

test('beyond sixteen nodes one of each is sampled, and the interval holds the truth', () => {
  // Full rows of a grid: inclusion and exclusion over the columns that are up as a whole.
  const [width, height, up] = [3, 6, 0.8]
  const choose = [1, 3, 3, 1]
  let neither = 0
  for (let k = 0; k <= width; k += 1) {
    neither += (-1) ** k * get(choose, k) * up ** (k * height) * (1 - up ** (width - k)) ** height
  }
  const { request, acquired, both } = gridAgreement(width * height)
  const truth = availabilityOf(request, up).value + availabilityOf(acquired, up).value - (1 - neither)
  const sampled = availabilityOf(both, up, 5)
  expect(sampled.exact).toBe(false)
  expect(sampled).toEqual(availabilityOf(both, up, 5))
  expect(sampled.low).toBeLessThan(truth)
  expect(sampled.high).toBeGreaterThan(truth)
  expect(sampled.high - sampled.low).toBeLessThan(0.02)
})
