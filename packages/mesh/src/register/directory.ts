/**
 * A directory as a register, for the processes of one user on one machine. Its cells are files (cell-files.ts), and no process waits
 * for another to read or write them.
 *
 * Only cells that must be remembered are synced to the disk. For views and leases this is safe: if the machine crashes, all
 * processes that knew a later state die with it.
 */
import { existsSync, readdirSync, watch as watchFiles } from 'node:fs'
import { join, resolve } from 'node:path'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { codeOf, LONGEST_PATH } from '../disk/witness.ts'
import { ONCE } from '../protocol/meeting/cells.ts'
import { CELLS, CellFiles, type Steps, VALUES } from './cell-files.ts'
import { fileNameOf, nameOfFile } from './cell-text.ts'
import { type DirectoryFacts, localDirectory, unreadable } from './local-directory.ts'
import { Opener, stateOf } from './opener.ts'
import {
  type Cell,
  type OpenOptions,
  type Outcome,
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

/** Makes the directory if it does not exist. */
export async function openDirectory(
  path: string,
  mesh: string,
  { facts, steps }: OpenOptions & { readonly facts?: DirectoryFacts; readonly steps?: Steps } = {},
): Promise<DirectoryRegister> {
  const place = await localDirectory(path, facts)
  const directory = join(place, fileNameOf(mesh) || '_')
  const length = Buffer.byteLength(directory)
  if (length > LONGEST_PATH) {
    throw new InvalidInput(
      `processes cannot meet in ${directory}: the path has ${length} bytes, at most ${LONGEST_PATH} are allowed`,
    )
  }
  requireApart(place, directory)
  for (const each of ['', CELLS, VALUES]) await localDirectory(join(directory, each), facts)
  const opener = await Opener.enter(directory)
  const register = new CellDirectory(directory, opener, new CellFiles(directory, isLasting, steps))
  try {
    await register.sweep()
    return register
  } catch (error) {
    await register.close()
    throw error
  }
}

/** A mesh "cells" in the directory of another mesh would be among the cells of that mesh, which removes its values. */
function requireApart(place: string, directory: string): void {
  const isMesh = existsSync(join(place, VALUES)) && !existsSync(join(place, VALUES, CELLS))
  if (isMesh && directory === join(place, CELLS))
    throw new InvalidInput(
      `a mesh "${CELLS}" cannot meet in ${place}, which is the directory of another mesh`,
    )
  if (existsSync(join(directory, CELLS, CELLS)))
    throw new InvalidInput(`processes cannot meet in ${directory}: a mesh "${CELLS}" meets inside it`)
}

/** Reads cells and creates nothing: no directory, and no witness of this process. Null if there is no such mesh. */
export async function lookIntoDirectory(
  path: string,
  mesh: string,
  facts?: DirectoryFacts,
): Promise<Sight | null> {
  const place = resolve(path)
  if ((await filesOf(place, facts)) === null) return null
  const directory = join(place, fileNameOf(mesh) || '_')
  // The place may be readable to all, as a home directory is, and a mesh in it to its owner alone.
  const files = await filesOf(directory, facts)
  const cells = files?.includes(CELLS) ? new CellFiles(directory, isLasting) : null
  return {
    read: async (cell) => cells?.read(cell) ?? null,
    list: async (prefix) => cells?.list(prefix) ?? new Map(),
    isDead: async (process) => (await stateOf(directory, process)) === 'dead',
    meshes: async () =>
      readdirSync(place).flatMap((file) =>
        existsSync(join(place, file, CELLS)) ? [nameOfFile(file) ?? file] : [],
      ),
    close: () => Promise.resolve(),
  }
}

/** Null if there is no such directory. One that cannot be read is refused: nobody knows who has met there. */
async function filesOf(directory: string, facts?: DirectoryFacts): Promise<readonly string[] | null> {
  try {
    return readdirSync(directory)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw await unreadable(directory, error, facts)
  }
}

/** Whether the cell must outlive a crash of the machine. */
function isLasting(cell: string): boolean {
  return cell.startsWith(ONCE)
}

class CellDirectory implements DirectoryRegister {
  readonly directory: string
  readonly process: string
  readonly #opener: Opener
  readonly #cells: CellFiles
  readonly #writing = new Set<Promise<Outcome>>()
  readonly #watching = new Set<() => void>()
  #closed: Promise<void> | null = null

  constructor(directory: string, opener: Opener, cells: CellFiles) {
    this.directory = directory
    this.process = opener.name
    this.#opener = opener
    this.#cells = cells
  }

  async sweep(): Promise<void> {
    await this.#cells.sweep()
    await this.#opener.sweep((opener) => this.#cells.isNamed(opener))
  }

  async read(cell: string): Promise<Cell | null> {
    return this.#cells.read(cell)
  }

  list(prefix: string): Promise<ReadonlyMap<string, Cell>> {
    return this.#cells.list(prefix)
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
    try {
      return await this.#cells.replace(this.#opener, cell, version, value)
    } catch (error) {
      return unknown(error instanceof Error ? error.message : String(error))
    }
  }

  watch(prefix: string, changed: () => void): () => void {
    try {
      const cells = join(this.directory, CELLS)
      const there = new Set(readdirSync(cells))
      const watcher = watchFiles(cells, { persistent: false }, (_, file) => {
        if (file === null) return changed()
        if (nameOfFile(file)?.startsWith(prefix) && hasComeOrGone(cells, file, there)) changed()
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

  async isDead(process: string): Promise<boolean> {
    return (await stateOf(this.directory, process)) === 'dead'
  }

  close(): Promise<void> {
    this.#closed ??= this.#finish()
    return this.#closed
  }

  /** The witness goes last: while it is there, nobody removes what this process is writing. */
  async #finish(): Promise<void> {
    for (const end of this.#watching) end()
    await Promise.allSettled(this.#writing)
    await this.#opener.leave()
  }
}

/** Some systems tell of every change inside a cell, too: of renewed leases, which all members write all the time. */
function hasComeOrGone(cells: string, file: string, there: Set<string>): boolean {
  const isThere = existsSync(join(cells, file))
  if (isThere === there.has(file)) return false
  if (isThere) there.add(file)
  else there.delete(file)
  return true
}
