import type { ElectionReport } from '@turnwise/simulator/election-report'
import { counted, figure, type Terminal, verdict } from '../../terminal/terminal.ts'
import { byType, range } from './run-report.ts'

type TimedElectionReport = ElectionReport & { readonly wallMs: number }

/** An election's report for people. */
export function electionText(report: TimedElectionReport, { paint }: Terminal): string {
  const { messages, predicted, faults } = report
  const rows: [string, string][] = [
    [
      'elected',
      report.elected === null
        ? paint.red('no coordinator that all agree on')
        : paint.bold(`node ${report.elected}`),
    ],
    [
      'called by',
      report.initiators.map(({ node, at }) => (at === 0 ? node : `${node} at ${figure(at)}`)).join(', '),
    ],
    ['dead at the start', report.dead.length === 0 ? 'nobody' : report.dead.join(', ')],
    [
      'messages',
      `${paint.bold(figure(messages.total))}${byType(messages.byType)}   theory ${range(predicted)}`,
    ],
  ]
  if (faults.requested > 0) rows.push(['faults', `${faults.fired} of ${faults.requested} happened`])
  const width = Math.max(...rows.map(([name]) => name.length))
  return [
    `${paint.bold(report.algorithm)}  ${counted(report.nodes, 'node')}, latency ${report.latency}, ${report.channels} channels, ` +
      `seed ${report.seed}`,
    '',
    ...rows.map(([name, value]) => `  ${paint.dim(name.padEnd(width))}  ${value}`),
    '',
    verdict(report, 'one coordinator, agreed by all, the highest of the living', paint),
    paint.dim(`${figure(report.events)} events in ${figure(report.wallMs)} ms; formula ${predicted.formula}`),
  ].join('\n')
}

/** What the reader of an election should know besides its figures. */
export function electionWarnings({ faults, gaveUp }: ElectionReport): string[] {
  const told = faults.neverFired.map((fault) => `the fault ${fault} never happened`)
  return gaveUp ? [...told, 'stopped, because there was no result for a very long time'] : told
}
