/**
 * The locks of a daemon, as one of its clients has them: the same lock manager as a member has, over the control socket.
 * Rules C1 to C6 of docs/daemon.md say why nothing is held here that the daemon has given away.
 */
import { type Clock, systemClock } from '../host/clock.ts'
import { type Election, election } from '../locks/election.ts'
import { invalidState, LockLostError, lockTimedOut } from '../locks/errors.ts'
import { Held, heldAlone, type Keeper, loseHold } from '../locks/held.ts'
import type { Nesting } from '../locks/holders.ts'
import { readLeave, within } from '../locks/leaving.ts'
import { type Limit, type LimitOptions, limit } from '../locks/limit.ts'
import { type LockManager, lockManager } from '../locks/lock-manager.ts'
import type { Backing } from '../locks/obtain.ts'
import type { Wish } from '../locks/options.ts'
import { type Semaphore, semaphore } from '../locks/semaphore.ts'
import type { Fence } from '../protocol/fence.ts'
import type { Client, Ticketed, Unasked } from './line-client.ts'
import { errorOf } from './refusals.ts'
import { type Locks, wantedOf } from './wanted.ts'
import type { Surveyed } from './words.ts'

/** Who waits to be let in. */
interface Caller {
  readonly key: string
  readonly wish: Wish
  readonly resolve: (held: Held | null) => void
  readonly reject: (reason: unknown) => void
  /** Takes away the time-out and the listener at the signal. */
  forget: () => void
  /** With which it was asked for last. */
  ticket: number
}

type Leave = Parameters<typeof readLeave>[0]
type Granted = Extract<Ticketed, { kind: 'granted' }>

/** Beats in a lease. */
const BEATS = 10

export class Visitor implements Backing, Keeper, Locks {
  readonly locks: LockManager
  readonly nesting: Nesting | null
  readonly #client: Client
  readonly #clock: Clock
  /** By ticket, as all that follows. */
  readonly #waiting = new Map<number, Caller>()
  readonly #held = new Map<number, Held>()
  /** Granted, but only another beat can tell for how long. */
  readonly #granted = new Map<number, { readonly caller: Caller; readonly fence: Fence }>()
  /** C2: until then all is held that the daemon has not taken back with a word. */
  #deadline = Number.NEGATIVE_INFINITY
  /** C2: what was asked before, the machine has slept over. */
  #awake = Number.NEGATIVE_INFINITY
  #beat: number | null = null
  #timer: NodeJS.Timeout | undefined
  #questions = 0
  #closed: Error | null = null
  readonly #pauses = new Set<(isOpen: boolean) => void>()
  #emptied: (() => void)[] = []
  /** Lost by the own clock, and not given back yet. */
  readonly #lapsed: number[] = []
  /** For whoever guards a command: why it must end, before anything is lost. Else what is held is lost a lease after `asked`. */
  onEnding: ((kind: 'asked' | 'broken', reason: string) => void) | null = null

  constructor(client: Client, clock = systemClock(client.lease / BEATS), nesting: Nesting | null = null) {
    this.#client = client
    this.nesting = nesting
    this.#clock = clock
    this.locks = lockManager(this)
    client.onAnswer = (answer) => this.#hear(answer)
    client.onUnasked = (said) => this.#heardUnasked(said)
    client.onBroken = (error) => this.#broken(error)
    client.keepAlive(false)
  }

  /** The node of the daemon: that is who others see. */
  get id(): string {
    return this.#client.id
  }

  get lease(): number {
    return this.#client.lease
  }

  get deadline(): number {
    return this.#deadline
  }

  semaphore(
    name: string,
    permits: number,
    { algorithm = null }: { algorithm?: string | null } = {},
  ): Semaphore {
    return semaphore(this, name, permits, algorithm)
  }

  limit(name: string, options: LimitOptions): Limit {
    return limit((each, permits) => this.semaphore(each, permits), name, options)
  }

  election(name: string): Election {
    return election(this, { ask: (key) => this.survey(key), pause: () => this.pause() }, name)
  }

