import { randomInt } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { catalogue } from '@turnwise/algorithms/catalogue'
import { know } from '@turnwise/algorithms/texts'
import { get } from '@turnwise/core/bounds'
import { decimal, InvalidInput, invalid, wholeNumber } from '@turnwise/core/invalid-input'
import { requireFit } from '@turnwise/mesh/protocol/fit'
import { DEFAULT_ALGORITHM } from '@turnwise/mesh/protocol/serving'
import { troublesIn } from '../../packages/cli/src/audit/audit-report.ts'
import { type Add, run } from '../../packages/cli/src/cli/main.ts'
import { duration, durationText } from '../../packages/cli/src/terminal/duration.ts'
import { given, reasonOf } from '../../packages/cli/src/terminal/input.ts'
import { processTerminal, type Terminal } from '../../packages/cli/src/terminal/terminal.ts'
import { present } from '../../test/present.ts'
import { Audits } from './audits.ts'
import { IDS, LOCKS } from './cast.ts'
import { drawSecurity, SECURITIES, type SecurityKind } from './credentials.ts'
import { PLACES, type PlaceName } from './deeds.ts'
import { plan, type Round } from './plan.ts'
import { shrinkRound } from './rerun.ts'
import { planService, SERVICE_LOCKS } from './service.ts'
import { type SetPiece, setPiecesAt } from './set-pieces.ts'
import { patienceFor, type RoundReport, Torture } from './torture.ts'
import {
  beganText,
  endedText,
  excessOf,
  openingText,
  replayCommand,
  tortureJson,
  tortureText,
} from './torture-report.ts'
import type { StageOptions } from './torture-stage.ts'

interface TortureOptions {
  readonly at?: string
  readonly minutes: string
  readonly seed?: string
  readonly nodes: string
  readonly algorithm: string
  readonly lease: string
  readonly security?: string
  readonly round?: string
  readonly parts?: string
  readonly shrink?: true
  readonly beginWith?: string
  readonly service?: true
  readonly ownNamespace?: true
  readonly keep?: string
  readonly json?: true
}

/** What is asked for, read and found possible. */
export interface TortureRun extends Omit<StageOptions, 'directory' | 'audits'> {
  readonly minutes: number
  readonly rounds: readonly Round[]
  /** The one round that is run, if not all are. */
  readonly only: number | null
  /** The parts of that round that are done, from 1; null for all. */
  readonly parts: readonly number[] | null
  /** With what every round begins; null if the seed draws it. */
  readonly beginWith: SetPiece | null
  readonly patienceMs: number
  /** Rounds of one fault each measure for how long nobody is served. */
  readonly service: boolean
}

const SEEDS = 2 ** 32
/** As of a search that was not finished: it proves nothing. */
const UNPROVEN = 3
const SIGNALS: Readonly<Record<string, number>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }

/** Runs the torture and returns its exit code. */
export function torture(args: readonly string[], terminal: Terminal = processTerminal()): Promise<number> {
  return run('torture', [addTorture], args, terminal)
}

const addTorture: Add = (program, terminal, exit) => {
  program
    .description(
      'Starts processes on this machine that take turns at a few locks and use what they guard, while they are killed, ' +
        'stopped, cut off from each other and started again, with and without their state. A referee in a process of its ' +
        'own writes down what they do; judges read it.',
    )
    .option('--at <place>', `where they meet: ${PLACES.join(', ')} (default: they are named, and vote)`)
    .option('--minutes <count>', 'for how long, 0.1 to 1440', '1')
    .option(
      '--seed <number>',
      'draws what is done to whom, and when (default: another each time; it is printed)',
    )
    .option('--nodes <count>', `how many processes, 3 to ${IDS.length}`, '5')
    .option('--algorithm <name>', 'an algorithm of the catalogue', DEFAULT_ALGORITHM)
    .option('--lease <time>', 'how long the others wait for a silent node, 300ms to 10s', '1s')
    .option(
      '--security <how>',
      `how nodes prove who they are: ${SECURITIES.join(', ')} (default: drawn by the seed)`,
    )
    .option('--round <number>', 'only this round of the schedule')
    .option('--parts <numbers>', 'of --round only these parts, such as 1,4: what --shrink found')
    .option('--shrink', 'if a judge objects: run that round again with less and less of its schedule')
    .option(
      '--begin-with <what>',
      `what every round begins with: ${setPiecesAt(null).join(', ')}; at a place ${setPiecesAt('etcd').join(', ')} (default: drawn by the seed)`,
    )
    .option('--service', 'rounds of one fault each instead: for how long does a lock serve nobody after it?')
    .option(
      '--own-namespace',
      'drop packets in the kernel and make disks read-only; run it under unshare --net --mount',
    )
    .option(
      '--keep <directory>',
      'keep the log and the traces of the last two rounds here, also if all is well',
    )
    .option('--json', 'print the report as JSON; progress goes to standard error')
    .addHelpText('after', HELP)
    .action(async (options: TortureOptions) => {
      exit(await play(runFrom(options), options, terminal))
    })
}

