/** C2 of docs/daemon.md: how long a client relies on what its daemon holds for it, by the clock of the client. */
import type { Clock } from '../lease/clock.ts'

export class Promised {
  readonly #clock: Clock
  /** Until then the client holds everything that the daemon has not reported as lost. */
  #deadline = Number.NEGATIVE_INFINITY
  /** Answers to questions sent before this time do not count, because the machine slept. */
  #awake = Number.NEGATIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get deadline(): number {
    return this.#deadline
  }

  get now(): number {
    return this.#clock.now()
  }

  /** `left` counts from the sending of the question. */
  count(sent: number, left: number): void {
    if (sent >= this.#awake) this.#deadline = Math.max(this.#deadline, sent + left)
  }

  /** Whether the deadline is ahead. */
  isKept(): boolean {
    const now = this.#clock.now()
    // A daemon on this machine distrusts its clock too, and has lost its holds.
    if (this.#clock.slept(now)) {
      this.#deadline = Number.NEGATIVE_INFINITY
      this.#awake = now
    }
    return now < this.#deadline
  }

  /** The daemon is gone, and the next one has promised nothing. */
  end(): void {
    this.#deadline = Number.NEGATIVE_INFINITY
  }
}
