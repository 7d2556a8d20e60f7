/**
 * The file of a voter's stamp (stamp.ts), in a memory file system: a write to a disk may wait for seconds behind the writes of others,
 * and no ack may wait for that. Both threads that acknowledge have a record of their own in it. So neither waits for the other, and
 * neither can set the other back.
 *
 * Everybody can write to /dev/shm. So a file counts only if nobody else can have written it. Each life makes a new file.
 */
import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { stampFor } from '../protocol/record.ts'
import { machineTime } from './clock.ts'

/** Where the record of each thread begins. Both are in one page. */
export const OF_PROGRAM = 0
export const OF_THREAD = 2048
const SIZE = 4096

/** Milliseconds since a stamp was last written, after which it may be swept. */
const OLD_MS = 3_600_000

/** tmpfs and ramfs, by their types in statfs(2). */
const IN_MEMORY = [0x01021994, 0x858458f6]

/** What both records say. */
export interface Reach {
  /** No heartbeat that came later was acknowledged by this thread: milliseconds of the machine's monotonic clock. */
  readonly until: number
  /** How many milliseconds the wall clock was ahead of that clock. */
  readonly apart: number
}

export function reachAt(until: number): Reach {
  return { until, apart: Date.now() - machineTime() }
}

/** Where a thread writes. The file stays open until both threads have ended. */
export interface StampPlace {
  readonly file: number
  readonly path: string
  /** Milliseconds by which a record is ahead of the ack that it is written for. */
  readonly ahead: number
}

/** Why this folder cannot have stamps, or null. */
export function whyNoMemory(folder: string): string | null {
  try {
    return IN_MEMORY.includes(statfsSync(folder).type >>> 0) ? null : `${folder} is not in memory`
  } catch (error) {
    return String(error)
  }
}

/** A record as it was read. That of the program says more. */
type Read = Reach & Readonly<Record<string, unknown>>

/** Both records, or an explanation of why they do not count. */
export function readRecords(path: string): readonly [program: Read, thread: Read] | string {
  let file: number | null = null
  try {
    // A pipe that a stranger put there must not block.
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    if (!isOurs(file)) return 'it may be of another user'
    const page = Buffer.alloc(SIZE)
    const length = readSync(file, page, 0, SIZE, 0)
    const program = unsealed(page.subarray(OF_PROGRAM, OF_THREAD))
    const thread = unsealed(page.subarray(OF_THREAD, Math.max(length, OF_THREAD)))
    return program === null || thread === null ? 'it is damaged, or was given up' : [program, thread]
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT'
      ? 'no stamp was found'
      : String(error)
  } finally {
    if (file !== null) closeSync(file)
  }
}

/** Whether only this user can have written it, and under no other name. */
function isOurs(file: number): boolean {
  const found = fstatSync(file)
  return (
    found.isFile() && found.uid === process.getuid?.() && (found.mode & 0o7777) === 0o600 && found.nlink === 1
  )
}

/** Makes a new file with both records. Throws if another user's file is in its place. */
export function makeFile(path: string, program: string, thread: string): number {
  rmSync(path, { force: true })
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
  const file = openSync(path, flags, 0o600)
  try {
    if (!isOurs(file)) throw new Error(`${path} is not of this user alone`)
    write(file, program, OF_PROGRAM)
    write(file, thread, OF_THREAD)
    return file
  } catch (error) {
    closeSync(file)
    rmSync(path, { force: true })
    throw error
  }
}

/** Removes stamps of killed voters whose state directory is gone, as of a mesh that was only tried. */
export function sweep(folder: string, prefix: string): void {
  try {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name)
      // The stamp of a voter in use is new, also if its directory cannot be seen from here.
      if (!name.startsWith(prefix) || Date.now() - lstatSync(path).mtimeMs < OLD_MS) continue
      const records = readRecords(path)
      if (typeof records !== 'string' && !existsSync(String(records[0]['path'])))
        rmSync(path, { force: true })
    }
  } catch {
    // Another process sweeps at the same time. What is left costs a page of memory.
  }
}

/** One call of the system, within one page. If it was cut short nevertheless, the checksum is wrong. */
function write(file: number, body: string, position: number): void {
  const text = Buffer.from(sealed(body))
  if (text.length > OF_THREAD) throw new RangeError(`a record of ${text.length} bytes`)
  if (writeSync(file, text, 0, text.length, position) < text.length) throw new Error('it was cut short')
}

function sealed(body: string): string {
  return `${sumOf(body)} ${body}\n`
}

function unsealed(bytes: Buffer): Read | null {
  const text = bytes.toString()
  const end = text.indexOf('\n')
  const cut = text.indexOf(' ')
  if (end < 0 || cut < 0) return null
  const body = text.slice(cut + 1, end)
  if (text.slice(0, cut) !== sumOf(body)) return null
  const read = JSON.parse(body) as Read
  return Number.isFinite(read.until) && Number.isFinite(read.apart) ? read : null
}

function sumOf(body: string): string {
  return createHash('sha256').update(body).digest('hex').slice(0, 32)
}

/**
 * The record of one thread. Invariant: when an ack leaves, the record says a time that is not before the one at which the heartbeat had
 * come; or the stamp counts no more.
 */
export class StampRecord {
  readonly #place: StampPlace
  readonly #position: number
  readonly #textOf: (reach: Reach) => string
  #reach: Reach
  #isGivenUp = false

  constructor(place: StampPlace, position: number, reach: Reach, textOf: (reach: Reach) => string) {
    this.#place = place
    this.#position = position
    this.#reach = reach
    this.#textOf = textOf
  }

  /** Called when the heartbeat is there, and before its ack leaves. If it returns false, the ack must not leave. */
  cover(): boolean {
    if (this.#isGivenUp) return true
    const { until } = this.#reach
    const next = stampFor(until, machineTime(), this.#place.ahead)
    return next === until || this.#write(reachAt(next))
  }

  /** Writes it again, because the rest of the text has changed. A jump of the clock since it was first written must still show. */
  again(): boolean {
    return this.#isGivenUp || this.#write(this.#reach)
  }

  #write(reach: Reach): boolean {
    try {
      write(this.#place.file, this.#textOf(reach), this.#position)
      this.#reach = reach
      return true
    } catch {
      return this.#giveUp()
    }
  }

  /** What it says no longer holds. Without this record the next life takes the whole stamp for damaged, or finds none. */
  #giveUp(): boolean {
    this.#isGivenUp =
      succeeds(() => ftruncateSync(this.#place.file, 0)) ||
      succeeds(() => rmSync(this.#place.path, { force: true }))
    return this.#isGivenUp
  }
}

function succeeds(action: () => void): boolean {
  try {
    action()
    return true
  } catch {
    return false
  }
}

/** The record of the lease thread. */
export function recordOfThread(place: StampPlace): StampRecord {
  return new StampRecord(place, OF_THREAD, reachAt(Number.NEGATIVE_INFINITY), JSON.stringify)
}
