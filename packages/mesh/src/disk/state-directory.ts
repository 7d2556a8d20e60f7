/** A directory on disk that belongs to one process at a time and holds what a voter must not forget. */
import { randomUUID } from 'node:crypto'
import * as nodeFiles from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { Stamp } from '../lease/stamp.ts'
import { blank, type Durable } from '../protocol/record.ts'
import type { Marks } from '../protocol/state.ts'
import { isLockFile, isPlace, lockDirectory } from './directory-lock.ts'
import type { Disk } from './disk.ts'
import { type Files, realFiles, syncDirectory, writeSynced } from './files.ts'
import { marksOf, newKey } from './marks.ts'
import { inEra, NOTHING, type Remembered, readMemory, writeMemory } from './memory-file.ts'
import { complaintOf, isElsewhere, isSamePlace, type Owner, ownerOf } from './owner.ts'
import { ReplacedFile } from './replaced-file.ts'
import { whyShared } from './shared-disk.ts'
import { readStored, type Stored, writeState } from './state-file.ts'
import { codeOf, LONGEST_PATH } from './witness.ts'

export type { Disk } from './disk.ts'

/** Another process, or another node of this one, uses the directory. */
export class StateDirectoryInUse extends Error {
  override readonly name = 'StateDirectoryInUse'
  readonly code = 'STATE_DIRECTORY_IN_USE'
}

/**
 * The content of the directory cannot be used. It is never reset silently, because a voter that forgets is another voter (R20).
 */
export class StateDirectoryDamaged extends Error {
  override readonly name = 'StateDirectoryDamaged'
  readonly code = 'STATE_DIRECTORY_DAMAGED'
}

/** The directory belongs to another node or mesh, or is a copy of one that still exists. */
export class StateDirectoryOfAnother extends Error {
  override readonly name = 'StateDirectoryOfAnother'
  readonly code = 'STATE_DIRECTORY_OF_ANOTHER'
}

const STATE = 'state'
/** What the voter remembers for callers. */
const MEMORY = 'memory'
/** A first state before it is linked to its name. Several processes may try to begin. */
const FIRST_STATE = /^state-[0-9a-f]{8}$/
/** Some file systems keep this in their root. */
const LOST_AND_FOUND = 'lost+found'
const IF_LOST = 'If it is lost for good, remove the directory: the node then comes back as a new voter'
/** Where a daemon has its control socket by default. */
export const CONTROL = 'control'

export interface Belonging {
  readonly id: string
  readonly mesh: string
  /** T of the node. Without it there is no stamp (R19). */
  readonly leaseMs?: number
  /** Called with one line if the directory is not where it was last written. */
  readonly warn?: (line: string) => void
}

/**
 * Makes the directory, with a new voterId, if it does not exist. No other process can open it until this one closes it or ends.
 */
export async function openStateDirectory(
  path: string,
  { id, mesh, leaseMs, warn = () => {} }: Belonging,
  files: Files = realFiles,
): Promise<Disk> {
  const directory = resolve(path)
  const length = Buffer.byteLength(directory)
  if (length > LONGEST_PATH) {
    throw new InvalidInput(
      `the state directory ${directory} has a path of ${length} bytes, at most ${LONGEST_PATH} are allowed`,
    )
  }
  await usable(directory, () => prepare(directory, files))
  const owner = await ownerOf(id, mesh, directory)
  await usable(directory, () => begin(directory, owner, files))
  const unlock = await usable(directory, () => lockDirectory(directory))
  if (unlock === null) {
    throw new StateDirectoryInUse(`the state directory ${directory} is in use by another process`)
  }
  try {
    const stored = await load(directory, files)
    await requireOwned(stored, owner, warn)
    const remembered = await loadMemory(directory, stored, files)
    const { voterId, k } = stored.durable
    const of = { voterId, k, directory: owner.fingerprint, path: directory }
    const stamp = leaseMs === undefined ? undefined : new Stamp({ ...of, leaseMs })
    return new StateDirectory(owner, stored, remembered, files, unlock, stamp)
  } catch (error) {
    await unlock()
    throw error
  }
}

