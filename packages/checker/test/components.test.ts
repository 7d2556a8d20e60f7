import { get } from '@turnwise/core/bounds'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { present } from '../../../test/present.ts'
import { components, type Subgraph } from '../src/components.ts'

interface Picture {
  readonly vertices: number
  readonly arrows: readonly (readonly [number, number])[]
  readonly kept: readonly boolean[]
}

function graphOf({ vertices, arrows, kept }: Picture): Subgraph {
  const sorted = arrows.toSorted(([a], [b]) => a - b)
  const starts = Array.from({ length: vertices + 1 }, (_, v) => sorted.filter(([from]) => from < v).length)
  return {
    vertices,
    keepsVertex: (vertex) => get(kept, vertex),
    from: (vertex) => get(starts, vertex),
    to: (vertex) => get(starts, vertex + 1),
    target: (edge) => get(sorted, edge)[1],
  }
}

/** For each kept vertex all kept ones that can be reached from it, itself among them. */
function reachable({ vertices, arrows, kept }: Picture): Set<number>[] {
  return Array.from({ length: vertices }, (_, start) => {
    const found = new Set(kept[start] ? [start] : [])
    for (const vertex of found) {
      for (const [from, to] of arrows) if (from === vertex && kept[to]) found.add(to)
    }
    return found
  })
}

const picture: fc.Arbitrary<Picture> = fc.integer({ min: 1, max: 14 }).chain((vertices) =>
  fc.record({
    vertices: fc.constant(vertices),
    arrows: fc.array(fc.tuple(fc.nat(vertices - 1), fc.nat(vertices - 1)), { maxLength: 2 * vertices }),
    kept: fc.array(
      fc.boolean().map((left) => left || vertices < 5),
      { minLength: vertices, maxLength: vertices },
    ),
  }),
)

describe('strongly connected components', () => {
  test('two vertices share one exactly if each can be reached from the other', () => {
    fc.assert(
      fc.property(picture, (drawn) => {
        const { of, count } = components(graphOf(drawn))
        const reach = reachable(drawn)
        const numbers = new Set<number>()
        for (let a = 0; a < drawn.vertices; a += 1) {
          expect(of[a] === -1).toBe(!drawn.kept[a])
          if (of[a] !== -1) numbers.add(present(of[a]))
          for (let b = 0; b < drawn.vertices; b += 1) {
            if (drawn.kept[a] && drawn.kept[b])
              expect(of[a] === of[b]).toBe(get(reach, a).has(b) && get(reach, b).has(a))
          }
        }
        expect([...numbers].toSorted((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, i) => i))
      }),
    )
  })

  test('edges between different components lead to smaller numbers', () => {
    fc.assert(
      fc.property(picture, (drawn) => {
        const { of } = components(graphOf(drawn))
        for (const [from, to] of drawn.arrows) {
          if (of[from] !== -1 && of[to] !== -1) expect(of[to]).toBeLessThanOrEqual(present(of[from]))
        }
      }),
    )
  })

  test('a path longer than any call stack, closed to a circle or not', () => {
    const vertices = 300_000
    const path = (last: number): Subgraph => ({
      vertices,
      keepsVertex: () => true,
      from: (vertex) => vertex,
      to: (vertex) => vertex + (vertex === vertices - 1 && last === -1 ? 0 : 1),
      target: (edge) => (edge === vertices - 1 ? last : edge + 1),
    })
    expect(components(path(-1)).count).toBe(vertices)
    expect(components(path(0)).count).toBe(1)
    expect(components(path(100_000)).count).toBe(100_001)
  })
})
