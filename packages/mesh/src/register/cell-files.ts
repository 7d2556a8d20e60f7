/**
 * Cells as files. No process ever waits for another here, so one that is stopped at any step holds up nobody.
 *
 * A cell is a directory in `cells`. Its one entry is an empty file whose name is the version; `values` has the value under the same
 * name. To replace a cell is to rename that entry: of all who try it from one version, the system lets one succeed, and the others
 * find no such file. No version comes back, so a rename that is late never finds the version again. To create a cell is to rename
 * a directory that has its entry already: this fails unless the cell's directory is absent or empty. To delete a cell is to rename
 * its entry to `gone`. Nothing is ever made of `gone`, so anybody may remove it, and the directory when it is empty.
 *
 * A value is there before its version is, and is removed after it.
 */
import * as disk from 'node:fs'
import { join } from 'node:path'
import { realFiles, syncDirectory, writeSynced } from '../disk/files.ts'
import { codeOf } from '../disk/witness.ts'
import { fileNameOf, nameOfFile, parseCell, writeCell } from './cell-text.ts'
import { abandoned, isVersion, type Opener } from './opener.ts'
import { type Cell, done, type Outcome, REFUSED, type Version } from './register.ts'

/** What is asked of the system, so that tests can act between two steps. */
export type Steps = Pick<
  typeof disk,
  'mkdirSync' | 'readdirSync' | 'readFileSync' | 'renameSync' | 'rmdirSync' | 'unlinkSync' | 'writeFileSync'
>

export const CELLS = 'cells'
export const VALUES = 'values'
const GONE = 'gone'

/** How many cells are read before the event loop turns. */
const AT_ONCE = 50

/** A version whose value is whole, or was damaged when the machine stopped. */
interface Found {
  readonly version: Version
  readonly value: string | null
}

export class CellFiles {
  readonly #directory: string
  readonly #cells: string
  readonly #steps: Steps
  /** Whether a cell must outlive a crash of the machine. It is synced to the disk. */
  readonly #isLasting: (cell: string) => boolean

  constructor(directory: string, isLasting: (cell: string) => boolean, steps: Steps = disk) {
    this.#directory = directory
    this.#cells = join(directory, CELLS)
    this.#isLasting = isLasting
    this.#steps = steps
  }

  read(cell: string): Cell | null {
    const found = this.#look(this.#placeOf(cell))
    if (found === null) this.#mustBeThere()
    return found === null ? null : this.#wholeOf(cell, found)
  }

  /** Null if it is damaged: all processes that knew the value died with the machine. Of a lasting cell somebody may still know it. */
  #wholeOf(cell: string, { version, value }: Found): Cell | null {
    if (value !== null) return { version, value }
    if (this.#isLasting(cell)) throw new Error(`${this.#valueOf(version)} is damaged`)
    return null
  }

