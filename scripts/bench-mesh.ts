/**
 * `npm run bench:mesh`: what a lock of a mesh costs, each figure beside something measured in the same run, because
 * machines differ and are busy. `--help` says what can be chosen.
 */
import { fork } from 'node:child_process'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { get } from '@turnwise/core/bounds'
import { Mutex } from 'async-mutex'
import { joinNode } from '../packages/mesh/dist/join.js'
import { DEFAULT_ALGORITHM } from '../packages/mesh/dist/protocol/serving.js'
import { atLeast } from '../test/present.ts'
import { type Kill, LEASE, takeovers } from './bench/crash.ts'
import { type FarHandOffs, farHandOffs } from './bench/distance.ts'
import { machine, thousands } from './bench/figures.ts'
import { bareRing, Fleet, fastestRounds } from './bench/fleet.ts'
import { chartOf, compareHandOffs, ranked } from './bench/hand-offs.ts'
import { idle as idleMesh } from './bench/idle.ts'
import { type LayerCost, layers } from './bench/layers.ts'
import { memory as memoryOf } from './bench/memory.ts'
import { type BenchOptions, HELP, readOptions } from './bench/options.ts'
import { progressOn } from './bench/progress.ts'
import { FROM, several } from './bench/several.ts'
import { PATIENT, WRITERS } from './bench/talk.ts'
import { bareTogether, lockTogether } from './bench/together.ts'
import { type TurnsMade, turnsOf } from './bench/turns.ts'
import { run } from './options.ts'

const CYCLES = 40_000
const NAMES = 100_000
const BUSY_NAMES = 1000
const progress = progressOn(process.stderr)

/** Of each, cycles per second of the fastest of several rounds, by turns: what slows a round down is somebody else's work. */
async function fastest(...cycles: (() => Promise<void>)[]): Promise<number[]> {
  const best = cycles.map(() => 0)
  for (let round = 0; round < 8; round += 1) {
    for (const [which, cycle] of cycles.entries()) {
      const started = performance.now()
      for (let i = 0; i < CYCLES; i += 1) await cycle()
      best[which] = Math.max(get(best, which), CYCLES / (performance.now() - started))
      // A loop of microtasks starves the timers that renew the lease.
      await new Promise(setImmediate)
    }
  }
  return best.map((rate) => rate * 1000)
}

/** A lock that this node held last. */
async function again({ named, times }: BenchOptions): Promise<void> {
  const mesh = await joinNode()
  const mutex = new Mutex()
  const [ours, theirs] = atLeast(
    2,
    await fastest(
      async () => (await mesh.locks.acquire('invoices')).release(),
      async () => (await mutex.acquire())(),
    ),
  )
  print('acquire and release a lock again', `${thousands(ours)}/s`, `${share(ours, theirs)} of async-mutex`)
  await mesh.leave()
  for (const algorithm of named ?? [DEFAULT_ALGORITHM]) {
    const fleet = await Fleet.of(3, { algorithm, lease: PATIENT })
    try {
      const { turns, sent } = get(await fleet.turns(['invoices'], times, WRITERS, 1), 0)
      const made = `${thousands(turns)} turns by ${algorithm}`
      print('  of three nodes one asks again and again', `${thousands(sent)} messages`, made)
    } finally {
      await fleet.end()
    }
  }
}

async function memory(): Promise<void> {
  const { touched, forgotten, held, rate } = await memoryOf(NAMES)
  const names = `${thousands(NAMES)} names`
  const each = (bytes: number) => `${Math.round(bytes)} bytes each`
  print(`${names} touched once`, each(touched), `${thousands(rate)} names/s`)
  print('  the same, forgotten', each(forgotten), '')
  print(`${names} held`, each(held), '')
}

