import { defaultQuorums } from '@turnwise/core/quorum/from-text'
import { central, everyone, favoured, fromQuorums } from '@turnwise/core/structure/classic'
import { expect, test } from 'vitest'
import { drawStructure } from '../src/chart/draw-structure.ts'

const NODE_RADIUS = 15
const SIZES = Array.from({ length: 29 }, (_, i) => i + 2)

test.each([
  ['central', central],
  ['Ricart and Agrawala', everyone],
  ['Maekawa', (nodes: number) => fromQuorums(defaultQuorums(nodes))],
  ['Figure 2', favoured],
] as const)('%s: no arc passes behind a node, and there and back are two arcs', (_name, build) => {
  for (const nodes of SIZES) {
    const svg = drawStructure(build(nodes), 'a structure')
    const circles = [...svg.matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)"/g)].map(([, x, y]) => [+x, +y])
    const arcs = [...svg.matchAll(/d="M([-\d.]+),([-\d.]+)Q([-\d.]+),([-\d.]+) ([-\d.]+),([-\d.]+)"/g)]
    expect(circles).toHaveLength(nodes)
    for (const [, ...numbers] of arcs) {
      const [x0, y0, x1, y1, x2, y2] = numbers.map(Number)
      // Both ends of an arc stand off the rim of the node it belongs to, by at most half an arrow.
      const inner = Array.from({ length: 99 }, (_, i) => (i + 1) / 100).map((t) => [
        (1 - t) ** 2 * x0 + 2 * t * (1 - t) * x1 + t ** 2 * x2,
        (1 - t) ** 2 * y0 + 2 * t * (1 - t) * y1 + t ** 2 * y2,
      ])
      const hidden = circles.filter(([cx, cy]) =>
        inner.some(([x, y]) => Math.hypot(x - cx, y - cy) < NODE_RADIUS - 0.01),
      )
      expect(hidden, `${nodes} nodes`).toEqual([])
    }
    const middles = arcs.map(([, , , x, y]) => `${x},${y}`)
    expect(new Set(middles).size).toBe(arcs.length)
  }
})
