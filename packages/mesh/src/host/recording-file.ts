/** A recorder that writes to a file. */

import { monotonic } from '../lease/clock.ts'
import type { Effect, Event } from '../protocol/events.ts'
import { nameOf } from '../protocol/names.ts'
import type { Node } from '../protocol/state.ts'
import { AppendedFile } from './appended-file.ts'
import { type Cast, Recorder, type WallTime } from './recorder.ts'

/** The part of the runner that a recording uses. */
interface Recorded {
  readonly node: Node
  readonly now: number
  recordings: readonly Recording[] | null
}

/** Returns the function that ends it. `settle` passes pending events to the protocol first. */
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

  /** `most`: it ends when so much text waits for the disk. */
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

  /** The path of its file: the given one, or the next free one if that exists. */
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
    // Holds that lapsed in the sleep were recorded with the old clock. Wall time went on meanwhile.
    if (event.kind === 'slept') this.#wall = wallTime()
  }

  /** Resolves when everything that can be written is in the file. */
  stop(now: number): Promise<void> {
    if (!this.#file.isOver && !this.#hasFarewell) this.#recorder.end(now)
    return this.#file.close()
  }
}

/** Wall time minus monotonic time, as last measured. */
let anchor = Number.NaN

/**
 * Wall time by a clock that never goes back, so that recorded events stay in order when the wall clock is corrected. All
 * recordings of a process share one measurement. It is repeated when the wall clock is ahead by more than the error of reading
 * two clocks: then the machine slept. A wall clock that was set back is not followed.
 */
export function wallAnchor(): number {
  const exact = performance.timeOrigin + performance.now()
  // The origin is as accurate as the wall clock was when the process started.
  const wall = Math.abs(exact - Date.now()) < 2 ? exact : Date.now()
  const apart = wall - monotonic()
  if (!(apart - anchor < 2)) anchor = apart
  return anchor
}

function wallTime(): WallTime {
  const fixed = wallAnchor()
  return (now) => Math.round((now + fixed) * 1000)
}
