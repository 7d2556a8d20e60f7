import type { Prediction } from '@turnwise/core/facts'
import { counted, figure, type Terminal, verdict } from '../../terminal/terminal.ts'
import type { TimedReport } from '../timed-run.ts'

/** A run's report for people. */
export function reportText(report: TimedReport, { paint }: Terminal): string {
  const { messages, predicted, responseTime, syncDelay, fairness, faults } = report
  const rows: [string, string][] = [
    [
      'entries',
      `${figure(report.entries)}${report.unserved > 0 ? paint.red(`, ${figure(report.unserved)} unserved`) : ''}`,
    ],
    ['messages per entry', `${paint.bold(figure(messages.perEntry))}   theory ${theory(report)}`],
    [
      'messages',
      `${figure(messages.total)}${byType(messages.byType)}, at most ${figure(messages.mostInFlight)} under way`,
    ],
    ['response time', figures(responseTime, ['mean', 'p50', 'p99', 'max'])],
    ...report.byPriority.map(({ priority, entries, responseTime: times }): [string, string] => [
      priority === 0 ? '  ordinary' : `  priority ${priority}`,
      `${figures(times, ['mean', 'p50', 'p99', 'max'])} (${figure(entries)} entries)`,
    ]),
    ...report.byZone.map(({ zone, entries, responseTime: times }): [string, string] => [
      `  zone ${zone}`,
      `${figures(times, ['mean', 'p50', 'p99', 'max'])} (${figure(entries)} entries)`,
    ]),
    ...throughputRow(report),
    ['synchronisation delay', `${figures(syncDelay, ['mean', 'max'])}${delayTheory(report)}`],
    ['fairness', `Jain ${figure(fairness.jain)}, overtaken at most ${counted(fairness.maxBypass, 'time')}`],
    ['inside together', insideText(report)],
  ]
  if (faults.requested > 0) rows.push(['faults', `${faults.fired} of ${faults.requested} happened`])
  const width = Math.max(...rows.map(([name]) => name.length))
  const head =
    `${paint.bold(report.algorithm)}  ${counted(report.nodes, 'node')}, ${report.topology}` +
    (report.quorum === null ? '' : `, ${report.quorum} quorums`) +
    (report.structure === null ? '' : `, structure ${report.structure}`) +
    `, ${report.k > 1 ? `k = ${report.k}, ` : ''}${resourcesText(report)}${report.load} load, ${report.readers > 0 ? `${report.readers} readers, ` : ''}${report.priorities === 'none' ? '' : `priorities ${report.priorities}, `}latency ${report.latency}, ${report.channels} channels, ${report.set.map((setting) => `${setting}, `).join('')}seed ${report.seed}`
  const foot = paint.dim(
    `${figure(report.events)} events in ${figure(report.wallMs)} ms; formula ${predicted.formula}`,
  )
  return [
    head,
    '',
    ...rows.map(([name, value]) => `  ${paint.dim(name.padEnd(width))}  ${value}`),
    '',
    verdict(report, 'exclusion, progress, fences', paint),
    foot,
  ].join('\n')
}

/** Latencies between zones are in milliseconds. */
function throughputRow({ byZone, throughput }: TimedReport): [string, string][] {
  return byZone.length === 0
    ? []
    : [['entries a second', `${figure(perSecond(throughput))} (a unit is a millisecond)`]]
}

export function perSecond(throughput: number | null): number | null {
  return throughput === null ? null : 1000 * throughput
}

function insideText({ resources, maxInside, meanInside }: TimedReport): string {
  return `at most ${maxInside}${resources > 1 ? `, ${figure(meanInside)} on average` : ''}`
}

/** What the reader of a run should know besides its figures. */
export function warnings({ faults, gaveUp }: TimedReport): string[] {
  const told = faults.neverFired.map((fault) => `the fault ${fault} never happened`)
  return gaveUp ? [...told, 'stopped, because nobody entered for a very long time'] : told
}

function resourcesText({ resources, take }: TimedReport): string {
  if (resources === 1) return ''
  return take === null ? `${resources} resources, ` : `${take} of ${resources} resources each, `
}

function delayTheory({ syncDelay, predicted }: TimedReport): string {
  const { min, max } = predicted.syncDelay
  const bounds = min === max ? figure(min) : `${figure(min)} to ${figure(max)}`
  return syncDelay === null ? '' : `   theory ${bounds} message delay${max === 1 ? '' : 's'}`
}

function theory({ predicted: { perEntry } }: TimedReport): string {
  return range(perEntry)
}

/** What is predicted, exactly or from least to most. */
export function range(perEntry: Prediction): string {
  if (perEntry.min === perEntry.max) return `exactly ${figure(perEntry.min)}`
  const bounds = `${figure(perEntry.min)} to ${figure(perEntry.max)}`
  return perEntry.mean === null ? bounds : `${figure(perEntry.mean)} on average, ${bounds}`
}

export function byType(types: Readonly<Record<string, number>>): string {
  const parts = Object.entries(types).map(([type, count]) => `${figure(count)} ${type}`)
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`
}

function figures<Name extends string>(
  values: Readonly<Record<Name, number>> | null,
  names: readonly Name[],
): string {
  return values === null ? '–' : names.map((name) => `${name} ${figure(values[name])}`).join(', ')
}
