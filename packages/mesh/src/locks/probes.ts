/**
 * `ifAvailable`: asks for the lock, and the other members whether anybody holds it or waits for it. Whichever answer comes
 * first decides; a name that nobody claims is obtained, so this ends.
 */
import type { NameStanding } from '../protocol/messages.ts'
import type { CallerId, Effect } from '../protocol/state.ts'
import type { Counter } from './counter.ts'
import type { Held } from './held.ts'
import type { Wish } from './options.ts'
import type { Survey } from './survey.ts'

interface Probe {
  readonly key: string
  readonly wish: Wish
}

const TAKEN = new Error('somebody holds or awaits it')

export class Probes {
  readonly #counter: Counter
  readonly #survey: Survey
  /** Until the members may be asked again; false when the node has left. */
  readonly #pause: () => Promise<boolean>
  readonly #open = new Map<CallerId, Probe>()

  constructor(counter: Counter, survey: Survey, pause: () => Promise<boolean>) {
    this.#counter = counter
    this.#survey = survey
    this.#pause = pause
  }

  /** `isShared`: whether callers of several nodes can share this lock. */
  async obtain(key: string, wish: Wish, isShared: boolean): Promise<Held | null> {
    const own = this.#survey.own(key)
    if (own.some((standing) => !mayJoin(standing, wish, true))) return null
    const wait = this.#counter.obtain(key, wish)
    const caller = this.#counter.lastCaller
    if (!this.#counter.isWaiting(caller)) return wait
    this.#open.set(caller, { key, wish })
    // Callers of this node share it, and no more of them may join.
    if (own.some(({ held }) => held.length > 0)) this.#counter.giveUp(caller, TAKEN)
    else void this.#ask(caller, { key, wish }, isShared)
    try {
      return await wait
    } catch (error) {
      if (error === TAKEN) return null
      throw error
    } finally {
      this.#open.delete(caller)
    }
  }

  async #ask(caller: CallerId, { key, wish }: Probe, isShared: boolean): Promise<void> {
    do {
      try {
        await this.#survey.ask(key, ({ names }) => {
          if (names.some((standing) => !mayJoin(standing, wish, isShared))) {
            this.#counter.giveUp(caller, TAKEN)
          }
        })
      } catch {
        // Without a quorum, and after the node has left, the wait for the lock ends by itself.
      }
    } while (this.#counter.isWaiting(caller) && (await this.#pause()))
  }

  /** Somebody else of this node, which the other members do not tell, has it now. */
  granted({ name, caller, mode }: Extract<Effect, { kind: 'grant' }>): void {
    if (this.#open.size === 0) return
    for (const [other, { key, wish }] of this.#open) {
      const excludes = mode === 'exclusive' || wish.mode === 'exclusive'
      if (other !== caller && key === name && excludes) this.#counter.giveUp(other, TAKEN)
    }
  }
}

/** Whether one more caller could be let in beside those who hold and wait at one node. */
function mayJoin({ held, pending }: NameStanding, { mode }: Wish, isShared: boolean): boolean {
  if (mode === 'exclusive' || !isShared) return held.length === 0 && pending.length === 0
  return (
    held.every((holder) => holder.mode === 'shared') && pending.every((waiting) => waiting.mode === 'shared')
  )
}
