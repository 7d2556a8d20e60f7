import { get } from '@turnwise/core/bounds'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { NodeId } from '../src/algorithm.ts'
import { InvalidInput } from '../src/invalid-input.ts'
import {
  disjointMajorities,
  type KCoterie,
  kCoterieFlaw,
  kCoterieFrom,
  kMajority,
  kSingleton,
} from '../src/quorum/k-coterie.ts'
import { kCoterieFamily } from '../src/quorum/k-coterie-family.ts'
import { defaultKCoterie, quorumsFrom, quorumsFromLists } from '../src/quorum/quorum-from-text.ts'
import { availabilityOf, loadOf, resilienceOf } from '../src/quorum/quorum-metrics.ts'

type Lists = readonly (readonly NodeId[])[]

/** The example of Velazquez 1993, section 6, with nodes from 0. */
const SURVEY: Lists = [
  [0, 1],
  [0, 2],
  [1, 3],
  [2, 3],
]

function familiesApart(lists: Lists, size: number): Lists[] {
  if (size === 0) return [[]]
  return familiesApart(lists, size - 1).flatMap((family) =>
    lists
      .filter((list) => family.every((other) => !list.some((member) => other.includes(member))))
      .map((list) => [...family, list]),
  )
}

/** Condition a as the survey prints it: another quorum that misses one of the h quorums. */
function holdsAsPrinted(lists: Lists, k: number): boolean {
  return [...Array(k).keys()].every((h) =>
    familiesApart(lists, h).every(
      (family) =>
        h === 0 ||
        lists.some(
          (list) =>
            !family.includes(list) && family.some((other) => !list.some((member) => other.includes(member))),
        ),
    ),
  )
}

describe('the conditions', () => {
  // shows velazquez-1993 6 Kakugawa et al.
  test("the survey's four quorums are a 2-coterie, and neither a coterie nor a 3-coterie", () => {
    expect(kCoterieFlaw(SURVEY, 2)).toBeNull()
    expect(kCoterieFlaw(SURVEY, 1)).toBe('{0,1} {2,3} do not meet, so that 2 nodes can be inside')
    expect(kCoterieFlaw(SURVEY, 3)).toBe(
      'no quorum misses {0,1} {2,3}, so that 3 nodes are never inside together',
    )
  })

  // shows velazquez-1993 6 Kakugawa et al.
  // shows claim k-quorums-conditions
  test('the printed non-intersection condition accepts what never lets three in; the corrected one does not', () => {
    const negative = [[0], [1, 2], [1, 3]]
    expect(holdsAsPrinted(negative, 3)).toBe(true)
    expect(familiesApart(negative, 3)).toEqual([])
    expect(kCoterieFlaw(negative, 3)).toBe(
      'no quorum misses {0} {1,2}, so that 3 nodes are never inside together',
    )
    expect(kCoterieFlaw(negative, 2)).toBeNull()
  })

  test('no quorum contains another', () => {
    expect(
      kCoterieFlaw(
        [
          [0, 1],
          [0, 1, 2],
        ],
        1,
      ),
    ).toBe('{0,1,2} contains {0,1}')
  })

  test('a coterie is a 1-coterie', () => {
    expect(
      kCoterieFlaw(
        [
          [0, 1],
          [1, 2],
          [0, 2],
        ],
        1,
      ),
    ).toBeNull()
    expect(
      kCoterieFlaw(
        [
          [0, 1],
          [2, 3],
        ],
        1,
      ),
    ).not.toBeNull()
  })

  test('a list that passes lets exactly k in, whichever node was first', () => {
    const lists = fc.uniqueArray(fc.uniqueArray(fc.nat(4), { minLength: 1, maxLength: 3 }), {
      minLength: 1,
      maxLength: 6,
      selector: (list) => list.toSorted().join(),
    })
    fc.assert(
      fc.property(lists, fc.integer({ min: 1, max: 3 }), (quorums, k) => {
        if (kCoterieFlaw(quorums, k) !== null) return
        // Families that cannot be extended are those in which nobody else can be let in.
        for (let size = 0; size <= k + 1; size += 1) {
          for (const family of familiesApart(quorums, size)) {
            expect(family.length).toBeLessThanOrEqual(k)
            const more = quorums.filter((list) =>
              family.every((other) => !list.some((member) => other.includes(member))),
            )
            expect(more.length > 0).toBe(size < k)
          }
        }
      }),
    )
  })
})

/** Everything that can be drawn, over all nodes. */
function allDrawn({ choice }: KCoterie, nodes: readonly NodeId[], from: 'own' | 'any'): Lists {
  const found = new Map<string, readonly NodeId[]>()
  for (const node of nodes) {
    // Every sequence of answers, in the order of counting.
    const answers: number[] = []
    for (;;) {
      const bounds: number[] = []
      const drawn = choice.draw(node, from, (bound) => {
        bounds.push(bound)
        return answers[bounds.length - 1] ?? 0
      })
      found.set(drawn.join(), drawn)
      answers.length = bounds.length
      let last = bounds.length - 1
      while (last >= 0 && (answers[last] ?? 0) + 1 === bounds[last]) last -= 1
      if (last < 0) break
      answers.splice(last, answers.length, (answers[last] ?? 0) + 1)
    }
  }
  return [...found.values()]
}

