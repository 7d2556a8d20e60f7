/** A held lock: what `acquire` returns, and what the callback of `request` works with. */
import type { Mode } from '@turnwise/core/algorithm'
import { type Fence, fenceNumber } from '../protocol/fence.ts'
import { kindOf, nameOf } from '../protocol/names.ts'
import type { CallerId } from '../protocol/state.ts'
import { HeldTooLongError, invalidState, lockLost, lockLostUnasked, notSupported } from './errors.ts'
import { readUpgrade, Upgrade, type UpgradeOptions } from './upgrade.ts'

/** What a held lock asks of the queue or daemon that granted it. */
export interface Keeper {
  /** Whether the node's lease runs now. Losses that are due have been reported when this returns. */
  hasLease(): boolean
  /** Changes the mode at once, asks for a change, or stops asking. */
  change(kind: 'downgrade' | 'upgrade' | 'desist', key: string, caller: CallerId): void
  /** `since`: when it was let in. */
  release(key: string, caller: CallerId, since: number): void
}

/** For the functions below, and hidden from callers. */
interface Inside {
  lose(held: Held, loss: Error | 'lapsed'): void
  whenLost(held: Held, hear: (loss: Error) => void): void
  limit(held: Held, milliseconds: number): void
  key(held: Held): string
  fence(held: Held): Fence
  since(held: Held): number
  caller(held: Held): CallerId
  alone(held: Held, fence: Fence): void
  failUpgrade(held: Held, reason: Error): void
}

let inside: Inside

/**
 * A held lock, until `release` or until it is lost.
 *
 * ```js
 * await using held = await mesh.locks.acquire('invoices')
 * await charge(held.fence, held.signal)
 * ```
 */
export class Held {
  #mode: Mode
  readonly #keeper: Keeper
  readonly #key: string
  readonly #since: number
  readonly #caller: CallerId
  #fence: Fence
  #upgrade: Upgrade | null = null
  #isReleased = false
  /** `lapsed` until an error object is needed. */
  #loss: Error | 'lapsed' | null = null
  #controller: AbortController | null = null
  #onLoss: ((loss: Error) => void) | null = null
  #timer: NodeJS.Timeout | undefined

  constructor(keeper: Keeper, key: string, caller: CallerId, mode: Mode, fence: Fence, since: number) {
    this.#keeper = keeper
    this.#key = key
    this.#caller = caller
    this.#mode = mode
    this.#fence = fence
    this.#since = since
  }

  static {
    inside = {
      lose: (held, loss) => held.#lose(loss),
      failUpgrade: (held, reason) => held.#giveUpUpgrade(reason),
      whenLost: (held, hear) => held.#whenLost(hear),
      limit: (held, milliseconds) => held.#limit(milliseconds),
      key: (held) => held.#key,
      fence: (held) => held.#fence,
      since: (held) => held.#since,
      caller: (held) => held.#caller,
      alone: (held, fence) => held.#alone(fence),
    }
  }

