import { constants } from 'node:os'
import { resolve } from 'node:path'
import { catalogue } from '@turnwise/algorithms/catalogue'
import { know } from '@turnwise/algorithms/texts'
import { InvalidInput, wholeNumber } from '@turnwise/core/invalid-input'
import { distanceBetween, longestWay, roundRobin } from '@turnwise/fleet/distance'
import { type EngineName, Missing, requireEngine } from '@turnwise/fleet/engines'
import { requireFit } from '@turnwise/mesh/protocol/fit'
import { DEFAULT_ALGORITHM } from '@turnwise/mesh/protocol/serving'
import { localDirectory } from '@turnwise/mesh/register/local-directory'
import { readPlace } from '@turnwise/mesh/register/place'
import { isLoopback } from '@turnwise/mesh/security/security'
import { type Address, readAddress } from '@turnwise/mesh/transport/sockets'
import { type Command, Option } from 'commander'
import { type PlaceWish, whyNoCut } from '../../cluster/ground.ts'
import { Live } from '../../cluster/live.ts'
import type { Happening } from '../../cluster/picture.ts'
import { recordFiles, requireEmpty } from '../../cluster/record-files.ts'
import { type Outcome, Session, type SessionOptions } from '../../cluster/session.ts'
import { type Deed, ENGINE, REPAIRS, type Scheduled, scheduledFrom } from '../../cluster/up-deeds.ts'
import { happeningText, upJson, upText } from '../../cluster/up-report.ts'
import { type Page, servePage } from '../../page/page-server.ts'
import { isDeed, viewOfSession } from '../../page/session-view.ts'
import { durationText, durationWithin } from '../../terminal/duration.ts'
import { given, inField } from '../../terminal/input.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { lookThere, meshFrom } from '../daemon-options.ts'
import { directoryGiven } from '../directory-given.ts'
import { collect, latencyOption } from '../run-options.ts'

interface UpOptions extends Readonly<Record<keyof typeof REPAIRS, readonly string[]>> {
  readonly at?: string
  readonly mesh?: string
  readonly nodes: string
  readonly algorithm: string
  readonly lease: string
  readonly names: string
  readonly latency?: string
  readonly zones: boolean
  readonly for?: string
  readonly seed: string
  readonly page: string | false
  readonly allowFaults?: true
  readonly record?: string
  readonly json?: true
}

const IDS = 'a b c d e f g h i j k l m n o p'.split(' ')
const NAMES = ['orders', 'invoices', 'backups', 'reports', 'mail', 'stock', 'prices', 'cache']

const SECOND_MS = 1000
const DAY_MS = 24 * 3600 * SECOND_MS
/** Where nobody can press q. */
const UNATTENDED_MS = 10 * SECOND_MS

const ENDINGS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export function addUp(program: Command, terminal: Terminal, exit: (code: number) => void): void {
  const command = program
    .command('up')
    .summary('start real processes that take turns, and watch them while some fail')
    .description(
      'Starts processes on this machine that take turns at a few locks, and shows holders, waiters and the ' +
        'cost. Keys kill, pause or cut off a node. Without a terminal it prints a line for every change and ends by itself.',
    )
    .option('--nodes <count>', `how many processes, 1 to ${IDS.length}; they are called a, b, c, …`, '5')
    .option(
      '--at <place>',
      'where they meet: ./directory, the URL of a PostgreSQL or etcd, or the word postgres or etcd to start one',
    )
    .option('--mesh <name>', `with --at: the name of their mesh there (default: ${MESH})`)
    .option('--algorithm <name>', 'an algorithm of the catalogue', DEFAULT_ALGORITHM)
    .option('--lease <time>', 'how long the others wait for a silent node', '2s')
    .option('--names <count>', `how many locks they take turns at, 1 to ${NAMES.length}`, '3')
    .option(
      '--latency <law>',
      'delay the bytes between nodes, in ms: one-datacentre, three-zones, three-continents, a law or FILE.json',
    )
    .option(
      '--no-zones',
      'with --latency: the nodes do not state their zones, so turns do not stay in a zone',
    )
    .option('--for <time>', 'end after this time (default: when you press q; 10s without a terminal)')
    .option('--seed <number>', 'the random seed for how long each node thinks and holds', '1')
  for (const [fault, about] of Object.entries(FAULTS)) {
    command.addOption(
      new Option(`--${fault} <node@time>`, `${about}; may be repeated`)
        .argParser(collect)
        .default([], 'none'),
    )
  }
  command
    .option('--page <address>', 'the address of the page that shows the mesh', '127.0.0.1:0')
    .option('--no-page', 'serve no page')
    .option('--allow-faults', 'the page may kill, stop and cut off nodes')
    .option('--record <directory>', 'record every lock in this directory, for turnwise replay and the page')
    .option('--json', 'print the report as JSON; changes go to standard error')
    .addHelpText('after', HELP)
    .action(async (options: UpOptions) => {
      const wished = { page: pageFrom(options.page), mayAct: options.allowFaults === true }
      const asked = sessionFrom(options)
      if (options.record !== undefined) await makeEmptyDirectory(options.record)
      const code = await lookThere(terminal, () => requirePlace(asked))
      exit(code === 0 ? await up(asked, wished, options.json === true, terminal) : code)
    })
}

