import type { Churned } from '../scale/churn.ts'
import { type Measured, measuredWith, SIZES } from '../scale/messages.ts'
import { idleWrites, messagesOfView, pausedShare, pauseOfView, viewsPerHour } from '../scale/model.ts'
import { readRecord } from '../scale/record.ts'
import { markdownTable } from './algorithm-table.ts'

const LEASE = 2000
const MINUTES_OF_A_DAY = 24 * 60
/** With more nodes the record tells. */
const ANEW = 1000

/** Messages per entry: by the formula, and as simulated. */
export function messagesAtScale(): string {
  const all = [...measuredWith(SIZES.filter((nodes) => nodes <= ANEW)), ...readRecord().messages]
  const names = [...new Set(all.map(({ algorithm }) => algorithm))]
  const of = (name: string, nodes: number) =>
    cell(all.find((each) => each.algorithm === name && each.nodes === nodes))
  return markdownTable(
    ['algorithm', ...SIZES.map((nodes) => `${figure(nodes)} nodes`)],
    names.map((name) => [name, ...SIZES.map((nodes) => of(name, nodes))]),
  ).join('\n')
}

function cell(measured: Measured | undefined): string {
  if (measured === undefined) return ''
  const { formula, simulated } = measured
  if (simulated === null) return `${figure(formula ?? 0)} by its formula`
  return formula === null ? figure(simulated) : `${figure(simulated)} (formula ${figure(formula)})`
}

/** A mesh at a meeting place, by the formulas and by what one view of the protocol costs. */
export function meshAtScale(): string {
  const { views } = readRecord()
  const largest = views.at(-1)
  if (largest === undefined) throw new Error('npm run scale -- --only views --record has not run')
  const bytes = largest.bytes / largest.members
  const record = largest.record / largest.members
  const row = (what: string, of: (members: number) => string) => [what, ...SIZES.map(of)]
  const perMinute = (members: number) => members / MINUTES_OF_A_DAY
  return markdownTable(
    ['', ...SIZES.map((members) => `${figure(members)} members`)],
    [
      row('writes at the place while idle, lease 2 s: 2.5 n / T', (n) => `${figure(idleWrites(n, LEASE))}/s`),
      row('messages of a view: 6 n + 12', (n) => figure(messagesOfView(n))),
      row(`bytes of them: ${Math.round(bytes)} n`, (n) => size(bytes * n)),
      row(`the view at the place, and in each member: ${Math.round(record)} n`, (n) => size(record * n)),
      row('pause of all locks with each view: 4 messages of 1 ms', () => `${pauseOfView(1)} ms`),
      row('a member lives for a day: views an hour', (n) => figure(viewsPerHour(perMinute(n)))),
      row('  and messages of views a second', (n) =>
        figure((viewsPerHour(perMinute(n)) * messagesOfView(n)) / 3600),
      ),
      row('  and share of the time in which no lock moves', (n) => percent(pausedShare(perMinute(n), 1))),
    ],
  ).join('\n')
}

export function churnTable(): string {
  const { churn } = readRecord()
  return markdownTable(
    [
      'members',
      'come and go a minute',
      'half of them killed',
      'message takes',
      'views an hour',
      'by the model',
      'pause, mean',
      'longest',
      'share of the time',
      'by the model',
      'from a kill to a view without it, mean',
      'longest',
    ],
    churn.map(churnRow),
  ).join('\n')
}

function churnRow(row: Churned): string[] {
  const { members, perMinute, kills, delay } = row
  return [
    figure(members),
    String(perMinute),
    kills ? 'yes' : 'no',
    `${delay} ms`,
    figure(Math.round(row.views)),
    kills ? '' : figure(Math.round(viewsPerHour(perMinute))),
    `${figure(row.pause)} ms`,
    `${figure(Math.round(row.longestPause))} ms`,
    percent(row.share),
    kills ? '' : percent(pausedShare(perMinute, delay)),
    kills ? leases(row.takeover) : '',
    kills ? leases(row.longestTakeover) : '',
  ]
}

function leases(milliseconds: number): string {
  return `${(milliseconds / LEASE).toFixed(2)} leases`
}

function percent(share: number): string {
  return `${(100 * share).toPrecision(2)} %`
}

function size(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB']
  const unit = Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  return `${(bytes / 1000 ** unit).toPrecision(3)} ${units[unit]}`
}

function figure(value: number): string {
  const rounding = value >= 1000 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 }
  return value.toLocaleString('en-US', rounding)
}
