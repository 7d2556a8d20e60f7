import type { Point } from './network-layout.ts'

/** Shares of an arrow's way where its letter may stand, the best first: near its start there are fewest others. */
const SHARES = [0.3, 0.5, 0.7, 0.2, 0.6, 0.4]
const SHORTEST_WAY = 60
/** Letters nearer to each other than this in both directions cannot be read. */
const APART = 12

/**
 * Where the letter of an arrow stands, beside its line and clear of the letters that are written already; null if there
 * is no such place. The arrow's hue still tells its type.
 */
export function letterPlace(start: Point, end: Point, taken: readonly Point[]): Point | null {
  const length = Math.hypot(end.x - start.x, end.y - start.y)
  if (length < SHORTEST_WAY) return null
  const [dx, dy] = [(end.x - start.x) / length, (end.y - start.y) / length]
  for (const share of SHARES) {
    const place = {
      x: start.x + share * length * dx + 8 * Math.abs(dy) + 2,
      y: start.y + share * length * dy - 5 * Math.abs(dx),
    }
    const isFree = taken.every(({ x, y }) => Math.abs(x - place.x) >= APART || Math.abs(y - place.y) >= APART)
    if (isFree) return place
  }
  return null
}
