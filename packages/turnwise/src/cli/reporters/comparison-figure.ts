import type { Figure, Panel, Series } from '../../chart/figure.ts'
import type { TimedReport } from '../run.ts'

interface Measure {
  readonly title: string
  readonly yLabel: string
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
    of: ({ syncDelay }) => syncDelay?.mean,
  },
]

/** Against the number of nodes where several were measured, else against the load. */
export function comparisonFigure(reports: readonly TimedReport[]): Figure {
  const loads = [...new Set(reports.map(({ load }) => load))]
  const sizes = new Set(reports.map(({ nodes }) => nodes))
  const againstLoad = sizes.size === 1 && loads.length > 1
  const place = (report: TimedReport) => (againstLoad ? loads.indexOf(report.load) : report.nodes)
  const nameOf = (report: TimedReport) =>
    againstLoad || loads.length === 1 ? report.algorithm : `${report.algorithm}, ${report.load}`
  const names = [...new Set(reports.map(nameOf))]
  const [first] = reports
  const panels = MEASURES.map((measure): Panel => {
    const series = names.map((name, colourIndex): Series => {
      const own = reports.filter((report) => nameOf(report) === name)
      const points = own.map((report) => ({ x: place(report), y: measure.of(report) ?? Number.NaN }))
      const theory = own.map((report) => ({ x: place(report), y: measure.theory?.(report) ?? Number.NaN }))
      return { name, colourIndex, points, ...(measure.theory === undefined ? {} : { theory }) }
    })
    return {
      title: measure.title,
      xLabel: againstLoad ? 'load' : 'nodes',
      yLabel: measure.yLabel,
      xTicks: againstLoad ? loads : 'numeric',
      series,
    }
  })
  const load = loads.length === 1 ? `${loads[0]} load, ` : ''
  const nodes = sizes.size === 1 ? `${first.nodes} nodes, ` : ''
  return {
    title: 'Distributed mutual exclusion, side by side',
    subtitle: `${load}${nodes}latency ${first.latency}, seed ${first.seed}`,
    panels,
  }
}
