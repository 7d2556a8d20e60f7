/**
 * The locks of a daemon at the client's side: the same lock manager as for a member, over the control socket. Rules C1 to C6 of
 * docs/daemon.md say why the client holds nothing that the daemon has released.
 */
import { get } from '@turnwise/core/bounds'
import { systemClock } from '../lease/clock.ts'
import { election } from '../locks/election.ts'
import { invalidState } from '../locks/errors.ts'
import { group } from '../locks/group.ts'
import { Held, heldAlone, type Keeper } from '../locks/held.ts'
import type { Nesting } from '../locks/holders.ts'
import { readLeave, within } from '../locks/leaving.ts'
import { limit } from '../locks/limit.ts'
import { type LockManager, lockManager } from '../locks/lock-manager.ts'
import type { Backing, Together } from '../locks/obtain.ts'
import type { Offered } from '../locks/offered.ts'
import type { OnceResult } from '../locks/once.ts'
import type { Wish } from '../locks/options.ts'
import { type Semaphore, semaphore } from '../locks/semaphore.ts'
import type { Lined } from '../locks/survey.ts'
import { lockKey } from '../protocol/names.ts'
import { type Caller, Callers, holdsOf, isPatient, limited } from './caller.ts'
import { Absence, type Patience } from './come-back.ts'
import { Holds, lostBecause } from './holds.ts'
import type { Client, Ticketed, Unasked } from './line-client.ts'
import { Pauses } from './pauses.ts'
import { Promised } from './promised.ts'
import { errorOf } from './refusals.ts'
import { inQuestions, type Locks, putRequest } from './wanted.ts'

/** How many beats there are in a lease. */
const BEATS = 10

export class Visitor implements Backing, Keeper, Locks {
  readonly locks: LockManager
  readonly group: Offered['group'] = (name, names) => group(this, name, names)
  readonly limit: Offered['limit'] = (...given) => limit((each, most) => this.semaphore(each, most), ...given)
  readonly election: Offered['election'] = (name) =>
    election(this, { ask: (key) => this.survey(key), pause: () => this.pause() }, name)
  readonly nesting: Nesting | null
  #client: Client
  readonly #promised: Promised
  readonly #absence: Absence
  readonly #asking = new Callers()
  readonly #holds = new Holds()
  #beat: number | null = null
  #timer: NodeJS.Timeout | undefined
  #questions = 0
  #closed: Error | null = null
  readonly #pauses = new Pauses()
  /** Holds that were lost by this client's clock, and not released at the daemon yet. */
  readonly #lapsed: number[] = []
  /** For the guard of a command: why it must end, before anything is lost. Without it holds are lost a lease after `asked`. */
  onEnding: ((kind: 'asked' | 'broken', reason: string) => void) | null = null
  asked: string | null = null

  constructor(
    client: Client,
    clock = systemClock(client.leaseMs / BEATS),
    nesting: Nesting | null = null,
    patience: Patience | null = null,
  ) {
    this.#client = client
    this.nesting = nesting
    this.#promised = new Promised(clock)
    this.#absence = new Absence(patience)
    this.locks = lockManager(this)
    this.#listen(client)
  }