const FAULTS: Readonly<Record<keyof typeof REPAIRS, string>> = {
  kill: 'kill -9 a node: b@3s, or b@3s-6s to start it again',
  pause: 'stop a process: c@2s-6s',
  cut: 'cut a node off from all others: d@2s-6s',
}

/** Who attends is known when it runs. */
type Asked = Omit<SessionOptions, 'isAttended'>

function sessionFrom(options: UpOptions): Asked {
  const count = (option: 'nodes' | 'names', what: string, max: number) =>
    given(`--${option}`, options[option], () => wholeNumber(options[option], what, 1, max))
  const ids = IDS.slice(0, count('nodes', 'a number of nodes', IDS.length))
  const names = NAMES.slice(0, count('names', 'a number of locks', NAMES.length))
  const { algorithm, lease, seed } = options
  know(catalogue)
  given('--algorithm', algorithm, () => requireFit(algorithm, ids.length))
  const { for: end, record } = options
  const place = placeFrom(options)
  const strikable = place !== null && 'engine' in place ? [...ids, ENGINE] : ids
  const faults = (Object.keys(REPAIRS) as (keyof typeof REPAIRS)[]).flatMap((fault) =>
    options[fault].flatMap((text) => scheduled(fault, text, fault === 'cut' ? ids : strikable)),
  )
  const uncut = whyNoCut(place)
  if (options.cut.length > 0 && uncut !== null) throw new InvalidInput(`--cut ${options.cut[0]}: ${uncut}`)
  const settings = {
    ids,
    place,
    leaseMs: given('--lease', lease, () => durationWithin(lease, 100, 60 * SECOND_MS)),
    seed: given('--seed', seed, () => wholeNumber(seed, 'a seed', 0)),
  }
  return {
    ...settings,
    names,
    algorithm,
    distance: options.latency === undefined ? null : distanceFrom(options.latency, settings, options.zones),
    for: end === undefined ? null : given('--for', end, () => durationWithin(end, SECOND_MS, DAY_MS)),
    faults,
    record: record === undefined ? null : resolve(record),
  }
}

async function makeEmptyDirectory(record: string): Promise<void> {
  await directoryGiven('--record', record)
  given('--record', record, () => requireEmpty(record))
}

/** A member renews its lease with an answer from the others: that takes there and back, and one may be slow. */
const LEASE_IN_WAYS = 4

function distanceFrom(
  text: string,
  { ids, place, leaseMs, seed }: Pick<Asked, 'ids' | 'place' | 'leaseMs' | 'seed'>,
  tells: boolean,
) {
  const latency = latencyOption(text, ids.length, roundRobin)
  if (place !== null)
    throw new InvalidInput(
      `--latency ${text}: nodes that meet at a place dial each other directly, so leave --at out`,
    )
  const least = LEASE_IN_WAYS * longestWay(latency)
  if (leaseMs >= least) return distanceBetween(ids, latency, seed, tells)
  throw new InvalidInput(
    `--latency ${text}: a message takes up to ${durationText(least / LEASE_IN_WAYS)}, so give --lease ${Math.ceil(least)}ms or more`,
  )
}

