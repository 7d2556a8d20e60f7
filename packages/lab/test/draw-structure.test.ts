import { get } from '@turnwise/core/bounds'
import { defaultQuorums } from '@turnwise/core/quorum/quorum-from-text'
import { central, everyone, favoured, fromQuorums } from '@turnwise/core/structure/classic'
import { type Structure, structureOf } from '@turnwise/core/structure/structure'
import { describe, expect, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import { drawBareStructure, drawStructure, kindsOf, layoutStructure } from '../src/chart/draw-structure.ts'

const NODE_RADIUS = 15
const SMALL = [2, 3, 4, 5, 6, 7, 8, 9, 13]
const SIZES = extent(SMALL, [...SMALL, 10, 11, 12, 21, 30])

const BUILDERS = [
  ['central', central],
  ['Ricart and Agrawala', everyone],
  ['Maekawa', (nodes: number) => fromQuorums(defaultQuorums(nodes))],
  ['Figure 2', favoured],
] as const

const NUMBER = '(-?[\\d.]+)'
const BOW = new RegExp(`d="M${NUMBER} ${NUMBER}Q${NUMBER} ${NUMBER} ${NUMBER} ${NUMBER}"`, 'g')
const LOOP = new RegExp(
  `d="M${NUMBER} ${NUMBER}C${NUMBER} ${NUMBER} ${NUMBER} ${NUMBER} ${NUMBER} ${NUMBER}"`,
  'g',
)

/** The numbers of every match, in document order. */
const numbersOf = (svg: string, pattern: RegExp): number[][] =>
  [...svg.matchAll(pattern)].map(([, ...numbers]) => numbers.map(Number))

type Point = [x: number, y: number]

const circlesOf = (svg: string): Point[] =>
  numbersOf(svg, new RegExp(`<circle cx="${NUMBER}" cy="${NUMBER}"`, 'g')).map((at) => [
    get(at, 0),
    get(at, 1),
  ])

const STEPS = 50

/** Points of a Bézier curve of the second or third degree, its ends left out. */
function pointsOf(numbers: readonly number[]): Point[] {
  const bow = numbers.length === 6
  return Array.from({ length: STEPS - 1 }, (_, i) => {
    const t = (i + 1) / STEPS
    const weights = bow
      ? [(1 - t) ** 2, 2 * t * (1 - t), t ** 2]
      : [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t ** 2 * (1 - t), t ** 3]
    const on = (axis: number) =>
      weights.reduce((sum, weight, end) => sum + weight * get(numbers, 2 * end + axis), 0)
    return [on(0), on(1)]
  })
}

const arcCount = ({ nodes, inform, request }: Structure): number =>
  Array.from(
    { length: nodes },
    (_, node) => new Set([...get(inform, node), ...get(request, node)]).size,
  ).reduce((sum, count) => sum + count, 0)

describe.each(BUILDERS)('%s', (_name, build) => {
  test('no arc passes behind a node, and there and back are two arcs', () => {
    for (const nodes of SIZES) {
      const svg = drawStructure(build(nodes), 'a structure')
      const circles = circlesOf(svg)
      const bows = numbersOf(svg, BOW)
      expect(circles).toHaveLength(nodes)
      expect(bows.length + numbersOf(svg, LOOP).length).toBe(arcCount(build(nodes)))
      // Both ends of an arc stand off the rim of the node it belongs to, by at most half an arrow.
      const hidden = bows.filter((numbers) => {
        const points = pointsOf(numbers)
        return circles.some(([cx, cy]) =>
          points.some(([x, y]) => (x - cx) ** 2 + (y - cy) ** 2 < (NODE_RADIUS - 0.01) ** 2),
        )
      })
      expect(hidden, `${nodes} nodes`).toEqual([])
      const middles = bows.map(([, , x, y]) => `${x},${y}`)
      expect(new Set(middles).size).toBe(bows.length)
    }
  })

  test('everything is within the drawing', () => {
    for (const nodes of SIZES) {
      const svg = drawBareStructure(build(nodes))
      const { width, height } = layoutStructure(nodes)
      const points = [...numbersOf(svg, BOW), ...numbersOf(svg, LOOP)].flatMap(pointsOf)
      const outside = [...points, ...circlesOf(svg)].filter(
        ([x, y]) => Math.min(x, y, width - x, height - y) < 2,
      )
      expect(outside, `${nodes} nodes`).toEqual([])
    }
  })
})

test('the legend names the kinds of arcs that there are', () => {
  expect(kindsOf(central(1))).toEqual(['inform and request'])
  expect(kindsOf(favoured(4))).toEqual(['inform and request', 'request only'])
  const telling = structureOf([[0, 1], [1]], [[0], [1]])
  expect(kindsOf(telling)).toEqual(['inform and request', 'inform only'])
  const svg = drawStructure(telling, 'telling')
  expect(svg).toContain('>inform only</text>')
  expect(svg).not.toContain('>request only</text>')
})

test('a triangle takes no more room than it has corners', () => {
  const { width, height } = layoutStructure(3)
  expect(height).toBeLessThan(width)
  expect(layoutStructure(4)).toMatchObject({ width: layoutStructure(4).height })
})
