/** A new file to which text is appended. Writing never delays the node: if too much text waits for the disk, the file ends. */
import { createWriteStream, openSync, type WriteStream } from 'node:fs'
import { InvalidInput } from '@turnwise/core/invalid-input'

const MOST_UNWRITTEN = 2 ** 24

const MOST_FILES = 1000

interface AppendedOptions {
  readonly most?: number | undefined
  /** The lowest number that may be appended to the name. */
  readonly first?: number
  /** Milliseconds for which text may wait, so that more is written at once. */
  readonly patienceMs?: number
  /** The mode of the file, before the umask. */
  readonly mode?: number
}

export class AppendedFile {
  /** The given path, or the next free one if that exists. */
  readonly path: string
  /** The number after its name; 0 for none. */
  readonly number: number
  readonly #stream: WriteStream
  readonly #ended: (why: string) => void
  readonly #closed: Promise<void>
  readonly #most: number
  readonly #patienceMs: number
  #unwritten = ''
  #isOver = false

  /**
   * `ended` is called with the reason if the file ends before `close`, for example when more than `most` characters wait for
   * the disk.
   */
  constructor(
    file: string,
    ended: (why: string) => void,
    { most = MOST_UNWRITTEN, first = 0, patienceMs = 0, mode = 0o666 }: AppendedOptions = {},
  ) {
    const { fd, path, number } = openNew(file, first, mode)
    this.path = path
    this.number = number
    this.#ended = ended
    this.#most = most
    this.#patienceMs = patienceMs
    this.#stream = createWriteStream('', { fd })
    this.#closed = new Promise((resolve) => {
      this.#stream.once('close', resolve)
    })
    this.#stream.on('error', (error) => this.#fail(error.message))
  }

  get isOver(): boolean {
    return this.#isOver
  }

  write(text: string): void {
    if (this.#isOver) return
    if (this.#unwritten === '') this.#flushSoon()
    this.#unwritten += text
    if (this.#unwritten.length + this.#stream.writableLength > this.#most)
      this.#fail(`more than ${this.#most} bytes wait for the disk`)
  }

  /** Resolves when everything that can be written is in the file. */
  close(): Promise<void> {
    this.#isOver = true
    this.#flush()
    this.#stream.end()
    return this.#closed
  }

  /** Collects the text of one turn of the event loop, or of some milliseconds. */
  #flushSoon(): void {
    if (this.#patienceMs === 0) setImmediate(() => this.#flush())
    else setTimeout(() => this.#flush(), this.#patienceMs).unref()
  }

  #flush(): void {
    if (this.#unwritten !== '' && !this.#stream.writableEnded) this.#stream.write(this.#unwritten)
    this.#unwritten = ''
  }

  #fail(why: string): void {
    if (this.#isOver) return
    this.#ended(why)
    void this.close()
  }
}

/** A process that is started again does not overwrite its earlier file. */
function openNew(file: string, first: number, mode: number): { fd: number; path: string; number: number } {
  for (let number = first; ; number += 1) {
    const path = number === 0 ? file : `${file}.${number}`
    try {
      return { fd: openSync(path, 'wx', mode), path, number }
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      if (code !== 'EEXIST' || number >= first + MOST_FILES)
        throw new InvalidInput(`cannot record in "${path}": ${message}`, { cause: error })
    }
  }
}