/** R19, R20: sessions and promises belong to one node in one place. */
async function requireOwned(
  { durable, owner: there }: Stored,
  here: Owner,
  warn: (line: string) => void,
): Promise<void> {
  const { directory } = here
  const complaint = complaintOf(durable, there, here)
  if (complaint !== null) {
    throw new StateDirectoryOfAnother(
      `the state directory ${directory} cannot be used: ${complaint}. A copy would break the promises of its owner: give this node a directory of its own`,
    )
  }
  if (!isElsewhere(there, here)) return
  if (await isThere(there.directory, durable, directory)) {
    throw new StateDirectoryOfAnother(
      `the state directory ${directory} is a copy of ${there.directory}, which is still there: remove one of the two`,
    )
  }
  warn(
    `the state directory ${directory} is a copy or was restored: it was last written as ${there.directory}. No other process may use the original`,
  )
}

/** Whether the original of a copy is still on this machine, as far as this process can see. */
async function isThere(original: string, { voterId }: Durable, copy: string): Promise<boolean> {
  try {
    const stored = readStored(await nodeFiles.readFile(join(original, STATE), 'utf8'))
    if (typeof stored === 'string' || stored.durable.voterId !== voterId) return false
    return !(await isSamePlace(original, copy))
  } catch {
    return false
  }
}

class StateDirectory implements Disk {
  readonly marks: Marks | undefined
  readonly stamp: Stamp | undefined
  readonly #state: ReplacedFile<Durable>
  readonly #memory: ReplacedFile<Remembered>
  readonly #directory: string
  readonly #unlock: () => Promise<void>
  #remembered: Remembered
  /** Whether the state file says that there is a memory file. */
  #isNoted: boolean
  #closed: Promise<void> | null = null

  constructor(
    owner: Owner,
    { durable, key, remembers }: Stored,
    remembered: Remembered,
    files: Files,
    unlock: () => Promise<void>,
    stamp: Stamp | undefined,
  ) {
    const { directory } = owner
    const ownKey = key ?? newKey()
    this.#directory = directory
    this.#state = new ReplacedFile(
      directory,
      STATE,
      durable,
      (next) => writeState(next, owner, ownKey, this.#isNoted),
      files,
    )
    this.#memory = new ReplacedFile(directory, MEMORY, remembered, writeMemory, files)
    this.#remembered = remembered
    this.#isNoted = remembers
    this.marks = key === null ? undefined : marksOf(key)
    this.#unlock = unlock
    this.stamp = stamp
  }

  get durable(): Durable {
    return this.#state.written
  }

