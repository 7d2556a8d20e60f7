import type { Report } from '@turnwise/simulator/report'

const COLUMNS: readonly (readonly [string, (report: Report) => string | number | null | undefined])[] = [
  ['algorithm', ({ algorithm }) => algorithm],
  ['nodes', ({ nodes }) => nodes],
  ['load', ({ load }) => load],
  ['latency', ({ latency }) => latency],
  ['seed', ({ seed }) => seed],
  ['entries', ({ entries }) => entries],
  ['messages per entry', ({ messages }) => messages.perEntry],
  ['theory', ({ predicted }) => predicted.perEntry.mean],
  ['theory least', ({ predicted }) => predicted.perEntry.min],
  ['theory most', ({ predicted }) => predicted.perEntry.max],
  ['response time', ({ responseTime }) => responseTime?.mean],
  ['response time p99', ({ responseTime }) => responseTime?.p99],
  ['synchronisation delay', ({ syncDelay }) => syncDelay?.mean],
  ['Jain index', ({ fairness }) => fairness.jain],
  ['violations', ({ violations }) => violations.length],
]

/** One line per run, as RFC 4180 has it. */
export function csvOf(reports: readonly Report[]): string {
  const lines = [
    COLUMNS.map(([title]) => title),
    ...reports.map((report) => COLUMNS.map(([, of]) => of(report) ?? '')),
  ]
  return lines.map((cells) => `${cells.map(cell).join(',')}\r\n`).join('')
}

function cell(value: string | number): string {
  const text = Number.isFinite(value) || typeof value === 'string' ? String(value) : ''
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
