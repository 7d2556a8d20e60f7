import { get, increase } from '@turnwise/core/bounds'
import { describe, expect, test } from 'vitest'
import { LONG } from '../../../test/extent.ts'
import { defaultQuorums } from '../src/quorum/quorum-from-text.ts'
import { randomStream } from '../src/random.ts'
import { central, everyone, favoured, fromQuorums } from '../src/structure/classic.ts'
import { type Design, design, OBJECTIVES, type Objective, type Wanted } from '../src/structure/design.ts'
import { type Expected, expected } from '../src/structure/expected.ts'
import { type Structure, structureOf } from '../src/structure/structure.ts'
import { validate } from '../src/structure/validate.ts'

function classics(nodes: number): Structure[] {
  const classic = [central(nodes), everyone(nodes), fromQuorums(defaultQuorums(nodes))]
  return nodes === 1 ? classic : [...classic, favoured(nodes)]
}

/** A hundredth of what people get: enough for six or seven nodes. */
const EFFORT = 1_000_000

function designed(wanted: Partial<Wanted> & Pick<Wanted, 'demand'>, seed = 1): Design | null {
  const whole = { available: 0.9, objective: 'messages', maxLoad: 1, ...wanted } as const
  const search = design(whole, classics(wanted.demand.length), randomStream(seed, 'design'), EFFORT)
  for (;;) {
    const { done, value } = search.next()
    if (done === true) return value
    expect(value).toBeGreaterThanOrEqual(0)
    expect(value).toBeLessThanOrEqual(1)
  }
}

const WORTH: Record<Objective, (cost: Expected) => number> = {
  messages: ({ messages }) => messages.least,
  delay: ({ delay }) => delay,
  availability: ({ availability }) => -availability,
}

/** Every structure there is, request sets too: what the search leaves out, this does not. */
function* allStructures(nodes: number): Generator<Structure> {
  const sets = Array.from({ length: 2 ** nodes }, (_, mask) =>
    Array.from({ length: nodes }, (__, node) => node).filter((node) => (mask & (1 << node)) !== 0),
  )
  const choices = sets.flatMap((inform) => sets.map((request) => ({ inform, request })))
  const chosen = Array.from({ length: nodes }, () => 0)
  for (;;) {
    const picked = chosen.map((index) => get(choices, index))
    yield structureOf(
      picked.map(({ inform }) => inform),
      picked.map(({ request }) => request),
    )
    const next = chosen.findIndex((index) => index + 1 < choices.length)
    if (next === -1) return
    increase(chosen, next)
    chosen.fill(0, 0, next)
  }
}

describe('few nodes: no structure is better', () => {
  test('against all 262,144 structures of three nodes, by every objective', LONG, () => {
    const workloads = [
      { demand: [5, 2, 1], maxLoad: 1 },
      { demand: [1, 1, 1], maxLoad: 0.5 },
    ].flatMap((workload) => OBJECTIVES.map((objective) => ({ ...workload, objective, available: 0.9 })))
    const least = workloads.map(() => Number.POSITIVE_INFINITY)
    for (const structure of allStructures(3)) {
      if (!validate(structure).valid) continue
      workloads.forEach((workload, i) => {
        const cost = expected(structure, workload)
        if (cost.load <= workload.maxLoad + 1e-9)
          least[i] = Math.min(get(least, i), WORTH[workload.objective](cost))
      })
    }
    workloads.forEach((workload, i) => {
      const found = designed(workload)
      expect(found?.isExact).toBe(true)
      const cost = expected((found as Design).structure, workload)
      expect(WORTH[workload.objective](cost)).toBeCloseTo(get(least, i), 9)
    })
  })

  // shows sanders-1987 3.2 Figure 2
  test("the paper's four nodes of which two are busy: at least as good as Figure 2", () => {
    const demand = [10, 10, 1, 1]
    const figure2 = expected(favoured(4), { demand, available: 0.9 })
    for (const maxLoad of [1, figure2.load]) {
      const { structure } = designed({ demand, maxLoad }) as Design
      const cost = expected(structure, { demand, available: 0.9 })
      expect(cost.messages.least).toBeLessThanOrEqual(figure2.messages.least)
      expect(cost.load).toBeLessThanOrEqual(maxLoad + 1e-9)
    }
  })

  test('where nobody may be asked, nothing can be built', () => {
    expect(designed({ demand: [1, 1], maxLoad: 0 })).toBeNull()
  })

  test('one node alone asks nobody', () => {
    const { structure } = designed({ demand: [1] }) as Design
    expect(expected(structure, { demand: [1], available: 0.5 })).toEqual({
      messages: { least: 0, most: 0 },
      delay: 0,
      availability: 1,
      load: 0,
    })
  })
})

describe('more nodes: a valid structure, never worse than the best classic one', () => {
  test.each(OBJECTIVES)('%s', (objective) => {
    for (const [demand, maxLoad] of [
      [[9, 9, 1, 1, 1, 1], 0.6],
      [[1, 1, 1, 1, 1, 1, 1], 0.5],
    ] as const) {
      const { structure, isExact } = designed({ demand, maxLoad, objective }) as Design
      expect(isExact).toBe(false)
      expect(validate(structure).flaws).toEqual([])
      const cost = expected(structure, { demand, available: 0.9 })
      expect(cost.load).toBeLessThanOrEqual(maxLoad + 1e-9)
      for (const classic of classics(demand.length)) {
        const other = expected(classic, { demand, available: 0.9 })
        if (other.load > maxLoad + 1e-9) continue
        expect(WORTH[objective](cost)).toBeLessThanOrEqual(WORTH[objective](other) + 1e-9)
      }
    }
  })

  test('the same seed finds the same', () => {
    const wanted = { demand: [3, 1, 4, 1, 5, 9], maxLoad: 0.5, objective: 'delay' } as const
    expect(designed(wanted, 7)).toEqual(designed(wanted, 7))
  })

  test('more than thirty are refused in one line', () => {
    expect(() => designed({ demand: Array.from({ length: 31 }, () => 1) })).toThrow(
      '"31" is too many nodes to design for: at most 30',
    )
  })
})