/** One lock that all want all the time. */
async function handOffs(options: BenchOptions): Promise<void> {
  const { algorithms, processes, callers, times, svg, latency } = options
  if (latency !== null) return farAway(options, latency)
  const comparison = await compareHandOffs(algorithms, processes, times, { callers, readers: 0 }, progress)
  progress.clear()
  for (const [count, { rate, cpu }] of comparison.bare)
    print(`a bare token round ${count} processes`, `${thousands(rate)}/s`, `${cpu.toFixed(1)} µs CPU each`)
  write(`\n${callersText(callers)}`)
  write(
    '\n| algorithm | processes | hand-offs/s | of the bare token | fairness | median wait, ms | p99 | messages | CPU, µs |',
  )
  write('|---|---|---|---|---|---|---|---|---|')
  for (const { algorithm, rows } of ranked(comparison)) {
    const name = algorithm === DEFAULT_ALGORITHM ? `**${algorithm}** (default)` : algorithm
    for (const row of rows) {
      const { processes: count, rate, share: part, fairness, medianWait, p99Wait, messages, cpu } = row
      const cells = [
        thousands(rate),
        part.toFixed(2),
        fairness.toFixed(3),
        medianWait.toFixed(3),
        p99Wait.toFixed(3),
        messages.toFixed(1),
        cpu.toFixed(0),
      ]
      write(`| ${name} | ${count} | ${cells.join(' | ')} |`)
    }
  }
  write('')
  if (svg !== null) writeFileSync(svg, chartOf(comparison, DEFAULT_ALGORITHM, machine()))
}

/** The same between processes that are far from each other. */
async function farAway(options: BenchOptions, latency: string): Promise<void> {
  const { named, processes, callers, times } = options
  const made: FarHandOffs[] = []
  for (const count of processes) {
    for (const algorithm of named ?? [DEFAULT_ALGORITHM]) {
      for (const isZoned of [false, true])
        made.push(
          await farHandOffs(latency, algorithm, count, times, { callers, readers: 0 }, progress, isZoned),
        )
    }
  }
  progress.clear()
  write(`\nlatency ${latency}, ${callersText(callers)}`)
  write(
    '\n| algorithm | processes | zones stated | hand-offs/s | to another zone | messages | zone | its processes | median wait, ms | p99 |',
  )
  write('|---|---|---|---|---|---|---|---|---|---|')
  for (const { algorithm, processes: count, isZoned, rate, across, messages, zones } of made) {
    for (const [zone, { ids, p50, p99 }] of zones.entries()) {
      const cells = [zone, ids.join(' '), p50.toFixed(1), p99.toFixed(1)]
      write(
        `| ${algorithm} | ${count} | ${isZoned ? 'yes' : 'no'} | ${rate.toFixed(1)} | ${Math.round(100 * across)} % | ${messages.toFixed(1)} | ${cells.join(' | ')} |`,
      )
    }
  }
  write('')
}

/** What a hand-off costs the processor, without processes that are woken. */
async function together({ named, processes }: BenchOptions): Promise<void> {
  for (const count of processes) {
    const bare = await bareTogether(count)
    print(`a bare token round ${count} sockets of one process`, `${bare.toFixed(1)} µs CPU`, '')
    for (const algorithm of named ?? [DEFAULT_ALGORITHM]) {
      const cpu = await lockTogether(algorithm, count)
      print(
        `  a hand-off between ${count} nodes in it`,
        `${cpu.toFixed(1)} µs CPU`,
        `${share(cpu, bare)} times that, by ${algorithm}`,
      )
    }
  }
}

/** Where the time of a hand-off goes. */
async function layersOf({ processes, times }: BenchOptions): Promise<void> {
  const columns: (readonly LayerCost[])[] = []
  for (const count of processes) columns.push(await layers(count, times, progress))
  progress.clear()
  const table = (what: string, cellOf: (layer: LayerCost, bare: LayerCost) => string) => {
    const heads = processes.map((count) => `${count} processes`)
    write(`\n| a token goes round, ${what} | ${heads.join(' | ')} |`)
    write(`|---|${processes.map(() => '---|').join('')}`)
    for (const [i, { name }] of (columns[0] ?? []).entries())
      write(`| ${name} | ${columns.map((column) => cellOf(get(column, i), get(column, 0))).join(' | ')} |`)
  }
  table('hand-offs/s', ({ rate }, bare) => `${thousands(rate)} (${share(rate, bare.rate)})`)
  table('µs CPU each', ({ cpu }, bare) => `${cpu.toFixed(1)} (${share(cpu, bare.cpu)})`)
  table('wake-ups each', ({ sleeps }) => sleeps.toFixed(2))
  write('')
}

