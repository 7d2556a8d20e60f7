/** A lock, a permit or a lead that is held for a command, through a daemon. */
import { monotonic } from '@turnwise/mesh/host/clock'
import { Client } from './client.ts'
import type { Wanted } from './protocol.ts'

/**
 * Why the command must end.
 * `lost`: the lock is somebody else's, or may be at any moment. `broken`: nobody prolongs it any more, but it lasts until
 * its deadline. `asked`: whoever keeps it wants to leave and waits for the release.
 */
export interface Ending {
  readonly kind: 'lost' | 'broken' | 'asked'
  readonly reason: string
}

export interface Hold {
  readonly fence: string
  readonly lease: number
  /** Nobody else is let in before this clock shows it; it moves on while the lease is kept. */
  deadline(): number
  /** Hears of an ending, at once if there was one already. */
  whenEnding(hear: (ending: Ending) => void): void
  /** Whether it was held to this moment. */
  release(): Promise<boolean>
}

export const now = monotonic

/** It was not to be had, for now. */
export class NotHad extends Error {
  override readonly name = 'NotHad'
}

/** It can never be had in this way. */
export class Unfit extends Error {
  override readonly name = 'Unfit'
}

export async function holdThroughDaemon(path: string, wanted: Wanted, signal: AbortSignal): Promise<Hold> {
  const client = await Client.open(path)
  const abort = () => client.close()
  signal.addEventListener('abort', abort)
  try {
    const answer = await client.ask('acquire', { ...wanted })
    if (answer.kind === 'refused') {
      throw answer.why === 'invalid' ? new Unfit(answer.message) : new NotHad(answer.message)
    }
    if (answer.kind !== 'granted') throw new NotHad('the daemon sent an unexpected answer')
    const hold = new DaemonHold(client, answer.fence)
    // Only after its answer is it known here for how long the lock is ours, and there that a command may run.
    await hold.beat()
    return hold
  } catch (error) {
    client.close()
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

class DaemonHold implements Hold {
  readonly fence: string
  readonly lease: number
  readonly #client: Client
  #deadline = Number.NEGATIVE_INFINITY
  #ending: Ending | null = null
  #hear: (ending: Ending) => void = () => {}
  #timer: NodeJS.Timeout | undefined

  constructor(client: Client, fence: string) {
    this.#client = client
    this.fence = fence
    this.lease = client.lease
    client.onUnasked = ({ kind, message }) =>
      this.#end({ kind: kind === 'lost' ? 'lost' : 'asked', reason: message })
    client.onBroken = (error) => this.#end({ kind: 'broken', reason: error.message })
  }

  /** Counted from the question, not from the answer: the way back may have taken any time. */
  async beat(): Promise<void> {
    const asked = now()
    const answer = await this.#client.ask('beat', {})
    if (answer.kind === 'beat') this.#deadline = Math.max(this.#deadline, asked + answer.left)
    this.#timer = setTimeout(() => void this.beat().catch(() => {}), this.lease / 10)
  }

  deadline(): number {
    return this.#deadline
  }

  #end(ending: Ending): void {
    // What is lost is worse than whatever was said before.
    if (this.#ending !== null && ending.kind !== 'lost') return
    this.#ending = ending
    this.#hear(ending)
  }

  whenEnding(hear: (ending: Ending) => void): void {
    this.#hear = hear
    if (this.#ending !== null) hear(this.#ending)
  }

  async release(): Promise<boolean> {
    clearTimeout(this.#timer)
    try {
      const answer = await this.#client.ask('release', {})
      return answer.kind === 'released' && answer.wasHeld
    } catch {
      return false
    } finally {
      clearTimeout(this.#timer)
      this.#client.close()
    }
  }
}
