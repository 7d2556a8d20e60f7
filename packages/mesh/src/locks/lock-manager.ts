/**
 * The lock manager: the interface and the rules of the Web Locks API, across all nodes of a mesh. docs/locks.md says what each
 * rule means here, and where several machines can only approximate it.
 */
import type { Mode } from '@turnwise/core/algorithm'
import type { Told } from '../protocol/circles.ts'
import type { Standing } from '../protocol/messages.ts'
import { isLock, lockKey, nameOf } from '../protocol/names.ts'
import type { Held } from './held.ts'
import { holdersOf, inside } from './holders.ts'
import { type Backing, obtain } from './obtain.ts'
import { infoOf } from './on-wait.ts'
import { LOCK_OPTIONS, type LockOptions, readWish, requireKnown, type Wish } from './options.ts'
import {
  type HeldLocks,
  type LockRequest,
  obtainAll,
  readWishes,
  type SeveralOptions,
  type Wishes,
} from './several.ts'
import type { UpgradeOptions } from './upgrade.ts'
import { admit, whileHeld } from './while-held.ts'

/** A lock while the callback of `request` runs. */
export class Lock {
  readonly #held: Held

  constructor(key: symbol, held: Held) {
    if (key !== INTERNAL) throw new TypeError('Illegal constructor')
    this.#held = held
  }

  /** The name that was given. */
  get name(): string {
    return this.#held.name
  }

  /**
   * `exclusive`: the only holder. `shared`: beside other shared holders. `update`: beside shared holders, and it can become
   * exclusive.
   */
  get mode(): Mode {
    return this.#held.mode
  }

  /** Rises with every grant of this lock, across views and restarts. */
  get fence(): bigint {
    return this.#held.fence
  }

  /** Aborts when the lock is lost. */
  get signal(): AbortSignal {
    return this.#held.signal
  }

  /** Throws if the lock is not held at this moment. */
  assertHeld(): void {
    this.#held.assertHeld()
  }

  /** Changes from update to exclusive. Resolves when all shared holders have left. */
  upgrade(options?: UpgradeOptions): Promise<void> {
    return this.#held.upgrade(options)
  }

  /** Changes from exclusive or update to shared, at once: callers that wait to share come in, and no writer in between. */
  downgrade(): void {
    this.#held.downgrade()
  }
}

const INTERNAL = Symbol('made by the lock manager')

/** A caller that holds a lock or waits for it. Its own fields are those of Web Locks, and `info` if the caller gave it. */
export class LockInfo {
  /** The name of the lock. */
  readonly name: string
  /** The mode in which it is held or requested. */
  readonly mode: Mode
  /** The node of the caller. */
  readonly clientId: string
  /** What the caller says about itself. Do not trust it. */
  declare readonly info?: unknown
  readonly #age: number
  readonly #ahead: number | null

  constructor(name: string, clientId: string, { mode, age, about, ahead }: Standing) {
    this.name = name
    this.mode = mode
    this.clientId = clientId
    this.#age = age
    this.#ahead = ahead ?? null
    if (about !== undefined && about.info !== null) this.info = infoOf(about).info
  }

  /** Milliseconds for which it has held the lock, or waited for it, when its node answered. */
  get age(): number {
    return this.#age
  }

  /**
   * How many waiting callers are let in before this one, if nobody else comes and nobody gives up; null if the algorithm does
   * not know it, and for a holder.
   */
  get ahead(): number | null {
    return this.#ahead
  }
}

/** The result of `query`. */
export interface LockManagerSnapshot {
  /** The holders. */
  readonly held: LockInfo[]
  /** The waiters, in order of request for each node. */
  readonly pending: LockInfo[]
  /** Deadlocks, one line for each circle of callers. Nodes answer one after another, so a circle may be over, or inexact. */
  readonly circles: readonly string[]
}

/** Its own fields are those of Web Locks. */
class Snapshot implements LockManagerSnapshot {
  readonly held: LockInfo[] = []
  readonly pending: LockInfo[] = []
  readonly #circles: () => readonly string[]

  constructor(nodes: readonly Told[], circles: () => readonly string[]) {
    this.#circles = circles
    for (const { id, names } of nodes) {
      for (const standing of names) {
        if (!isLock(standing.name)) continue
        const name = nameOf(standing.name)
        for (const each of standing.held) this.held.push(new LockInfo(name, id, each))
        for (const each of standing.pending) this.pending.push(new LockInfo(name, id, each))
      }
    }
  }

  get circles(): readonly string[] {
    return this.#circles()
  }
}

type Callback<Result> = (lock: Lock) => Result | PromiseLike<Result>
type MaybeCallback<Result> = (lock: Lock | null) => Result | PromiseLike<Result>
type SeveralCallback<Result> = (locks: HeldLocks) => Result | PromiseLike<Result>
type MaybeSeveralCallback<Result> = (locks: HeldLocks | null) => Result | PromiseLike<Result>

/**
 * Locks by name, across all nodes of a mesh, with the interface of the Web Locks API.
 *
 * ```js
 * const total = await mesh.locks.request('invoices', { timeout: 5000 }, (lock) => bill(lock.fence))
 * ```
 */
export class LockManager {
  readonly #backing: Backing
  /** Cached, because callers often request the same lock again, and a map finds the identical string faster. */
  #last = { name: '', key: lockKey('') }

  constructor(key: symbol, backing: Backing) {
    if (key !== INTERNAL) throw new TypeError('Illegal constructor')
    this.#backing = backing
  }

