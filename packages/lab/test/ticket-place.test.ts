import { catalogue } from '@turnwise/algorithms/catalogue'
import { get } from '@turnwise/core/bounds'
import { expect, test } from 'vitest'
import { worldOf } from '../src/run/spec.ts'
import { type Layout, layoutOf } from '../src/scene/network-layout.ts'
import { MOST_NAMED, ticketShape } from '../src/scene/node-shape.ts'
import { specOf } from './runs.ts'

/** The network in a phone, beside the panel at 1024 and at 1440, and as one of two. */
const SIZES = [
  [390, 338],
  [683, 246],
  [960, 400],
  [683, 130],
] as const

interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** What the tickets of so many waiting nodes cover. */
function ticketBoxes(layout: Layout, node: number, waiting: number): Box[] {
  const { x, y } = get(layout.points, node)
  const nodes = Array.from({ length: waiting }, (_, i) => i)
  const drawn = ticketShape({ field: 'queue', nodes }, node, layout)
  return (drawn?.children ?? []).flatMap((child) => {
    if (typeof child === 'string' || child.tag === 'title') return []
    const [left, top] = [x + Number(child.attributes['x']), y + Number(child.attributes['y'])]
    if (child.tag === 'rect') return [{ left, top, right: left + 13, bottom: top + 15 }]
    return child.key === 'more' ? [{ left, top: top - 11, right: left + 16, bottom: top }] : []
  })
}

function distance({ left, top, right, bottom }: Box, { x, y }: { x: number; y: number }): number {
  return Math.hypot(x - Math.max(left, Math.min(x, right)), y - Math.max(top, Math.min(y, bottom)))
}

const meet = (one: Box, other: Box) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom

/** Every way in which nodes of the catalogue stand in a picture of this size, once. */
function layouts(width: number, height: number): ReadonlyMap<string, Layout> {
  const found = new Map<string, Layout>()
  for (const { facts } of catalogue)
    for (const nodes of [3, 5, 7, 9, MOST_NAMED]) {
      const { algorithm, setup } = worldOf(specOf({ algorithm: facts.name, nodes })).config
      const layout = layoutOf(algorithm.facts, setup, width, height)
      found.set(JSON.stringify(layout.points), layout)
    }
  return found
}

test.each(SIZES)(
  'tickets cover no node and no other tickets, and stay in a picture of %d by %d',
  (width, height) => {
    const faults: string[] = []
    let looked = 0
    for (const layout of layouts(width, height).values())
      for (const waiting of [1, 4, layout.points.length]) {
        const boxes = layout.points.map((_, node) => ticketBoxes(layout, node, waiting))
        boxes.forEach((own, node) => {
          const others = boxes.flatMap((those, other) => (other === node ? [] : those))
          for (const box of own) {
            looked += 1
            const isOut = box.left < 0 || box.right > width || box.top < 0 || box.bottom > height
            const isOnNode = layout.points.some((point) => distance(box, point) < layout.radius)
            if (isOut || isOnNode || others.some((other) => meet(box, other)))
              faults.push(`${waiting} wait at ${node} of ${layout.points.length} nodes`)
          }
        })
      }
    expect(faults).toEqual([])
    expect(looked).toBeGreaterThan(0)
  },
)
