/**
 * `npm run bench:peers`: one lock that goes from process to process, measuredOn the locks that people use instead. Servers come from
 * Debian's packages, their clients from npm, into a folder that goes when it is done. `--help` says what can be chosen.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { get } from '@turnwise/core/bounds'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { DEFAULT_ALGORITHM, servable } from '../packages/mesh/dist/protocol/serving.js'
import { atLeast } from '../test/present.ts'
import { Missing, type Server, type ServerName, startServer } from '../test/servers.ts'
import { machine, thousands } from './bench/figures.ts'
import { bareRing, type Times } from './bench/fleet.ts'
import { BARE, drawRates, type HandOffs, handOffs, measured, told } from './bench/hand-offs.ts'
import { list, number, whole } from './bench/options.ts'
import { clientsOf } from './bench/peers/clients.ts'
import { PEERS, type PeerName, peerNames } from './bench/peers/locks.ts'
import { type BenchPlace, besideEachOther, PLACES, placeNames, WITH_SECRET } from './bench/places.ts'
import { progressOn } from './bench/progress.ts'
import { parseOptions, run } from './options.ts'
import { emptyProject, install, RegistryOutOfReach } from './packages/npm.ts'

/** The default, and the one before it. */
const ALGORITHMS = [DEFAULT_ALGORITHM, 'carvalho-roucairol']

const HELP = `npm run bench:peers -- [options]
  --peers LIST        of ${peerNames.join(', ')}; default all
  --places LIST       where turnwise meets, of ${placeNames.join(', ')}; default all, "none" for none
  --algorithms LIST   of turnwise, measuredOn them; default ${ALGORITHMS.join(',')}
  --processes LIST    default 2,4,8
  --seconds NUMBER    of one round; rounds are repeated while they get faster. Default 1
  --svg FILE          a chart
`

const progress = progressOn(process.stderr)

interface Options {
  readonly peers: readonly PeerName[]
  readonly places: readonly BenchPlace[]
  readonly algorithms: readonly string[]
  readonly processes: readonly number[]
  readonly times: Times
  readonly svg: string | undefined
}

function readOptions(args: readonly string[]): Options | 'help' {
  const { values } = parsed(args)
  if (values.help === true) return 'help'
  const peers = namesOf('peers', values.peers, peerNames)
  const places = namesOf('places', values.places, placeNames)
  const algorithms = list(values.algorithms) ?? ALGORITHMS
  for (const algorithm of algorithms) servable(algorithm)
  return {
    peers,
    places,
    algorithms,
    processes: (list(values.processes) ?? ['2', '4', '8']).map((text) => whole('processes', text, 2, 64)),
    times: { warmUp: 200, measured: 1000 * number('seconds', values.seconds ?? '1', 0.1, 60) },
    svg: values.svg,
  }
}

/** `none` stands for none of them. */
function namesOf<Name extends string>(
  option: string,
  text: string | undefined,
  known: readonly Name[],
): readonly Name[] {
  const names = text === 'none' ? [] : (list(text) ?? known)
  const stray = names.find((name) => !(known as readonly string[]).includes(name))
  if (stray !== undefined)
    throw new InvalidInput(`--${option} "${stray}" is not one of ${known.join(', ')}, none`)
  return names as Name[]
}

function parsed(args: readonly string[]) {
  const text = { type: 'string' } as const
  const options = {
    peers: text,
    places: text,
    algorithms: text,
    processes: text,
    seconds: text,
    svg: text,
    help: { type: 'boolean' },
  } as const
  return parseOptions({ args: [...args], options })
}

/** Starts a server for each measurement: one that was killed amid a turn leaves its lock behind. */
async function ofPeer(peer: PeerName, clients: string, count: number, times: Times) {
  const folder = mkdtempSync(path.join(tmpdir(), 'turnwise-peers-'))
  let server: Server | null = null
  try {
    server = await startServer(PEERS[peer].server, folder)
    return await measured(peer, await clientsOf(peer, clients, server.port, count), count, times)
  } finally {
    await server?.end()
    rmSync(folder, { recursive: true, force: true })
  }
}

type Row = Pick<HandOffs, 'algorithm' | 'processes' | 'rate' | 'cpu' | 'fairness'>