function runFrom(options: TortureOptions): TortureRun {
  const { algorithm } = options
  const { seed: drawn = String(randomInt(SEEDS)), round } = options
  const read = <Value>(option: keyof TortureOptions, text: string, value: (text: string) => Value) =>
    given(`--${option}`, text, () => value(text))
  const minutes = read('minutes', options.minutes, (text) => decimal(text, 'a time in minutes', TIMES))
  const seed = read('seed', drawn, (text) => wholeNumber(text, 'a seed', 0))
  const count = read('nodes', options.nodes, (text) => wholeNumber(text, 'a number of nodes', 3, IDS.length))
  const leaseMs = read('lease', options.lease, leaseFrom)
  know(catalogue)
  read('algorithm', algorithm, (text) => requireFit(text, count))
  const ids = IDS.slice(0, count)
  const at = options.at === undefined ? null : read('at', options.at, placeFrom)
  if (at !== null && options.security !== undefined)
    throw new InvalidInput('--security: those who meet at a place prove who they are by what is kept there')
  const { beginWith: piece } = options
  const beginWith =
    piece === undefined ? null : given('--begin-with', piece, () => pieceFrom(piece, setPiecesAt(at)))
  const service = options.service === true
  if (options.parts !== undefined && round === undefined)
    throw new InvalidInput('--parts: they are of one round: say which with --round')
  if (service && (options.parts !== undefined || options.shrink === true))
    throw new InvalidInput('--service: its rounds have one part')
  const parts = options.parts === undefined ? null : read('parts', options.parts, partsFrom)
  if (service && beginWith !== null)
    throw new InvalidInput('--service: its rounds begin with their one fault')
  const rounds = (service ? planService : plan)({
    seed,
    ids,
    leaseMs,
    milliseconds: minutes * 60_000,
    beginWith,
    at,
    parts,
  })
  const only =
    round === undefined
      ? null
      : read('round', round, (text) => wholeNumber(text, 'a round of the schedule', 1, rounds.length))
  return {
    seed,
    ids,
    at,
    algorithm,
    leaseMs,
    locks: service ? SERVICE_LOCKS : LOCKS,
    security:
      options.security === undefined ? drawSecurity(seed) : read('security', options.security, securityFrom),
    minutes,
    rounds: only === null ? rounds : [get(rounds, only - 1)],
    only,
    parts,
    beginWith,
    patienceMs: patienceFor(leaseMs),
    service,
    ownNamespace: options.ownNamespace === true,
  }
}

function securityFrom(text: string): SecurityKind {
  const kind = SECURITIES.find((each) => each === text)
  if (kind === undefined) throw invalid(text, `one of ${SECURITIES.join(', ')}`)
  return kind
}

/** Such as 1,4. */
export function partsFrom(text: string): number[] {
  return text.split(',').map((part) => wholeNumber(part, 'a part of a round', 1))
}

function pieceFrom(text: string, pieces: readonly SetPiece[]): SetPiece {
  const piece = pieces.find((each) => each === text)
  if (piece === undefined) throw invalid(text, `one of ${pieces.join(', ')}`)
  return piece
}

export function placeFrom(text: string): PlaceName {
  const place = PLACES.find((each) => each === text)
  if (place === undefined) throw invalid(text, `one of ${PLACES.join(', ')}`)
  return place
}

