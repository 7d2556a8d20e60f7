/** One node of a mesh as its program sees it. `join` makes it. */
import type { Runner, Told } from './host/runner.ts'
import { Counter } from './locks/counter.ts'
import { type Election, election } from './locks/election.ts'
import { invalidState, NoQuorumError } from './locks/errors.ts'
import type { Held } from './locks/held.ts'
import { type Backing, type LockManager, lockManager } from './locks/lock-manager.ts'
import type { Wish } from './locks/options.ts'
import { Probes } from './locks/probes.ts'
import { type Semaphore, semaphore } from './locks/semaphore.ts'
import { type Answer, Survey } from './locks/survey.ts'
import { algorithmFor } from './protocol/instances.ts'
import type { Id } from './protocol/record.ts'
import { standing } from './protocol/standing.ts'

export interface MeshStatus {
  readonly id: Id
  /** Null before the first view and between two. */
  readonly epoch: number | null
  readonly members: readonly Id[]
  readonly voters: readonly Id[]
  /** Voters that are not heard. */
  readonly missing: readonly Id[]
  /** For how many milliseconds more callers may be let in; 0 without a valid lease. */
  readonly leaseLeft: number
  /** Names of which this node remembers anything. */
  readonly names: number
}

export class Mesh implements Backing {
  readonly id: Id
  readonly locks: LockManager
  readonly #runner: Runner
  readonly #counter: Counter
  readonly #survey: Survey
  readonly #probes: Probes
  readonly #beats = new Set<(isOpen: boolean) => void>()
  readonly #mostNames: number
  #forgetsAfter = Number.NEGATIVE_INFINITY
  #closed: Error | null = null
  #leaving: Promise<void> | null = null

  constructor(runner: Runner, patience: number, mostNames = 1_000_000) {
    this.#mostNames = mostNames
    this.id = runner.node.id
    this.#runner = runner
    this.#counter = new Counter(runner, patience)
    this.#survey = new Survey(runner)
    this.#probes = new Probes(this.#counter, this.#survey, () => this.pause())
    this.locks = lockManager(this)
  }

  /** For the runner: what happened. */
  told(effect: Told): void {
    if (effect.kind === 'grant' || effect.kind === 'lost') {
      this.#counter.told(effect)
      if (effect.kind === 'grant') this.#probes.granted(effect)
    } else if (effect.kind === 'told') this.#survey.told(effect)
    else if (effect.kind === 'begun') {
      this.#survey.begun()
      this.#beat(true)
    }
  }

  ticked(now: number): void {
    const noQuorum = this.#counter.ticked(now)
    if (noQuorum !== null) this.#survey.fail(noQuorum)
    this.#forgetIfTooMany(now)
    this.#beat(true)
  }

  /** The disk failed. Nothing more is said, so the others go on without this node when its lease has ended. */
  failed(error: Error): void {
    this.#close(error)
  }

  assertOpen(): void {
    if (this.#closed !== null)
      throw invalidState(`node ${this.id} is not in its mesh: ${this.#closed.message}`)
  }

  obtain(key: string, wish: Wish): Promise<Held> {
    return this.#counter.obtain(key, wish)
  }

  obtainIfAvailable(key: string, wish: Wish): Promise<Held | null> {
    const { settings } = this.#runner.node.config
    return this.#probes.obtain(key, wish, algorithmFor(settings, key).facts.sharedMode)
  }

  survey(): Promise<readonly Answer[]> {
    return this.#survey.ask(null)
  }

  /** `algorithm` is one of the catalogue that lets several in; nodes that name another have another semaphore. */
  semaphore(
    name: string,
    permits: number,
    { algorithm = null }: { algorithm?: string | null } = {},
  ): Semaphore {
    return semaphore(this, name, permits, algorithm)
  }

  election(name: string): Election {
    return election(this, { ask: (key) => this.#survey.ask(key), pause: () => this.pause() }, name)
  }

  /** Resolves with the next tick, or with false when the node leaves. */
  pause(): Promise<boolean> {
    if (this.#closed !== null) return Promise.resolve(false)
    this.#runner.keepAlive('pauses', true)
    return new Promise((resolve) => this.#beats.add(resolve))
  }

  #beat(isOpen: boolean): void {
    const waiting = [...this.#beats]
    this.#beats.clear()
    this.#runner.keepAlive('pauses', false)
    for (const resolve of waiting) resolve(isOpen)
  }

  get status(): MeshStatus {
    const { begun, deadline, config, names, resting } = this.#runner.node
    return {
      id: this.id,
      epoch: begun?.epoch ?? null,
      members: begun?.members.map(({ id }) => id) ?? [],
      voters: begun?.voters.map(({ id }) => id) ?? config.voters,
      missing: standing(this.#runner.node, this.#runner.now).missing,
      leaseLeft: Math.max(0, deadline - this.#runner.now),
      names: names.size + resting.size,
    }
  }

  /** Not more often than every ten leases: a view change makes everybody stop for a moment. */
  #forgetIfTooMany(now: number): void {
    const { names, resting, config } = this.#runner.node
    if (names.size + resting.size <= this.#mostNames || now < this.#forgetsAfter) return
    this.#forgetsAfter = now + 10 * config.settings.lease
    this.#runner.dispatch({ kind: 'renew' })
  }

  /** Begins another view, with which every member forgets the names that nobody uses. Holders keep what they hold. */
  async forget(): Promise<void> {
    this.assertOpen()
    const before = this.#runner.node.begun?.epoch ?? 0
    this.#runner.dispatch({ kind: 'renew' })
    while ((this.#runner.node.begun?.epoch ?? 0) <= before) {
      if (!(await this.pause())) this.assertOpen()
    }
  }

  /** Resolves when this node is in a view with a majority behind it. */
  async ready(patience: number): Promise<void> {
    const until = this.#runner.now + patience
    while (this.#runner.now >= this.#runner.node.deadline) {
      if (this.#runner.now > until) {
        throw new NoQuorumError(
          `node ${this.id} found no majority of ${this.status.voters.join(', ')} in ${patience} ms`,
        )
      }
      if (!(await this.pause())) throw this.#closed ?? new Error('closed')
    }
  }

  /** Gives up what is held and goes. The others need not wait for a lease (R22). */
  leave(): Promise<void> {
    this.#leaving ??= this.#leave()
    return this.#leaving
  }

  async #leave(): Promise<void> {
    this.#close(new Error('it has left'))
    this.#runner.dispatch({ kind: 'leave' })
    await this.#runner.stop()
  }

  #close(reason: Error): void {
    if (this.#closed !== null) return
    this.#closed = reason
    const error = invalidState(`node ${this.id} is not in its mesh: ${reason.message}`)
    this.#counter.close(error)
    this.#survey.fail(error)
    this.#beat(false)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.leave()
  }
}
