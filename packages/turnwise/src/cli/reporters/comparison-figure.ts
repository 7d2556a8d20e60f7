import type { Figure, Panel, Series } from '../../chart/figure.ts'
import type { TimedReport } from '../run.ts'
import { counted } from '../terminal.ts'

interface Measure {
  readonly title: string
  readonly yLabel: string
  /** Why nothing may have been measured. */
  readonly absence?: string
  of(report: TimedReport): number | null | undefined
  theory?(report: TimedReport): number | null
}

const MEASURES: readonly Measure[] = [
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
    absence: 'nobody waited for another',
    of: ({ syncDelay }) => syncDelay?.mean,
  },
]

/** Against the number of nodes where several were measured, with a row of charts for each load; else against the load. */
export function comparisonFigure(reports: readonly TimedReport[]): Figure {
  const loads = [...new Set(reports.map(({ load }) => load))]
  const sizes = new Set(reports.map(({ nodes }) => nodes))
  const againstLoad = sizes.size === 1 && loads.length > 1
  const names = [...new Set(reports.map(({ algorithm }) => algorithm))]
  const rows = againstLoad || loads.length === 1 ? [{ reports, load: null }] : rowsOf(reports, loads)
  const [first] = reports
  // What no run has is left out; what only some have keeps its place, so that rows can be compared.
  const measures = MEASURES.filter((measure) => reports.some((report) => Number.isFinite(measure.of(report))))
  const panels = rows.flatMap((row) =>
    measures.map((measure): Panel => {
      const place = (report: TimedReport) => (againstLoad ? loads.indexOf(report.load) : report.nodes)
      return {
        title: row.load === null ? measure.title : `${measure.title}, ${row.load} load`,
        xLabel: againstLoad ? 'load' : 'nodes',
        yLabel: measure.yLabel,
        xTicks: againstLoad ? loads : 'numeric',
        ...(measure.absence === undefined ? {} : { absence: measure.absence }),
        series: names.map((name, colourIndex) => seriesOf(row.reports, name, colourIndex, measure, place)),
      }
    }),
  )
  const load = loads.length === 1 ? `${loads[0]} load, ` : ''
  const nodes = sizes.size === 1 ? `${counted(first.nodes, 'node')}, ` : ''
  return {
    title: 'Distributed mutual exclusion, side by side',
    subtitle: `${load}${nodes}latency ${first.latency}, seed ${first.seed}`,
    panels,
  }
}

function rowsOf(reports: readonly TimedReport[], loads: readonly string[]) {
  return loads.map((load) => ({ load, reports: reports.filter((report) => report.load === load) }))
}

function seriesOf(
  reports: readonly TimedReport[],
  name: string,
  colourIndex: number,
  measure: Measure,
  place: (report: TimedReport) => number,
): Series {
  const own = reports.filter(({ algorithm }) => algorithm === name)
  const points = own.map((report) => ({
    x: place(report),
    y: measure.of(report) ?? Number.NaN,
    ...(report.violations.length === 0 ? {} : { failed: true }),
  }))
  const theory = own.map((report) => ({ x: place(report), y: measure.theory?.(report) ?? Number.NaN }))
  return { name, colourIndex, points, ...(measure.theory === undefined ? {} : { theory }) }
}
