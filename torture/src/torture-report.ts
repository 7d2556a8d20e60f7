import { join } from 'node:path'
import { get } from '@turnwise/core/bounds'
import type { Audited } from '../../packages/cli/src/audit/audit-files.ts'
import { heldText, troublesIn } from '../../packages/cli/src/audit/audit-report.ts'
import { durationText } from '../../packages/cli/src/terminal/duration.ts'
import { counted, figure, type Terminal } from '../../packages/cli/src/terminal/terminal.ts'
import type { TortureRun } from './command.ts'
import type { Deed, Moment } from './deeds.ts'
import { tooManyExcused } from './excuses.ts'
import type { Finding } from './judges.ts'
import type { Round } from './plan.ts'
import { STRIKES, summaryOf } from './service.ts'
import { type RoundReport, tracesIn } from './torture.ts'
import { HOARD } from './torture-messages.ts'
import { needsKernel } from './torture-stage.ts'

export interface TortureOutcome {
  readonly reports: readonly RoundReport[]
  readonly audited: Audited
  /** Where the log and the traces are, if they were kept. */
  readonly directory: string | null
  readonly isCutShort: boolean
}

export function openingText(run: TortureRun, { paint }: Pick<Terminal, 'paint'>): string {
  const { seed, ids, locks, algorithm, leaseMs, rounds, security, patienceMs, ownNamespace, at } = run
  const names = locks.map(lockText)
  return [
    `${paint.bold(`seed ${seed}`)}  ${algorithm}, ${ids.length} processes, lease ${durationText(leaseMs)}, ${counted(rounds.length, 'round')}`,
    `locks: ${names.join(', ')}${at === null ? SECURITY_TEXTS[security] : ''}`,
    at === null
      ? `in a round at most ${counted(Math.floor((ids.length - 1) / 2), 'node')} of ${ids.length} lose their state directory, a minority: more is not promised`
      : `they meet at ${PLACE_TEXTS[at]}`,
    ...(ownNamespace || at === 'directory' ? [] : [at === null ? WITHOUT_KERNEL : ENGINE_WITHOUT_KERNEL]),
    `after it everyone must be in one view and have been let in at every name within ${durationText(patienceMs)}`,
    '',
  ].join('\n')
}

/** What is left out, or done otherwise, without `--own-namespace`. */
const WITHOUT_KERNEL =
  'left out without --own-namespace: read-only disks and lossy ways; dropped ways are swallowed in their relays'

const ENGINE_WITHOUT_KERNEL =
  'left out without --own-namespace: lossy ways; dropped ways are swallowed in their relays'

const PLACE_TEXTS = { directory: 'a directory', postgres: 'a PostgreSQL', etcd: 'an etcd' }

const SECURITY_TEXTS = { none: '', secret: '; with a shared secret', tls: '; with certificates' }

function lockText({ name, shared, steals, permits, group, burst }: TortureRun['locks'][number]): string {
  const how = [
    ...(shared > 0 ? [`${shared} % shared`] : []),
    ...(steals > 0 ? [`${steals} % stolen`] : []),
    ...(permits > 1 ? [`${permits} permits`] : []),
    ...(group === undefined ? [] : [`some of ${group.length} names`]),
    ...(burst > 1 ? ['in bursts'] : []),
  ]
  return how.length === 0 ? name : `${name} (${how.join(', ')})`
}

/** What will be done in a round, in the order of its beginning. */
export function beganText({ number, steps, lasts }: Round): string {
  return `round ${number}  ${durationText(lasts)}: ${deedsText(steps.map(({ deed }) => deed))}`
}