  /** Whether the value of a cell has this text. */
  isNamed(text: string): boolean {
    return this.#steps
      .readdirSync(this.#cells)
      .some((file) => this.#look(join(this.#cells, file))?.value?.includes(text))
  }

  async list(prefix: string): Promise<ReadonlyMap<string, Cell>> {
    const cells = new Map<string, Cell>()
    const names = this.#steps.readdirSync(this.#cells).map((file) => nameOfFile(file))
    for (const [place, name] of names.entries()) {
      if (!name?.startsWith(prefix)) continue
      const found = this.#look(this.#placeOf(name))
      if (found?.value != null) cells.set(name, { version: found.version, value: found.value })
      if (place % AT_ONCE === AT_ONCE - 1) await new Promise((resolve) => void setImmediate(resolve))
    }
    return cells
  }

  /** As `cas` of a register, but it throws if the outcome is unknown. */
  async replace(
    opener: Opener,
    cell: string,
    version: Version | null,
    value: string | null,
  ): Promise<Outcome> {
    if (value === null) return this.#delete(cell, version)
    const next = opener.version()
    try {
      await this.#write(cell, next, value)
      const isPut =
        version === null ? await this.#create(opener, cell, next) : this.#move(cell, version, next)
      if (!isPut) {
        this.#remove(this.#valueOf(next))
        return REFUSED
      }
      await this.#sync(cell, this.#placeOf(cell), this.#cells)
    } catch (error) {
      // A broken disk may report a rename as failed that took place.
      if (this.#namesIn(this.#placeOf(cell))?.includes(next) !== true) this.#remove(this.#valueOf(next))
      throw error
    }
    if (version !== null) this.#remove(this.#valueOf(version))
    return done(next)
  }

  async #delete(cell: string, version: Version | null): Promise<Outcome> {
    if (version === null) return this.read(cell) === null ? done('') : REFUSED
    if (!this.#move(cell, version, GONE)) return REFUSED
    await this.#sync(cell, this.#placeOf(cell), this.#cells)
    this.#remove(this.#valueOf(version))
    this.#clear(this.#placeOf(cell))
    return done('')
  }

  async #write(cell: string, version: Version, value: string): Promise<void> {
    const text = writeCell(version, value)
    if (!this.#isLasting(cell))
      return this.#steps.writeFileSync(this.#valueOf(version), text, { mode: 0o600, flag: 'wx' })
    await writeSynced(this.#valueOf(version), text, realFiles)
    await this.#sync(cell, join(this.#directory, VALUES))
  }

  /** False if the cell has a value. */
  async #create(opener: Opener, cell: string, version: Version): Promise<boolean> {
    const place = this.#placeOf(cell)
    const prepared = opener.temporary()
    try {
      this.#steps.mkdirSync(prepared, { mode: 0o700 })
      this.#steps.writeFileSync(join(prepared, version), '', { mode: 0o600 })
      await this.#sync(cell, prepared)
      for (;;) {
        if (this.#renamed(prepared, place)) return true
        this.#mustBeThere()
        if (!disk.existsSync(prepared)) throw new Error(`${prepared} was removed`)
        const found = this.#look(place)
        if (found === null) this.#clear(place)
        else if (this.#wholeOf(cell, found) !== null) return false
        else if (this.#move(cell, found.version, version)) {
          this.#remove(this.#valueOf(found.version))
          return true
        }
      }
    } finally {
      disk.rmSync(prepared, { recursive: true, force: true })
    }
  }

  /** False if the cell does not have the version. */
  #move(cell: string, from: Version, to: string): boolean {
    if (!isVersion(from)) return false
    const place = this.#placeOf(cell)
    const isMoved = this.#renamed(join(place, from), join(place, to))
    if (!isMoved) this.#mustBeThere()
    return isMoved
  }

  #renamed(from: string, to: string): boolean {
    try {
      this.#steps.renameSync(from, to)
      return true
    } catch (error) {
      if (['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '')) return false
      throw error
    }
  }

  /** Null if the cell is absent. */
  #look(place: string): Found | null {
    let missing: Version | null = null
    for (;;) {
      const names = this.#namesIn(place)
      if (names === null) return null
      const version = names.find(isVersion)
      if (version !== undefined) {
        const value = this.#read(version)
        // A version that is still there has its value, unless the machine stopped meanwhile.
        if (value !== null || version === missing) return { version, value }
        missing = version
      } else if (names.includes(GONE)) return null
      else if (names.length > 0) throw new Error(`${place} has a file that is none of its own: ${names[0]}`)
      // It is empty, or was listed in the middle of a rename.
      else if (this.#isRemoved(place)) return null
    }
  }

  #read(version: Version): string | null {
    try {
      return parseCell(this.#steps.readFileSync(this.#valueOf(version), 'utf8'))?.value ?? null
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return null
      throw error
    }
  }

  #namesIn(place: string): readonly string[] | null {
    try {
      return this.#steps.readdirSync(place)
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return null
      if (codeOf(error) === 'ENOTDIR') throw new Error(`${place} ${EARLIER}`, { cause: error })
      throw error
    }
  }

  /** Whether the directory was empty. */
  #isRemoved(place: string): boolean {
    try {
      this.#steps.rmdirSync(place)
      return true
    } catch (error) {
      if (['ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '')) return false
      if (['ENOENT', 'EROFS', 'EACCES', 'EPERM'].includes(codeOf(error) ?? '')) return true
      throw error
    }
  }

  #clear(place: string): void {
    this.#remove(join(place, GONE))
    this.#isRemoved(place)
  }

  #remove(path: string): void {
    try {
      this.#steps.unlinkSync(path)
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
    }
  }

  /**
   * Removes what the dead left here. No opener but its own brings a version, so one that is dead and current nowhere is never
   * current again.
   */
  async sweep(): Promise<void> {
    const values = this.#steps.readdirSync(join(this.#directory, VALUES))
    const left = await abandoned(this.#directory, VALUES, values)
    const current = new Set<string>()
    for (const file of this.#steps.readdirSync(this.#cells)) {
      const [cell, found] = [nameOfFile(file) ?? '', this.#look(join(this.#cells, file))]
      if (found === null) this.#clear(join(this.#cells, file))
      else if (found.value === null && !this.#isLasting(cell)) await this.#delete(cell, found.version)
      else current.add(found.version)
    }
    for (const version of left) if (!current.has(version)) this.#remove(this.#valueOf(version))
  }

  async #sync(cell: string, ...directories: readonly string[]): Promise<void> {
    if (!this.#isLasting(cell)) return
    for (const directory of directories) {
      await syncDirectory(directory, realFiles).catch((error: unknown) => {
        // Another process deleted the cell meanwhile. The directory above it says so.
        if (codeOf(error) !== 'ENOENT' || directory === this.#cells) throw error
      })
    }
  }

  /** A directory that was removed has no cells, and must not be taken for a new one. */
  #mustBeThere(): void {
    if (!disk.existsSync(this.#cells)) throw new Error(`the directory ${this.#cells} is gone`)
  }

  #placeOf(cell: string): string {
    return join(this.#cells, fileNameOf(cell))
  }

  #valueOf(version: Version): string {
    return join(this.#directory, VALUES, version)
  }
}

const EARLIER =
  'was written by an earlier version of turnwise: end the processes that meet there, and remove the directory'