  /** The name that was given. */
  get name(): string {
    return nameOf(this.#key)
  }

  /**
   * `exclusive`: the only holder. `shared`: beside other shared holders. `update`: beside shared holders, and it can become
   * exclusive.
   */
  get mode(): Mode {
    return this.#mode
  }

  /** Rises with every grant of this lock, across views and restarts. Pass it to the resource, which refuses lower ones. */
  get fence(): bigint {
    return fenceNumber(this.#fence)
  }

  /** Aborts when the lock is lost. Reading it checks the clock, so it is right even after the event loop was blocked. */
  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController()
      if (this.#loss !== null) this.#controller.abort(this.#told(this.#loss))
    }
    this.#look()
    return this.#controller.signal
  }

  /** Whether it is held at this moment: not released, not stolen, its lease not ended. */
  get isHeld(): boolean {
    return this.#look()
  }

  /** If the lease has ended, the loss has been reported when this returns. */
  #look(): boolean {
    if (this.#isReleased || this.#loss !== null) return false
    if (this.#keeper.hasLease()) return true
    // The node is handling another event, and will hear of its own lease after that.
    this.#lose('lapsed')
    return false
  }

  /** Throws if the lock is not held at this moment: released, stolen, or its lease has ended. */
  assertHeld(): void {
    if (this.isHeld) return
    throw this.#loss === null
      ? invalidState(`"${this.name}" has been released`)
      : this.#told(this.#loss, lockLost)
  }

  /**
   * Changes from exclusive or update to shared, at once: callers that wait to share come in, and no writer in between. The
   * fence stays. Does nothing if the lock is shared. Throws if it is not held at this moment, as `assertHeld` does.
   */
  downgrade(): void {
    this.#requireLock('downgraded')
    this.assertHeld()
    if (this.#mode === 'shared') return
    this.#mode = 'shared'
    if (this.#upgrade !== null) this.#endUpgrade(invalidState(`"${this.name}" was downgraded`))
    this.#keeper.change('downgrade', this.#key, this.#caller)
  }

  /**
   * Changes from update to exclusive. Resolves when all shared holders have left. No caller comes in meanwhile. The fence may
   * rise. If it fails, the lock stays in mode update, unless it is lost. Resolves at once if the lock is exclusive.
   */
  async upgrade(options: UpgradeOptions = {}): Promise<void> {
    const { signal, timeout } = readUpgrade(options)
    this.#requireLock('upgraded')
    this.assertHeld()
    if (this.#mode === 'exclusive') return
    if (this.#mode !== 'update' || this.#upgrade !== null)
      throw invalidState(
        `"${this.name}" cannot be upgraded: ${this.#upgrade ? 'it is already being upgraded' : 'it is shared'}`,
      )
    signal?.throwIfAborted()
    const upgrade = new Upgrade(this.name, signal, timeout, (reason) => this.#giveUpUpgrade(reason))
    this.#upgrade = upgrade
    this.#keeper.change('upgrade', this.#key, this.#caller)
    await upgrade.settled
  }

  /** Permits and leaders have no mode to change. */
  #requireLock(what: string): void {
    if (kindOf(this.#key) !== 'lock')
      throw notSupported(`"${this.name}" is not a lock: only a lock can be ${what}`)
  }

  /** The lock stays in mode update. */
  #giveUpUpgrade(reason: Error): void {
    if (this.#upgrade === null) return
    this.#endUpgrade(reason)
    if (this.#look()) this.#keeper.change('desist', this.#key, this.#caller)
  }

  #endUpgrade(failure: Error | null): void {
    const upgrade = this.#upgrade
    this.#upgrade = null
    upgrade?.end(failure)
  }

  #alone(fence: Fence): void {
    if (this.#mode !== 'update') return
    this.#mode = 'exclusive'
    this.#fence = fence
    this.#endUpgrade(null)
  }

  /** Releases the lock. A second call, or a call after a loss, does nothing. */
  release(): void {
    if (this.#isReleased) return
    // A lease that ended unnoticed is a loss, not a release: the caller must hear of it.
    const isHeld = this.#look()
    this.#isReleased = true
    clearTimeout(this.#timer)
    // Every release passes here, and making an error costs more than all the rest.
    if (this.#upgrade !== null) this.#endUpgrade(invalidState(`"${this.name}" has been released`))
    if (isHeld) this.#keeper.release(this.#key, this.#caller, this.#since)
  }

  #lose(loss: Error | 'lapsed'): void {
    if (this.#isReleased || this.#loss !== null) return
    this.#loss = loss
    clearTimeout(this.#timer)
    this.#endUpgrade(this.#upgrade && this.#told(this.#loss))
    this.#controller?.abort(this.#told(this.#loss))
    this.#onLoss?.(this.#told(this.#loss))
  }

  /** The same error for all that ask. */
  #told(loss: Error | 'lapsed', make = lockLostUnasked): Error {
    const error = loss === 'lapsed' ? make(this.name) : loss
    this.#loss = error
    return error
  }

  /** The holder hears of the end before the next caller is let in. */
  #limit(milliseconds: number): void {
    this.#timer = setTimeout(() => {
      if (!this.#look()) return
      this.#lose(new HeldTooLongError(`"${this.name}" was held for more than ${Math.round(milliseconds)} ms`))
      this.#keeper.release(this.#key, this.#caller, this.#since)
    }, milliseconds)
  }

  #whenLost(hear: (loss: Error) => void): void {
    if (this.#loss !== null) hear(this.#told(this.#loss))
    else this.#onLoss = hear
  }

  /** Releases it, for `using`. */
  [Symbol.dispose](): void {
    this.release()
  }

  /** Releases it, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    this.release()
    return Promise.resolve()
  }
}

/** For the host: the hold is over, whatever its caller believes. */
export function loseHold(held: Held, loss: Error | 'lapsed'): void {
  inside.lose(held, loss)
}

/** For the host: calls `hear` on a loss, at once if it has already happened. */
export function whenLost(held: Held, hear: (loss: Error) => void): void {
  inside.whenLost(held, hear)
}

/** For the host: releases it after at most so many milliseconds. */
export function limitHold(held: Held, milliseconds: number | undefined): Held {
  if (milliseconds !== undefined) inside.limit(held, milliseconds)
  return held
}

/** For the host: the key of its name. */
export function heldKey(held: Held): string {
  return inside.key(held)
}

/** For the host: the fence in its parts. */
export function heldFence(held: Held): Fence {
  return inside.fence(held)
}

/** For the host: the caller that holds it. */
export function heldCaller(held: Held): CallerId {
  return inside.caller(held)
}

/** For the host: an update hold has become exclusive. */
export function heldAlone(held: Held | undefined, fence: Fence): void {
  if (held !== undefined) inside.alone(held, fence)
}

/** For the host: an update hold stays what it is, and its caller no longer waits. */
export function failUpgrade(held: Held, reason: Error): void {
  inside.failUpgrade(held, reason)
}

/** For the host: when it was let in, by the clock of its node. */
export function heldSince(held: Held): number {
  return inside.since(held)
}