/** One lock that most want to share. */
async function readers({ named, processes, callers, readers: share, times }: BenchOptions): Promise<void> {
  const made: (TurnsMade & { readonly bare: number })[] = []
  for (const count of processes) {
    const { rate: bare } = await bareRing(count, times)
    for (const algorithm of named ?? [DEFAULT_ALGORITHM]) {
      made.push({
        ...(await turnsOf(algorithm, count, ['invoices'], { callers, readers: share }, times)),
        bare,
      })
    }
  }
  write(`\nto read ${share} of the turns, ${callersText(callers)}`)
  write('\n| algorithm | processes | turns/s | of the bare token | messages | CPU, µs |')
  write('|---|---|---|---|---|---|')
  for (const { algorithm, processes: count, rate, bare, messages, cpu } of made) {
    const cells = [thousands(rate), (rate / bare).toFixed(2), messages.toFixed(1), cpu.toFixed(0)]
    write(`| ${algorithm} | ${count} | ${cells.join(' | ')} |`)
  }
  write('')
}

/** Many names that several processes hold by turns. */
async function names({ named, busy, times }: BenchOptions): Promise<void> {
  const all = Array.from({ length: BUSY_NAMES }, (_, i) => `orders/${i}`)
  for (const count of busy) {
    for (const algorithm of named ?? [DEFAULT_ALGORITHM]) {
      const { rate, cpu, messages, messagesInWrite } = await turnsOf(algorithm, count, all, WRITERS, times)
      const each = `${cpu.toFixed(1)} µs CPU and ${messages.toFixed(1)} messages each, ${messagesInWrite.toFixed(1)} messages in a write`
      print(
        `${thousands(BUSY_NAMES)} names, ${count} processes`,
        `${thousands(rate)} turns/s`,
        `${each}, by ${algorithm}`,
      )
    }
  }
}

/** Some of sixteen names at once, which all want all the time. */
async function severalAtOnce({ named, busy, callers, takes, times, latency }: BenchOptions): Promise<void> {
  for (const count of busy) {
    for (const algorithm of named ?? [DEFAULT_ALGORITHM]) {
      const made = await several(algorithm, count, callers, takes, times, latency, progress)
      progress.clear()
      const far = latency === null ? '' : `latency ${latency}, `
      write(
        `\nsome of ${FROM} names, ${count} processes, ${far}locks by ${algorithm}, ${callersText(callers)}`,
      )
      write('\n| names of a stay | taken | stays/s | of those in order | messages | CPU, µs |')
      write('|---|---|---|---|---|---|')
      for (const { take, way, rate, messages, cpu } of made) {
        const inOrder = made.find((each) => each.take === take)?.rate ?? Number.NaN
        const cells = [thousands(rate), share(rate, inOrder), messages.toFixed(1), cpu.toFixed(0)]
        write(`| ${take} | ${way} | ${cells.join(' | ')} |`)
      }
    }
  }
  write('')
}

async function crash({ kills }: BenchOptions): Promise<void> {
  const made = await takeovers(kills, progress)
  progress.clear()
  const beyond = (ms: number) => `lease ${ms < LEASE ? '-' : '+'} ${Math.abs(Math.round(ms - LEASE))} ms`
  const tell = (what: string, some: readonly Kill[]) => {
    const took = some.map((kill) => kill.took).toSorted((a, b) => a - b)
    const longest = beyond(took.at(-1) ?? Number.NaN)
    print(what, longest, `the longest of ${took.length}; the median ${beyond(get(took, took.length >> 1))}`)
  }
  tell(`from kill -9 to the next entry, lease ${LEASE / 1000} s`, made)
  for (const rank of new Set(made.map((kill) => kill.rank))) {
    tell(
      `  the voter that is ${ORDINALS[rank]} to propose`,
      made.filter((kill) => kill.rank === rank),
    )
  }
}