/** Not that of others who meet there. */
const MESH = 'up'

const ENGINES: Readonly<Record<string, EngineName>> = { postgres: 'postgresql', etcd: 'etcd' }

function placeFrom({ at, mesh }: UpOptions): PlaceWish | null {
  if (at === undefined && mesh !== undefined) throw new InvalidInput('--mesh needs --at')
  if (at === undefined) return null
  const name = meshFrom(mesh ?? MESH)
  const engine = Object.hasOwn(ENGINES, at) ? ENGINES[at] : undefined
  if (engine === undefined) {
    inField('--at', () => readPlace(at))
    return { at, mesh: name }
  }
  try {
    requireEngine(engine)
    return { engine, mesh: name }
  } catch (error) {
    if (!(error instanceof Missing)) throw error
    throw new InvalidInput(`--at ${at}: it is not installed here: ${error.message}`, { cause: error })
  }
}

/** A place that is there: it must answer, and a mesh of this name must have these settings if there is one. */
async function requirePlace({ place, algorithm, leaseMs }: Asked): Promise<void> {
  if (place === null || 'engine' in place) return
  const { engine, name } = readPlace(place.at)
  if (engine === 'directory') await localDirectory(name)
  const { settingsAt } = await import('../../agent/place-view.ts')
  const known = { algorithm, lease: leaseMs, ...(await settingsAt(place)) }
  if (known.algorithm === algorithm && known.lease === leaseMs) return
  throw new InvalidInput(
    `the mesh "${place.mesh}" at ${name} has algorithm ${known.algorithm} and lease ${known.lease} ms: ` +
      `give --algorithm ${known.algorithm} --lease ${known.lease}ms, or another --mesh`,
  )
}

function scheduled(fault: keyof typeof REPAIRS, text: string, ids: readonly string[]): Scheduled[] {
  return given(`--${fault}`, text, () =>
    scheduledFrom(fault, text, ids, (moment) => durationWithin(moment, 0, DAY_MS)),
  )
}

/** Where the page is to listen, and whether it may do what the keys do. */
interface PageWish {
  readonly page: Address | null
  readonly mayAct: boolean
}

function pageFrom(text: string | false): Address | null {
  return text === false ? null : given('--page', text, () => readAddress(text))
}

/** A page that cannot be served is no reason not to run. */
async function pageOf(
  { page, mayAct }: PageWish,
  session: Session,
  happenings: readonly Happening[],
): Promise<{ readonly page: Page | null; readonly words: string }> {
  if (page === null) return { page: null, words: '' }
  const act = (id: string, deed: string) =>
    session.options.ids.includes(id) && isDeed(deed) ? session.act(id, deed) : 'unknown node or deed'
  try {
    const view = () => viewOfSession(session, happenings, mayAct)
    const { record } = session.options
    const recordingOf = (name: string) =>
      record === null || !session.options.names.includes(name) ? [] : recordFiles(record, name)
    const served = await servePage({ address: page, view, act: mayAct ? act : null, recordingOf })
    const care = isLoopback(page.host) ? '' : ' (no TLS: the token can be read on the network)'
    return { page: served, words: `page: ${served.url}${care}` }
  } catch (error) {
    return { page: null, words: error instanceof Error ? error.message : String(error) }
  }
}

async function up(asked: Asked, wish: PageWish, isJson: boolean, terminal: Terminal): Promise<number> {
  const { stdin, stdout } = process
  const isLive = !isJson && terminal.redraw !== null && stdin.isTTY && stdout.isTTY
  const say = (text: string) => (isJson ? terminal.tell(text) : terminal.print(text))
  const isAttended = isLive || wish.mayAct
  const options = { ...asked, for: asked.for ?? (isLive ? null : UNATTENDED_MS), isAttended }
  requireInTime(options)
  const happenings: Happening[] = []
  const session = new Session(options, (happening) => {
    happenings.push(happening)
    if (!isLive) say(happeningText(happening, terminal))
  })
  const { page, words } = await pageOf(wish, session, happenings)
  const live = isLive ? new Live(session, happenings, words, terminal.paint, stdin, stdout) : null
  if (options.for !== null && live === null) say(opening(options, options.for, asked.for === null))
  if (live === null && words !== '') say(words)
  const { outcome, signal } = await shown(session, live, page)
  terminal.print(isJson ? upJson(options, outcome, happenings) : `\n${upText(options, outcome, terminal)}`)
  if (live !== null) terminal.print(`\n${NEXT}`)
  if (outcome.violations.length > 0) return 1
  return signal === null ? 0 : 128 + constants.signals[signal]
}

