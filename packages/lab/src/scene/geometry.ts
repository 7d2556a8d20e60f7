import { get } from '@turnwise/core/bounds'
import type { Point } from './network-layout.ts'
import { round } from './svg-shape.ts'

export function between(a: Point, b: Point, share: number): Point {
  return { x: a.x + (b.x - a.x) * share, y: a.y + (b.y - a.y) * share }
}

/** The point so far from a, on the way to b. */
export function towards(a: Point, b: Point, distance: number): Point {
  const length = Math.hypot(b.x - a.x, b.y - a.y)
  return length === 0 ? a : between(a, b, distance / length)
}

/** How far a point is from the line between two others. */
export function distanceTo([a, b]: readonly [Point, Point], { x, y }: Point): number {
  const [dx, dy] = [b.x - a.x, b.y - a.y]
  const share = ((x - a.x) * dx + (y - a.y) * dy) / (dx * dx + dy * dy || 1)
  const nearest = between(a, b, Math.min(1, Math.max(0, share)))
  return Math.hypot(nearest.x - x, nearest.y - y)
}

/** The same way, a little to its right: messages that meet each other pass. */
export function aside(a: Point, b: Point, distance: number): { from: Point; to: Point } {
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1
  const dx = (-(b.y - a.y) / length) * distance
  const dy = ((b.x - a.x) / length) * distance
  return { from: { x: a.x + dx, y: a.y + dy }, to: { x: b.x + dx, y: b.y + dy } }
}

export function at({ x, y }: Point): string {
  return `${round(x)} ${round(y)}`
}

/** A convex hull, for soft shapes behind groups (Andrew's monotone chain). */
export function hull(points: readonly Point[]): Point[] {
  const sorted = points.toSorted((a, b) => a.x - b.x || a.y - b.y)
  if (sorted.length < 3) return sorted
  const half = (list: readonly Point[]): Point[] => {
    const chain: Point[] = []
    for (const point of list) {
      while (
        chain.length >= 2 &&
        turn(get(chain, chain.length - 2), get(chain, chain.length - 1), point) <= 0
      )
        chain.pop()
      chain.push(point)
    }
    return chain.slice(0, -1)
  }
  return [...half(sorted), ...half(sorted.toReversed())]
}

function turn(a: Point, b: Point, c: Point): number {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
}
