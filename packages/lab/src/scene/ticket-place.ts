import { get } from '@turnwise/core/bounds'
import type { Layout, Point } from './network-layout.ts'

/** Where the tickets of a node stand, from its centre, and how many of them there is room for. */
export interface TicketPlace {
  readonly left: number
  readonly top: number
  readonly most: number
  /** Whether they stand to the left of the node, and end there. */
  readonly isLeft: boolean
}

/** In units of the picture. `more` is the room for the number of those that are not shown. */
export const TICKET = { width: 13, height: 15, pitch: 15, more: 24 }

const MOST_TICKETS = 5

/** A box in the picture. */
interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const known = new WeakMap<object, readonly TicketPlace[]>()

/**
 * A place for the tickets of each node. It depends on where the nodes stand, not on who waits, so that nothing jumps from step
 * to step. All nodes have room for equally many: the most for which no tickets cover a node or other tickets.
 */
export function ticketPlaces(layout: Layout): readonly TicketPlace[] {
  const before = known.get(layout)
  if (before !== undefined) return before
  let places: readonly TicketPlace[] | null = null
  for (let most = MOST_TICKETS; places === null && most >= 0; most -= 1) places = placesFor(layout, most)
  places ??= layout.points.map(() => get(around(layout, 0), 0))
  known.set(layout, places)
  return places
}

export function lengthOf(most: number): number {
  return TICKET.pitch * most + TICKET.more
}

/** Places for so many tickets at each node; null if some node has none. */
function placesFor(layout: Layout, most: number): TicketPlace[] | null {
  const taken: Box[] = []
  const places: TicketPlace[] = []
  for (const point of layout.points) {
    const place = around(layout, most).find((each) => {
      const box = boxAt(point, each)
      return (
        isWithin(layout, box) && !taken.some((other) => meet(box, other)) && !isOnNode(layout, point, box)
      )
    })
    if (place === undefined) return null
    taken.push(boxAt(point, place))
    places.push(place)
  }
  return places
}

/** Around a node, the best place first: a token stands below it to the right, and above it what it asks for. */
function around({ radius }: Layout, most: number): TicketPlace[] {
  const length = lengthOf(most)
  const [right, left, centre] = [radius + 4, -radius - 2 - length, -length / 2]
  const [above, middle, below] = [-radius - 12, -TICKET.height / 2, radius - 3]
  return [
    { left: right, top: above, most, isLeft: false },
    { left, top: above, most, isLeft: true },
    { left, top: below, most, isLeft: true },
    { left: right, top: below, most, isLeft: false },
    { left: left - 4, top: middle, most, isLeft: true },
    { left: right + 4, top: middle, most, isLeft: false },
    { left: centre, top: radius + 8, most, isLeft: false },
    { left: centre, top: -radius - 8 - TICKET.height, most, isLeft: false },
  ]
}

function boxAt({ x, y }: Point, { left, top, most }: TicketPlace): Box {
  return { x: x + left, y: y + top, width: lengthOf(most), height: TICKET.height }
}

function isWithin({ width, height }: Layout, box: Box): boolean {
  return box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height
}

function meet(one: Box, other: Box): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  )
}

/** Whether it covers another node, or the arc around it. */
function isOnNode({ points, radius }: Layout, own: Point, { x, y, width, height }: Box): boolean {
  return points.some((point) => {
    if (point === own) return false
    const dx = point.x - Math.max(x, Math.min(point.x, x + width))
    const dy = point.y - Math.max(y, Math.min(point.y, y + height))
    return Math.hypot(dx, dy) < radius + 5
  })
}