  assertOpen(): void {
    if (this.#closed !== null) throw this.#closed
  }

  /** The catalogue is the daemon's. */
  requireServable(): void {}

  obtain(key: string, wish: Wish): Promise<Held> {
    // Only who does not wait is told that it is taken.
    return this.#request(key, wish) as Promise<Held>
  }

  obtainIfAvailable(key: string, wish: Wish): Promise<Held | null> {
    return this.#request(key, wish)
  }

  async survey(key: string | null = null): Promise<readonly Surveyed[]> {
    this.assertOpen()
    this.#asks(1)
    try {
      const answer = await this.#client.ask('survey', { key })
      if (answer.kind === 'survey') return answer.nodes
      if (answer.kind === 'refused' && answer.why !== 'taken') throw errorOf(answer.why, answer.message)
      throw new Error('the daemon sent an unexpected answer')
    } finally {
      this.#asks(-1)
    }
  }

  /** When it resolves, all that the daemon had said before has been heard. */
  async settle(): Promise<void> {
    await this.#client.ask('beat', {})
  }

  /** Resolves after a while, or with false when nothing more can be asked. */
  pause(): Promise<boolean> {
    if (this.#closed !== null) return Promise.resolve(false)
    return new Promise((resolve) => {
      const timer = setTimeout(() => end(true), this.lease / BEATS)
      const end = (isOpen: boolean) => {
        clearTimeout(timer)
        this.#pauses.delete(end)
        resolve(isOpen)
      }
      this.#pauses.add(end)
    })
  }

  #request(key: string, wish: Wish): Promise<Held | null> {
    if (this.#closed !== null) return Promise.reject(this.#closed)
    return new Promise((resolve, reject) => {
      const caller: Caller = { key, wish, resolve, reject, forget: () => {}, ticket: 0 }
      this.#ask(caller)
      caller.forget = this.#limit(caller)
    })
  }

  #ask(caller: Caller): void {
    caller.ticket = this.#client.put('acquire', wantedOf(caller.key, caller.wish))
    this.#waiting.set(caller.ticket, caller)
    this.#keepAlive()
  }

  /** The daemon counts the time too, and it alone knows what can be had at once. This is for one that does not answer. */
  #limit(caller: Caller): () => void {
    const { signal, timeout, name } = caller.wish
    const abort = () => this.#giveUp(caller, signal?.reason)
    signal?.addEventListener('abort', abort)
    const timer =
      timeout === undefined
        ? undefined
        : setTimeout(() => this.#giveUp(caller, lockTimedOut(name, timeout)), timeout || this.lease)
    return () => {
      signal?.removeEventListener('abort', abort)
      clearTimeout(timer)
    }
  }

  #giveUp(caller: Caller, reason: unknown): void {
    this.#forget(caller)
    // What was granted meanwhile is on its way: the daemon reads this after it, and takes it back.
    this.#client.put('release', { hold: caller.ticket })
    caller.reject(reason)
  }

