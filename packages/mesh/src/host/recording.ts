/** A recorder with a file. Writing never holds up the node: if too much waits for the disk the recording ends, not the mesh. */
import { createWriteStream, openSync, type WriteStream } from 'node:fs'
import { InvalidInput } from '@turnwise/core/invalid-input'
import type { Effect, Event } from '../protocol/events.ts'
import { nameOf } from '../protocol/names.ts'
import type { Node } from '../protocol/state.ts'
import { monotonic } from './clock.ts'
import { type Cast, Recorder, type WallTime } from './recorder.ts'

/** What a recording is made of. */
interface Recorded {
  readonly node: Node
  readonly now: number
  recordings: readonly Recording[] | null
}

/** Returns what ends it. `settle` tells the protocol what it has not heard yet. */
export function startRecording(
  runner: Recorded,
  key: string,
  file: string,
  log: (line: string) => void,
  cast: Cast | undefined,
  settle: () => void,
): () => Promise<void> {
  const recording = new Recording(key, file, runner.node, runner.now, log, undefined, cast)
  if (recording.file !== file) log(`"${file}" exists, so "${nameOf(key)}" is recorded in "${recording.file}"`)
  runner.recordings = [...(runner.recordings ?? []), recording]
  return () => {
    settle()
    const others = runner.recordings?.filter((other) => other !== recording) ?? []
    runner.recordings = others.length === 0 ? null : others
    return recording.stop(runner.now)
  }
}

export class Recording {
  readonly key: string
  /** Where it is written: the file that was named or, if that is there already, the next that is free. */
  readonly file: string
  readonly #stream: WriteStream
  readonly #recorder: Recorder
  readonly #log: (line: string) => void
  readonly #closed: Promise<void>
  readonly #most: number
  #wall = wallTime()
  #unwritten = ''
  #isOver = false
  #hasFarewell = false

  /** `most`: with so much that waits for the disk it ends. */
  constructor(
    key: string,
    file: string,
    node: Node,
    now: number,
    log: (line: string) => void,
    most = MOST_UNWRITTEN,
    cast?: Cast,
  ) {
    this.key = key
    this.#most = most
    const { fd, path } = openNew(file)
    this.file = path
    this.#log = log
    this.#stream = createWriteStream('', { fd })
    this.#closed = new Promise((resolve) => {
      this.#stream.once('close', resolve)
    })
    this.#stream.on('error', (error) => this.#fail(error.message))
    this.#recorder = new Recorder(
      key,
      node,
      now,
      (at) => this.#wall(at),
      (text) => this.#write(text),
      cast,
    )
  }

  before(node: Node): void {
    this.#recorder.before(node)
  }

  after(event: Event, effects: readonly Effect[], node: Node, now: number): void {
    if (this.#isOver) return
    this.#recorder.after(event, effects, node, now)
    this.#hasFarewell ||= effects.some(({ kind }) => kind === 'left' || kind === 'stale-state')
    // What lapsed in the sleep was told by the old clock. Wall time went on meanwhile.
    if (event.kind === 'slept') this.#wall = wallTime()
  }

  /** Resolves when all is in the file, or as much of it as can be. */
  stop(now: number): Promise<void> {
    if (!this.#isOver && !this.#hasFarewell) this.#recorder.end(now)
    this.#close()
    return this.#closed
  }

  /** What one turn of the event loop brings is written together. */
  #write(text: string): void {
    if (this.#isOver) return
    if (this.#unwritten === '') setImmediate(() => this.#flush())
    this.#unwritten += text
    if (this.#unwritten.length + this.#stream.writableLength > this.#most)
      this.#fail(`more than ${this.#most} bytes wait for the disk`)
  }

  #flush(): void {
    if (this.#unwritten !== '' && !this.#stream.writableEnded) this.#stream.write(this.#unwritten)
    this.#unwritten = ''
  }

  #fail(why: string): void {
    if (this.#isOver) return
    this.#log(`recording in "${this.file}" has ended: ${why}`)
    this.#close()
  }

  #close(): void {
    this.#isOver = true
    this.#flush()
    this.#stream.end()
  }
}

const MOST_UNWRITTEN = 2 ** 24

const MOST_FILES = 1000

/** A process that is started again does not write over what it recorded before. */
function openNew(file: string): { fd: number; path: string } {
  for (let i = 0; ; i += 1) {
    const path = i === 0 ? file : `${file}.${i}`
    try {
      return { fd: openSync(path, 'wx'), path }
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      if (code !== 'EEXIST' || i >= MOST_FILES)
        throw new InvalidInput(`cannot record in "${path}": ${message}`, { cause: error })
    }
  }
}

/** Wall time less monotonic time, as it was last found. */
let anchor = Number.NaN

/**
 * Wall time by the clock that never goes back: what is recorded stays in order when the wall clock is corrected. Found
 * once for all recordings of a process, until the wall clock is ahead by more than the reading of two clocks can be: the
 * machine slept. A wall clock that was set back is not followed.
 */
function wallTime(): WallTime {
  const exact = performance.timeOrigin + performance.now()
  // The origin is as good as the wall clock was when the process started.
  const wall = Math.abs(exact - Date.now()) < 2 ? exact : Date.now()
  const apart = wall - monotonic()
  if (!(apart - anchor < 2)) anchor = apart
  const fixed = anchor
  return (now) => Math.round((now + fixed) * 1000)
}
