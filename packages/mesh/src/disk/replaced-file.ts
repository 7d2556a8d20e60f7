/** A file that is replaced as a whole. Whenever the machine stops, it has the old content or the new one. */
import { join } from 'node:path'
import { type Files, syncDirectory, writeSynced } from './files.ts'

interface Waiting {
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

export class ReplacedFile<Content> {
  readonly #directory: string
  readonly #name: string
  readonly #textOf: (content: Content) => string
  readonly #files: Files
  #writing: Promise<void> | null = null
  /** What is written next, and the callers that wait for it. */
  #next: { readonly content: Content; readonly waiting: readonly Waiting[] } | null = null
  /** The last content that a caller wanted. */
  #latest: Content
  /** After a failure the content of the disk is unknown, so every later write fails too. */
  #failure: Error | null = null
  /** The content that was last written. */
  written: Content

  /** `there`: its present content. */
  constructor(
    directory: string,
    name: string,
    there: Content,
    textOf: (content: Content) => string,
    files: Files,
  ) {
    this.#directory = directory
    this.#name = name
    this.written = there
    this.#latest = there
    this.#textOf = textOf
    this.#files = files
  }

  /** Resolves when this or a later content is on disk. Of several calls during a write, only the last is written. */
  write(content: Content): Promise<void> {
    this.#latest = content
    return new Promise((resolve, reject) => {
      this.#next = { content, waiting: [...(this.#next?.waiting ?? []), { resolve, reject }] }
      this.#writing ??= this.#writeAll()
    })
  }

  /** Writes the last content again, because the text that `textOf` adds has changed. */
  again(): Promise<void> {
    return this.write(this.#latest)
  }

  /** Waits for pending writes. */
  async settled(): Promise<void> {
    await this.#writing
  }

  /** One write after the other, until there is nothing new. */
  async #writeAll(): Promise<void> {
    while (this.#next !== null) {
      const { content, waiting } = this.#next
      this.#next = null
      try {
        await this.#attempt(content)
        for (const { resolve } of waiting) resolve()
      } catch (error) {
        for (const { reject } of waiting) reject(error)
      }
    }
    this.#writing = null
  }

  async #attempt(content: Content): Promise<void> {
    if (this.#failure !== null) throw this.#failure
    try {
      const next = join(this.#directory, `${this.#name}.new`)
      await writeSynced(next, this.#textOf(content), this.#files)
      this.#files.rename(next, join(this.#directory, this.#name))
      await syncDirectory(this.#directory, this.#files)
      this.written = content
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      const what = `the ${this.#name} in ${this.#directory} cannot be written: ${why}`
      this.#failure = new Error(what, { cause: error })
      throw this.#failure
    }
  }
}