  /** Runs the callback while the lock is held. Settles with its result after the lock is released. */
  request<Result>(name: string, callback: Callback<Result>): Promise<Awaited<Result>>
  request<Result>(
    name: string,
    options: LockOptions & { readonly ifAvailable: true },
    callback: MaybeCallback<Result>,
  ): Promise<Awaited<Result>>
  request<Result>(name: string, options: LockOptions, callback: Callback<Result>): Promise<Awaited<Result>>
  /**
   * Several locks, all of them or none. Callers that request all their locks at once cannot deadlock, in whatever order they
   * name them.
   */
  request<Result>(names: readonly LockRequest[], callback: SeveralCallback<Result>): Promise<Awaited<Result>>
  request<Result>(
    names: readonly LockRequest[],
    options: SeveralOptions & { readonly ifAvailable: true },
    callback: MaybeSeveralCallback<Result>,
  ): Promise<Awaited<Result>>
  request<Result>(
    names: readonly LockRequest[],
    options: SeveralOptions,
    callback: SeveralCallback<Result>,
  ): Promise<Awaited<Result>>
  request(...given: unknown[]): Promise<unknown> {
    try {
      if (!(#backing in this))
        throw new TypeError('request was called on an object that is not a lock manager')
      if (given.length < 2) {
        throw new TypeError(`request: expected 2 arguments (a name and a callback), got ${given.length}`)
      }
      const [name, options, callback] = given.length > 2 ? given : [given[0], undefined, given[1]]
      const isOpen = () => {
        if (typeof callback !== 'function') throw new TypeError('the callback is not a function')
        this.#backing.assertOpen()
      }
      if (Array.isArray(name))
        return this.#runAll(
          readWishes(name, options, isOpen, this.#backing.nesting),
          callback as MaybeSeveralCallback<unknown>,
        )
      return this.#run(readWish(name, options, isOpen), callback as MaybeCallback<unknown>)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /** Few allocations, because very many callers may wait together. */
  #run(wish: Wish, callback: MaybeCallback<unknown>): Promise<unknown> {
    const key = this.#keyOf(wish.name)
    const { nesting } = this.#backing
    if (nesting !== null || wish.holder !== undefined) return this.#runInside(key, wish, callback)
    if (!isPlain(wish)) return obtain(this.#backing, key, wish).then((held) => serve(held, callback))
    return this.#backing.obtain(key, wish).then((held) => serve(admit(held, undefined), callback))
  }

  /** With a holder. Requests inside the callback belong to it. */
  async #runInside(key: string, wish: Wish, callback: MaybeCallback<unknown>): Promise<unknown> {
    const { nesting } = this.#backing
    const holders = holdersOf(wish, nesting)
    const held = await obtain(this.#backing, key, { ...wish, holders })
    return serve(held, (lock) => inside(nesting, holders, () => callback(lock)))
  }

  async #runAll(wishes: Wishes, callback: MaybeSeveralCallback<unknown>): Promise<unknown> {
    const { nesting } = this.#backing
    const all = await obtainAll(this.#backing, wishes)
    if (all === null) return callback(null)
    return whileHeld(all.locks, () => inside(nesting, wishes.holders, () => callback(all)))
  }

  #keyOf(name: string): string {
    if (name !== this.#last.name) this.#last = { name, key: lockKey(name) }
    return this.#last.key
  }

  /** Returns the lock, which the caller releases: with `await using`, or in `finally`. */
  acquire(name: string, options?: LockOptions & { readonly ifAvailable?: false }): Promise<Held>
  acquire(name: string, options: LockOptions): Promise<Held | null>
  /** Returns several locks, all of them or none. */
  acquire(
    names: readonly LockRequest[],
    options?: SeveralOptions & { readonly ifAvailable?: false },
  ): Promise<HeldLocks>
  acquire(names: readonly LockRequest[], options: SeveralOptions): Promise<HeldLocks | null>
  acquire(name: string | readonly LockRequest[], options?: LockOptions): Promise<Held | HeldLocks | null> {
    try {
      if (!(#backing in this))
        throw new TypeError('acquire was called on an object that is not a lock manager')
      requireKnown(options, LOCK_OPTIONS, 'acquire')
      const isOpen = () => this.#backing.assertOpen()
      const { nesting } = this.#backing
      if (Array.isArray(name)) return obtainAll(this.#backing, readWishes(name, options, isOpen, nesting))
      const asked = readWish(name, options, isOpen)
      const key = this.#keyOf(asked.name)
      const wish =
        nesting !== null || asked.holder !== undefined
          ? { ...asked, holders: holdersOf(asked, nesting) }
          : asked
      return isPlain(wish) ? this.#backing.obtain(key, wish) : obtain(this.#backing, key, wish)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /** Who holds and who waits. Each member answers for itself, so this is not a snapshot of the whole mesh. */
  async query(): Promise<LockManagerSnapshot> {
    if (!(#backing in this)) throw new TypeError('query was called on an object that is not a lock manager')
    this.#backing.assertOpen()
    const nodes = await this.#backing.survey()
    // Loaded on demand, so that a command that takes a lock starts without it.
    const { circlesIn } = await import('../protocol/circles.ts')
    return new Snapshot(nodes, () => circlesIn(nodes))
  }
}

function serve(held: Held | null, callback: MaybeCallback<unknown>): unknown {
  return held === null ? callback(null) : whileHeld([held], () => callback(new Lock(INTERNAL, held)))
}

/** A fast path: most requests need nothing checked before the grant, and every `await` costs time. */
function isPlain({ signal, ifAvailable, maxHold, onWait }: Wish): boolean {
  return signal === undefined && !ifAvailable && maxHold === undefined && onWait === undefined
}

export function lockManager(backing: Backing): LockManager {
  return new LockManager(INTERNAL, backing)
}
