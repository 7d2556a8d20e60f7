import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { catalogue, namesOf } from '@turnwise/algorithms/catalogue'
import { unknownAlgorithm } from '@turnwise/algorithms/unknown-algorithm'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { parseOptions } from '../../../scripts/options.ts'

export interface BenchOptions {
  readonly algorithms: readonly string[]
  readonly nodes: number
  readonly events: number
  readonly frames: number
  readonly rounds: number
  readonly speed: string
  /** The tab beside the pictures. */
  readonly tab: string
  /** The folder of another built page, which is measured by turns with this one; null for none. */
  readonly against: string | null
  /** Whether Chromium's trace says what kinds of work the time went into. */
  readonly kinds: boolean
}

const TABS = ['State', 'Code', 'Properties', 'Messages', 'Log']

export const HELP = `npm run bench:lab -- [options]
  --algorithms LIST   whose runs are scrubbed; default ricart-agrawala,maekawa,raymond
  --nodes NUMBER      default 20
  --events NUMBER     places on the scrub bar, about; default 20000
  --frames NUMBER     of each round; default 120
  --rounds NUMBER     of which the fastest counts; default 3. A busy machine needs more
  --speed NUMBER      at which the run is played; default 64
  --tab NAME          the tab that is open: ${TABS.join(', ')}; default State
  --against FOLDER    the built page of another checkout (packages/lab/dist/page): both by turns, and what this one needs of
                      the other's main thread
  --kinds             what kinds of work the time goes into, by Chromium's own trace, also of the threads behind the main one
`

export function readOptions(args: readonly string[]): BenchOptions | 'help' {
  const values = parsed(args)
  if (values.help === true) return 'help'
  const algorithms = (values.algorithms ?? 'ricart-agrawala,maekawa,raymond').split(',')
  for (const name of algorithms)
    if (!namesOf(catalogue).includes(name)) throw unknownAlgorithm(name, namesOf(catalogue))
  const tab = values.tab ?? 'State'
  if (!TABS.includes(tab)) throw new InvalidInput(`--tab "${tab}" is not one of ${TABS.join(', ')}`)
  return {
    algorithms,
    tab,
    nodes: whole('nodes', values.nodes ?? '20', 2, 400),
    events: whole('events', values.events ?? '20000', 100, 30_000),
    frames: whole('frames', values.frames ?? '120', 10, 10_000),
    rounds: whole('rounds', values.rounds ?? '3', 1, 100),
    speed: String(whole('speed', values.speed ?? '64', 1, 256)),
    against: values.against === undefined ? null : builtPage(values.against),
    kinds: values.kinds === true,
  }
}

function parsed(args: readonly string[]) {
  const text = { type: 'string' } as const
  const options = {
    algorithms: text,
    nodes: text,
    events: text,
    frames: text,
    rounds: text,
    speed: text,
    tab: text,
    against: text,
    kinds: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  } as const
  return parseOptions({ args: [...args], options }).values
}

function builtPage(folder: string): string {
  if (existsSync(join(folder, 'index.html'))) return folder
  throw new InvalidInput(
    `--against "${folder}" has no index.html: it takes a folder that npm run build made, such as packages/lab/dist/page`,
  )
}

function whole(name: string, text: string, least: number, most: number): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= least && value <= most) return value
  throw new InvalidInput(`--${name} "${text}" is not a whole number from ${least} to ${most}`)
}
