/**
 * A directory as a register, for the processes of one user on one machine. A cell is a file in `cells`. It is replaced by rename,
 * so it can be read whole without a lock. A writer holds the lock of the directory (directory-writer.ts). Versions are random.
 *
 * Only cells that must be remembered are synced to the disk. For views and leases this is safe: if the machine crashes, all
 * processes that knew a later state die with it.
 */
import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, renameSync, rmSync, watch as watchFiles, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { realFiles, syncDirectory, writeSynced } from '../disk/files.ts'
import { LONGEST_PATH } from '../disk/witness.ts'
import { ONCE } from '../protocol/meeting/cells.ts'
import { fileNameOf, nameOfFile, readCell, writeCell } from './cell-file.ts'
import { DirectoryWriter, stateOf } from './directory-writer.ts'
import { type DirectoryFacts, localDirectory } from './local-directory.ts'
import {
  type Cell,
  done,
  type OpenOptions,
  type Outcome,
  PATIENCE,
  REFUSED,
  type Register,
  type Sight,
  unknown,
  type Version,
} from './register.ts'

/** A register in a directory of this machine. */
export interface DirectoryRegister extends Register {
  readonly process: string
  isDead(process: string): Promise<boolean>
  watch(prefix: string, changed: () => void): () => void
  readonly directory: string
}

/** How many files are read before the event loop turns. */
const AT_ONCE = 50

/** Makes the directory if it does not exist. */
export async function openDirectory(
  path: string,
  mesh: string,
  { patience = PATIENCE, facts }: OpenOptions & { readonly facts?: DirectoryFacts } = {},
): Promise<DirectoryRegister> {
  const place = await localDirectory(path, facts)
  const directory = join(place, fileNameOf(mesh) || '_')
  const length = Buffer.byteLength(directory)
  if (length > LONGEST_PATH) {
    throw new InvalidInput(
      `processes cannot meet in ${directory}: the path has ${length} bytes, at most ${LONGEST_PATH} are allowed`,
    )
  }
  for (const each of [directory, join(directory, CELLS)]) await localDirectory(each, facts)
  const writer = await DirectoryWriter.enter(directory, patience)
  const register = new CellDirectory(directory, writer)
  try {
    await register.sweep()
    return register
  } catch (error) {
    await register.close()
    throw error
  }
}

const CELLS = 'cells'

/** Reads cells and creates nothing: no directory, and no witness of this process. Null if there is no such mesh. */
export async function lookIntoDirectory(path: string, mesh: string): Promise<Sight | null> {
  const place = resolve(path)
  if (!existsSync(place)) return null
  const directory = join(place, fileNameOf(mesh) || '_')
  const cells = join(directory, CELLS)
  const isThere = existsSync(cells)
  return {
    read: async (cell) => (isThere ? readIn(cells, cell) : null),
    list: async (prefix) => (isThere ? listIn(cells, prefix) : new Map()),
    isDead: async (process) => (await stateOf(directory, process)) === 'dead',
    meshes: async () =>
      readdirSync(place).flatMap((file) =>
        existsSync(join(place, file, CELLS)) ? [nameOfFile(file) ?? file] : [],
      ),
    close: () => Promise.resolve(),
  }
}

/** A file that is cut short counts as absent, unless it was synced: then it is damaged. */
function cellAt(path: string, isKept: boolean): Cell | null {
  const found = readCell(path)
  if (found === null && isKept && existsSync(path)) throw new Error(`${path} is damaged`)
  return found
}

/** Whether the cell must outlive a crash of the machine. */
function isLasting(cell: string): boolean {
  return cell.startsWith(ONCE)
}

async function readIn(cells: string, cell: string): Promise<Cell | null> {
  const found = cellAt(join(cells, fileNameOf(cell)), isLasting(cell))
  if (found === null && !existsSync(cells)) throw new Error(`the directory ${cells} is gone`)
  return found
}

