import { get } from '@turnwise/core/bounds'
import { scaleLinear, scaleLog } from 'd3-scale'
import { drawnSeries, intervalOf, isDrawable, type Panel, type Place } from './figure.ts'

export interface Tick {
  /** Pixels from the axis' origin. */
  at: number
  /** Empty for the small ticks between two decades. */
  label: string
}

export interface Axis {
  title: string
  ticks: Tick[]
  place: (value: number) => number
}

export interface XAxis extends Axis {
  /** On an axis of names, or of a single number, a sideways shift is not a false value; on others it is. */
  kind: 'quantity' | 'names'
  /** Pixels over which the markers of this x may spread without coming near those of the next. */
  room: (value: number) => number
}

export interface YAxis extends Axis {
  /** The value at the foot of the axis. Smaller values are placed there. */
  lowest: number
}

/** Six on the y axis because d3 then rounds its end up by little: 147 becomes 160, and with five 200. */
const xTickCount = 5
const yTickCount = 6
/** So many measured x have ticks of their own. */
const mostNamed = 8

/** Space between the plot's sides and the outermost points, so that no marker sits on the y axis. */
const inset = 12

/** Share of the distance between two x over which the markers of one may spread. */
const usedGap = 0.6

/** If the labels of an axis get long, all its thousands are written short: 250k, 1.5M. */
const shortFrom = 100_000
const short = scaleLog().tickFormat(Number.POSITIVE_INFINITY, '~s')
const plainNumber = scaleLog().tickFormat(Number.POSITIVE_INFINITY, ',')

function labeller(largest: number, plain: (value: number) => string): (value: number) => string {
  return (value) => (largest >= shortFrom && Math.abs(value) >= 1000 ? short(value) : plain(value))
}

function allPlaces(panel: Panel): Place[] {
  return drawnSeries(panel).flatMap((series) =>
    [...series.points, ...(series.theory ?? [])].filter(isDrawable),
  )
}

export function xAxis(panel: Panel, width: number): XAxis {
  const title = panel.xLabel
  const values = [...new Set(allPlaces(panel).map((place) => place.x))]
  if (Array.isArray(panel.xTicks)) return categoryAxis(title, panel.xTicks, values, width)
  if (values.length === 0) return namesAxis(title, [], width)
  if (values.length > 1) return quantityAxis(title, values, width)
  // A single number has no scale: it stands in the middle, like the only name of a list.
  const label = labeller(Math.abs(get(values, 0)), plainNumber)(get(values, 0))
  return { ...namesAxis(title, [label], width), place: () => width / 2 }
}

function quantityAxis(title: string, values: number[], width: number): XAxis {
  const domain = [Math.min(...values), Math.max(...values)]
  // A few sizes are named themselves; of many the reader needs a ruler.
  const few = values.length <= mostNamed
  // Of 3, 5, 10 and 100 all but the last would stand on one heap.
  const logarithmic = few && get(domain, 0) > 0 && get(domain, 1) > 10 * get(domain, 0)
  const plain = (logarithmic ? scaleLog : scaleLinear)(domain, [inset, width - inset])
  const scale = few ? plain : plain.nice(xTickCount)
  // Half a node does not exist: an axis of whole numbers shows whole numbers only.
  const whole = values.every(Number.isInteger)
  const shown = few
    ? values.toSorted((one, other) => one - other)
    : scale.ticks(xTickCount).filter((value) => !whole || Number.isInteger(value))
  const format = whole || few ? plainNumber : scale.tickFormat(xTickCount)
  const label = labeller(Math.max(...shown.map(Math.abs)), format)
  const places = values.map((value) => scale(value))
  const toEdge = (place: number): number => Math.min(place, width - place)
  return {
    title: logarithmic ? `${title} (log)` : title,
    ticks: shown.map((value) => ({ at: scale(value), label: label(value) })),
    place: (value) => scale(value),
    kind: 'quantity',
    room: (value) => Math.min(usedGap * nearest(places, scale(value)), 2 * toEdge(scale(value))),
  }
}

/** Distance from one of several places to the nearest other. */
function nearest(places: number[], from: number): number {
  return Math.min(...places.filter((place) => place !== from).map((place) => Math.abs(place - from)))
}