  /** It waits no longer. */
  #forget(caller: Caller): void {
    caller.forget()
    this.#waiting.delete(caller.ticket)
    this.#granted.delete(caller.ticket)
    this.#keepAlive()
  }

  #asks(more: number): void {
    this.#questions += more
    this.#keepAlive()
  }

  #keepAlive(): void {
    this.#client.keepAlive(this.#waiting.size + this.#granted.size + this.#questions > 0)
  }

  /** C2. What lapsed is lost for good, even if this very answer would revive the lease. */
  #hear(answer: Ticketed): void {
    this.hasLease()
    if (answer.kind === 'granted') this.#grant(answer)
    else if (answer.kind === 'beat') this.#answered(answer)
    else if (answer.kind === 'refused') this.#refused(answer)
  }

  #count(question: number, left: number): void {
    const sent = this.#client.sentAt(question)
    if (sent >= this.#awake) this.#deadline = Math.max(this.#deadline, sent + left)
  }

  #grant({ ticket, fence, left, heard }: Granted): void {
    const caller = this.#waiting.get(ticket)
    if (caller === undefined) return
    this.#count(heard, left)
    this.#waiting.delete(ticket)
    this.#granted.set(ticket, { caller, fence })
    // After a long wait without a word little of the promise is left here, or nothing.
    const isFresh = this.#clock.now() - this.#client.sentAt(heard) < this.lease / BEATS
    if (isFresh && this.hasLease()) this.#admit()
    else this.#beat = this.#client.put('beat', {})
  }

  #admit(): void {
    for (const [ticket, { caller, fence }] of this.#granted) {
      this.#forget(caller)
      const held = new Held(this, caller.key, ticket, caller.wish.mode, fence, this.#clock.now())
      this.#held.set(ticket, held)
      caller.resolve(held)
    }
    this.#wake()
  }

  #answered({ ticket, left }: Extract<Ticketed, { kind: 'beat' }>): void {
    this.#count(ticket, left)
    // One that was sent before the grant says nothing of it.
    if (ticket !== this.#beat) return
    this.#beat = null
    if (this.#granted.size === 0) return
    if (this.hasLease()) this.#admit()
    else this.#askAgain([...this.#granted.keys()])
  }

  /** What was granted is over before its caller has heard of it. */
  #askAgain(tickets: readonly number[]): void {
    for (const ticket of tickets) {
      const granted = this.#granted.get(ticket)
      if (granted === undefined) continue
      this.#granted.delete(ticket)
      this.#client.put('release', { hold: ticket })
      this.#ask(granted.caller)
    }
  }

  #refused({ ticket, why, message }: Extract<Ticketed, { kind: 'refused' }>): void {
    const caller = this.#waiting.get(ticket)
    if (caller === undefined) return
    this.#forget(caller)
    if (why === 'taken') caller.resolve(null)
    else caller.reject(errorOf(why, message))
  }

  #heardUnasked(said: Unasked): void {
    this.hasLease()
    if (said.kind === 'end') return this.#asked(said.message)
    if (said.kind === 'upgraded') return heldAlone(this.#held.get(said.hold), said.fence)
    const { hold, why, message } = said
    const loss = errorOf(why === 'taken' ? 'lost' : why, message)
    const held = this.#held.get(hold)
    if (held !== undefined) return this.#lose(hold, held, loss)
    // Whoever was robbed does not steal it back.
    if (why !== 'stolen') return this.#askAgain([hold])
    const caller = this.#granted.get(hold)?.caller
    if (caller !== undefined) this.#giveUp(caller, loss)
  }

  /** The daemon leaves when nothing is held any more. Whoever holds something has a lease to finish. */
  #asked(message: string): void {
    this.#close(invalidState(message))
    if (this.onEnding !== null) return this.onEnding('asked', message)
    setTimeout(() => {
      for (const [ticket, held] of this.#held) {
        this.#lose(ticket, held, lostBecause(held, message))
        this.#client.put('release', { hold: ticket })
      }
    }, this.lease).unref()
  }

  #broken(error: Error): void {
    this.onEnding?.('broken', error.message)
    this.#close(error)
    for (const [ticket, held] of this.#held) this.#lose(ticket, held, lostBecause(held, error.message))
  }

  /** Nobody is let in any more. */
  #close(reason: Error): void {
    this.#closed ??= reason
    for (const caller of [
      ...this.#waiting.values(),
      ...[...this.#granted.values()].map(({ caller }) => caller),
    ])
      this.#giveUp(caller, this.#closed)
    for (const end of this.#pauses) end(false)
  }

  #lose(ticket: number, held: Held, loss: Error | 'lapsed'): void {
    this.#drop(ticket)
    loseHold(held, loss)
  }

  #drop(ticket: number): void {
    this.#held.delete(ticket)
    if (this.#held.size === 0) for (const tell of this.#emptied.splice(0)) tell()
  }

  /** C2: whether all is still held. If not, it is lost when this returns. */
  hasLease(): boolean {
    const now = this.#clock.now()
    // The daemon's node distrusts its clock too, and has given away what it held.
    if (this.#clock.slept(now)) {
      this.#deadline = Number.NEGATIVE_INFINITY
      this.#awake = now
    }
    if (now < this.#deadline) return true
    for (const [ticket, held] of this.#held) {
      this.#lose(ticket, held, 'lapsed')
      // C6: a command that is told to end still runs. The daemon keeps the lock until this client leaves.
      if (this.onEnding === null) this.#client.put('release', { hold: ticket })
      else this.#lapsed.push(ticket)
    }
    return false
  }

  change(kind: 'downgrade' | 'upgrade' | 'desist', _key: string, hold: number): void {
    this.#client.put(kind, { hold })
  }

  release(_key: string, ticket: number): void {
    this.#drop(ticket)
    this.#client.put('release', { hold: ticket })
  }

  /** While something is held: beats, and a look at the moment when the promise is over. */
  #wake(): void {
    if (this.#timer !== undefined) return
    const left = this.#deadline - this.#clock.now()
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined
        this.hasLease()
        if (this.#held.size === 0) return
        this.#beat ??= this.#client.put('beat', {})
        this.#wake()
      },
      Math.min(this.lease / BEATS, Math.max(0, left)),
    )
    this.#timer.unref()
  }

  async leave(options: Leave = {}): Promise<void> {
    const { drain, timeout } = readLeave(options)
    if (drain) {
      this.#close(invalidState('this client of a daemon is leaving'))
      const emptied = new Promise<void>((resolve) => this.#emptied.push(resolve))
      if (this.#held.size > 0) await within(emptied, timeout)
    }
    this.#close(invalidState('this client has left its daemon'))
    const holds = [...this.#held.keys(), ...this.#lapsed]
    for (const [ticket, held] of this.#held)
      this.#lose(ticket, held, invalidState('this client has left its daemon'))
    for (const hold of holds) this.#client.put('release', { hold })
    // A daemon that stands still is not waited for.
    await within(this.#client.hangUp(), this.lease)
    this.#client.close()
  }
}

function lostBecause(held: Held, reason: string): LockLostError {
  return new LockLostError(`"${held.name}" is lost: ${reason}`)
}
