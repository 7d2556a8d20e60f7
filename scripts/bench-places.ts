/**
 * `npm run bench:places`: many members at one meeting place. How long they take to meet, what they ask of the engine when nothing happens, for
 * how long a change of view pauses the locks of others, and how soon the lock of a killed holder is free. `--help` says what can be chosen.
 */
import { loadavg } from 'node:os'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { Missing } from '../test/servers.ts'
import { machine, thousands } from './bench/figures.ts'
import { list, number, whole } from './bench/options.ts'
import { ENGINES, type Engine, type EngineName, startEngine } from './bench/places/engine.ts'
import { Gathering, TooLong } from './bench/places/gathering.ts'
import {
  bytesOfName,
  churn,
  idle,
  killMany,
  pauses,
  takeovers,
  workOf,
  workOfChanges,
} from './bench/places/measures.ts'
import { parseOptions, run } from './options.ts'

const SECTIONS = ['idle', 'pauses', 'kills', 'many', 'names', 'churn'] as const
type Section = (typeof SECTIONS)[number]

const HELP = `npm run bench:places -- [options]
  --places LIST       of ${ENGINES.join(', ')}; default all
  --members LIST      default 10,100,500
  --only LIST         of ${SECTIONS.join(', ')}; default all. That members join is always measured
  --in-process NUMBER nodes in one process; default 50
  --at-once NUMBER    members that join at once, in whole processes; then the next ones. Default all
  --lease NUMBER      milliseconds; default 2000
  --seconds NUMBER    of idling, and of churn; default 20
  --kills NUMBER      of a holder; and how often members join, leave and die while another lock is watched. Default 3
  --killed NUMBER     at once; default 20
  --names NUMBER      in use; default 10000
  --patience NUMBER   seconds for members to agree, before it is given up; default 120
`

interface Options {
  readonly places: readonly EngineName[]
  readonly members: readonly number[]
  readonly sections: readonly Section[]
  readonly inProcess: number
  readonly atOnce: number
  readonly lease: number
  readonly seconds: number
  readonly kills: number
  readonly killed: number
  readonly names: number
  readonly patience: number
}

function readOptions(args: readonly string[]): Options | 'help' {
  const values = parsed(args)
  if (values.help === true) return 'help'
  return {
    places: chosen('places', list(values.places), ENGINES),
    members: (list(values.members) ?? ['10', '100', '500']).map((text) => whole('members', text, 2, 1000)),
    sections: chosen('only', list(values.only), SECTIONS),
    inProcess: whole('in-process', values['in-process'] ?? '50', 1, 500),
    atOnce: whole('at-once', values['at-once'] ?? '1000', 1, 1000),
    lease: whole('lease', values.lease ?? '2000', 100, 600_000),
    seconds: number('seconds', values.seconds ?? '20', 1, 3600),
    kills: whole('kills', values.kills ?? '3', 1, 100),
    killed: whole('killed', values.killed ?? '20', 1, 100),
    names: whole('names', values.names ?? '10000', 1, 1_000_000),
    patience: 1000 * number('patience', values.patience ?? '120', 1, 3600),
  }
}

function chosen<Each extends string>(
  option: string,
  given: readonly string[] | null,
  all: readonly Each[],
): readonly Each[] {
  const stray = given?.find((each) => !(all as readonly string[]).includes(each))
  if (stray !== undefined) throw new InvalidInput(`--${option} "${stray}" is not one of ${all.join(', ')}`)
  return (given as readonly Each[] | null) ?? all
}

function parsed(args: readonly string[]) {
  const text = { type: 'string' } as const
  const options = {
    places: text,
    members: text,
    only: text,
    'in-process': text,
    'at-once': text,
    lease: text,
    seconds: text,
    kills: text,
    killed: text,
    names: text,
    patience: text,
    help: { type: 'boolean' },
  } as const
  return parseOptions({ args: [...args], options }).values
}

type Measure = (gathering: Gathering, engine: Engine, options: Options) => Promise<void>

