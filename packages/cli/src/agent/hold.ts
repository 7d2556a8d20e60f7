/** A lock, a permit or a lead that is held for a command, through a daemon. */
import { InvalidInput } from '@turnwise/core/invalid-input'
import { comeBack } from '@turnwise/mesh/daemon/come-back'
import type { Wanted } from '@turnwise/mesh/daemon/control-messages'
import { Client, type Far } from '@turnwise/mesh/daemon/line-client'
import { Visitor } from '@turnwise/mesh/daemon/visitor'
import { monotonic } from '@turnwise/mesh/lease/clock'
import { NoDaemonError } from '@turnwise/mesh/locks/errors'
import { type Held, whenLost } from '@turnwise/mesh/locks/held'
import { within } from '@turnwise/mesh/locks/leaving'
import { NotHad, obtain } from './obtain-wanted.ts'

/**
 * Why the command must end.
 * `lost`: the lock is somebody else's, or may be at any moment. `broken`: nobody prolongs it any more, but it lasts until
 * its deadline. `asked`: the member that keeps it wants to leave and waits for the release.
 */
export interface Ending {
  readonly kind: 'lost' | 'broken' | 'asked'
  readonly reason: string
}

export interface Hold {
  readonly fence: string
  readonly leaseMs: number
  /** Nobody else is let in before this clock shows it; it moves on while the lease is kept. */
  deadline(): number
  /** Hears of an ending, at once if there was one already. */
  whenEnding(hear: (ending: Ending) => void): void
  /** Whether it was held to this moment. */
  release(): Promise<boolean>
}

export const now = monotonic

/** It can never be had in this way. */
export class Unfit extends Error {
  override readonly name = 'Unfit'
}

/** `where`: the path of a control socket, or a daemon on another machine. `wait`: milliseconds to wait for a daemon that is not there. */
export async function holdThroughDaemon(
  where: string | Far,
  wanted: Wanted,
  signal: AbortSignal,
  wait = 0,
): Promise<Hold> {
  const open = () => Client.open(where, { lingers: true })
  const patience = wait === 0 ? null : { wait, open }
  const daemon = new Visitor(await comeBack(open, wait, signal), undefined, null, patience)
  try {
    return new DaemonHold(daemon, await obtain(daemon, wanted, signal))
  } catch (error) {
    await daemon.leave()
    if (isUnfit(error)) throw new Unfit((error as Error).message, { cause: error })
    if (error instanceof NoDaemonError || error instanceof NotHad || !(error instanceof Error)) throw error
    throw new NotHad(error.message, { cause: error })
  }
}

/** What can never be had, even if nobody else is there: names that are reserved, too long or not for this client, too many permits. */
function isUnfit(error: unknown): boolean {
  if ([TypeError, RangeError, InvalidInput].some((kind) => error instanceof kind)) return true
  return error instanceof DOMException && ['NotSupportedError', 'SecurityError'].includes(error.name)
}

class DaemonHold implements Hold {
  readonly fence: string
  readonly leaseMs: number
  readonly #daemon: Visitor
  readonly #held: Held
  #ending: Ending | null = null
  #hear: (ending: Ending) => void = () => {}

  constructor(daemon: Visitor, held: Held) {
    this.#daemon = daemon
    this.#held = held
    this.fence = String(held.fence)
    this.leaseMs = daemon.leaseMs
    daemon.onEnding = (kind, reason) => this.#end({ kind, reason })
    whenLost(held, (loss) => this.#end({ kind: 'lost', reason: loss.message }))
    // The daemon may have said so together with the grant.
    if (daemon.asked !== null) this.#end({ kind: 'asked', reason: daemon.asked })
  }

  deadline(): number {
    return this.#daemon.deadline
  }

  #end(ending: Ending): void {
    // A loss is worse than an end that was asked for. A hold lost with its connection is kept until its deadline (C3, C6).
    if (this.#ending !== null && (ending.kind !== 'lost' || this.#ending.kind === 'broken')) return
    this.#ending = ending
    this.#hear(ending)
  }

  whenEnding(hear: (ending: Ending) => void): void {
    this.#hear = hear
    if (this.#ending !== null) hear(this.#ending)
  }

  async release(): Promise<boolean> {
    // It may have been stolen, and the word be on its way.
    await within(this.#daemon.settle(), this.leaseMs).catch(() => {})
    const wasHeld = this.#held.isHeld
    this.#held.release()
    await this.#daemon.leave()
    return wasHeld
  }
}
