/** A lock while it is held: what `acquire` returns, and what the callback of `request` works with. */
import type { Mode } from '@turnwise/core/algorithm'
import { type Fence, fenceNumber } from '../protocol/fence.ts'
import { nameOf } from '../protocol/names.ts'
import type { CallerId } from '../protocol/state.ts'
import { invalidState, lockLost } from './errors.ts'

/** What a held lock asks of whoever gave it out. */
export interface Keeper {
  /** Whether the node's lease runs now; losses that are due have been told when this returns. */
  hasLease(): boolean
  /** `since`: when it was let in. */
  release(key: string, caller: CallerId, since: number): void
}

export class Held {
  readonly mode: Mode
  readonly #keeper: Keeper
  /** For the host: what it is kept under, and since when by its clock. */
  readonly key: string
  readonly since: number
  readonly #caller: CallerId
  readonly #fence: Fence
  #isReleased = false
  #loss: Error | null = null
  #controller: AbortController | null = null
  #onLoss: ((loss: Error) => void) | null = null

  constructor(keeper: Keeper, key: string, caller: CallerId, mode: Mode, fence: Fence, since: number) {
    this.#keeper = keeper
    this.key = key
    this.#caller = caller
    this.mode = mode
    this.#fence = fence
    this.since = since
  }

  get name(): string {
    return nameOf(this.key)
  }

  /** Rises with every grant of this lock, across views and restarts. Pass it to the resource, and have it refuse lower ones. */
  get fence(): bigint {
    return fenceNumber(this.#fence)
  }

  /** Aborts when the lock is lost. Reading it tells the truth, also right after the event loop was blocked. */
  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController()
      if (this.#loss !== null) this.#controller.abort(this.#loss)
    }
    this.#look()
    return this.#controller.signal
  }

  get isHeld(): boolean {
    return this.#look()
  }

  /** Whether it is held at this moment. If the lease has ended, the loss has been told when this returns. */
  #look(): boolean {
    if (this.#isReleased || this.#loss !== null) return false
    if (this.#keeper.hasLease()) return true
    // Asked while the node handles another event, which comes before it hears of its own lease.
    this.lose(lockLost(this.name))
    return false
  }

  /** Throws if the lock is not held at this moment: released, stolen, or its lease has ended. */
  assertHeld(): void {
    if (this.isHeld) return
    throw this.#loss ?? invalidState(`"${this.name}" has been released`)
  }

  /** Once; what is lost is released already. */
  release(): void {
    if (this.#isReleased) return
    // A lease that ended unnoticed is a loss, not a release: whoever waits for the outcome must hear of it.
    const isHeld = this.#look()
    this.#isReleased = true
    if (isHeld) this.#keeper.release(this.key, this.#caller, this.since)
  }

  /** For the host: the hold is over whatever the caller believes. */
  lose(loss: Error): void {
    if (this.#isReleased || this.#loss !== null) return
    this.#loss = loss
    this.#controller?.abort(loss)
    this.#onLoss?.(loss)
  }

  /** For the host: hears of a loss, at once if it has happened. */
  whenLost(hear: (loss: Error) => void): void {
    if (this.#loss !== null) hear(this.#loss)
    else this.#onLoss = hear
  }

  [Symbol.dispose](): void {
    this.release()
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.release()
    return Promise.resolve()
  }
}