/** Deeds of one kind together: the ways of a cut are many. */
function deedsText(deeds: readonly Deed[]): string {
  const said = deeds.flatMap((deed) => {
    switch (deed.do) {
      case 'start':
        return [
          `start ${deed.id}${deed.keepsState ? '' : ' without its state'}${leaseText(deed.leaseFactor)}`,
        ]
      case 'clone':
        return [`start ${deed.id} with the state of ${deed.of}`]
      case 'put-back':
        return [`put back an old state of ${deed.id}`]
      case 'fill':
        return [`fill the disk of ${deed.id}`]
      case 'protect':
        return [`make the disk of ${deed.id} read-only`]
      case 'change-voters':
        return [`${deed.id} wants ${deed.voters.join(' ')} to vote${momentText(deed.meets)}`]
      case 'hoard':
        return [`${deed.id} asks for ${figure(HOARD)} names`]
      case 'block':
        return [`block ${deed.id} for ${durationText(deed.lasts)}`]
      case 'cut':
        return [`cut ${deed.from}→${deed.to} (${deed.how})${momentText(deed.meets)}`]
      case 'engine':
        return [`${deed.what} the engine`]
      case 'lose':
        return [`lose ${deed.what === 'question' ? 'a' : 'an'} ${deed.what} of ${deed.id}`]
      case 'heal':
      case 'linger':
      case 'stand-by':
      case 'copy':
        return []
      case 'kill':
      case 'stop':
        return [`${deed.do} ${deed.id}${momentText(deed.meets, deed.id)}`]
      default:
        return [`${deed.do} ${deed.id}`]
    }
  })
  const cuts = said.filter((text) => text.startsWith('cut'))
  const most = 6
  if (cuts.length <= most) return said.join(', ')
  const rest = said.filter((text) => !text.startsWith('cut'))
  return [...rest, `${cuts.length} one-way cuts`].join(', ')
}

function leaseText(lease = 1): string {
  return lease === 1 ? '' : ` with ${figure(Math.round(lease * 10) / 10)} times the lease`
}

function momentText(meets: Moment | null, id = ''): string {
  if (meets === null) return ''
  return meets.inside === id ? ' inside' : ` while ${meets.inside} is inside`
}

export function endedText(
  { served, counts, findings, unjudged, isExcused }: RoundReport,
  { paint }: Pick<Terminal, 'paint'>,
): string {
  if (unjudged !== null) return `         ${paint.yellow('cut short')}: ${unjudged}`
  const { turns, lost, stolen, refused, views } = counts
  const sofar = `so far ${counted(turns, 'turn')}, ${lost} lost, ${stolen} stolen, ${refused} stale and refused, ${counted(views, 'view')}`
  const when =
    served === null ? paint.red('not all served') : `all served ${durationText(served)} after the repair`
  const excuse = isExcused ? `, too late, which ${paint.yellow('a stall of the machine excuses')}` : ''
  const found = findings.length === 0 ? '' : `; ${paint.red(counted(findings.length, 'finding'))}`
  return `         ${when}${excuse}; ${sofar}${found}`
}

export function tortureText(run: TortureRun, outcome: TortureOutcome, terminal: Terminal): string {
  const { paint } = terminal
  const { reports, audited, directory, isCutShort } = outcome
  const findings = findingsIn(outcome)
  const {
    turns = 0,
    lost = 0,
    stolen = 0,
    givenUp = 0,
    refused = 0,
    views = 0,
  } = reports.at(-1)?.counts ?? {}
  const cut = isCutShort ? ', cut short' : ''
  const slowest = Math.max(0, ...reports.map(({ served }) => served ?? 0))
  return [
    '',
    `${counted(reports.length, 'round')}${cut}: ${deedCounts(run, reports.length)}`,
    `${counted(turns, 'turn')}, ${lost} lost, ${stolen} stolen, ${givenUp} given up; ${refused} stale uses of the register refused; ${counted(views, 'view')}`,
    `everyone served at most ${durationText(slowest)} after a repair; a stall of the machine excuses ${figure(countExcused(reports))} of ${counted(reports.length, 'round')}`,
    ...serviceText(run, reports),
    ...(troublesIn(audited).length === 0 ? [`audit: ${heldText(audited)}`] : []),
    '',
    ...(findings.length === 0
      ? [promiseText(reports, paint)]
      : [
          `${paint.red(paint.bold('violated'))}:`,
          ...findings.slice(0, MOST).map(({ judge, text }) => `  ${paint.red(judge)}  ${text}`),
          ...(findings.length > MOST ? [`  and ${findings.length - MOST} more`] : []),
          '',
          `the same schedule again: ${replayCommand(run)}`,
          `only the round in which it was found: ${replayCommand(run, reports.at(-1)?.round.number)}`,
        ]),
    ...(directory === null ? [] : keptText(run, directory, reports)),
  ].join('\n')
}