function categoryAxis(title: string, names: string[], values: number[], width: number): XAxis {
  const stray = values.find((value) => names[value] === undefined)
  if (stray !== undefined) {
    throw new RangeError(`Expected x to be a position in the ${names.length} names of xTicks, got ${stray}`)
  }
  return namesAxis(title, names, width)
}

function namesAxis(title: string, names: string[], width: number): XAxis {
  const step = width / Math.max(1, names.length)
  const place = (value: number): number => (value + 0.5) * step
  const ticks = names.map((label, index) => ({ at: place(index), label }))
  return { title, ticks, place, kind: 'names', room: () => usedGap * step }
}

export function yAxis(panel: Panel, height: number): YAxis {
  const values = allPlaces(panel).map((place) => place.y)
  if (values.length === 0) return { title: panel.yLabel, ticks: [], place: () => height, lowest: 0 }
  const positive = values.filter((value) => value > 0)
  const spansDecades = Math.max(...positive) > 100 * Math.min(...positive)
  if (spansDecades && values.every((value) => value >= 0)) return logAxis(panel, values, height)

  const low = Math.min(0, ...values)
  const high = Math.max(0, ...values, ...intervalEnds(panel))
  // Quantities that can be compared by height need the zero, and a panel of zeros still needs some height.
  const scale = scaleLinear([low, high > low ? high : 1], [height, 0]).nice(yTickCount)
  const shown = scale.ticks(yTickCount)
  const label = labeller(Math.max(...shown.map(Math.abs)), scale.tickFormat(yTickCount))
  return {
    title: panel.yLabel,
    ticks: shown.map((value) => ({ at: scale(value), label: label(value) })),
    place: (value) => Math.min(height, scale(value)),
    lowest: get(scale.domain(), 0),
  }
}

/** Upper ends only: a lower end far below all values would squeeze them, so it is cut at the base instead. */
function intervalEnds(panel: Panel): number[] {
  return drawnSeries(panel)
    .flatMap((series) => series.points)
    .filter(isDrawable)
    .map((point) => intervalOf(point)?.high ?? point.y)
}

function logAxis(panel: Panel, values: number[], height: number): YAxis {
  const positive = values.filter((value) => value > 0)
  const zeros = positive.length < values.length
  const [lowest] = roundNumbersAround(Math.min(...positive))
  const [, highest] = roundNumbersAround(Math.max(...positive, ...intervalEnds(panel)))
  // A logarithm never reaches zero, so zeros get a place of their own below the smallest value.
  const base = zeros ? height - zeroGap : height
  const scale = scaleLog([lowest, highest], [base, 0])
  const label = labeller(highest, plainNumber)
  // d3 gives the small ticks too as long as there are fewer decades than ticks wanted.
  const named = Math.log10(highest / lowest) <= decadesWithNamedTicks ? [1, 2, 5] : [1]
  const ticks = scale.ticks(decadesWithSmallTicks + 1).map((value) => {
    const digit = Math.round(value / 10 ** Math.floor(Math.log10(value) + 1e-9))
    return { at: scale(value), label: named.includes(digit) ? label(value) : '' }
  })
  return {
    title: `${panel.yLabel} (log)`,
    ticks: zeros ? [{ at: height, label: '0' }, ...ticks] : ticks,
    place: (value) => (value > 0 ? Math.min(height, scale(value)) : height),
    lowest: zeros ? 0 : lowest,
  }
}

const zeroGap = 24
const decadesWithSmallTicks = 6
/** Over so few decades there is room to label 2 and 5 as well. */
const decadesWithNamedTicks = 3.5

/** The nearest of ..., 0.5, 1, 2, 5, 10, ... at or below and at or above a positive value. */
function roundNumbersAround(value: number): [number, number] {
  const exponent = Math.floor(Math.log10(value))
  const steps = [1, 2, 5, 10].map((digit) => Number(`${digit}e${exponent}`))
  const below = steps.findLast((step) => step <= value) ?? get(steps, 0)
  const above = steps.find((step) => step >= value) ?? get(steps, 3)
  return [below, above]
}