const MEASURES: Readonly<Record<Section, Measure>> = {
  async idle(gathering, engine, { lease, seconds }) {
    const all = await idle(gathering, engine, lease, seconds)
    const asked = `${all.writes.toFixed(2)} writes and ${all.reads.toFixed(2)} reads a lease and member`
    print(
      '  idle',
      asked,
      `${all.lists.toFixed(1)} lists and ${all.messages.toFixed(1)} messages a lease of all`,
    )
    const own = `members ${percent(all.own)}, ${(all.memory / 1e6).toFixed(1)} MB each, load ${load()}`
    print('  idle, of one core', all.engine === null ? 'no engine' : `engine ${percent(all.engine)}`, own)
  },
  async pauses(gathering, _, { kills }) {
    const { nothing, joins, leaves, dies } = await pauses(gathering, kills)
    const others = `one leaves ${ms(leaves)}, one is killed ${ms(dies)}; while nothing happens ${ms(nothing)}, load ${load()}`
    print('  longest pause of another lock', `one joins ${ms(joins)}`, others)
    const work = await workOfChanges(gathering, kills)
    const all = `one leaves ${ms(work.leaves)}, by all members together`
    print('  processor time of a change', `one joins ${ms(work.joins)}`, all)
  },
  async kills(gathering, _, { kills, lease }) {
    const took = (await takeovers(gathering, kills, lease)).toSorted((a, b) => a - b)
    print(
      '  from kill -9 of a holder to the next',
      ms(took.at(-1)),
      `the longest of ${took.length}, lease ${ms(lease)}`,
    )
  },
  async many(gathering, _, { killed }) {
    const { over, pause, lost } = await killMany(gathering, killed)
    print(
      `  ${killed} killed at once`,
      `a view after ${ms(over)}`,
      `another lock pauses ${ms(pause)}, ${lost} locks lost`,
    )
  },
  async names(gathering, _, { names }) {
    print(
      `  ${thousands(names)} names held`,
      `${Math.round(await bytesOfName(gathering, names))} bytes each`,
      '',
    )
  },
  async churn(gathering, _, { names, seconds }) {
    const { changes, grants, pause, lost, rejoined } = await churn(gathering, names, seconds)
    print(
      `  ${thousands(names)} names, ${changes} changes in ${seconds} s`,
      `${thousands(grants)} turns/s`,
      `the longest pause of a lock ${ms(pause)}, ${lost} locks lost, ${rejoined} sessions ended`,
    )
  },
}

async function measure(name: EngineName, members: number, options: Options): Promise<void> {
  const { inProcess, atOnce, lease, patience, sections } = options
  const engine = await startEngine(name)
  const gathering = new Gathering(engine, members, inProcess, lease, patience)
  try {
    await gathering.load()
    const work = await workOf(gathering, engine)
    const { served, joined, known } = await gathering.begin(atOnce)
    const all = `all joined after ${ms(joined)}, and know of each other after ${ms(known)}`
    print(`${members} members at ${name}`, `one serves after ${ms(served)}`, all)
    const { own, engine: asked } = await work()
    const beside = asked === null ? 'no engine' : `engine ${asked.toFixed(1)} s`
    print('  joining, processor time', beside, `members ${own.toFixed(1)} s, load ${load()}`)
    for (const section of sections) await MEASURES[section](gathering, engine, options)
  } catch (error) {
    if (!(error instanceof TooLong)) throw error
    print(`${members} members at ${name}`, 'given up', error.message)
  } finally {
    await gathering.end()
    await engine.end()
  }
}

/** Other work on the machine makes everything later, and processor time hardly more. */
function load(): string {
  return (loadavg()[0] ?? Number.NaN).toFixed(1)
}

function ms(value: number | undefined): string {
  return `${thousands(value ?? Number.NaN)} ms`
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}

function print(what: string, figure: string, beside: string): void {
  process.stdout.write(`${what.padEnd(44)}${figure.padStart(24)}   ${beside}`.trimEnd())
  process.stdout.write('\n')
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  if (options === 'help') return void process.stdout.write(HELP)
  process.stdout.write(`${machine()}\n`)
  for (const place of options.places) {
    for (const members of options.members) {
      try {
        await measure(place, members, options)
      } catch (error) {
        if (!(error instanceof Missing)) throw error
        process.stderr.write(`left out: ${place}; ${error.message}\n`)
        break
      }
    }
  }
}

await run(main)