/** What the judges found while it ran, and what the audits say after it. */
function findingsIn({ reports, audited }: TortureOutcome): Finding[] {
  const troubles = troublesIn(audited)
  return [
    ...reports.flatMap((report) => report.findings),
    ...troubles.map((text) => ({ judge: 'audit' as const, at: 0, name: null, text })),
  ]
}

/** A row for each fault, as docs/torture.md has them. */
function serviceText({ service, leaseMs }: TortureRun, reports: readonly RoundReport[]): string[] {
  if (!service) return []
  const gaps = reports.flatMap((report) => report.gaps)
  const rows = summaryOf(gaps, leaseMs).map(
    ({ strike, count, median, most }) =>
      `| ${STRIKES[strike]} | ${count} | ${median.toFixed(1)} | ${most.toFixed(1)} |`,
  )
  return [
    '',
    'nobody was served for so many leases:',
    '',
    '| fault | times | median | maximum |',
    '|---|---|---|---|',
    ...rows,
  ]
}

function promiseText(reports: readonly RoundReport[], paint: Terminal['paint']): string {
  const unjudged = reports.at(-1)?.unjudged ?? null
  const excess = excessOf(reports)
  if (unjudged !== null)
    return `${paint.yellow('cut short')}: ${unjudged}; exclusion, fences and the register held`
  if (excess !== null)
    return `${paint.red('failed')}: ${excess}, so whether everyone is served is not known; exclusion, fences and the register held`
  return `${paint.green('held')}: exclusion, fences, register, nobody forgotten, everyone served`
}

function countExcused(reports: readonly RoundReport[]): number {
  return reports.filter(({ isExcused }) => isExcused).length
}

/** What is wrong with how many rounds were excused, or null. */
export function excessOf(reports: readonly RoundReport[]): string | null {
  return tooManyExcused(countExcused(reports), reports.length)
}

const MOST = 10

function keptText(run: TortureRun, directory: string, reports: readonly RoundReport[]): string[] {
  const last = reports.at(-1)
  if (last === undefined) return [`kept in ${directory}`]
  const name = last.findings.find((finding) => finding.name !== null)?.name ?? get(run.locks, 0).name
  const traces = join(tracesIn(directory, last.round.number), name)
  return [
    `kept in ${directory}: log.jsonl, and what each node saw of each lock`,
    // At a place every process is a member of its own, and only what one of them saw can be shown.
    `  turnwise replay ${traces}/${run.at === null ? '*' : `${run.ids[0]}.trace`}`,
  ]
}

/** The torture enters a namespace of its own by itself, so the command does not ask for one. */
export function replayCommand(run: TortureRun, round: number | null = run.only): string {
  const { seed, minutes, ids, algorithm, leaseMs, security, beginWith, service, at, parts } = run
  return [
    `npm run torture -- --seed ${seed} --minutes ${minutes} --nodes ${ids.length} --algorithm '${algorithm}' --lease ${leaseMs}ms`,
    at === null ? `--security ${security}` : `--at ${at}`,
    ...(round === null ? [] : [`--round ${round}`]),
    ...(parts === null ? [] : [`--parts ${parts.join()}`]),
    ...(beginWith === null ? [] : [`--begin-with ${beginWith}`]),
    ...(service ? ['--service'] : []),
  ].join(' ')
}

