import { get } from '@turnwise/core/bounds'
import { line } from 'd3-shape'
import type { Axis, YAxis } from './axis.ts'
import { inOrder, intervalOf, isDrawable, type Place, type Point, type Series } from './figure.ts'
import { type Mark, markOf } from './palette.ts'
import type { Shifts } from './spread.ts'
import { element, moveTo, rounded, textElement } from './svg.ts'

const measuredStroke = { fill: 'none', 'stroke-width': 1.5, 'stroke-linejoin': 'round' }
const theoryStroke = { fill: 'none', 'stroke-width': 1, 'stroke-dasharray': '4 3' }
/** Thinner and paler than all that is measured or predicted: it leads the eye, and says nothing. */
const leaderStroke = { fill: 'none', 'stroke-width': 0.75, 'stroke-opacity': 0.6 }
const intervalStroke = { fill: 'none', 'stroke-width': 1 }

const failureColour = '#c00000'
const capReach = 3
const markerReach = 6
/** A prediction for one x only has no line to lie on; it becomes a dash this far to both sides. */
const dashReach = 12

/** Markers are half transparent, so that of two at the same place both shapes are seen. */
export function drawMarker({ colour, path }: Mark, x: number, y: number): string {
  return element('path', {
    class: 'marker',
    transform: moveTo(x, y),
    d: path,
    fill: colour,
    'fill-opacity': 0.35,
    stroke: colour,
    'stroke-width': 1.5,
  })
}

/** A ring around the marker of a run that failed. */
export function drawFailure(x: number, y: number): string {
  return element('circle', {
    class: 'failure',
    cx: x,
    cy: y,
    r: 8,
    fill: 'none',
    stroke: failureColour,
    'stroke-width': 2,
  })
}

export function drawMeasuredLine(colour: string, path: string): string {
  return element('path', { class: 'measured', d: path, ...measuredStroke, stroke: colour })
}

export function drawTheoryLine(colour: string, path: string): string {
  return element('path', { class: 'theory', d: path, ...theoryStroke, stroke: colour })
}

/** From the end of a line to its name, clear of both markers. */
export function drawLeader(colour: string, from: Place, to: Place): string {
  const [start, end] = [from.x + markerReach, to.x - markerReach]
  const path = `M${rounded(start)},${rounded(from.y)}L${rounded(end)},${rounded(to.y)}`
  return element('path', { class: 'leader', d: path, ...leaderStroke, stroke: colour })
}

export interface Whisker {
  x: number
  top: number
  bottom: number
  /** The interval goes on below the axis: it has no lower cap. */
  cut: boolean
}

export function drawWhisker(colour: string, { x, top, bottom, cut }: Whisker): string {
  const cap = (y: number): string => `M${rounded(x - capReach)},${rounded(y)}H${rounded(x + capReach)}`
  const path = `M${rounded(x)},${rounded(top)}V${rounded(bottom)}${cap(top)}${cut ? '' : cap(bottom)}`
  return element('path', { class: 'interval', d: path, ...intervalStroke, stroke: colour })
}

type ToPixels = (place: Place) => number

/** One series in the coordinates of its plot. */
export function drawSeries(series: Series, xAxis: Axis, yAxis: YAxis, shifts: Shifts): string {
  const mark = markOf(series.colourIndex)
  const toX: ToPixels = ({ x }) => xAxis.place(x) + shifts.lines
  const toY: ToPixels = ({ y }) => yAxis.place(y)
  const points = inOrder(series.points).filter(isDrawable)
  const markerX = points.map(({ x }, index) => xAxis.place(x) + get(shifts.markers, index))
  const theory = theoryPath(series, toX, toY)
  const measured = points.length > 1 ? linePath(inOrder(series.points), toX, toY) : ''
  const whiskers = points.flatMap((point, index) => whiskersOf(point, get(markerX, index), yAxis))

  return element('g', { class: 'series' }, [
    textElement('title', series.name),
    ...(theory === '' ? [] : [drawTheoryLine(mark.colour, theory)]),
    ...whiskers.map((whisker) => drawWhisker(mark.colour, whisker)),
    ...(measured === '' ? [] : [drawMeasuredLine(mark.colour, measured)]),
    ...points.map((point, index) => drawMarker(mark, get(markerX, index), toY(point))),
    ...points.flatMap((point, index) => (point.failed ? [drawFailure(get(markerX, index), toY(point))] : [])),
  ])
}

/** Straight from place to place, broken where one was not measured. */
function linePath(places: Place[], toX: ToPixels, toY: ToPixels): string {
  return line<Place>(toX, toY).defined(isDrawable).digits(2)(places) ?? ''
}

function theoryPath(series: Series, toX: ToPixels, toY: ToPixels): string {
  const theory = inOrder(series.theory ?? [])
  const predicted = theory.filter(isDrawable)
  if (predicted.length !== 1) return linePath(theory, toX, toY)
  const [x, y] = [toX(get(predicted, 0)), toY(get(predicted, 0))]
  return `M${rounded(x - dashReach)},${rounded(y)}H${rounded(x + dashReach)}`
}

function whiskersOf(point: Point, x: number, yAxis: YAxis): Whisker[] {
  const interval = intervalOf(point)
  if (interval === undefined) return []
  const { low, high } = interval
  return [{ x, top: yAxis.place(high), bottom: yAxis.place(low), cut: low < yAxis.lowest }]
}