  /** Notes as early as possible when other voters came: runs after that are known. */
  async persist(durable: Durable): Promise<void> {
    this.#requireOpen()
    const { since = 0 } = durable.accepted ?? {}
    const isNew = since > this.#remembered.since
    await Promise.all([
      this.#state.write(durable),
      isNew && this.remember(inEra(this.#remembered, since, Date.now())),
    ])
    this.stamp?.follow(this.durable)
  }

  get remembered(): Remembered {
    return this.#remembered
  }

  async remember(remembered: Remembered): Promise<void> {
    this.#requireOpen()
    this.#remembered = remembered
    await this.#memory.write(remembered)
    if (this.#isNoted) return
    // From now on a missing memory file was lost. The order matters: a state that mentions a memory is never without it.
    this.#isNoted = true
    await this.#state.again()
  }

  #requireOpen(): void {
    if (this.#closed !== null) throw new Error(`the state directory ${this.#directory} is closed`)
  }

  close(): Promise<void> {
    this.#closed ??= this.#finish()
    return this.#closed
  }

  async #finish(): Promise<void> {
    await Promise.all([this.#state.settled(), this.#memory.settled()])
    this.stamp?.close()
    await this.#unlock()
  }
}

async function prepare(directory: string, files: Files): Promise<void> {
  await makeDirectory(directory)
  const shared = await whyShared(directory, files)
  if (shared !== null) throw new Error(shared)
  await requireOurs(directory)
  await nodeFiles.chmod(directory, 0o700)
}

/** Errors of the system get the directory's name. */
async function usable<Result>(directory: string, doing: () => Promise<Result>): Promise<Result> {
  try {
    return await doing()
  } catch (error) {
    if (error instanceof StateDirectoryDamaged) throw error
    throw new InvalidInput(`the state directory ${directory} cannot be used: ${textOf(error)}`, {
      cause: error,
    })
  }
}

/**
 * Writes the state of a voter that has never run. It is written before the first lock is taken, so a lock without a state always
 * means a lost state. If several processes begin together, one wins, because a link can be made only once.
 */
async function begin(directory: string, owner: Owner, files: Files): Promise<void> {
  const state = join(directory, STATE)
  const lock = (await nodeFiles.readdir(directory)).find(isPlace)
  // Checked after the lock was seen: the process that made the lock had made the state before.
  if (await isFile(state)) return
  if (lock !== undefined) {
    throw new StateDirectoryDamaged(
      `${state} is missing, but ${lock} beside it shows that it existed. ${IF_LOST}`,
    )
  }
  const first = join(directory, `state-${randomUUID().slice(0, 8)}`)
  try {
    await writeSynced(first, writeState(blank(randomUUID()), owner, newKey()), files)
    await nodeFiles.link(first, state).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error
    })
  } finally {
    await nodeFiles.rm(first, { force: true })
  }
  await syncDirectory(directory, files)
}

/** Makes one directory at a time. With `recursive`, Node would retry for ever where none can be made, for example in /proc. */
export async function makeDirectory(directory: string): Promise<void> {
  if (await isDirectory(directory)) return
  const above = dirname(directory)
  if (above !== directory) await makeDirectory(above)
  try {
    await nodeFiles.mkdir(directory, { mode: 0o700 })
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    // If it is there, another process was faster.
    if (!(await isDirectory(directory))) throw new Error(`${directory} is not a directory`, { cause: error })
    return
  }
  // A directory is on disk when the one above it has been synced.
  await syncDirectory(above, realFiles)
}

async function isDirectory(path: string): Promise<boolean> {
  return nodeFiles.stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

/** A mistyped path must not turn a home directory into a state directory. */
async function requireOurs(directory: string): Promise<void> {
  const known = [STATE, MEMORY, ...[STATE, MEMORY].map((name) => `${name}.new`), CONTROL, LOST_AND_FOUND]
  const isOurs = (name: string) => known.includes(name) || FIRST_STATE.test(name) || isLockFile(name)
  const foreign = (await nodeFiles.readdir(directory)).find((name) => !isOurs(name))
  if (foreign !== undefined) {
    throw new StateDirectoryDamaged(
      `${directory} is not a state directory of turnwise: it contains ${JSON.stringify(foreign)}`,
    )
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await nodeFiles.stat(path)).isFile()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    throw error
  }
}

async function load(directory: string, files: Files): Promise<Stored> {
  const file = join(directory, STATE)
  const stored = readStored(await files.readFile(file, 'utf8'))
  if (typeof stored !== 'string') return stored
  throw new StateDirectoryDamaged(`${file} cannot be used: ${stored}. ${IF_LOST}`)
}

/** Most voters were never asked to remember anything. */
async function loadMemory(directory: string, { remembers }: Stored, files: Files): Promise<Remembered> {
  const file = join(directory, MEMORY)
  const content = await files.readFile(file, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  })
  if (content === null) {
    if (!remembers) return NOTHING
    throw new StateDirectoryDamaged(
      `${file} is missing, but ${STATE} beside it says that it existed. ${IF_LOST}`,
    )
  }
  const remembered = readMemory(content)
  if (typeof remembered !== 'string') return remembered
  throw new StateDirectoryDamaged(`${file} cannot be used: ${remembered}. ${IF_LOST}`)
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
