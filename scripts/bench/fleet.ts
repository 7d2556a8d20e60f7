/** Meshes of processes, and bare rings of as many. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freeAddresses, LOOPBACK } from '../../packages/cli/dist/fleet/ports.js'
import type { Wires } from '../../packages/cli/dist/fleet/wires.js'
import type { JoinOptions } from '../../packages/mesh/dist/join.js'
import { type Command, type Helper, type Load, spanOf, startHelper, type Turns, WRITERS } from './talk.ts'

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

/**
 * The fastest of several rounds, which end when some in a row were not faster: compilers need their time, and what else slows a round
 * down is somebody else's work.
 */
export async function fastestRound<Round extends { readonly rate: number }>(
  processes: number,
  round: () => Promise<Round>,
): Promise<Round> {
  const [best] = await fastestRounds(processes, [round])
  return best
}

/** The same of several that are compared: their rounds alternate, so that what slows them down meets all of them. */
export async function fastestRounds<Round extends { readonly rate: number }>(
  processes: number,
  rounds: readonly (() => Promise<Round>)[],
): Promise<Round[]> {
  const least = LEAST_ROUNDS * processes
  const most = MOST_ROUNDS * Math.max(FEWEST_PROCESSES, processes)
  const best: Round[] = []
  let inVain = 0
  for (let i = 0; i < least || (i < most && inVain < IN_VAIN); i += 1) {
    inVain += 1
    for (const [which, round] of rounds.entries()) {
      const next = await round()
      const before = best[which]?.rate ?? 0
      if (next.rate > before * 1.03) inVain = 0
      if (next.rate > before) best[which] = next
    }
  }
  return best
}

/** A lease that is not lost on a machine that has other things to do: what is measured is not that. */
export const PATIENT = 10_000

export class Fleet {
  readonly helpers: Helper[]
  /** Milliseconds until all were members. */
  formed = Number.NaN
  readonly directory = mkdtempSync(path.join(tmpdir(), 'turnwise-bench-'))
  readonly #options: (id: string, directory: string) => JoinOptions

  private constructor(count: number, options: (id: string, directory: string) => JoinOptions) {
    this.#options = options
    this.helpers = Array.from({ length: count }, () => startHelper('./mesh-process.ts'))
  }

  /** So many processes, each with one node of a mesh that has a view of all of them. `wires`: by which they find each other. */
  static async of(count: number, options: JoinOptions, wires: Wires | null = null): Promise<Fleet> {
    const fleet = new Fleet(count, await joiningOf(count, options, wires))
    // Until they are loaded.
    await Promise.all(fleet.helpers.map((helper) => helper.ask({ do: 'usage' })))
    const began = performance.now()
    await Promise.all(fleet.helpers.map((_, i) => fleet.join(i)))
    fleet.formed = performance.now() - began
    return fleet
  }

  async join(i: number): Promise<void> {
    const options = this.#options(`n${i}`, this.directory)
    await this.helpers[i].ask({ do: 'join', options, members: this.helpers.length })
  }

  /** Another process in the place of one that has died. */
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

/** Hand-offs a second of a bare token that goes round so many processes. */
export async function bareRing(count: number, times: Times): Promise<number> {
  const helpers = Array.from({ length: count }, () => startHelper('./ring-process.ts'))
  try {
    const ports = await Promise.all(helpers.map((helper) => helper.ask<number>({ do: 'listen' })))
    await Promise.all(helpers.map((helper, i) => helper.ask({ do: 'connect', port: ports[(i + 1) % count] })))
    const { rate } = await fastestRound(count, () => passToken(helpers, times))
    return rate
  } finally {
    await Promise.all(helpers.map((helper) => helper.end()))
  }
}

export async function passToken(
  helpers: readonly Helper[],
  { warmUp, measured }: Times,
): Promise<{ readonly rate: number }> {
  const span = spanOf(warmUp, measured)
  const turns = await Promise.all(
    helpers.map((helper, i) => helper.ask<number>({ do: 'pass', span, isFirst: i === 0 })),
  )
  return { rate: (turns.reduce((sum, each) => sum + each, 0) * 1000) / measured }
}
