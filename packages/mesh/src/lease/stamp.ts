/**
 * A voter that starts again does not know which heartbeats its last life acknowledged, so it owes every member a lease (R19). The stamp
 * says up to when that life acknowledged any. Then the debt counts from there, and not from the start of the program, which may take
 * longer than a lease.
 *
 * It counts only for the life that came directly after, on the same machine since the same boot, with the same directory, and if no
 * clock jumped in between. In all other cases a whole lease is owed. docs/mesh-details.md ("The stamp") goes through them.
 */
import { createHash } from 'node:crypto'
import { closeSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Durable, VoterId } from '../protocol/record.ts'
import { difference, haveThreadsOneClock, machineTime } from './clock.ts'
import {
  makeFile,
  OF_PROGRAM,
  type Reach,
  reachAt,
  readRecords,
  type StampPlace,
  StampRecord,
  sweep,
  whyNoMemory,
} from './stamp-file.ts'

/** Whose stamp it is. */
export interface Stamped {
  readonly voterId: VoterId
  /** Identifies the state directory on its machine. */
  readonly directory: string
  /** Where the state directory is. */
  readonly path: string
  /** The session on disk: that of the last life. */
  readonly k: number
  /** T of this node. */
  readonly leaseMs: number
}

const FORMAT = 1
const MEMORY = '/dev/shm'
const PREFIX = 'turnwise-'
/** As a share of a lease: how far a stamp is ahead of the acks. So it is written at most twenty times in a lease, and costs as much. */
const AHEAD = 0.05
/** As a share of a lease: how far the clocks may have moved apart, as for a sleep. */
const APART = 0.1

export class Stamp {
  readonly #of: Stamped
  readonly #folder: string
  readonly #path: string
  /** What a stamp of this directory and this boot says; or why there can be none. */
  readonly #machine: Readonly<Record<string, string | number>> | string
  /** Up to when earlier lives may have acknowledged; null if that is unknown. */
  #last: Reach | null = null
  #why: string | null = 'it was not read'
  #place: StampPlace | null = null
  #record: StampRecord | null = null
  #isMade = false
  #k: number

  constructor(of: Stamped, folder = MEMORY) {
    const { voterId, directory, k } = of
    this.#of = of
    this.#folder = folder
    this.#k = k
    this.#path = stampPath(voterId, folder)
    const machine = machineOf(folder)
    this.#machine = typeof machine === 'string' ? machine : { ...machine, voter: voterId, directory }
  }

  /** Why the debt is that of a whole lease; null if the stamp counts. */
  get why(): string | null {
    return this.#why
  }

  /** Milliseconds for which earlier lives have surely acknowledged no heartbeat that came. Call it before the clock of the start is read. */
  quietFor(): number {
    const last = typeof this.#machine === 'string' ? this.#machine : this.#read(this.#machine)
    this.#why = typeof last === 'string' ? last : null
    if (typeof last === 'string') return 0
    const now = machineTime()
    // The clocks are still compared with what they were then, should this life pass it on.
    this.#last = { until: Math.min(last.until, now), apart: last.apart }
    return now - this.#last.until
  }

  /** What it says, or why that does not count. */
  #read(machine: Readonly<Record<string, string | number>>): Reach | string {
    const records = readRecords(this.#path)
    if (typeof records === 'string') return records
    const [program, thread] = records
    const other = Object.entries({ ...machine, session: this.#of.k }).find(
      ([key, value]) => program[key] !== value,
    )
    if (other !== undefined) return `it is of another ${other[0]}`
    const last = thread.until > program.until ? thread : program
    const moved = Math.abs(difference(Date.now, machineTime) - last.apart)
    return moved <= APART * this.#of.leaseMs ? last : `a clock jumped by ${Math.round(moved)} ms`
  }

  /** A state is on disk. From now on its session is the last one. */
  follow({ k, accepted }: Durable): void {
    const { leaseMs, path } = this.#of
    const machine = this.#machine
    // Only a voter has accepted anything, and only a voter acknowledges.
    if (typeof machine === 'string' || accepted === null) return
    const hasChanged = k !== this.#k
    this.#k = k
    if (this.#isMade) {
      // R7. If this fails, the session on disk is not the one of the stamp.
      if (hasChanged) this.#record?.again()
      return
    }
    // Once only: a later attempt would not know of the acks before it.
    this.#isMade = true
    // The acks of earlier lives count too, should this one be killed before it acknowledges anything.
    const reach = this.#last ?? reachAt(machineTime())
    const textOf = (own: Reach) => JSON.stringify({ ...machine, path, session: this.#k, ...own })
    sweep(this.#folder, PREFIX)
    try {
      const file = makeFile(this.#path, textOf(reach), JSON.stringify(reach))
      this.#place = { file, path: this.#path, ahead: AHEAD * leaseMs }
      this.#record = new StampRecord(this.#place, OF_PROGRAM, reach, textOf)
    } catch {
      // An older stamp may still be there. Its session is not the one on disk.
    }
  }

  /** Before this thread sends an ack. If it returns false, the ack must not leave. */
  cover(): boolean {
    return this.#record?.cover() ?? true
  }

  /** For the lease thread; null without a file. */
  get place(): StampPlace | null {
    return this.#place
  }

  /** When no thread acknowledges any more. Members that left in good order are owed nothing. */
  close(): void {
    if (this.#place === null) return
    closeSync(this.#place.file)
    this.#place = null
    this.#record = null
    try {
      rmSync(this.#path, { force: true })
    } catch {
      // What somebody put in its place stays there.
    }
  }
}

export function stampPath(voterId: VoterId, folder = MEMORY): string {
  return join(folder, `${PREFIX}${createHash('sha256').update(voterId).digest('hex').slice(0, 32)}`)
}

/** What tells this machine and its clock from others and from itself after another boot; or why it cannot have a stamp. */
function machineOf(folder: string): { format: number; boot: string; clock: string } | string {
  if (process.platform !== 'linux') return 'only Linux has one'
  if (!haveThreadsOneClock) return 'the clock of this runtime begins anew with each process'
  const why = whyNoMemory(folder)
  if (why !== null) return why
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return { format: FORMAT, boot, clock: timeNamespace() }
  } catch (error) {
    return String(error)
  }
}

/** In another time namespace the clock has another origin. Kernels before 5.6 have none. */
function timeNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/time')
  } catch {
    return 'none'
  }
}