/** A fault after the end of the run would never happen, and the run would pass for one that stood it. */
function requireInTime({ faults, for: end }: SessionOptions): void {
  const late = faults.find(({ at }) => end !== null && at > end)
  if (end === null || late === undefined) return
  const option = Object.entries(REPAIRS).find((pair) => (pair as readonly Deed[]).includes(late.deed))?.[0]
  throw new InvalidInput(
    `--${option}: ${late.id} at ${durationText(late.at)} is after the end of the run at ${durationText(end)}: give a longer --for`,
  )
}

function opening({ ids, names, place, distance }: SessionOptions, end: number, isUnasked: boolean): string {
  const who = ids.length === 1 ? '1 process takes turns' : `${ids.length} processes take turns`
  const why = isUnasked ? 'there is no terminal, so this' : 'this'
  const where =
    place === null
      ? ''
      : `, meeting at ${'engine' in place ? `${place.engine}, started here` : readPlace(place.at).name}`
  const far = distance === null ? '' : `, latency ${distance.text}`
  return `${who} at ${names.join(', ')}${where}${far}; ${why} ends by itself after ${end / SECOND_MS} s`
}

/** What shows it ends with it, however it ends. */
async function shown(session: Session, live: Live | null, page: Page | null): Promise<Ended> {
  try {
    return await runUntilSignalled(session)
  } finally {
    live?.close()
    await page?.close()
  }
}

interface Ended {
  readonly outcome: Outcome
  readonly signal: NodeJS.Signals | null
}

/** A person who ends it still gets its report, and no process is left. */
async function runUntilSignalled(session: Session): Promise<Ended> {
  let signal: NodeJS.Signals | null = null
  const onSignal = (name: NodeJS.Signals) => {
    signal = name
    session.stop()
  }
  for (const name of ENDINGS) process.on(name, onSignal)
  try {
    return { outcome: await session.run(), signal }
  } finally {
    for (const name of ENDINGS) process.off(name, onSignal)
  }
}

const NEXT = `npx turnwise up --help   what else it can do
npx turnwise tour        the algorithms that decide who is next`

const HELP = `
Keys:
  1 to 9, arrows  select a node
  k  kill -9      r  start it again, with the state it had; with --at as a new member
  p  stop it      c  continue it
  x  cut it off   h  heal its links; with --at postgres or etcd: from the engine
  e  kill the engine that --at postgres or etcd has started, or start it again; --kill engine@3s-5s does so too
  q  quit

A page shows the same in a browser, and the algorithms too. The command prints its address. The page is read-only without
--allow-faults. If it listens beyond 127.0.0.1, its address has a token, and the page answers nobody without it.

--latency: nodes belong to zones in turn (a zone 0, b zone 1, …). A file with "zones" and "of" can say otherwise:
{ "zones": [["constant:1", "constant:60"], ["constant:60", "constant:1"]], "of": [0, 0, 1, 1, 1] }. The report shows
hand-offs per second, and how long each zone waited. The nodes state their zones, so turns stay in a zone for a while,
unless you give --no-zones.

The times of --kill, --pause and --cut count from the moment when all nodes are in one view.

Exit code: 0 no judge found a violation (never two inside together, fences rise, everyone is served), 1 one did, 2 bad input.

Examples:
  turnwise up
  turnwise up --nodes 3 --lease 1s --algorithm raymond
  turnwise up --at ./locks
  turnwise up --at postgres --for 10s --kill engine@3s-4s
  turnwise up --for 10s --kill b@3s-6s --pause c@4s-8s
  turnwise up --nodes 6 --latency three-continents
  turnwise up --record run && turnwise replay run/orders.*`