async function idle({ nodes, settle, times }: BenchOptions): Promise<void> {
  const made = await idleMesh(nodes, settle, 10 * (times.measured / 1000), progress)
  progress.clear()
  const { formed, loading, forming, voters, others, memory: bytes, segments, bareShare } = made
  print(
    `${nodes} nodes that do nothing, lease 2 s`,
    `${(100 * made.share).toFixed(1)} % of one core, ${(made.share / bareShare).toFixed(1)} times bare`,
    `${segments === null ? 'segments not counted' : `${thousands(segments)} segments/s`}, ${settle} s after the last joined`,
  )
  print('  bare processes with as many messages', `${(100 * bareShare).toFixed(1)} % of one core`, '')
  for (const [what, { count, cpu, wakeUps }] of [
    ['votes', voters] as const,
    ['does not vote', others] as const,
  ])
    if (count > 0)
      print(`  one that ${what}`, `${cpu.toFixed(1)} ms CPU/s`, `${wakeUps.toFixed(1)} wake-ups/s`)
  print(
    '  until all were members',
    `${(formed / 1000).toFixed(1)} s`,
    `${forming.toFixed(0)} ms CPU each, after ${loading.toFixed(0)} to load`,
  )
  print('  memory of a process', `${(bytes / 2 ** 20).toFixed(0)} MiB`, '')
}

/** What it costs to write an audit: the same turns with and without, by turns. */
async function audit({ processes, times }: BenchOptions): Promise<void> {
  for (const count of processes) {
    const settings = { algorithm: DEFAULT_ALGORITHM, lease: PATIENT }
    const without = await Fleet.of(count, settings)
    const audited = await Fleet.of(count, { ...settings, audit: { file: '.audit' } })
    let turns = 0
    const round = async (fleet: Fleet) => {
      const all = await fleet.turns(['invoices'], times)
      const made = all.reduce((sum, each) => sum + each.turns, 0)
      if (fleet === audited) turns += made
      return {
        rate: made / (times.measured / 1000),
        cpu: all.reduce((sum, { cpu }) => sum + cpu, 0) / made,
      }
    }
    const [plain, written] = atLeast(
      2,
      await fastestRounds(count, [() => round(without), () => round(audited)]),
    )
    const bytes = auditBytes(audited.directory)
    await without.end()
    await audited.end()
    print(
      `hand-offs of ${count} processes with an audit`,
      `${thousands(written.rate)}/s`,
      `${share(written.rate, plain.rate)} of those without; at most ${thousands(bytes / turns)} bytes each`,
    )
  }
}

/** The turns of the warm-up are in it, and not counted: so a little too many. */
function auditBytes(directory: string): number {
  return readdirSync(directory)
    .filter((file) => file.includes('.audit'))
    .reduce((sum, file) => sum + statSync(path.join(directory, file)).size, 0)
}

const ORDINALS = ['first', 'second', 'third']

function callersText(callers: number): string {
  const each = callers === 1 ? 'one caller' : `${callers} callers`
  return `${each} in each process, which asks again as soon as it has released`
}

function share(part: number, whole: number): string {
  return (part / whole).toFixed(2)
}

function write(line: string): void {
  process.stdout.write(`${line}\n`)
}

function print(what: string, figure: string, beside: string): void {
  write(`${what.padEnd(44)}${figure.padStart(18)}   ${beside}`.trimEnd())
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  if (options === 'help') return void process.stdout.write(HELP)
  write(machine())
  const sections = {
    again,
    memory,
    'hand-offs': handOffs,
    together,
    layers: layersOf,
    readers,
    names,
    several: severalAtOnce,
    crash,
    idle,
    audit,
  }
  for (const section of options.sections) await sections[section](options)
}

if (globalThis.gc === undefined) {
  const execArgv = [...process.execArgv, '--expose-gc']
  const child = fork(fileURLToPath(import.meta.url), process.argv.slice(2), { execArgv })
  child.on('exit', (code) => process.exit(code ?? 1))
} else {
  await run(main)
}
