import { get } from '@turnwise/core/bounds'
import type { XAxis, YAxis } from './axis.ts'
import { inOrder, isDrawable, type Place, type Series } from './figure.ts'
import { type Mark, markOf } from './palette.ts'
import { drawLeader, drawMarker } from './series-marks.ts'
import type { Shifts } from './spread.ts'
import { tickText } from './style.ts'
import { element, textElement } from './svg.ts'
import { textWidth } from './text.ts'

/** The name of a series where its line ends, in the coordinates of its plot. */
export interface LineLabel {
  name: string
  mark: Mark
  /** The last marker of the line. */
  end: Place
  /** The middle of the marker that the name follows. */
  place: Place
  width: number
}

/** More names than these at one side are no easier to follow than a legend. */
const mostLabels = 10
const widestName = 150
export const labelPitch = 14
/** From the last marker of all and from the plot to the markers of the labels, and from these to their names. */
const clearance = 18
const beside = 8
const nameGap = 8

/** The labels of those series whose line ends where the panel ends. For the others a legend is needed. */
export function layoutLineLabels(
  series: readonly Series[],
  shifts: readonly Shifts[],
  { x, y, width, height }: { x: XAxis; y: YAxis; width: number; height: number },
): LineLabel[] {
  const ends = series.flatMap(({ name, colourIndex, points }, index) => {
    const drawn = inOrder(points).filter(isDrawable)
    const last = drawn.at(-1)
    if (last === undefined) return []
    const end = { x: x.place(last.x) + (get(shifts, index).markers.at(-1) ?? 0), y: y.place(last.y) }
    return [{ name, mark: markOf(colourIndex), at: last.x, end, isLine: drawn.length > 1 }]
  })
  const lastX = Math.max(...ends.map(({ at }) => at))
  const named = ends
    .filter(({ at, isLine, name }) => isLine && at === lastX && textWidth(name, tickText) <= widestName)
    // Of lines that end together, the one with the marker to the right is named first: leaders do not cross.
    .toSorted((one, other) => one.end.y - other.end.y || other.end.x - one.end.x)
  if (named.length === 0 || named.length > mostLabels || named.length * labelPitch > height) return []
  const left = Math.max(width + beside, ...ends.map(({ end }) => end.x + clearance))
  const heights = pushedApart(
    named.map(({ end }) => end.y),
    { pitch: labelPitch, from: 0, to: height },
  )
  return named.map(({ name, mark, end }, index) => ({
    name,
    mark,
    end,
    place: { x: left, y: get(heights, index) },
    width: nameGap + textWidth(name, tickText),
  }))
}

/**
 * As near as possible to where they should stand (in the sum of the squares), in their order, this far from one another
 * and between two ends. Neighbours that would touch become a block around the middle of what they wish, as in isotonic
 * regression. Those that do not fit between the ends go over the second.
 */
export function pushedApart(
  wished: readonly number[],
  { pitch, from, to }: { pitch: number; from: number; to: number },
): number[] {
  // Without the distance that each must keep from the first, they only have to keep their order.
  const blocks: { sum: number; count: number }[] = []
  for (const [index, place] of wished.entries()) {
    let block = { sum: place - index * pitch, count: 1 }
    for (let before = blocks.at(-1); before !== undefined; before = blocks.at(-1)) {
      if (before.sum / before.count <= block.sum / block.count) break
      block = { sum: before.sum + block.sum, count: before.count + block.count }
      blocks.pop()
    }
    blocks.push(block)
  }
  const highest = Math.max(from, to - (wished.length - 1) * pitch)
  return blocks
    .flatMap(({ sum, count }) => Array.from({ length: count }, () => sum / count))
    .map((place, index) => Math.min(highest, Math.max(from, place)) + index * pitch)
}

export function drawLineLabel({ name, mark, end, place }: LineLabel): string {
  return element('g', { class: 'line-label', 'font-size': tickText.size }, [
    drawLeader(mark.colour, end, place),
    drawMarker(mark, place.x, place.y),
    textElement('text', name, { x: place.x + nameGap, y: place.y + tickText.size * 0.36 }),
  ])
}