const TIMES = { min: 0.1, max: 1440 }

function leaseFrom(text: string): number {
  const value = duration(text, 'a time')
  if (value >= 300 && value <= 10_000) return value
  throw invalid(text, `a time from ${durationText(300)} to ${durationText(10_000)}`)
}

async function play(
  run: TortureRun,
  { keep, json, shrink }: Pick<TortureOptions, 'keep' | 'json' | 'shrink'>,
  terminal: Terminal,
): Promise<number> {
  const isJson = json === true
  const say = (text: string) => (isJson ? terminal.tell(text) : terminal.print(text))
  const directory = directoryFor(keep)
  const reports: RoundReport[] = []
  const audits = new Audits(directory)
  say(openingText(run, terminal))
  const signal = await untilSignalled((stop) =>
    Torture.run({ ...run, directory, audits: audits.directory }, run.rounds, stop, {
      began: (round) => say(beganText(round)),
      ended: (report) => {
        reports.push(report)
        audits.trim()
        say(endedText(report, terminal))
      },
    }),
  )
  const audited = await audits.goThrough()
  const isViolated = reports.some(({ findings }) => findings.length > 0) || troublesIn(audited).length > 0
  const isKept = keep !== undefined || isViolated
  if (!isKept) rmSync(directory, { recursive: true, force: true })
  const outcome = { reports, audited, directory: isKept ? directory : null, isCutShort: signal !== null }
  terminal.print(isJson ? tortureJson(run, outcome) : tortureText(run, outcome, terminal))
  const last = reports.at(-1)
  if (isViolated && shrink === true && last !== undefined) await shrinkLast(run, last, terminal)
  if (isViolated) return 1
  if (reports.some(({ unjudged }) => unjudged !== null) || excessOf(reports) !== null) return UNPROVEN
  return signal === null ? 0 : present(SIGNALS[signal])
}

/** Says with which parts of its schedule the round still fails, and the command for them. */
async function shrinkLast(run: TortureRun, last: RoundReport, terminal: Terminal): Promise<void> {
  const { seed, ids, leaseMs, minutes, beginWith, at } = run
  const planned = { seed, ids, leaseMs, milliseconds: minutes * 60_000, beginWith, at }
  await untilSignalled(async (stop) => {
    const small = await shrinkRound(run, planned, last, stop, (text) => terminal.tell(text))
    if (typeof small === 'string') return terminal.tell(small)
    terminal.tell(
      `${small.parts.length} of ${last.round.parts} parts are enough, after ${small.trials} rounds: ${replayCommand({ ...run, parts: small.parts }, last.round.number)}`,
    )
  })
}

function directoryFor(keep: string | undefined): string {
  if (keep === undefined) return mkdtempSync(join(tmpdir(), 'turnwise-torture-log-'))
  try {
    mkdirSync(keep, { recursive: true })
    return mkdtempSync(join(keep, 'run-'))
  } catch (error) {
    throw new InvalidInput(`--keep: cannot write into "${keep}": ${reasonOf(error)}`, { cause: error })
  }
}

/** A person who ends it still gets a report, and no process is left. */
async function untilSignalled(run: (stop: AbortSignal) => Promise<void>): Promise<string | null> {
  const stop = new AbortController()
  let signal: string | null = null
  const onSignal = (name: string) => {
    signal = name
    stop.abort()
  }
  for (const name of Object.keys(SIGNALS)) process.on(name, onSignal)
  try {
    await run(stop.signal)
    return signal
  } finally {
    for (const name of Object.keys(SIGNALS)) process.off(name, onSignal)
  }
}

const HELP = `
The whole schedule follows from --seed, --at, --minutes, --nodes, --lease and --begin-with. What the processes
do with it does not: real processes never do the same twice.

Exit code: 0 no judge found a violation, 1 one did (its traces are kept, and the last line says where), 2 bad input, 3 the
run proves nothing: the machine is too busy for such a lease. Then it was cut short, or stalls excuse more than one round
and more than 20 % of them.

Examples:
  npm run torture -- --minutes 10
  npm run torture -- --minutes 10 --at postgres
  npm run torture -- --minutes 10 --nodes 3 --algorithm raymond --seed 7 --round 4`
