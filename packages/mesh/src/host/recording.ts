/** A recorder with a file. */
import type { Effect, Event } from '../protocol/events.ts'
import { nameOf } from '../protocol/names.ts'
import type { Node } from '../protocol/state.ts'
import { AppendedFile } from './appended-file.ts'
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
  readonly #file: AppendedFile
  readonly #recorder: Recorder
  #wall = wallTime()
  #hasFarewell = false

  /** `most`: with so much that waits for the disk it ends. */
  constructor(
    key: string,
    file: string,
    node: Node,
    now: number,
    log: (line: string) => void,
    most?: number,
    cast?: Cast,
  ) {
    this.key = key
    this.#file = new AppendedFile(file, (why) => log(`recording in "${this.file}" has ended: ${why}`), {
      most,
    })
    this.#recorder = new Recorder(
      key,
      node,
      now,
      (at) => this.#wall(at),
      (text) => this.#file.write(text),
      cast,
    )
  }

  /** Where it is written: the file that was named or, if that is there already, the next that is free. */
  get file(): string {
    return this.#file.path
  }

  before(node: Node): void {
    this.#recorder.before(node)
  }

  after(event: Event, effects: readonly Effect[], node: Node, now: number): void {
    if (this.#file.isOver) return
    this.#recorder.after(event, effects, node, now)
    this.#hasFarewell ||= effects.some(({ kind }) => kind === 'left' || kind === 'stale-state')
    // What lapsed in the sleep was told by the old clock. Wall time went on meanwhile.
    if (event.kind === 'slept') this.#wall = wallTime()
  }

  /** Resolves when all is in the file, or as much of it as can be. */
  stop(now: number): Promise<void> {
    if (!this.#file.isOver && !this.#hasFarewell) this.#recorder.end(now)
    return this.#file.close()
  }
}

/** Wall time less monotonic time, as it was last found. */
let anchor = Number.NaN

/**
 * Wall time by the clock that never goes back: what is recorded stays in order when the wall clock is corrected. Found
 * once for all recordings of a process, until the wall clock is ahead by more than the reading of two clocks can be: the
 * machine slept. A wall clock that was set back is not followed.
 */
export function wallAnchor(): number {
  const exact = performance.timeOrigin + performance.now()
  // The origin is as good as the wall clock was when the process started.
  const wall = Math.abs(exact - Date.now()) < 2 ? exact : Date.now()
  const apart = wall - monotonic()
  if (!(apart - anchor < 2)) anchor = apart
  return anchor
}

function wallTime(): WallTime {
  const fixed = wallAnchor()
  return (now) => Math.round((now + fixed) * 1000)
}
