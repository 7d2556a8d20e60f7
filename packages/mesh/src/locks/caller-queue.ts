/**
 * The queue of callers. Every request of this process passes here to the protocol, and every grant and loss comes back here. If a
 * caller has gone when its grant comes, the lock is released at once.
 */
import type { Runner } from '../host/runner.ts'
import type { Journal } from '../observe/journal.ts'
import type { Meters } from '../observe/meters.ts'
import type { Effect } from '../protocol/events.ts'
import { isNearlySpent } from '../protocol/fence.ts'
import { misfitOf } from '../protocol/fit.ts'
import type { Asked, NameStanding } from '../protocol/messages.ts'
import { nameOf } from '../protocol/names.ts'
import { type CallerId, tickOf } from '../protocol/state.ts'
import { failureOf, notAgain, requestOf, standingOf, timedOut, whyNoQuorum } from './asked.ts'
import { DeadlockError, LockStolenError, NoQuorumError, tooManyHeld } from './errors.ts'
import { Few } from './few.ts'
import { failUpgrade, Held, heldAlone, heldKey, heldSince, type Keeper, loseHold } from './held.ts'
import { InARow } from './in-a-row.ts'
import { LastOut } from './last-out.ts'
import type { Wish } from './options.ts'
import type { Line } from './survey.ts'
import { Upgrades } from './upgrades.ts'

interface Waiting {
  readonly key: string
  readonly wish: Wish
  readonly since: number
  readonly resolve: (held: Held | Promise<Held>) => void
  readonly reject: (reason: unknown) => void
  /** Removes the timer and the listener at the signal. */
  readonly forget: (() => void) | null
}

/** How many requests go to the protocol in one turn of the event loop. The others wait in line here, which costs nothing. */
const SLICE = 128
/**
 * Milliseconds after which no more requests are made in that turn. On a busy machine a slice may take longer than a heartbeat can
 * wait.
 */
const MOST_MS = 5

/** How many locks the callers of one node may hold together. A view carries all of them from each member to every other. */
const MOST_HELD = 120_000

export class CallerQueue implements Keeper, Line {
  readonly #runner: Runner
  /** Milliseconds without a quorum after which waiting callers are told. */
  readonly #patience: number
  readonly #journal: Journal
  readonly #meters: Meters
  readonly #waiting = new Few<CallerId, Waiting>()
  /** The waiting callers that want to share. Every tick asks for them, and there may be very many others. */
  readonly #sharers = new Few<CallerId, string>()
  readonly #held = new Few<CallerId, Held>()
  #callers = 0
  /** The caller that is asking at this moment, and the lock if it got it at once, which is the usual case. */
  #asking: CallerId = 0
  #got: Held | null = null
  readonly #inARow = new InARow()
  readonly #lastOut: LastOut
  readonly upgrades: Upgrades
  /** Called with each caller that begins to wait in `upgrade()`. */
  onUpgrade: (caller: CallerId) => void = () => {}
  /** Callers that were let in, but hear of it only after the event loop has turned. */
  readonly #putOff = new Set<CallerId>()
  /** Since when there has been no valid lease, or no view that fits; null while there is one. */
  #withoutSince: number | null = null
  #lastTick = Number.NaN
  #closed: Error | null = null
  /** Callbacks for when nothing is held any more. */
  #emptied: (() => void)[] = []
  /** How many requests went to the protocol in this turn of the event loop. */
  #asked = 0
  /** Callers that wait for the next turn, or for room on the links (R18). */
  #line: CallerId[] = []
  #lineMoves = false

  constructor(runner: Runner, patience: number, journal: Journal) {
    this.#runner = runner
    this.#patience = patience
    this.#journal = journal
    this.#meters = journal.meters
    this.#lastOut = new LastOut(runner, journal.meters)
    this.upgrades = new Upgrades(runner)
  }

