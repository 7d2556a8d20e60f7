/** When a host lets time pass: every tick, or several ticks at once while only heartbeats are due. */
import { ONE_TICK, type Step } from '../protocol/quiet.ts'

export class Pace {
  readonly #tickMs: number
  readonly #due: () => void
  #timer: NodeJS.Timeout | undefined
  #since = Number.NEGATIVE_INFINITY
  #step = ONE_TICK
  #isLong = false
  #isAlive = true
  readonly #isHasty: () => boolean
  #lookIsDue = false

  /** `isHasty`: whether there is something to do before the end of a long step. */
  constructor(tickMs: number, due: () => void, isHasty: () => boolean = () => false) {
    this.#tickMs = tickMs
    this.#due = due
    this.#isHasty = isHasty
  }

  /** Whether the next step is longer than a tick. */
  get isLong(): boolean {
    return this.#isLong
  }

  /** How many of the ticks of this step have passed. */
  passed(now: number): number {
    return Math.min(Math.max(1, Math.round((now - this.#since) / this.#tickMs)), this.#step.ticks)
  }

  /** A step is over, and the next one begins. */
  next(step: Step, now: number): void {
    this.#since = now
    this.#step = step
    this.#isLong = step.tenths > 1
    this.#arm(step.tenths)
  }

  /**
   * Something has happened during a step. If the step is long, it looks whether there is something to do: once for all events of a
   * turn, because the lease thread hands over several messages at once.
   */
  look(): void {
    if (!this.#isLong || this.#lookIsDue) return
    this.#lookIsDue = true
    queueMicrotask(this.#looked)
  }

  readonly #looked = (): void => {
    this.#lookIsDue = false
    if (this.#isLong && this.#isHasty()) this.quicken()
  }

  /** There is something to do after all, so the next step ends after one tick. */
  quicken(): void {
    this.#isLong = false
    this.#arm(1)
  }

  setAlive(isAlive: boolean): void {
    this.#isAlive = isAlive
    if (isAlive) this.#timer?.ref()
    else this.#timer?.unref()
  }

  stop(): void {
    this.#isLong = false
    clearTimeout(this.#timer)
  }

  #arm(tenths: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#due, tenths * this.#tickMs)
    if (!this.#isAlive) this.#timer.unref()
  }
}