/** How often each was done, in the rounds that were run. */
function countDeeds(run: TortureRun, rounds: number): Record<string, number> {
  const counts: Record<string, number> = {}
  const done = run.rounds
    .slice(0, rounds)
    .flatMap(({ steps, repairs }) => [...steps.map(({ deed }) => deed), ...repairs])
  for (const deed of done) {
    if (!run.ownNamespace && needsKernel(deed)) continue
    // What every round ends with is no change.
    if (deed.do === 'change-voters' && deed.voters.length === run.ids.length) continue
    const what = kindOf(deed)
    if (deed.do === 'cut') counts[deed.how] = (counts[deed.how] ?? 0) + 1
    counts[what] = (counts[what] ?? 0) + 1
  }
  return counts
}

function kindOf(deed: Deed): string {
  if (deed.do === 'engine') return `engine-${deed.what}`
  return deed.do === 'start' && !deed.keepsState ? 'lost-disk' : deed.do
}

/** At a place: nobody has a disk or votes there. */
function placeCounts(counts: Readonly<Record<string, number>>): string {
  const { kill = 0, stop = 0, leave = 0, cut = 0, block = 0, hoard = 0, lose = 0 } = counts
  const { 'engine-kill': killed = 0, 'engine-stop': stopped = 0 } = counts
  const { dropped = 0, lossy = 0 } = counts
  return [
    `${figure(kill)} killed, ${figure(stop)} stopped, ${figure(leave)} left, ${figure(block)} blocked, ${counted(hoard, 'large table')}`,
    ...(cut + killed + stopped + lose === 0
      ? []
      : [
          `the engine ${figure(killed)} times killed, ${figure(stopped)} times stopped, ${figure(lose)} questions or answers lost, ${counted(cut, 'cut')} (${figure(dropped)} dropped, ${figure(lossy)} lossy)`,
        ]),
  ].join('; ')
}

function deedCounts(run: TortureRun, rounds: number): string {
  const counts = countDeeds(run, rounds)
  if (run.at !== null) return placeCounts(counts)
  const { kill = 0, stop = 0, leave = 0, cut = 0, 'lost-disk': lost = 0 } = counts
  const { clone = 0, 'put-back': old = 0, fill = 0, block = 0, hoard = 0, protect = 0 } = counts
  const { dropped = 0, lossy = 0, 'change-voters': voters = 0 } = counts
  return [
    `${figure(kill)} killed, ${figure(lost)} of them lost their state, ${figure(stop)} stopped, ${figure(leave)} left, ${figure(cut)} one-way cuts (${figure(dropped)} dropped, ${figure(lossy)} lossy)`,
    `${counted(old, 'old disk')}, ${counted(clone, 'clone')}, ${counted(fill, 'full disk')}, ${figure(block)} blocked, ${counted(hoard, 'large table')}, ${counted(protect, 'read-only disk')}, ${counted(voters, 'wish')} for voters`,
  ].join('; ')
}

function rounded(leases: number): number {
  return Math.round(leases * 10) / 10
}

export function tortureJson(run: TortureRun, outcome: TortureOutcome): string {
  const { reports, audited, directory, isCutShort } = outcome
  const { seed, minutes, ids, algorithm, leaseMs, locks, patienceMs, ownNamespace, at } = run
  const findings = findingsIn(outcome)
  return JSON.stringify(
    {
      seed,
      at,
      minutes,
      nodes: ids.length,
      algorithm,
      lease: leaseMs,
      locks,
      security: at === null ? run.security : null,
      patience: patienceMs,
      ownNamespace,
      service: summaryOf(
        reports.flatMap((report) => report.gaps),
        leaseMs,
      ).map((row) => ({ ...row, median: rounded(row.median), most: rounded(row.most) })),
      rounds: reports.map(({ round, served, isExcused, counts }) => ({
        number: round.number,
        lasts: round.lasts,
        served: served === null ? null : Math.round(served),
        isExcused,
        ...counts,
      })),
      deeds: countDeeds(run, reports.length),
      isCutShort,
      unjudged: reports.at(-1)?.unjudged ?? null,
      excused: countExcused(reports),
      excess: excessOf(reports),
      audited: audited.files.reduce((sum, { events }) => sum + events, 0),
      findings: findings.map((finding) => ({ ...finding, at: Math.round(finding.at) })),
      directory,
      replay: replayCommand(run),
    },
    null,
    2,
  )
}
