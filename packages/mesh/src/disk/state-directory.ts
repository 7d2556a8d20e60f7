/** A directory on disk that belongs to one process at a time and holds what a voter may not forget. */
import { randomUUID } from 'node:crypto'
import * as nodeFiles from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { blank, type Durable } from '../protocol/record.ts'
import { codeOf, isLockFile, LONGEST_PATH, lockDirectory } from './directory-lock.ts'
import type { Disk } from './disk.ts'
import { readState, writeState } from './state-file.ts'

export type { Disk } from './disk.ts'

/** Another process, or another node of this one, uses the directory. */
export class StateDirectoryInUse extends Error {
  override readonly name = 'StateDirectoryInUse'
}

/** What is in the directory cannot be used. It is never reset silently, because a voter that forgets is another voter (R20). */
export class StateDirectoryDamaged extends Error {
  override readonly name = 'StateDirectoryDamaged'
}

/** What is done to the state's file, so that tests can let it fail. */
export type Files = Pick<typeof nodeFiles, 'open' | 'rename' | 'readFile'>

const STATE = 'state'
const NEXT_STATE = 'state.new'
/** Where a daemon has its control socket if it is told of no other place. */
export const CONTROL = 'control'

/** Made if it is not there, with a voterId of its own; then no other process can open it until this one closes it or ends. */
export async function openStateDirectory(path: string, files: Files = nodeFiles): Promise<Disk> {
  const directory = resolve(path)
  const length = Buffer.byteLength(directory)
  if (length > LONGEST_PATH) {
    throw new InvalidInput(
      `the state directory ${directory} has a path of ${length} bytes, and at most ${LONGEST_PATH} are allowed`,
    )
  }
  const unlock = await takeDirectory(directory)
  if (unlock === null) {
    throw new StateDirectoryInUse(`the state directory ${directory} is in use by another process`)
  }
  try {
    const stored = await load(directory, files)
    const durable = stored ?? blank(randomUUID())
    if (stored === null) await store(directory, durable, files)
    return new StateDirectory(directory, durable, files, unlock)
  } catch (error) {
    await unlock()
    throw error
  }
}

interface Waiting {
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

class StateDirectory implements Disk {
  durable: Durable
  readonly #path: string
  readonly #files: Files
  readonly #unlock: () => Promise<void>
  #writing: Promise<void> | null = null
  /** What is to be written next, and who waits for it. */
  #next: { readonly durable: Durable; readonly waiting: readonly Waiting[] } | null = null
  /** After a failure it is not known what the disk holds, so nothing is answered for any more. */
  #failure: Error | null = null
  #closed: Promise<void> | null = null

  constructor(path: string, durable: Durable, files: Files, unlock: () => Promise<void>) {
    this.#path = path
    this.durable = durable
    this.#files = files
    this.#unlock = unlock
  }

  persist(durable: Durable): Promise<void> {
    if (this.#closed !== null) return Promise.reject(new Error(`the state directory ${this.#path} is closed`))
    return new Promise((resolve, reject) => {
      this.#next = { durable, waiting: [...(this.#next?.waiting ?? []), { resolve, reject }] }
      this.#writing ??= this.#write()
    })
  }

  close(): Promise<void> {
    this.#closed ??= this.#finish()
    return this.#closed
  }

  async #finish(): Promise<void> {
    await this.#writing
    await this.#unlock()
  }

  /** One write after the other, until nothing new is wanted. */
  async #write(): Promise<void> {
    while (this.#next !== null) {
      const { durable, waiting } = this.#next
      this.#next = null
      try {
        await this.#attempt(durable)
        for (const { resolve } of waiting) resolve()
      } catch (error) {
        for (const { reject } of waiting) reject(error)
      }
    }
    this.#writing = null
  }

  async #attempt(durable: Durable): Promise<void> {
    if (this.#failure !== null) throw this.#failure
    try {
      await store(this.#path, durable, this.#files)
      this.durable = durable
    } catch (error) {
      this.#failure = new Error(`the state in ${this.#path} cannot be written: ${textOf(error)}`, {
        cause: error,
      })
      throw this.#failure
    }
  }
}

async function takeDirectory(directory: string): ReturnType<typeof lockDirectory> {
  try {
    await makeDirectory(directory)
    await requireOurs(directory)
    await nodeFiles.chmod(directory, 0o700)
    return await lockDirectory(directory)
  } catch (error) {
    if (error instanceof StateDirectoryDamaged) throw error
    throw new InvalidInput(`the state directory ${directory} cannot be used: ${textOf(error)}`, {
      cause: error,
    })
  }
}

export async function makeDirectory(directory: string): Promise<void> {
  const first = await nodeFiles.mkdir(directory, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  // A directory is on disk when the one above it has been synced, up to the first that was there before.
  for (let made = directory; ; made = dirname(made)) {
    await syncDirectory(dirname(made), nodeFiles)
    if (made === first) return
  }
}

/** A mistyped path must not make a state directory of somebody's home. */
async function requireOurs(directory: string): Promise<void> {
  const isOurs = (name: string) => [STATE, NEXT_STATE, CONTROL].includes(name) || isLockFile(name)
  const foreign = (await nodeFiles.readdir(directory)).find((name) => !isOurs(name))
  if (foreign !== undefined) {
    throw new StateDirectoryDamaged(
      `${directory} is no state directory of turnwise: it holds ${JSON.stringify(foreign)}`,
    )
  }
}

async function load(directory: string, files: Files): Promise<Durable | null> {
  const file = join(directory, STATE)
  let content: string
  try {
    content = await files.readFile(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
  const state = readState(content)
  if (typeof state !== 'string') return state
  throw new StateDirectoryDamaged(
    `${file} cannot be used: ${state}. If it is lost for good, remove the directory: the node then comes back as a new voter`,
  )
}

/** The file is replaced as a whole: whenever the machine stops, it is the old one or the new one. */
async function store(directory: string, durable: Durable, files: Files): Promise<void> {
  const next = join(directory, NEXT_STATE)
  const file = await files.open(next, 'w', 0o600)
  try {
    await file.writeFile(writeState(durable))
    await file.sync()
  } finally {
    await file.close()
  }
  await files.rename(next, join(directory, STATE))
  await syncDirectory(directory, files)
}

async function syncDirectory(directory: string, files: Pick<Files, 'open'>): Promise<void> {
  const handle = await files.open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
