/**
 * The locks of a daemon at the client's side: the same lock manager as for a member, over the control socket. Rules C1 to C6 of
 * docs/daemon.md say why the client holds nothing that the daemon has released.
 */
import { type Clock, systemClock } from '../lease/clock.ts'
import { type Election, election } from '../locks/election.ts'
import { invalidState, LockLostError, lockTimedOut } from '../locks/errors.ts'
import { failUpgrade, Held, heldAlone, type Keeper, loseHold } from '../locks/held.ts'
import type { Nesting } from '../locks/holders.ts'
import { readLeave, within } from '../locks/leaving.ts'
import { type Limit, type LimitOptions, limit } from '../locks/limit.ts'
import { type LockManager, lockManager } from '../locks/lock-manager.ts'
import type { Backing } from '../locks/obtain.ts'
import type { Wish } from '../locks/options.ts'
import { type Semaphore, semaphore } from '../locks/semaphore.ts'
import type { Fence } from '../protocol/fence.ts'
import type { Client, Ticketed, Unasked } from './line-client.ts'
import { Pauses } from './pauses.ts'
import { errorOf } from './refusals.ts'
import { type Locks, wantedOf } from './wanted.ts'
import type { Surveyed } from './words.ts'

/** A waiting caller. */
interface Caller {
  readonly key: string
  readonly wish: Wish
  readonly resolve: (held: Held | null) => void
  readonly reject: (reason: unknown) => void
  /** Removes the timer and the listener at the signal. */
  forget: () => void
  /** The ticket of its last request. */
  ticket: number
}

type Leave = Parameters<typeof readLeave>[0]
type Granted = Extract<Ticketed, { kind: 'granted' }>

/** How many beats there are in a lease. */
const BEATS = 10

export class Visitor implements Backing, Keeper, Locks {
  readonly locks: LockManager
  readonly nesting: Nesting | null
  readonly #client: Client
  readonly #clock: Clock
  /** By ticket, as the maps below. */
  readonly #waiting = new Map<number, Caller>()
  readonly #held = new Map<number, Held>()
  /** The question by which each hold was changed last. */
  readonly #changes = new Map<number, number>()
  /** Granted, but only another beat can say for how long. */
  readonly #granted = new Map<number, { readonly caller: Caller; readonly fence: Fence }>()
  /** C2: until then the client holds everything that the daemon has not reported as lost. */
  #deadline = Number.NEGATIVE_INFINITY
  /** C2: answers to questions sent before this time do not count, because the machine slept. */
  #awake = Number.NEGATIVE_INFINITY
  #beat: number | null = null
  #timer: NodeJS.Timeout | undefined
  #questions = 0
  #closed: Error | null = null
  readonly #pauses = new Pauses()
  #emptied: (() => void)[] = []
  /** Holds that were lost by this client's clock, and not released at the daemon yet. */
  readonly #lapsed: number[] = []
  /**
   * For a process that guards a command: why it must end, before anything is lost. Without it the holds are lost a lease after
   * `asked`.
   */
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

  /** The daemon's node, which others see as the holder. */
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

  /** The daemon has the catalogue, and refuses what it cannot serve. */
  requireServable(): void {}

  obtain(key: string, wish: Wish): Promise<Held> {
    // Null only comes with `ifAvailable`.
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

  /** When it resolves, everything that the daemon had said before has been handled. */
  async settle(): Promise<void> {
    await this.#client.ask('beat', { echo: null })
  }

  /** Resolves after a beat, or with false when nothing more can be asked. */
  pause(): Promise<boolean> {
    if (this.#closed !== null) return Promise.resolve(false)
    return this.#pauses.next(this.lease / BEATS)
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

  /**
   * The daemon counts the time too. This timer is for a daemon that does not answer. With a timeout of 0 only the daemon can
   * decide, so the timer waits for a lease.
   */
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
    // A grant may be on its way. The daemon reads this release after it, and takes the lock back.
    this.#client.put('release', { hold: caller.ticket })
    caller.reject(reason)
  }

  /** The caller no longer waits. */
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

  /** C2. A lapsed hold is lost for good, even if this answer would renew the lease. */
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
    // After a long wait without an answer, little or nothing of the promise is left.
    const isFresh = this.#clock.now() - this.#client.sentAt(heard) < this.lease / BEATS
    if (isFresh && this.hasLease()) this.#admit()
    else this.#beat = this.#client.beat()
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
    // A beat that was sent before the grant says nothing about it.
    if (ticket !== this.#beat) return
    this.#beat = null
    if (this.#granted.size === 0) return
    if (this.hasLease()) this.#admit()
    else this.#askAgain([...this.#granted.keys()])
  }

  /** The lock was lost before its caller heard of the grant, so it is requested again. */
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
    if (said.kind === 'not-upgraded') {
      if (held !== undefined && this.#changes.get(hold) === said.upgrade) failUpgrade(held, loss)
      return
    }
    if (held !== undefined) return this.#lose(hold, held, loss)
    // A caller whose lock was stolen does not steal it back.
    if (why !== 'stolen') return this.#askAgain([hold])
    const caller = this.#granted.get(hold)?.caller
    if (caller !== undefined) this.#giveUp(caller, loss)
  }

  /** The daemon leaves when all locks are released. Holders have one lease to finish. */
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

  /** No more requests are granted. */
  #close(reason: Error): void {
    this.#closed ??= reason
    for (const caller of [
      ...this.#waiting.values(),
      ...[...this.#granted.values()].map(({ caller }) => caller),
    ])
      this.#giveUp(caller, this.#closed)
    this.#pauses.end()
  }

  #lose(ticket: number, held: Held, loss: Error | 'lapsed'): void {
    this.#drop(ticket)
    loseHold(held, loss)
  }

  #drop(ticket: number): void {
    this.#held.delete(ticket)
    this.#changes.delete(ticket)
    if (this.#held.size === 0) for (const tell of this.#emptied.splice(0)) tell()
  }

  /** C2: whether all holds are still valid. If not, they are lost when this returns. */
  hasLease(): boolean {
    const now = this.#clock.now()
    // The daemon's node distrusts its clock too, and has lost its holds.
    if (this.#clock.slept(now)) {
      this.#deadline = Number.NEGATIVE_INFINITY
      this.#awake = now
    }
    if (now < this.#deadline) return true
    for (const [ticket, held] of this.#held) {
      this.#lose(ticket, held, 'lapsed')
      // C6: a command that was told to end may still run. The daemon keeps the lock until this client leaves.
      if (this.onEnding === null) this.#client.put('release', { hold: ticket })
      else this.#lapsed.push(ticket)
    }
    return false
  }

  change(kind: 'downgrade' | 'upgrade' | 'desist', _key: string, hold: number): void {
    this.#changes.set(hold, this.#client.put(kind, { hold }))
  }

  release(_key: string, ticket: number): void {
    this.#drop(ticket)
    this.#client.put('release', { hold: ticket })
  }

  /** While something is held: sends beats, and checks when the promise is over. */
  #wake(): void {
    if (this.#timer !== undefined) return
    const left = this.#deadline - this.#clock.now()
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined
        this.hasLease()
        if (this.#held.size === 0) return
        this.#beat ??= this.#client.beat()
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
    // Does not wait for a daemon that is stopped.
    await within(this.#client.hangUp(), this.lease)
    this.#client.close()
  }
}

function lostBecause(held: Held, reason: string): LockLostError {
  return new LockLostError(`"${held.name}" is lost: ${reason}`)
}
