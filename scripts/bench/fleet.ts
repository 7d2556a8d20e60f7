/** Meshes of processes, and bare rings of as many. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { get } from '@turnwise/core/bounds'
import { freeAddresses, LOOPBACK } from '@turnwise/fleet/ports'
import type { Wires } from '@turnwise/fleet/wires'
import type { JoinOptions } from '../../packages/mesh/dist/join.js'
import { type Helper, startHelper } from './program.ts'
import { type Command, type Load, type Passed, type Standing, spanOf, type Turns, WRITERS } from './talk.ts'

/** Milliseconds: to warm up, and to measure. */
export interface Times {
  readonly warmUp: number
  readonly measured: number
}

/** For each process: what one does in a round, and its compiler sees, gets less the more there are. */
const LEAST_ROUNDS = 3
const MOST_ROUNDS = 6
const FEWEST_PROCESSES = 4
const IN_VAIN = 5

/** What is compared. */
export interface Round {
  /** How often it happened, a second. */
  readonly rate: number
  /** Microseconds of processor time for each, of all processes together. */
  readonly cpu: number
}

/**
 * The fastest of several rounds, and the processor time of the cheapest. Rounds end when some in a row were not faster: compilers need their
 * time, and what else slows a round down is somebody else's work.
 */
export async function fastestRound<Made extends Round>(
  processes: number,
  round: () => Promise<Made>,
): Promise<Made> {
  const best = get(await fastestRounds(processes, [round]), 0)
  return best
}

/** The same of several that are compared: their rounds alternate, so that what slows them down meets all of them. */
export async function fastestRounds<Made extends Round>(
  processes: number,
  rounds: readonly (() => Promise<Made>)[],
): Promise<Made[]> {
  const least = LEAST_ROUNDS * processes
  const most = MOST_ROUNDS * Math.max(FEWEST_PROCESSES, processes)
  const best: Made[] = []
  let inVain = 0
  for (let i = 0; i < least || (i < most && inVain < IN_VAIN); i += 1) {
    inVain += 1
    for (const [which, round] of rounds.entries()) {
      const next = await round()
      const before = best[which] ?? next
      if (i === 0 || next.rate > before.rate * 1.03) inVain = 0
      best[which] = {
        ...(next.rate > before.rate ? next : before),
        cpu: Math.min(next.cpu, before.cpu),
      }
    }
  }
  return best
}

export class Fleet {
  readonly helpers: Helper[]
  /** Milliseconds until all were members. */
  formed = Number.NaN
  /** What each had spent before it joined. */
  loaded: readonly Standing[] = []
  readonly directory = mkdtempSync(path.join(tmpdir(), 'turnwise-bench-'))
  readonly #options: (id: string, directory: string) => JoinOptions

  private constructor(count: number, options: (id: string, directory: string) => JoinOptions) {
    this.#options = options
    this.helpers = Array.from({ length: count }, () => startHelper('./mesh-process.ts'))
  }

  /** So many processes, each with one node of a mesh that has a view of all of them. `wires`: by which they find each other. `own`: what differs. */
  static async of(
    count: number,
    options: JoinOptions,
    wires: Wires | null = null,
    own: (id: string) => JoinOptions = () => ({}),
  ): Promise<Fleet> {
    const joining = await joiningOf(count, options, wires)
    const fleet = new Fleet(count, (id, directory) => ({ ...joining(id, directory), ...own(id) }))
    // Until they are loaded.
    fleet.loaded = await Promise.all(fleet.helpers.map((helper) => helper.ask<Standing>({ do: 'usage' })))
    const began = performance.now()
    await Promise.all(fleet.helpers.map((_, i) => fleet.join(i)))
    fleet.formed = performance.now() - began
    return fleet
  }

  async join(i: number): Promise<void> {
    const options = this.#options(`n${i}`, this.directory)
    await get(this.helpers, i).ask({ do: 'join', options, members: this.helpers.length })
  }

  /** Starts another process for one that has died. */
  async restart(i: number): Promise<void> {
    this.helpers[i] = startHelper('./mesh-process.ts')
    await this.join(i)
  }

  /** So many of them, all if nothing is said, take turns at these names at the same time. */
  turns(
    names: readonly string[],
    { warmUp, measured }: Times,
    load: Load = WRITERS,
    count?: number,
  ): Promise<Turns[]> {
    const command: Command = { do: 'turns', names, load, span: spanOf(warmUp, measured) }
    return Promise.all(this.helpers.slice(0, count).map((helper) => helper.ask<Turns>(command)))
  }

  async end(): Promise<void> {
    await Promise.all(this.helpers.map((helper) => helper.end()))
    rmSync(this.directory, { recursive: true, force: true })
  }
}

/** They know each other by name, or meet at a place: then by `DIRECTORY` at one that is made for them. */
async function joiningOf(
  count: number,
  options: JoinOptions,
  wires: Wires | null,
): Promise<(id: string, directory: string) => JoinOptions> {
  const given = { timeout: 60_000, ...options }
  const { at } = options
  if (at === DIRECTORY) return (id, directory) => ({ id, ...given, at: path.join(directory, 'place') })
  if (at !== undefined) return (id) => ({ id, listen: `${LOOPBACK}:0`, ...given })
  const peers = wires === null ? await freeAddresses(idsOf(count)) : {}
  return (id, directory) => ({
    id,
    peers,
    ...wires?.addresses(id),
    stateDir: path.join(directory, id),
    firstStart: true,
    ...given,
    ...(given.audit !== undefined && { audit: { file: path.join(directory, `${id}${given.audit.file}`) } }),
  })
}

export const DIRECTORY = 'directory'

export function idsOf(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `n${i}`)
}

/** A bare token that goes round so many processes. */
export async function bareRing(count: number, times: Times): Promise<Passing> {
  const helpers = Array.from({ length: count }, () => startHelper('./ring-process.ts'))
  try {
    const ports = await Promise.all(helpers.map((helper) => helper.ask<number>({ do: 'listen' })))
    await Promise.all(
      helpers.map((helper, i) => helper.ask({ do: 'connect', port: get(ports, (i + 1) % count) })),
    )
    return await fastestRound(count, () => passToken(helpers, times))
  } finally {
    await Promise.all(helpers.map((helper) => helper.end()))
  }
}

/** Hand-offs of a token; all figures but the rate are for each. */
export interface Passing extends Round {
  /** How often a process fell asleep and had to be woken. */
  readonly sleeps: number
}

export async function passToken(helpers: readonly Helper[], { warmUp, measured }: Times): Promise<Passing> {
  const span = spanOf(warmUp, measured)
  const all = await Promise.all(
    helpers.map((helper, i) => helper.ask<Passed>({ do: 'pass', span, isFirst: i === 0 })),
  )
  const total = (of: (passed: Passed) => number) => all.reduce((sum, each) => sum + of(each), 0)
  const turns = total((each) => each.turns)
  return {
    rate: (turns * 1000) / measured,
    cpu: total((each) => each.cpu) / turns,
    sleeps: total((each) => each.sleeps) / turns,
  }
}