/** Reads the directory twice: a listing during a rename may miss a file that was there before and after. */
async function listIn(directory: string, prefix: string): Promise<ReadonlyMap<string, Cell>> {
  const cells = new Map<string, Cell>()
  for (const _ of ['once', 'again']) {
    const files = readdirSync(directory).map((file) => [file, nameOfFile(file)] as const)
    const fresh = files.filter(([, name]) => name?.startsWith(prefix) && !cells.has(name))
    for (const [place, [file, name]] of fresh.entries()) {
      const cell = readCell(join(directory, file))
      if (cell !== null && name !== null) cells.set(name, cell)
      if (place % AT_ONCE === AT_ONCE - 1) await new Promise((resolve) => void setImmediate(resolve))
    }
  }
  return cells
}

class CellDirectory implements DirectoryRegister {
  readonly directory: string
  readonly process: string
  readonly #cells: string
  readonly #writer: DirectoryWriter
  readonly #writing = new Set<Promise<Outcome>>()
  readonly #watching = new Set<() => void>()
  #closed: Promise<void> | null = null

  constructor(directory: string, writer: DirectoryWriter) {
    this.directory = directory
    this.#cells = join(directory, CELLS)
    this.#writer = writer
    this.process = writer.name
  }

  sweep(): Promise<void> {
    const isNamed = (opener: string) =>
      readdirSync(this.#cells).some((file) => readCell(join(this.#cells, file))?.value.includes(opener))
    return this.#writer.sweep(isNamed)
  }

  read(cell: string): Promise<Cell | null> {
    return readIn(this.#cells, cell)
  }

  list(prefix: string): Promise<ReadonlyMap<string, Cell>> {
    return listIn(this.#cells, prefix)
  }

  async cas(cell: string, version: Version | null, value: string | null): Promise<Outcome> {
    if (this.#closed !== null) return unknown('the register is closed')
    const outcome = this.#replace(cell, version, value)
    this.#writing.add(outcome)
    try {
      return await outcome
    } finally {
      this.#writing.delete(outcome)
    }
  }

  async #replace(cell: string, version: Version | null, value: string | null): Promise<Outcome> {
    const next = randomUUID()
    const temporary = this.#writer.temporary()
    const path = this.#pathOf(cell)
    const isKept = isLasting(cell)
    try {
      if (value !== null && isKept) await writeSynced(temporary, writeCell(next, value), realFiles)
      else if (value !== null) writeFileSync(temporary, writeCell(next, value), { mode: 0o600, flag: 'wx' })
      const outcome = await this.#writer.inside(() => {
        if ((cellAt(path, isKept)?.version ?? null) !== version) return REFUSED
        if (value === null) rmSync(path, { force: true })
        else renameSync(temporary, path)
        return done(value === null ? '' : next)
      })
      if (isKept) await syncDirectory(this.#cells, realFiles)
      return outcome
    } catch (error) {
      return unknown(error instanceof Error ? error.message : String(error))
    } finally {
      rmSync(temporary, { force: true })
    }
  }

  watch(prefix: string, changed: () => void): () => void {
    try {
      const there = new Set(readdirSync(this.#cells))
      const watcher = watchFiles(this.#cells, { persistent: false }, (_, file) => {
        if (file === null) return changed()
        if (nameOfFile(file)?.startsWith(prefix) && this.#hasComeOrGone(file, there)) changed()
      })
      const end = () => {
        this.#watching.delete(end)
        watcher.close()
      }
      watcher.on('error', end)
      this.#watching.add(end)
      return end
    } catch {
      // The system has no more watches. They are only hints.
      return () => {}
    }
  }

  /** Replaced files are renewed leases, which all members write all the time. */
  #hasComeOrGone(file: string, there: Set<string>): boolean {
    const isThere = existsSync(join(this.#cells, file))
    if (isThere === there.has(file)) return false
    if (isThere) there.add(file)
    else there.delete(file)
    return true
  }

  async isDead(process: string): Promise<boolean> {
    return (await this.#writer.stateOf(process)) === 'dead'
  }

  close(): Promise<void> {
    this.#closed ??= this.#finish()
    return this.#closed
  }

  /** The witness goes last. Without it, no process could break a lock that this one leaves if it dies now. */
  async #finish(): Promise<void> {
    for (const end of this.#watching) end()
    await Promise.allSettled(this.#writing)
    await this.#writer.leave()
  }

  #pathOf(cell: string): string {
    return join(this.#cells, fileNameOf(cell))
  }
}