async function compare(
  { peers, places, algorithms, processes, times }: Options,
  clients: string,
): Promise<Row[]> {
  const rows: Row[] = []
  const missing = new Set<ServerName>()
  const leftOut = (why: string) => process.stderr.write(`left out: ${why}\n`)
  for (const count of processes) {
    const add = async (name: string, measure: () => Promise<Row>) => {
      rows.push(await told(progress, `${name}, ${count} processes`, measure))
    }
    await add(BARE, async () => ({
      algorithm: BARE,
      processes: count,
      ...(await bareRing(count, times)),
      fairness: 1,
    }))
    const [first, ...others] = atLeast(1, algorithms)
    const what = `turnwise, ${count} processes`
    progress.begins(what)
    const ours = await besideEachOther({ algorithm: first, places, peers, clients, count, times, leftOut })
    progress.ended(what, ours.map(({ rate }) => thousands(rate)).join(', '))
    rows.push(...ours)
    for (const algorithm of others)
      await add(algorithm, async () => ({
        ...(await handOffs(algorithm, count, times)),
        algorithm: `turnwise, ${algorithm}`,
      }))
    for (const peer of peers) {
      const { server } = PEERS[peer]
      const isThere = rows.some(({ algorithm, processes }) => algorithm === peer && processes === count)
      if (isThere || missing.has(server)) continue
      try {
        await add(peer, () => ofPeer(peer, clients, count, times))
      } catch (error) {
        if (!(error instanceof Missing)) throw error
        missing.add(server)
        leftOut(`${peer}; ${error.message}`)
      }
    }
  }
  progress.clear()
  return rows
}

function tableOf(rows: readonly Row[]): string[] {
  const bare = (count: number) =>
    rows.find((row) => row.algorithm === BARE && row.processes === count)?.rate ?? Number.NaN
  const names = [...new Set(rows.map(({ algorithm }) => algorithm))]
  return [
    '| lock | processes | hand-offs/s | of the bare token | fairness |',
    '|---|---|---|---|---|',
    ...names.flatMap((name) =>
      rows
        .filter(({ algorithm }) => algorithm === name)
        .map(({ processes, rate, fairness }) => {
          const cells = [
            name,
            processes,
            thousands(rate),
            (rate / bare(processes)).toFixed(2),
            fairness.toFixed(3),
          ]
          return `| ${cells.join(' | ')} |`
        }),
    ),
  ]
}

/** What is compared: each place with peers that seal too, or for a directory do not, and with the own lock of its engine. */
function ratiosOf(rows: readonly Row[], algorithm: string): string[] {
  const ratio = (name: string, to: string) => {
    const found = rows
      .filter((row) => row.algorithm === name)
      .flatMap(({ processes, rate }) => {
        const other = rows.find((row) => row.algorithm === to && row.processes === processes)
        return other === undefined ? [] : [(rate / other.rate).toFixed(2)]
      })
    return found.length === 0 ? [] : [`- ${name}, of ${to}: ${found.join(', ')}`]
  }
  const { directory, postgresql, etcd } = PLACES
  return [
    ...ratio(directory.title, `turnwise, ${algorithm}`),
    ...ratio(postgresql.title, WITH_SECRET),
    ...ratio(etcd.title, WITH_SECRET),
    ...ratio(postgresql.title, 'postgresql'),
    ...ratio(etcd.title, 'etcd'),
  ]
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  if (options === 'help') return void process.stdout.write(HELP)
  const measuredOn = machine()
  const clients = emptyProject()
  try {
    const packages = [...new Set(options.peers.flatMap((peer) => PEERS[peer].packages))]
    if (packages.length > 0) install(clients, packages)
    const rows = await compare(options, clients)
    const promises = options.peers.map((peer) => `- ${peer}, a holder is killed: ${PEERS[peer].afterCrash}`)
    const ours =
      '- turnwise, a holder is killed: the next enters when its lease ends, with a higher fence; a majority of the processes must be up'
    const ratios = ratiosOf(rows, get(options.algorithms, 0))
    process.stdout.write(
      `${[measuredOn, '', ...tableOf(rows), '', ...ratios, '', ours, ...promises].join('\n')}\n`,
    )
    if (options.svg !== undefined) {
      const rates = rows.map(({ algorithm: name, processes, rate }) => ({ name, processes, rate }))
      writeFileSync(options.svg, drawRates(rates, measuredOn))
    }
  } finally {
    rmSync(clients, { recursive: true, force: true })
  }
}

await run(main, RegistryOutOfReach)