  #listen(client: Client): void {
    this.asked = null
    client.onAnswer = (answer) => this.#hear(answer)
    client.onUnasked = (said) => this.#heardUnasked(said)
    client.onBroken = (error) => this.#broken(error)
    client.keepAlive(false)
  }

  /** The daemon's node, which others see as the holder. */
  get id(): string {
    return this.#client.id
  }

  get leaseMs(): number {
    return this.#client.leaseMs
  }

  get deadline(): number {
    return this.#promised.deadline
  }

  semaphore(name: string, permits: number, options: { algorithm?: string | null } = {}): Semaphore {
    return semaphore(this, name, permits, options.algorithm ?? null)
  }

  /** Loaded on demand, because few programs run jobs. */
  async once(...given: readonly unknown[]): Promise<OnceResult<unknown>> {
    const { onceAtDaemon } = await import('./once-at-daemon.ts')
    return onceAtDaemon(this, (...asked) => this.#awake(this.#client.ask(...asked)), given)
  }

  assertOpen(): void {
    if (this.#closed !== null) throw this.#closed
  }

  /** The daemon has the catalogue, and refuses what it cannot serve. */
  requireServable(): void {}

  obtain(key: string, wish: Wish): Promise<Held> {
    // Null only comes with `ifAvailable`.
    return this.obtainIfAvailable(key, wish) as Promise<Held>
  }

  async obtainIfAvailable(key: string, wish: Wish): Promise<Held | null> {
    return (await this.#request([wish], [key]))?.[0] ?? null
  }

  readonly together: Together = { lists: inQuestions, obtain: (wishes) => this.#request(wishes) }

  async survey(key: string | null = null): Promise<Lined['nodes']> {
    this.assertOpen()
    return (await this.#awake(this.#client.survey(key))).nodes
  }

  async lineFor(key: string, isMine: (wish: Wish) => boolean): Promise<Lined> {
    this.assertOpen()
    return this.#awake(this.#client.survey(key, this.#asking.ticketWith(isMine)))
  }

  /** When it resolves, everything that the daemon had said before has been handled. */
  async settle(): Promise<void> {
    await this.#client.ask('beat', { echo: null })
  }

  /** Resolves after a beat, or with false when nothing more can be asked. */
  pause(): Promise<boolean> {
    if (this.#closed !== null) return Promise.resolve(false)
    return this.#pauses.next(this.leaseMs / BEATS)
  }

  #request(
    wishes: readonly Wish[],
    keys = wishes.map(({ name }) => lockKey(name)),
  ): Promise<readonly Held[] | null> {
    if (this.#closed !== null) return Promise.reject(this.#closed)
    const { why } = this.#absence
    const wish = get(wishes, 0)
    if (why !== null && !isPatient(wish)) return Promise.reject(why)
    return new Promise((resolve, reject) => {
      const caller: Caller = { keys, wishes, wish, resolve, reject, forget: () => {}, ticket: 0 }
      this.#ask(caller)
      caller.forget = limited(caller, this.leaseMs, (reason) => this.#giveUp(caller, reason))
    })
  }

  #ask(caller: Caller): void {
    this.#absence.parked.delete(caller)
    if (this.#absence.why !== null) return this.#park(caller)
    caller.ticket = putRequest(this.#client, caller)
    this.#asking.add(caller)
    this.#keepAlive()
  }

  #giveUp(caller: Caller, reason: unknown): void {
    this.#forget(caller)
    // A grant may be on its way. The daemon reads this release after it, and takes the lock back.
    for (const hold of holdsOf(caller)) this.#client.put('release', { hold })
    caller.reject(reason)
  }

  /** The caller no longer waits. */
  #forget(caller: Caller): void {
    caller.forget()
    this.#asking.delete(caller)
    this.#absence.parked.delete(caller)
    this.#keepAlive()
  }

  #park(caller: Caller): void {
    this.#asking.delete(caller)
    this.#absence.park(caller)
    this.#keepAlive()
  }

  /** Keeps the process alive until the answer. */
  async #awake<Value>(answer: Promise<Value>): Promise<Value> {
    this.#questions += 1
    this.#keepAlive()
    try {
      return await answer
    } finally {
      this.#questions -= 1
      this.#keepAlive()
    }
  }

  #keepAlive(): void {
    const waiting = this.#asking.size + this.#absence.parked.size
    this.#client.keepAlive(waiting + this.#questions > 0)
    this.#absence.keepAlive(waiting > 0)
  }

  /** C2. A lapsed hold is lost for good, even if this answer would renew the lease. */
  #hear(answer: Ticketed): void {
    this.hasLease()
    if (answer.kind === 'granted') this.#grant(answer)
    else if (answer.kind === 'beat') this.#answered(answer)
    else if (answer.kind === 'refused') this.#refused(answer)
  }

  #grant({ ticket, fences, left, heard }: Extract<Ticketed, { kind: 'granted' }>): void {
    const caller = this.#asking.waiting(ticket)
    if (caller === undefined) return
    const asked = this.#client.sentAt(heard)
    this.#promised.count(asked, left)
    this.#asking.grant(caller, fences)
    // After a long wait without an answer, little or nothing of the promise is left.
    const isFresh = this.#promised.now - asked < this.leaseMs / BEATS
    if (isFresh && this.hasLease()) this.#admit()
    else this.#beat = this.#client.beat()
  }

  #admit(): void {
    const { now } = this.#promised
    for (const { caller, fences } of this.#asking.granted.values()) {
      const tickets = holdsOf(caller)
      const all = caller.wishes.map(
        ({ mode }, i) => new Held(this, get(caller.keys, i), get(tickets, i), mode, get(fences, i), now),
      )
      this.#forget(caller)
      for (const [i, held] of all.entries()) this.#holds.all.set(get(tickets, i), held)
      caller.resolve(all)
    }
    this.#wake()
  }

  #answered({ ticket, left }: Extract<Ticketed, { kind: 'beat' }>): void {
    this.#promised.count(this.#client.sentAt(ticket), left)
    // A beat that was sent before the grant says nothing about it.
    if (ticket !== this.#beat) return
    this.#beat = null
    if (this.#asking.granted.size === 0) return
    if (this.hasLease()) return this.#admit()
    const lost = [...this.#asking.granted.values()]
    for (const { caller } of lost) this.#askAgain(caller)
  }

  /** A lock was lost before its caller heard of the grant, so all that it wants is requested again. */
  #askAgain(caller: Caller): void {
    this.#asking.delete(caller)
    for (const hold of holdsOf(caller)) this.#client.put('release', { hold })
    this.#ask(caller)
  }

  #refused({ ticket, why, message }: Extract<Ticketed, { kind: 'refused' }>): void {
    const caller = this.#asking.waiting(ticket)
    if (caller === undefined) return
    // The daemon leaves, and is about to end the connection.
    if (why === 'closed' && this.#absence.isAwaited && isPatient(caller.wish)) {
      this.#leaves(invalidState(message))
      return this.#park(caller)
    }
    this.#forget(caller)
    if (why === 'taken') caller.resolve(null)
    else caller.reject(errorOf(why, message))
  }

  #heardUnasked(said: Unasked): void {
    this.hasLease()
    if (said.kind === 'end') return this.#asked(said.message)
    if (said.kind === 'upgraded') return heldAlone(this.#holds.all.get(said.hold), said.fence)
    const { hold, why, message } = said
    const loss = errorOf(why === 'taken' ? 'lost' : why, message)
    const held = this.#holds.all.get(hold)
    if (said.kind === 'not-upgraded') return this.#holds.failUpgrade(hold, said.upgrade, loss)
    if (held !== undefined) return this.#holds.lose(hold, held, loss)
    const caller = this.#asking.ofHold(hold)
    if (caller === undefined) return
    // A caller whose lock was stolen does not steal it back.
    if (why === 'stolen') this.#giveUp(caller, loss)
    else this.#askAgain(caller)
  }

  /** The daemon leaves when all locks are released. Holders have one lease to finish. */
  #asked(message: string): void {
    this.asked = message
    this.#leaves(invalidState(message))
    this.onEnding?.('asked', message)
    const client = this.#client
    setTimeout(() => {
      // A command may have come in with the same words. Its guard releases what it holds.
      if (client !== this.#client || this.onEnding !== null) return
      for (const [ticket, held] of this.#holds.all) {
        this.#holds.lose(ticket, held, lostBecause(held, message))
        client.put('release', { hold: ticket })
      }
    }, this.leaseMs).unref()
  }

  #broken(error: Error): void {
    this.onEnding?.('broken', error.message)
    // A command that runs under a lock has lost it, and needs no other daemon.
    const isOver = !this.#absence.isAwaited || this.#closed !== null || this.onEnding !== null
    if (isOver) this.#close(error)
    this.#holds.loseAll((held) => lostBecause(held, error.message))
    if (!isOver) void this.#reconnect(error)
  }

  /** What was held is lost. Callers that wait ask the next daemon. */
  async #reconnect(error: Error): Promise<void> {
    this.#promised.end()
    this.#beat = null
    for (const caller of this.#callers) {
      if (isPatient(caller.wish)) this.#park(caller)
      else this.#giveUp(caller, error)
    }
    try {
      const client = await this.#absence.next(error)
      if (this.#closed !== null) return client.close()
      this.#client = client
      this.#absence.why = null
      this.#listen(client)
      // A copy, because asking for a caller changes the set.
      const parked = [...this.#absence.parked]
      for (const caller of parked) this.#ask(caller)
    } catch (failure) {
      this.#close(failure as Error)
    }
  }

  get #callers(): readonly Caller[] {
    return [...this.#asking.all, ...this.#absence.parked]
  }

  /** The daemon lets nobody in any more. */
  #leaves(why: Error): void {
    if (this.#absence.isAwaited) this.#absence.leaves(why, () => this.#close(why))
    else this.#close(why)
  }

  /** No more requests are granted. */
  #close(reason: Error): void {
    this.#closed ??= reason
    this.#absence.end(this.#closed)
    for (const caller of this.#callers) this.#giveUp(caller, this.#closed)
    this.#pauses.end()
  }

  /** C2: whether all holds are still valid. If not, they are lost when this returns. */
  hasLease(): boolean {
    if (this.#promised.isKept()) return true
    for (const [ticket, held] of this.#holds.all) {
      this.#holds.lose(ticket, held, 'lapsed')
      // C6: a command that was told to end may still run. The daemon keeps the lock until this client leaves.
      if (this.onEnding === null) this.#client.put('release', { hold: ticket })
      else this.#lapsed.push(ticket)
    }
    return false
  }

  change(kind: 'downgrade' | 'upgrade' | 'desist', _key: string, hold: number): void {
    this.#holds.changed(hold, this.#client.put(kind, { hold }))
  }

  release(_key: string, ticket: number): void {
    this.#holds.drop(ticket)
    this.#client.put('release', { hold: ticket })
  }

  /** While something is held: sends beats, and checks when the promise is over. */
  #wake(): void {
    if (this.#timer !== undefined) return
    const left = Math.max(0, this.#promised.deadline - this.#promised.now)
    const wake = () => {
      this.#timer = undefined
      this.hasLease()
      if (this.#holds.all.size === 0) return
      this.#beat ??= this.#client.beat()
      this.#wake()
    }
    this.#timer = setTimeout(wake, Math.min(this.leaseMs / BEATS, left)).unref()
  }

  async leave(options: Parameters<typeof readLeave>[0] = {}): Promise<void> {
    const { drain, timeout } = readLeave(options)
    if (drain) {
      this.#close(invalidState('this client of a daemon is leaving'))
      await within(this.#holds.whenEmpty(), timeout)
    }
    this.#close(invalidState('this client has left its daemon'))
    const holds = [...this.#holds.all.keys(), ...this.#lapsed]
    this.#holds.loseAll(() => invalidState('this client has left its daemon'))
    for (const hold of holds) this.#client.put('release', { hold })
    // Does not wait for a daemon that is stopped.
    await within(this.#client.hangUp(), this.leaseMs)
    this.#client.close()
  }
}
