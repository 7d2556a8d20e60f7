/** The audits of all processes of a run: where they are written, and what they say when they are gone through again. */
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Audited, auditFiles, hasBegun } from '../../packages/cli/src/audit/audit-files.ts'

/** Bytes of all audits together: a run of hours keeps those of the processes that wrote last. */
const MOST = 2 ** 29

export class Audits {
  readonly directory: string

  constructor(directory: string) {
    this.directory = join(directory, 'audits')
    mkdirSync(this.directory)
  }

  get #files(): readonly { readonly path: string; readonly size: number; readonly at: number }[] {
    return readdirSync(this.directory)
      .map((file) => join(this.directory, file))
      .map((path) => ({ path, stats: statSync(path, { throwIfNoEntry: false }) }))
      .flatMap(({ path, stats }) =>
        stats === undefined ? [] : [{ path, size: stats.size, at: stats.mtimeMs }],
      )
      .toSorted((a, b) => a.at - b.at)
  }

  /** The oldest go first. */
  trim(): void {
    const files = this.#files
    let size = files.reduce((sum, file) => sum + file.size, 0)
    for (const file of files) {
      if (size <= MOST) return
      rmSync(file.path, { force: true })
      size -= file.size
    }
  }

  /** When no process writes any more: to read all of it would hold up what passes through this one. */
  goThrough(): Promise<Audited> {
    return auditFiles(this.#files.map(({ path }) => path).filter(hasBegun))
  }
}
