/**
 * Delays the last release. The protocol hears of it when another caller asks for the same lock, or when all settled promises have
 * run. So a caller that requests again at once stands in line before the lock goes to another node, and its request travels with
 * the lock: one message instead of two.
 */
import type { Runner } from '../host/runner.ts'
import type { Meters } from '../observe/meters.ts'
import { seatsOf } from '../protocol/names.ts'
import type { CallerId } from '../protocol/state.ts'
import type { Wish } from './options.ts'

interface Leaving {
  readonly key: string
  readonly caller: CallerId
  /** When it was let in. */
  readonly since: number
}

export class LastOut {
  readonly #runner: Runner
  readonly #meters: Meters
  #leaving: Leaving | null = null
  #isDue = false
  /** Whether the protocol is being told of a release. Callers that are let in meanwhile did not wait for a message. */
  isBeingTold = false

  constructor(runner: Runner, meters: Meters) {
    this.#runner = runner
    this.#meters = meters
  }

  left(key: string, caller: CallerId, since: number): void {
    this.tell()
    this.#leaving = { key, caller, since }
    // Other permits or names may be free, so the next caller need not wait for this release.
    if (seatsOf(key) > 1) return this.tell()
    if (this.#isDue) return
    this.#isDue = true
    this.#runner.afterPromises(this.#due)
  }

  readonly #due = (): void => {
    this.#isDue = false
    this.tell()
  }

  tell(): void {
    const leaving = this.#leaving
    if (leaving === null) return
    this.#leaving = null
    const { key, caller, since } = leaving
    const isBeingTold = this.isBeingTold
    this.isBeingTold = true
    this.#runner.dispatch({ kind: 'release', name: key, caller })
    this.isBeingTold = isBeingTold
    this.#meters.of(key).hold.record(this.#runner.at - since)
  }

  /** Whether the caller may stand behind the delayed release. If not, the release has been told when this returns. */
  isFollowed(key: string, { mode, steal, ifAvailable, timeout }: Wish): boolean {
    if (this.#leaving?.key !== key) return false
    if (mode === 'exclusive' && !steal && !ifAvailable && timeout !== 0) return true
    this.tell()
    return false
  }
}
