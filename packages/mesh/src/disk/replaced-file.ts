/** A file that is replaced as a whole: whenever the machine stops, it is the old one or the new one. */
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
  /** What is to be written next, and who waits for it. */
  #next: { readonly content: Content; readonly waiting: readonly Waiting[] } | null = null
  /** What was wanted last. */
  #latest: Content
  /** After a failure it is not known what the disk holds, so nothing is answered for any more. */
  #failure: Error | null = null
  /** What was written last. */
  written: Content

  /** `there`: what it holds. */
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

  /** Resolves when this, or something later, is on disk. Of several calls while one is under way only the last is written. */
  write(content: Content): Promise<void> {
    this.#latest = content
    return new Promise((resolve, reject) => {
      this.#next = { content, waiting: [...(this.#next?.waiting ?? []), { resolve, reject }] }
      this.#writing ??= this.#writeAll()
    })
  }

  /** As it was wanted last: what `textOf` adds has changed. */
  again(): Promise<void> {
    return this.write(this.#latest)
  }

  /** Waits for what is under way. */
  async settled(): Promise<void> {
    await this.#writing
  }

  /** One write after the other, until nothing new is wanted. */
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
