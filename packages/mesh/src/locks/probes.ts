/**
 * `ifAvailable`: requests the lock, and asks the other members whether anyone holds or awaits it. The first answer decides. A
 * free name is granted, so this ends. For a semaphore, only callers count that held or awaited a permit when the question was
 * asked. Answers come from different moments, and a permit that moved in between would count twice.
 */
import type { Mode } from '@turnwise/core/algorithm'
import { areCompatible } from '@turnwise/core/modes'
import type { Runner } from '../host/runner.ts'
import type { Effect } from '../protocol/events.ts'
import type { NameStanding } from '../protocol/messages.ts'
import { permitsOf } from '../protocol/names.ts'
import type { CallerId } from '../protocol/state.ts'
import { LAPSED } from './asked.ts'
import type { CallerQueue } from './caller-queue.ts'
import type { Held } from './held.ts'
import type { Wish } from './options.ts'
import type { Survey } from './survey.ts'

interface Probe {
  readonly key: string
  readonly wish: Wish
}

/** The parts of the queue, the survey and the runner that it uses. */
type Line = Pick<CallerQueue, 'obtain' | 'nextCaller' | 'isWaiting' | 'giveUp'>
type Asking = Pick<Survey, 'own' | 'ask'>
type Clock = Pick<Runner, 'now'>

type Names = readonly NameStanding[]
type Between = (mode: Mode) => Mode

const TAKEN = new Error('it is held or awaited')

export class Probes {
  readonly #callers: Line
  readonly #survey: Asking
  readonly #clock: Clock
  /** Resolves when the members may be asked again, with false when the node has left. */
  readonly #pause: () => Promise<boolean>
  readonly #open = new Map<CallerId, Probe>()

  constructor(callers: Line, survey: Asking, clock: Clock, pause: () => Promise<boolean>) {
    this.#callers = callers
    this.#survey = survey
    this.#clock = clock
    this.#pause = pause
  }

  /** `between`: the mode in which a node holds this lock towards others, for that of a caller. */
  async obtain(key: string, wish: Wish, between: Between): Promise<Held | null> {
    for (;;) {
      try {
        return await this.#obtainOnce(key, wish, between)
      } catch (error) {
        if (error !== LAPSED) throw error
      }
    }
  }

  async #obtainOnce(key: string, wish: Wish, between: Between): Promise<Held | null> {
    const own = this.#survey.own(key)
    const permits = permitsOf(key)
    const isTaken =
      permits > 1
        ? claimsIn(own, 0) >= permits
        : own.some((standing) => !mayJoin(standing, wish, (mode) => mode))
    if (isTaken) return null
    const caller = this.#callers.nextCaller
    const wait = this.#callers.obtain(key, wish)
    if (!this.#callers.isWaiting(caller)) return wait
    this.#open.set(caller, { key, wish })
    // Callers of this node share it, and no more may join.
    if (permits === 1 && own.some(({ held }) => held.length > 0)) this.#callers.giveUp(caller, TAKEN)
    else void this.#ask(caller, key, () => this.#judge(key, wish, between))
    try {
      return await wait
    } catch (error) {
      if (error === TAKEN) return null
      throw error
    } finally {
      this.#open.delete(caller)
    }
  }

  /** `judge` starts anew with each question, and says after every answer whether the lock is taken. */
  async #ask(caller: CallerId, key: string, judge: () => (names: Names) => boolean): Promise<void> {
    do {
      const isTaken = judge()
      try {
        await this.#survey.ask(key, ({ names }) => {
          if (isTaken(names)) this.#callers.giveUp(caller, TAKEN)
        })
      } catch {
        // Without a quorum, and after the node has left, the wait for the lock ends by itself.
      }
    } while (this.#callers.isWaiting(caller) && (await this.#pause()))
  }

  #judge(key: string, wish: Wish, between: Between): (names: Names) => boolean {
    const permits = permitsOf(key)
    if (permits === 1) return (names) => names.some((standing) => !mayJoin(standing, wish, between))
    const asked = this.#clock.now
    let claims = claimsIn(this.#survey.own(key), 0)
    return (names) => {
      claims += claimsIn(names, this.#clock.now - asked)
      return claims >= permits
    }
  }

  /** Another caller of this node, which the other members do not report, has it now. */
  granted({ name, caller, mode }: Extract<Effect, { kind: 'grant' }>): void {
    if (this.#open.size === 0) return
    for (const [other, { key, wish }] of this.#open) {
      if (permitsOf(key) > 1) continue
      if (other !== caller && key === name && !areCompatible([mode, wish.mode]))
        this.#callers.giveUp(other, TAKEN)
    }
  }
}

/** Whether one more caller could be let in beside the holders and waiters of one node. */
function mayJoin({ held, pending }: NameStanding, wish: Wish, between: Between): boolean {
  const others = [...held, ...pending]
  const mode = between(wish.mode)
  if (mode === 'exclusive') return others.length === 0
  return others.every((other) => areCompatible([between(other.mode), mode]))
}

/** How many have held or awaited a permit for so many milliseconds. Clocks of two nodes differ slightly in rate. */
function claimsIn(names: Names, elapsed: number): number {
  const isOld = ({ age }: { readonly age: number }) => age >= 1.01 * elapsed
  return names.reduce(
    (count, { held, pending }) => count + held.filter(isOld).length + pending.filter(isOld).length,
    0,
  )
}
