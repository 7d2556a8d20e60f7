import { get } from '@turnwise/core/bounds'
import type { Report } from '@turnwise/simulator/report'
import type { Figure, Panel, Point, Series } from './figure.ts'
import { meanWithInterval } from './interval.ts'

/** A measure of a run, as it is drawn. */
export interface Measure {
  readonly title: string
  readonly yLabel: string
  /** Why there may be no measurement. */
  readonly absence?: string
  of(report: Report): number | null | undefined
  theory?(report: Report): number | null
}

export const MEASURES: readonly Measure[] = [
  {
    title: 'Messages per entry',
    yLabel: 'messages',
    of: ({ messages }) => messages.perEntry,
    theory: ({ predicted }) => predicted.perEntry.mean,
  },
  {
    title: 'Response time',
    yLabel: 'request to entry (units)',
    of: ({ responseTime }) => responseTime?.mean,
  },
  {
    title: 'Synchronisation delay',
    yLabel: 'exit to next entry (units)',
    absence: 'no node waited for another',
    of: ({ syncDelay }) => syncDelay?.mean,
  },
  {
    title: 'Fairness',
    yLabel: 'Jain index of turns (1 is equal)',
    of: ({ fairness }) => fairness.jain,
  },
]

/** Against the number of nodes if several were measured, with a column of charts for each load; else against the load. */
export function comparisonFigure(
  reports: readonly Report[],
  colourOf: (algorithm: string, place: number) => number = (_, place) => place,
  titleOf: (algorithm: string) => string = (algorithm) => algorithm,
): Figure {
  const loads = [...new Set(reports.map(({ load }) => load))]
  const sizes = new Set(reports.map(({ nodes }) => nodes))
  const againstLoad = sizes.size === 1 && loads.length > 1
  const names = [...new Set(reports.map(({ algorithm }) => algorithm))]
  const columns = againstLoad || loads.length === 1 ? [{ reports, load: null }] : columnsOf(reports, loads)
  // A measure that no run has is left out. One that only some have keeps its place, so that columns can be compared.
  const measures = MEASURES.filter((measure) => reports.some((report) => Number.isFinite(measure.of(report))))
  const panels = measures.flatMap((measure) =>
    columns.map((column): Panel => {
      const place = (report: Report) => (againstLoad ? loads.indexOf(report.load) : report.nodes)
      return {
        title: column.load === null ? measure.title : `${measure.title}, ${column.load} load`,
        xLabel: againstLoad ? 'load' : 'nodes',
        yLabel: measure.yLabel,
        xTicks: againstLoad ? loads : 'numeric',
        ...(measure.absence === undefined ? {} : { absence: measure.absence }),
        series: names.map((name, index) => ({
          ...seriesOf(column.reports, name, colourOf(name, index), measure, place),
          name: titleOf(name),
        })),
      }
    }),
  )
  return {
    title: 'Distributed mutual exclusion, side by side',
    subtitle: conditionsOf(reports, loads, sizes.size),
    ...(columns.length === 1 ? {} : { columns: columns.length }),
    panels,
  }
}

/** What all runs have in common. */
function conditionsOf(reports: readonly Report[], loads: readonly string[], sizes: number): string {
  const first = get(reports, 0)
  const seeds = [...new Set(reports.map(({ seed }) => seed))]
  return [
    ...(loads.length === 1 ? [`${loads[0]} load`] : []),
    ...(sizes === 1 ? [`${first.nodes} ${first.nodes === 1 ? 'node' : 'nodes'}`] : []),
    `latency ${first.latency}`,
    seeds.length === 1 ? `seed ${seeds[0]}` : `seeds ${seeds[0]} to ${seeds.at(-1)}, 95 % intervals`,
  ].join(', ')
}

function columnsOf(reports: readonly Report[], loads: readonly string[]) {
  return loads.map((load) => ({ load, reports: reports.filter((report) => report.load === load) }))
}

function seriesOf(
  reports: readonly Report[],
  name: string,
  colourIndex: number,
  measure: Measure,
  place: (report: Report) => number,
): Series {
  const own = reports.filter(({ algorithm }) => algorithm === name)
  const places = [...new Set(own.map(place))]
  const points = places.map((x) =>
    pointOf(
      x,
      own.filter((report) => place(report) === x),
      measure,
    ),
  )
  const theory = own.map((report) => ({ x: place(report), y: measure.theory?.(report) ?? Number.NaN }))
  return { name, colourIndex, points, ...(measure.theory === undefined ? {} : { theory }) }
}

/** Runs that differ by their seed only are one point. */
function pointOf(x: number, runs: readonly Report[], measure: Measure): Point {
  const values = runs.map((run) => measure.of(run) ?? Number.NaN).filter(Number.isFinite)
  const failed = runs.some(({ violations }) => violations.length > 0) ? { failed: true } : {}
  if (values.length === 0) return { x, y: Number.NaN, ...failed }
  const { mean, low, high } = meanWithInterval(values)
  return values.length === 1 ? { x, y: mean, ...failed } : { x, y: mean, low, high, ...failed }
}