const SIZES = [1, 2, 3, 4, 5, 6, 7]
const CASES = SIZES.flatMap((nodes) => [1, 2, 3].filter((k) => k <= nodes).map((k) => ({ nodes, k })))

describe.each([
  ['k-majority', kMajority],
  ['k-singleton', kSingleton],
  ['disjoint', disjointMajorities],
  ['the default', defaultKCoterie as typeof kMajority],
])('%s', (name, build) => {
  const cases =
    name === 'k-majority'
      ? CASES.filter(({ nodes, k }) => k * Math.ceil((nodes + 1) / (k + 1)) <= nodes)
      : CASES

  test('what can be drawn is a k-coterie', () => {
    for (const { nodes, k } of cases) {
      const everyone = [...Array(nodes).keys()]
      const coterie = build(nodes, k)
      expect(kCoterieFlaw(allDrawn(coterie, everyone, 'any'), k), `${nodes} nodes, k = ${k}`).toBeNull()
      expect(kCoterieFlaw(coterie.choice.apart, k)).toBeNull()
      expect(coterie.choice.apart).toHaveLength(k)
    }
  })

  test('a node draws its own quorums where it belongs to one, and from all where it is asked to', () => {
    for (const { nodes, k } of cases) {
      const coterie = build(nodes, k)
      const all = allDrawn(coterie, [...Array(nodes).keys()], 'any')
      for (let node = 0; node < nodes; node += 1) {
        const mine = all.filter((quorum) => quorum.includes(node))
        const own = allDrawn(coterie, [node], 'own')
        expect(new Set(own.map(String))).toEqual(new Set((mine.length === 0 ? all : mine).map(String)))
        expect(all.map(String)).toContain(String(coterie.of(node)))
      }
    }
  })

  test('the sizes told are those drawn', () => {
    for (const { nodes, k } of cases) {
      const coterie = build(nodes, k)
      for (const from of ['own', 'any'] as const) {
        const others = [...Array(nodes).keys()].flatMap((node) =>
          allDrawn(coterie, [node], from).map((quorum) => quorum.filter((member) => member !== node).length),
        )
        const { min, max, mean } = coterie.choice.others(from)
        expect([min, max]).toEqual([Math.min(...others), Math.max(...others)])
        expect(mean).toBeGreaterThanOrEqual(min)
        expect(mean).toBeLessThanOrEqual(max)
      }
    }
  })
})

test('k-majorities: the sizes of the survey tables, and where there are none', () => {
  const size = (nodes: number, k: number) => kMajority(nodes, k).of(0).length
  expect([size(4, 2), size(5, 2), size(9, 2), size(9, 3)]).toEqual([2, 2, 4, 3])
  expect(() => kMajority(3, 2)).toThrow(
    new InvalidInput('"k-majority" needs room for 2 sets of 2 that do not meet: 3 nodes are too few'),
  )
  expect(defaultKCoterie(3, 2).kind).toBe('disjoint')
  expect(defaultKCoterie(9, 3).kind).toBe('k-majority')
})

test('with k = 1 they are coteries', () => {
  for (const form of ['k-majority', 'k-singleton', 'disjoint']) {
    const quorums = quorumsFrom(form, 7)
    expect(quorums.of(2).length).toBe(form === 'k-singleton' ? 1 : 4)
  }
})

test('quorums given one by one', () => {
  const { choice } = kCoterieFrom(quorumsFromLists(SURVEY))
  expect(choice.apart).toEqual([
    [0, 1],
    [2, 3],
  ])
  expect(choice.draw(3, 'own', () => 1)).toEqual([2, 3])
  expect(choice.draw(3, 'any', () => 0)).toEqual([0, 1])
  expect(choice.others('own')).toEqual({ min: 1, max: 1, mean: 1 })
  expect(choice.others('any')).toEqual({ min: 1, max: 2, mean: 1.5 })
})

describe('as families', () => {
  test('list what they say, and their figures are those of the list', () => {
    for (const [kind, nodes, k] of [
      ['k-majority', 4, 2],
      ['k-majority', 9, 3],
      ['k-singleton', 5, 2],
      ['disjoint', 8, 2],
      ['disjoint', 7, 3],
    ] as const) {
      const family = kCoterieFamily(kind, nodes, k)
      const quorums = family.quorums ?? []
      expect(kCoterieFlaw(quorums, k)).toBeNull()
      const { availability, resilience, load, ...bare } = family
      expect(availability?.(0.8)).toBeCloseTo(availabilityOf(bare, 0.8).value, 9)
      expect(resilience).toBe(resilienceOf(bare))
      expect(load).toBeCloseTo(loadOf(bare, () => get(quorums, 0)).value, 6)
    }
  })

  test('there are no more places than nodes, and not every k has a k-majority', () => {
    expect(() => kCoterieFamily('disjoint', 3, 4)).toThrow('"4" of 3 nodes are never inside together')
    expect(() => kCoterieFamily('k-majority', 3, 2)).toThrow('3 nodes are too few')
  })
})
