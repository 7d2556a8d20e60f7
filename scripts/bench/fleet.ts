/** Meshes of processes, and bare rings of as many. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freeAddresses } from '../../packages/cli/dist/fleet/ports.js'
import type { JoinOptions } from '../../packages/mesh/dist/join.js'
import { type Command, Helper, type Load, spanOf, type Turns, WRITERS } from './talk.ts'

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
  const least = LEAST_ROUNDS * processes
  const most = MOST_ROUNDS * Math.max(FEWEST_PROCESSES, processes)
  let best = await round()
  let inVain = 0
  for (let i = 1; i < least || (i < most && inVain < IN_VAIN); i += 1) {
    const next = await round()
    inVain = next.rate > best.rate * 1.03 ? 0 : inVain + 1
    if (next.rate > best.rate) best = next
  }
  return best
}

/** A lease that is not lost on a machine that has other things to do: what is measured is not that. */
export const PATIENT = 10_000

export class Fleet {
  readonly helpers: Helper[]
  /** Milliseconds until all were members. */
  formed = Number.NaN
  readonly #directory = mkdtempSync(path.join(tmpdir(), 'turnwise-bench-'))
  readonly #peers: Readonly<Record<string, string>>
  readonly #options: JoinOptions

  private constructor(peers: Readonly<Record<string, string>>, options: JoinOptions) {
    this.#peers = peers
    this.#options = options
    this.helpers = Object.keys(peers).map(() => new Helper('./mesh-process.ts'))
  }

  /** So many processes, each with one node of a mesh that has a view of all of them. */
  static async of(count: number, options: JoinOptions): Promise<Fleet> {
    const ids = Array.from({ length: count }, (_, i) => `n${i}`)
    const fleet = new Fleet(await freeAddresses(ids), options)
    // Until they are loaded.
    await Promise.all(fleet.helpers.map((helper) => helper.tell({ do: 'usage' })))
    const began = performance.now()
    await Promise.all(fleet.helpers.map((_, i) => fleet.join(i)))
    fleet.formed = performance.now() - began
    return fleet
  }

  async join(i: number): Promise<void> {
    const id = `n${i}`
    const options: JoinOptions = {
      id,
      peers: this.#peers,
      stateDir: path.join(this.#directory, id),
      firstStart: true,
      timeout: 60_000,
      ...this.#options,
    }
    await this.helpers[i].tell({ do: 'join', options })
  }

  /** Another process in the place of one that has died. */
  async restart(i: number): Promise<void> {
    this.helpers[i] = new Helper('./mesh-process.ts')
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
    return Promise.all(this.helpers.slice(0, count).map((helper) => helper.tell<Turns>(command)))
  }

  async end(): Promise<void> {
    await Promise.all(this.helpers.map((helper) => helper.end('SIGKILL')))
    rmSync(this.#directory, { recursive: true, force: true })
  }
}

/** Hand-offs a second of a bare token that goes round so many processes. */
export async function bareRing(count: number, times: Times): Promise<number> {
  const helpers = Array.from({ length: count }, () => new Helper('./ring-process.ts'))
  try {
    const ports = await Promise.all(helpers.map((helper) => helper.tell<number>({ do: 'listen' })))
    await Promise.all(
      helpers.map((helper, i) => helper.tell({ do: 'connect', port: ports[(i + 1) % count] })),
    )
    const { rate } = await fastestRound(count, () => passToken(helpers, times))
    return rate
  } finally {
    await Promise.all(helpers.map((helper) => helper.end('SIGKILL')))
  }
}

export async function passToken(
  helpers: readonly Helper[],
  { warmUp, measured }: Times,
): Promise<{ readonly rate: number }> {
  const span = spanOf(warmUp, measured)
  const turns = await Promise.all(
    helpers.map((helper, i) => helper.tell<number>({ do: 'pass', span, isFirst: i === 0 })),
  )
  return { rate: (turns.reduce((sum, each) => sum + each, 0) * 1000) / measured }
}
