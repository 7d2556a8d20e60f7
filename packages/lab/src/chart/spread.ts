import { get } from '@turnwise/core/bounds'
import type { XAxis, YAxis } from './axis.ts'
import { inOrder, isDrawable, type Series } from './figure.ts'

/** How far one series is moved sideways, in pixels. */
export interface Shifts {
  lines: number
  /** One per drawable point, from left to right. */
  markers: number[]
}

const pitch = 12
const tiedPitch = 8
/** However many are tied, they stay where a reader still takes them for one place. */
const widestTie = 32
/** Markers closer than this hide each other. */
const tiedWithin = 2

/**
 * Moves markers apart that would hide each other: several algorithms with the very same delay are the rule,
 * and a reader must see that they are several.
 */
export function sideShifts(series: Series[], x: XAxis, y: YAxis): Shifts[] {
  if (x.kind === 'quantity') return tieShifts(series, x, y)
  const step = Math.min(pitch, x.room(0) / Math.max(1, series.length))
  return series.map(({ points }, index) => {
    const shift = fromCentre(index, series.length) * step
    return { lines: shift, markers: points.filter(isDrawable).map(() => shift) }
  })
}

const fromCentre = (index: number, count: number): number => index - (count - 1) / 2

/** Where x is a quantity, lines stay true and only markers at nearly the same place move. */
function tieShifts(series: Series[], x: XAxis, y: YAxis): Shifts[] {
  const shifts = series.map(({ points }) => ({ lines: 0, markers: points.filter(isDrawable).map(() => 0) }))
  for (const tied of tiedSpots(series, y)) {
    const step = Math.min(tiedPitch, x.room(get(tied, 0).x) / tied.length, widestTie / tied.length)
    const inSeriesOrder = tied.toSorted((one, other) => one.owner - other.owner)
    for (const [rank, { owner, index }] of inSeriesOrder.entries()) {
      get(shifts, owner).markers[index] = fromCentre(rank, tied.length) * step
    }
  }
  return shifts
}

/** A marker: the series it belongs to, which of its points it is, and where it would stand. */
interface Spot {
  owner: number
  index: number
  x: number
  at: number
}

/** All markers in groups of those that hide each other. */
function tiedSpots(series: Series[], y: YAxis): Spot[][] {
  const spots = series.flatMap(({ points }, owner) =>
    inOrder(points)
      .filter(isDrawable)
      .map((point, index) => ({ owner, index, x: point.x, at: y.place(point.y) })),
  )
  const groups: Spot[][] = []
  for (const spot of spots.toSorted((one, other) => one.x - other.x || one.at - other.at)) {
    const group = groups.at(-1)
    if (group !== undefined && get(group, 0).x === spot.x && spot.at - get(group, 0).at < tiedWithin)
      group.push(spot)
    else groups.push([spot])
  }
  return groups
}
