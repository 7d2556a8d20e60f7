import type { Point } from './network-layout.ts'
import { round } from './svg-shape.ts'

export function tikzPoint({ x, y }: Point): string {
  return `(${round(x)},${round(y)})`
}

/** How many numbers each command of a path takes. */
const TAKES: Readonly<Record<string, number>> = { M: 2, L: 2, H: 1, V: 1, Q: 4, A: 7, Z: 0 }

/** The path of an SVG as TikZ writes one: lines, curves, and arcs of a circle up to half of it. Small letters are relative. */
export function tikzPath(d: string): string {
  const words = [...d.matchAll(/[A-Za-z]|-?[\d.]+/g)].map(([word]) => word)
  const parts: string[] = []
  let at: Point = { x: 0, y: 0 }
  for (let i = 0; i < words.length; ) {
    const word = words[i] ?? ''
    const kind = word.toUpperCase()
    const count = TAKES[kind]
    if (count === undefined) throw new Error(`a path has "${word}", which no picture uses`)
    const numbers = words.slice(i + 1, i + 1 + count).map(Number)
    i += 1 + count
    if (kind === 'Z') {
      parts.push('-- cycle')
      continue
    }
    const from = word === kind ? { x: 0, y: 0 } : at
    const to = endOf(kind, numbers, from, at)
    parts.push(written(kind, numbers, { from, at, to }))
    at = to
  }
  return parts.join(' ')
}

/** `from` is what the numbers are counted from. */
function endOf(kind: string, numbers: readonly number[], from: Point, at: Point): Point {
  const [x = 0, y = 0] = numbers.slice(-2)
  if (kind === 'H') return { x: from.x + (numbers[0] ?? 0), y: at.y }
  if (kind === 'V') return { x: at.x, y: from.y + (numbers[0] ?? 0) }
  return { x: from.x + x, y: from.y + y }
}

interface Way {
  readonly from: Point
  readonly at: Point
  readonly to: Point
}

function written(kind: string, numbers: readonly number[], { from, at, to }: Way): string {
  if (kind === 'M') return tikzPoint(to)
  if (kind === 'Q') {
    const [x = 0, y = 0] = numbers
    const control = { x: from.x + x, y: from.y + y }
    // A curve with one control point, as one with two.
    return curve(towards(at, control, 2 / 3), towards(to, control, 2 / 3), to)
  }
  if (kind === 'A') return arc(numbers, at, to)
  return `-- ${tikzPoint(to)}`
}

function curve(first: Point, second: Point, to: Point): string {
  return `.. controls ${tikzPoint(first)} and ${tikzPoint(second)} .. ${tikzPoint(to)}`
}

function towards(from: Point, to: Point, share: number): Point {
  return { x: from.x + share * (to.x - from.x), y: from.y + share * (to.y - from.y) }
}

/** Its control points are on the tangents at both ends. */
function arc([radius = 0, , , , sweep = 0]: readonly number[], at: Point, to: Point): string {
  const chord = Math.hypot(to.x - at.x, to.y - at.y)
  const half = Math.asin(Math.min(1, chord / 2 / radius))
  const reach = ((4 / 3) * Math.tan(half / 2) * radius) / chord
  // The tangent leaves the chord by half of the angle, to the side of the arc.
  const turn = sweep === 1 ? -half : half
  const along = (from: Point, end: Point, angle: number): Point => {
    const [dx, dy] = [end.x - from.x, end.y - from.y]
    return {
      x: from.x + reach * (dx * Math.cos(angle) - dy * Math.sin(angle)),
      y: from.y + reach * (dx * Math.sin(angle) + dy * Math.cos(angle)),
    }
  }
  return curve(along(at, to, turn), along(to, at, -turn), to)
}
