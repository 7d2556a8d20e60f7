import { get } from '@turnwise/core/bounds'
import type { Report } from '@turnwise/simulator/report'
import { MEASURES } from '../../chart/comparison-figure.ts'
import { meanWithInterval } from '../../chart/interval.ts'
import { algorithmTitle } from '../../run/algorithm-title.ts'
import { round } from '../round.ts'

/** What the figure shows, as figures. */
export function ComparisonTable({ reports }: { reports: readonly Report[] }) {
  return (
    <details>
      <summary>The figures as a table</summary>
      <div className="compare-scroll">
        <table className="figures">
          <thead>
            <tr>
              <th scope="col">Algorithm</th>
              <th scope="col">Nodes</th>
              <th scope="col">Load</th>
              {MEASURES.map(({ title }) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
              <th scope="col">Theory</th>
              <th scope="col">Formula</th>
            </tr>
          </thead>
          <tbody>{rowsOf(reports).map((runs) => row(runs))}</tbody>
        </table>
      </div>
    </details>
  )
}

function row(runs: readonly Report[]) {
  const { algorithm, nodes, load, predicted } = get(runs, 0)
  return (
    <tr key={`${algorithm} ${nodes} ${load}`}>
      <th scope="row">{algorithmTitle(algorithm)}</th>
      <td>{nodes}</td>
      <td>{load}</td>
      {MEASURES.map((measure) => (
        <td key={measure.title}>{shown(runs.map((run) => measure.of(run) ?? Number.NaN))}</td>
      ))}
      <td>{predicted.perEntry.mean === null ? '–' : round(predicted.perEntry.mean)}</td>
      <td>{predicted.formula}</td>
    </tr>
  )
}

function rowsOf(reports: readonly Report[]): Report[][] {
  const rows = new Map<string, Report[]>()
  for (const report of reports) {
    const key = `${report.algorithm} ${report.nodes} ${report.load}`
    const row = rows.get(key)
    if (row === undefined) rows.set(key, [report])
    else row.push(report)
  }
  return [...rows.values()]
}

function shown(values: readonly number[]): string {
  const measured = values.filter(Number.isFinite)
  if (measured.length === 0) return '–'
  const { mean, high } = meanWithInterval(measured)
  return high === mean ? round(mean) : `${round(mean)} ± ${round(high - mean)}`
}