  /** Resolves when the caller is let in. Rejects if a signal or a timeout ends the wait before. */
  obtain(key: string, wish: Wish): Promise<Held> {
    if (this.#closed !== null) return Promise.reject(this.#closed)
    if (this.#held.size >= MOST_HELD) return Promise.reject(tooManyHeld(nameOf(key), MOST_HELD))
    this.#callers += 1
    const caller = this.#callers
    this.#journal.observer?.asked(caller, key, wish.mode)
    if (this.#asked >= SLICE || this.#line.length > 0 || this.#runner.isCongested)
      return this.#standInLine(key, caller, wish)
    this.#asked += 1
    const isFollowed = this.#lastOut.isFollowed(key, wish)
    // A loss that this causes may make a listener ask in turn.
    const asking = this.#asking
    this.#asking = caller
    this.#runner.dispatch(requestOf(key, caller, wish))
    if (isFollowed) this.#lastOut.tell()
    this.#asking = asking
    const got = this.#got
    this.#got = null
    if (got === null) return this.#wait(key, caller, wish)
    if (this.#inARow.isOneTooMany() || this.#putOff.size > 0) return this.#inTurn(got, caller, wish)
    return Promise.resolve(got)
  }

  /**
   * A burst of requests is handled in slices. The event loop turns between two of them, so that messages are read and the lease
   * is renewed.
   */
  #standInLine(key: string, caller: CallerId, wish: Wish): Promise<Held> {
    const { isCongested } = this.#runner
    this.#runner.moves()
    const wait = this.#register(key, caller, wish, this.#runner.at)
    if (wish.timeout === 0 && isCongested) this.giveUp(caller, timedOut(wish))
    else this.#line.push(caller)
    this.moveLine()
    return wait
  }

  /** Also called by the mesh when there is room again. */
  moveLine(): void {
    if (this.#lineMoves || this.#line.length === 0 || !this.#runner.mayAsk()) return
    this.#lineMoves = true
    setImmediate(this.#takeSlice)
  }

  readonly #takeSlice = (): void => {
    this.#lineMoves = false
    this.#asked = 0
    const line = this.#line
    const end = this.#runner.now + MOST_MS
    let taken = 0
    for (const caller of line) {
      taken += 1
      this.#askAgain(caller)
      const waiting = this.#waiting.get(caller)
      if (waiting?.wish.timeout === 0) this.giveUp(caller, timedOut(waiting.wish))
      if (taken === SLICE || this.#runner.at >= end) break
    }
    // Callers that ask meanwhile stand behind. Closing empties the line.
    line.splice(0, taken)
    this.moveLine()
  }

  /** Resolves when the event loop has turned, in the order of the requests. A lock that was lost meanwhile is requested again. */
  #inTurn(got: Held, caller: CallerId, wish: Wish): Promise<Held> {
    this.#putOff.add(caller)
    return new Promise((resolve) => {
      setImmediate(() => {
        this.#asked = 0
        this.#runner.hasLease()
        resolve(this.#putOff.delete(caller) ? got : (notAgain(wish) ?? this.obtain(heldKey(got), wish)))
      })
    })
  }

  #wait(key: string, caller: CallerId, wish: Wish): Promise<Held> {
    const wait = this.#register(key, caller, wish, this.#runner.at)
    // A lock that is free has been granted by now.
    if (wish.timeout === 0) this.giveUp(caller, timedOut(wish))
    return wait
  }

  #register(key: string, caller: CallerId, wish: Wish, since: number): Promise<Held> {
    this.#runner.keepAlive('callers', true)
    return new Promise((resolve, reject) => {
      const forget = this.#limit(caller, wish)
      this.#waiting.add(caller, { key, wish, since, resolve, reject, forget })
      if (wish.mode === 'shared') this.#sharers.add(caller, key)
    })
  }

  /** The timeout and the signal that end a wait; null if there is neither. */
  #limit(caller: CallerId, wish: Wish): (() => void) | null {
    const { signal, timeout } = wish
    if (signal === undefined && !timeout) return null
    const abort = () => this.giveUp(caller, signal?.reason)
    signal?.addEventListener('abort', abort)
    // With a timeout of 0 the caller fails after its request was made, however long it stood in line before.
    const timer = timeout ? setTimeout(() => this.giveUp(caller, timedOut(wish)), timeout) : undefined
    return () => {
      signal?.removeEventListener('abort', abort)
      clearTimeout(timer)
    }
  }

  giveUp(caller: CallerId, reason: unknown): void {
    const waiting = this.#waiting.get(caller)
    if (waiting === undefined) return this.#giveUpUpgrade(caller, reason)
    this.#forget(caller, waiting)
    const failure = reason === this.#closed ? 'left' : failureOf(waiting.wish, reason)
    // A probe that was given up is counted together with those that did not even ask.
    if (failure !== 'unavailable') this.#meters.of(waiting.key).failures[failure] += 1
    this.#journal.observer?.failed(caller, failure)
    this.#runner.dispatch({ kind: 'cancel', name: waiting.key, caller })
    waiting.reject(reason)
  }

  /** Only a deadlock ends it from here. The holder itself ends it by a signal or a timeout. */
  #giveUpUpgrade(caller: CallerId, reason: unknown): void {
    const held = this.#held.get(caller)
    if (held === undefined || !this.upgrades.has(caller) || !(reason instanceof DeadlockError)) return
    this.#meters.of(heldKey(held)).failures.deadlock += 1
    failUpgrade(held, reason)
  }

  /** The keys that callers hold or wait for. */
  *keys(who: 'held' | 'waiting'): IterableIterator<string> {
    if (who === 'held') for (const held of this.#held.values()) yield heldKey(held)
    else for (const { key } of this.#waiting.values()) yield key
  }

  /** Callers in line, in order, without those that would not wait for others. */
  inLine(name: Asked): NameStanding[] {
    const { now } = this.#runner
    const found: NameStanding[] = []
    for (const caller of this.#line) {
      const waiting = this.#waiting.get(caller)
      if (waiting === undefined || waiting.wish.ifAvailable || (name !== null && name !== waiting.key))
        continue
      const age = Math.max(0, now - waiting.since)
      found.push({ name: waiting.key, held: [], pending: [standingOf(caller, waiting.wish, age)] })
    }
    return found
  }

  /** The caller that waits with this wish; null if none does. */
  callerWith(isMine: (wish: Wish) => boolean): CallerId | null {
    for (const [caller, { wish }] of this.#waiting) if (isMine(wish)) return caller
    return null
  }

  /**
   * The number that the next request gets, so that it can be given up. Who reads it after the request may get that of a listener
   * that asked in between.
   */
  get nextCaller(): CallerId {
    return this.#callers + 1
  }

  /** Also in `upgrade()`. */
  isWaiting(caller: CallerId): boolean {
    return this.#waiting.has(caller) || this.upgrades.has(caller)
  }

  /** Names that callers of this node wait to share. */
  wantedToShare(): Set<string> {
    return new Set(this.#sharers.values())
  }

  /** The caller no longer waits. */
  #forget(caller: CallerId, { forget }: Waiting): void {
    this.#waiting.delete(caller)
    this.#sharers.delete(caller)
    forget?.()
    if (this.#waiting.size === 0) this.#runner.keepAlive('callers', false)
  }

  hasLease(): boolean {
    return this.#runner.hasLease()
  }

  change(kind: 'downgrade' | 'upgrade' | 'desist', key: string, caller: CallerId): void {
    if (kind === 'upgrade') this.upgrades.begin(key, caller)
    else this.upgrades.end(caller)
    this.#runner.dispatch({ kind, name: key, caller })
    if (kind === 'upgrade' && this.upgrades.has(caller)) this.onUpgrade(caller)
  }

  release(key: string, caller: CallerId, since: number): void {
    this.#drop(caller)
    this.#journal.observer?.released(caller)
    this.#lastOut.left(key, caller, since)
  }

  /** Tells the protocol of a release that it has not heard of yet. */
  settle(): void {
    this.#lastOut.tell()
  }

  told(effect: Extract<Effect, { kind: 'grant' | 'lost' | 'upgraded' }>): void {
    if (effect.kind === 'grant') this.#granted(effect)
    else if (effect.kind === 'lost') this.#lost(effect)
    else {
      this.upgrades.end(effect.caller)
      heldAlone(this.#held.get(effect.caller), effect.fence)
    }
  }

  #granted({ name, caller, mode, fence }: Extract<Effect, { kind: 'grant' }>): void {
    // A caller that joins a hold from an earlier view has its old fence.
    if (isNearlySpent(fence) && fence.epoch === this.#runner.node.begun?.epoch)
      this.#runner.dispatch({ kind: 'renew' })
    if (caller === this.#asking) {
      const got = new Held(this, name, caller, mode, fence, this.#runner.at)
      this.#got = got
      this.#held.add(caller, got)
      this.#meters.of(name).wait.record(0)
      this.#journal.observer?.granted(caller, fence)
      return
    }
    const waiting = this.#waiting.get(caller)
    if (waiting === undefined) return this.#runner.dispatch({ kind: 'release', name, caller })
    if (this.#held.size >= MOST_HELD) {
      this.giveUp(caller, tooManyHeld(nameOf(name), MOST_HELD))
      return this.#runner.dispatch({ kind: 'release', name, caller })
    }
    this.#forget(caller, waiting)
    // The grant may have waited for the disk since its event.
    const { now } = this.#runner
    const held = new Held(this, name, caller, mode, fence, now)
    this.#held.add(caller, held)
    this.#meters.of(name).wait.record(now - waiting.since)
    this.#journal.observer?.granted(caller, fence)
    if (!this.#lastOut.isBeingTold) this.#inARow.interrupted()
    else if (this.#inARow.isOneTooMany()) return waiting.resolve(this.#inTurn(held, caller, waiting.wish))
    waiting.resolve(held)
  }

  #lost({ name, caller, why }: Extract<Effect, { kind: 'lost' }>): void {
    const held = this.#held.get(caller)
    if (held === undefined) return this.#askAgain(caller)
    this.#drop(caller)
    if (why === 'lapsed' && this.#putOff.delete(caller)) return
    loseHold(
      held,
      why === 'stolen' ? new LockStolenError(`"${nameOf(name)}" was stolen by another caller`) : why,
    )
    this.#journal.lost(name, why, this.#runner.at - heldSince(held))
    this.#journal.observer?.lost(caller, why)
  }

  #drop(caller: CallerId): void {
    this.#held.delete(caller)
    this.upgrades.end(caller)
    if (this.#held.size === 0) for (const tell of this.#emptied.splice(0)) tell()
  }

  /** Ends all waits, and lets no caller in. Resolves when nothing is held. */
  drain(reason: Error): Promise<void> {
    this.#turnAway(reason)
    return this.#held.size === 0
      ? Promise.resolve()
      : new Promise((resolve) => this.#emptied.push(() => resolve()))
  }

  #turnAway(reason: Error): void {
    this.#closed = reason
    this.#line = []
    for (const [caller] of this.#waiting) this.giveUp(caller, reason)
  }

  /** For a caller that still waits: its request was delayed, or its lock was lost before it heard of the grant. */
  #askAgain(caller: CallerId): void {
    const waiting = this.#waiting.get(caller)
    if (waiting !== undefined) this.#runner.dispatch(requestOf(waiting.key, caller, waiting.wish))
  }

  /**
   * Rejects waiting callers that do not want to wait for a quorum, if there has been none for too long. Returns the error for
   * others that wait for members; null while there is a quorum, or was one not long ago.
   */
  ticked(now: number): NoQuorumError | null {
    this.moveLine()
    const { node } = this.#runner
    // While the program blocked the event loop no peer could be heard. That says nothing about the others.
    const kept = now - this.#lastTick - 2 * tickOf(node)
    this.#lastTick = now
    // A lease is not enough if a member is missing without which no view fits.
    const misfit = misfitOf(node, now)
    if (now < node.deadline && misfit === null) this.#withoutSince = null
    else if (this.#withoutSince === null) this.#withoutSince = now
    else if (kept > 0) this.#withoutSince += kept
    if (this.#withoutSince === null || now - this.#withoutSince < this.#patience) return null
    const trouble = this.#journal.trouble(now)
    const why = misfit?.text ?? [whyNoQuorum(this.#runner, now - this.#withoutSince), ...trouble].join(': ')
    for (const [caller, { wish, key }] of this.#waiting) {
      if (!wish.waitForQuorum) this.giveUp(caller, new NoQuorumError(`"${nameOf(key)}": ${why}`))
    }
    return new NoQuorumError(why)
  }

  /** Ends all waits and all holds. */
  close(reason: Error): void {
    this.settle()
    this.#turnAway(reason)
    for (const [caller, held] of this.#held) {
      loseHold(held, reason)
      this.#journal.observer?.lost(caller, 'left')
      this.#drop(caller)
    }
    this.#journal.observer?.close()
  }
}
