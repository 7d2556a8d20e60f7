/** What `npm run bench:mesh` is told; whatever is wrong with it is one line, and exit 2. */
import { catalogue } from '@turnwise/algorithms/catalogue'
import { know } from '@turnwise/algorithms/texts'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { roundRobin } from '@turnwise/fleet/distance'
import { latencyOption } from '../../packages/cli/dist/cli/run-options.js'
import { servable } from '../../packages/mesh/dist/protocol/serving.js'
import { parseOptions } from '../options.ts'
import type { Times } from './fleet.ts'

export const SECTIONS = [
  'again',
  'memory',
  'hand-offs',
  'together',
  'layers',
  'readers',
  'names',
  'several',
  'crash',
  'idle',
  'audit',
] as const
export type Section = (typeof SECTIONS)[number]

export interface BenchOptions {
  readonly sections: readonly Section[]
  /** For hand-offs; the other sections take what was named, or the default. */
  readonly algorithms: readonly string[]
  readonly named: readonly string[] | null
  readonly processes: readonly number[]
  /** How many processes share the names. */
  readonly busy: readonly number[]
  readonly callers: number
  readonly readers: number
  readonly times: Times
  /** How many names a stay takes, for several. */
  readonly takes: readonly number[]
  readonly kills: number
  readonly nodes: number
  /** Seconds from the last `join` to the measurement of an idle mesh. */
  readonly settle: number
  readonly svg: string | null
  /** Hand-offs between processes that are so far from each other; null if bytes take no time of ours. */
  readonly latency: string | null
}

export const HELP = `npm run bench:mesh -- [options]
  --only LIST         of ${SECTIONS.join(', ')}; default all
  --algorithms LIST   default the default of join; for hand-offs every one of the catalogue that can serve locks
  --processes LIST    for hand-offs, together, layers, readers and audit; default 2,4,8; for names and several 4
  --take LIST         names of a stay, for several, out of 16; default 1,2,4,8
  --callers NUMBER    of each process, for hand-offs, readers and several: with 1, the default, nobody waits where it is released
  --readers NUMBER    which share of the turns of readers is to read; default 0.9
  --seconds NUMBER    of one round with several processes; rounds are repeated while they get faster. Default 1
  --warm-up NUMBER    seconds before a round; default 0.2
  --kills NUMBER      of a holder, for crash, each voter in turn; default 9
  --nodes NUMBER      for idle; default 32
  --settle NUMBER     seconds after the last join before idle measures; default 5. Code is compiled in the first two minutes
  --svg FILE          a chart of the hand-offs
  --latency LAW       for hand-offs and several: bytes between processes take their time, in ms, by zone: one-datacentre, three-zones,
                      three-continents, a law such as constant:5, or FILE.json. Processes get zones in turn. Rounds are five
                      times as long, and there is no bare token beside them
`

export function readOptions(args: readonly string[]): BenchOptions | 'help' {
  const { values } = parsed(args)
  if (values.help === true) return 'help'
  const sections = list(values.only) ?? [...SECTIONS]
  const stray = sections.find((section) => !SECTIONS.includes(section as Section))
  if (stray !== undefined) throw new InvalidInput(`--only "${stray}" is not one of ${SECTIONS.join(', ')}`)
  const named = list(values.algorithms)
  const algorithms = named ?? servableOnes()
  for (const algorithm of algorithms) servable(algorithm)
  const processes = (list(values.processes) ?? ['2', '4', '8']).map((text) => whole('processes', text, 2, 64))
  return {
    sections: sections as Section[],
    algorithms,
    named,
    processes,
    busy: values.processes === undefined ? [4] : processes,
    callers: whole('callers', values.callers ?? '1', 1, 100),
    readers: number('readers', values.readers ?? '0.9', 0, 1),
    times: {
      warmUp: 1000 * number('warm-up', values['warm-up'] ?? '0.2', 0, 600),
      measured: 1000 * number('seconds', values.seconds ?? '1', 0.1, 600),
    },
    takes: (list(values.take) ?? ['1', '2', '4', '8']).map((text) => whole('take', text, 1, 16)),
    kills: whole('kills', values.kills ?? '9', 1, 1000),
    nodes: whole('nodes', values.nodes ?? '32', 2, 64),
    settle: number('settle', values.settle ?? '5', 0, 3600),
    svg: values.svg ?? null,
    latency: latencyFrom(values.latency, processes),
  }
}

function parsed(args: readonly string[]) {
  return parseOptions({
    args: [...args],
    options: {
      only: { type: 'string' },
      algorithms: { type: 'string' },
      processes: { type: 'string' },
      callers: { type: 'string' },
      readers: { type: 'string' },
      seconds: { type: 'string' },
      'warm-up': { type: 'string' },
      take: { type: 'string' },
      kills: { type: 'string' },
      nodes: { type: 'string' },
      settle: { type: 'string' },
      svg: { type: 'string' },
      latency: { type: 'string' },
      help: { type: 'boolean' },
    },
  })
}

/** It must suit each number of processes. */
function latencyFrom(text: string | undefined, processes: readonly number[]): string | null {
  if (text === undefined) return null
  for (const count of processes) latencyOption(text, count, roundRobin)
  return text
}

export function list(text: string | undefined): string[] | null {
  return text === undefined ? null : text.split(',').map((item) => item.trim())
}

export function number(option: string, text: string, min: number, max: number): number {
  const value = Number(text)
  if (text.trim() !== '' && value >= min && value <= max) return value
  throw new InvalidInput(`--${option} "${text}" is not a number from ${min} to ${max}`)
}

export function whole(option: string, text: string, min: number, max: number): number {
  const value = number(option, text, min, max)
  if (Number.isInteger(value)) return value
  throw new InvalidInput(`--${option} "${text}" is not a whole number`)
}

know(catalogue)

function servableOnes(): string[] {
  const canServe = (name: string) => {
    try {
      servable(name)
      return true
    } catch (error) {
      if (error instanceof InvalidInput) return false
      throw error
    }
  }
  return catalogue.map(({ facts }) => facts.name).filter(canServe)
}
