/** One node of a mesh: the functions for its program, and those for its own parts. `surface.ts` selects the program's part. */
import { InvalidInput } from '@turnwise/core/invalid-input'
import { type Genesis, isBlank, orderGenesis } from './host/genesis.ts'
import { InVain, whyNotIn } from './host/in-vain.ts'
import type { Cast } from './host/recorder.ts'
import { startRecording } from './host/recording-file.ts'
import type { Runner } from './host/runner.ts'
import type { Told, Watcher } from './host/watcher.ts'
import { CallerQueue } from './locks/caller-queue.ts'
import { Deadlocks, type Following } from './locks/deadlocks.ts'
import { Echoes } from './locks/echoes.ts'
import { type Election, election } from './locks/election.ts'
import { invalidState, NoQuorumError } from './locks/errors.ts'
import { group } from './locks/group.ts'
import type { Held } from './locks/held.ts'
import type { Nesting } from './locks/holders.ts'
import { LateReaders } from './locks/late-readers.ts'
import { type LeaveOptions, readLeave, within } from './locks/leaving.ts'
import { type Limit, type LimitOptions, limit } from './locks/limit.ts'
import { type LockManager, lockManager } from './locks/lock-manager.ts'
import type { Backing } from './locks/obtain.ts'
import type { Offered } from './locks/offered.ts'
import type { OnceResult } from './locks/once.ts'
import type { Wish } from './locks/options.ts'
import { Probes } from './locks/probes.ts'
import type { Memory } from './locks/run-memory.ts'
import { type Semaphore, semaphore } from './locks/semaphore.ts'
import { type Answer, type Lined, Survey } from './locks/survey.ts'
import { statusOf } from './node-status.ts'
import { Journal } from './observe/journal.ts'
import type { MeshStatus } from './observe/mesh-status.ts'
import { type MeshMetrics, metricsOf } from './observe/metrics.ts'
import type { Word } from './once/voters.ts'
import { whyNoPlace } from './protocol/fit.ts'
import { lockKey, nameOf } from './protocol/names.ts'
import type { Id } from './protocol/record.ts'
import { modeBetweenNodes } from './protocol/seats.ts'
import { servable } from './protocol/serving.ts'
import { peersOf } from './protocol/state.ts'
import { servingAt } from './protocol/view-worlds.ts'
import { requireId } from './transport/node-id.ts'
import { type Address, readAddress } from './transport/sockets.ts'

export class MeshNode implements Backing, Watcher {
  readonly runner: Runner
  readonly locks: LockManager
  readonly nesting: Nesting | null
  readonly group: Offered['group'] = (name, names) => group(this, name, names)
  /** The clients of a daemon whose node this is. */
  readonly echoes = new Echoes()
  /** Where runs of jobs are remembered. */
  memoryOf: () => Promise<Memory> = () => Promise.reject(new Error('this node has no memory'))
  /** Handles questions of members to this voter, and answers of voters. */
  remembers: (word: Word) => void = () => {}
  readonly #journal: Journal
  readonly #callers: CallerQueue
  readonly #survey: Survey
  readonly #probes: Probes
  readonly #lateReaders: LateReaders
  readonly #deadlocks: Deadlocks
  readonly #beats = new Set<(isOpen: boolean) => void>()
  readonly #mostNames: number
  #forgetsAfter = Number.NEGATIVE_INFINITY
  #addresses: ReadonlyMap<Id, Address> | null
  #closed: Error | null = null
  /** Resolves when the node has left or failed, and sends nothing more. */
  readonly ended: Promise<void>
  #end: () => void = () => {}
  /** The caller that waits for a change of voters. */
  #wish: { readonly resolve: () => void; readonly reject: (reason: Error) => void } | null = null

  /** `begin`: makes the runner, which tells this node nothing yet. `addresses`: of the other nodes; null for a node without peers. */
  constructor(
    begin: (watcher: Watcher) => Runner,
    patience: number,
    mostNames = 1_000_000,
    addresses: ReadonlyMap<Id, Address> | null,
    journal: Journal,
    { nesting, after }: Following,
  ) {
    this.nesting = nesting
    this.#mostNames = mostNames
    this.runner = begin(this)
    this.#addresses = addresses
    this.ended = new Promise((resolve) => {
      this.#end = resolve
    })
    this.#journal = journal
    journal.follow(this.runner.node)
    this.#callers = new CallerQueue(this.runner, patience, journal)
    this.#survey = new Survey(this.runner, this.#callers, this.echoes)
    this.#lateReaders = new LateReaders(this.runner, this.#survey)
    this.#deadlocks = new Deadlocks(this.runner, this.#survey, this.#callers, after)
    this.#probes = new Probes(this.#callers, this.#survey, this.runner, () => this.pause())
    this.locks = lockManager(this)
  }

  /** At a meeting place it changes with every session (M9). */
  get id(): Id {
    return this.runner.node.id
  }

  /** Called by the runner for each effect. */
  told(effect: Told): void {
    if (effect.kind === 'grant' || effect.kind === 'lost' || effect.kind === 'upgraded') {
      this.#callers.told(effect)
      if (effect.kind === 'grant') this.#probes.granted(effect)
    } else if (effect.kind === 'told') this.#survey.told(effect)
    else if (effect.kind === 'asked') this.#survey.asked(effect)
    else if (effect.kind === 'begun') {
      this.#journal.begun(effect.record)
      this.#survey.begun()
      if (effect.record.oldVoters !== null) this.remembers(effect)
      this.#beat(true)
    } else if (effect.kind === 'voters') this.#settleWish((wish) => wish.resolve())
    else if (effect.kind === 'contradiction') this.#journal.contradicted(effect.what)
    else if (effect.kind === 'consulted' || effect.kind === 'advised') this.remembers(effect)
    else if (effect.kind === 'left') this.#end()
  }

  ticked(now: number): void {
    this.#journal.ticked(now)
    const noQuorum = this.#callers.ticked(now)
    if (noQuorum !== null) this.#survey.fail(noQuorum)
    this.#lateReaders.ticked(this.#callers.wantedToShare())
    this.#forgetIfTooMany(now)
    this.#beat(true)
  }

  /** R18: links have room for callers in line. */
  eased(): void {
    this.#callers.moveLine()
  }

  /** The disk failed, or is an old copy. The node sends nothing more, and the others go on when its lease has ended. */
  failed(error: Error): void {
    this.#close(error)
    this.#end()
    void this.runner.stop()
  }

  assertOpen(): void {
    if (this.#closed !== null)
      throw invalidState(`node ${this.id} is not in its mesh: ${this.#closed.message}`)
  }

  obtain(key: string, wish: Wish): Promise<Held> {
    const caller = this.#callers.nextCaller
    const wait = this.#callers.obtain(key, wish)
    if (wish.holders !== undefined) this.#deadlocks.watch(caller, wish)
    return wait
  }

  async obtainIfAvailable(key: string, wish: Wish): Promise<Held | null> {
    const { algorithm } = servingAt(this.runner.node, key)
    const held = await this.#probes.obtain(key, wish, (mode) => modeBetweenNodes(algorithm, mode))
    if (held === null) this.#journal.meters.of(key).failures.unavailable += 1
    return held
  }

  requireServable(algorithm: string): void {
    servable(algorithm, 'k')
  }

  /** For one name, or for all (null). */
  survey(key: string | null = null): Promise<readonly Answer[]> {
    return this.#survey.ask(key)
  }

  lineFor(key: string, isMine: (wish: Wish) => boolean): Promise<Lined> {
    return this.#survey.place(key, this.#callers.callerWith(isMine))
  }

  /** Milliseconds for which all present holds last at least. R14 respects it, and clients of a daemon rely on it. */
  promise(): number {
    const { node } = this.runner
    if (!this.runner.hasLease()) return 0
    node.promised = Math.max(node.promised, node.deadline)
    return node.deadline - this.runner.now
  }

  semaphore(name: string, permits: number, options: { algorithm?: string | null } = {}): Semaphore {
    return semaphore(this, name, permits, options.algorithm ?? null)
  }

  limit(name: string, options: LimitOptions): Limit {
    return limit((each, permits) => this.semaphore(each, permits), name, options)
  }

  election(name: string): Election {
    return election(this, { ask: (key) => this.survey(key), pause: () => this.pause() }, name)
  }

  /** Loaded on demand, because few programs run jobs. */
  async once(...given: readonly unknown[]): Promise<OnceResult<unknown>> {
    const [{ once }, { bookOf }] = await Promise.all([
      import('./locks/once.ts'),
      import('./locks/run-memory.ts'),
    ])
    return once(this, async () => bookOf(await this.memoryOf()), given)
  }

  /** Records until the returned function is called, or the node leaves. */
  record(
    name: string,
    file: string,
    log: (line: string) => void = () => {},
    cast?: Cast,
  ): () => Promise<void> {
    this.assertOpen()
    return startRecording(this.runner, lockKey(name), file, log, cast, () => this.#callers.settle())
  }

  /** The running recordings, with their files. */
  get recordings(): readonly { readonly name: string; readonly file: string }[] {
    return (this.runner.recordings ?? []).map(({ key, file }) => ({ name: nameOf(key), file }))
  }

  /** Resolves with the next tick, or with false when the node leaves. */
  pause(): Promise<boolean> {
    if (this.#closed !== null) return Promise.resolve(false)
    this.runner.keepAlive('pauses', true)
    return new Promise((resolve) => this.#beats.add(resolve))
  }

  #beat(isOpen: boolean): void {
    const waiting = [...this.#beats]
    this.#beats.clear()
    this.runner.keepAlive('pauses', false)
    for (const resolve of waiting) resolve(isOpen)
  }

  get status(): MeshStatus {
    return statusOf(this.runner, this.#journal.warnings(this.runner.now))
  }

  /** How many names have an instance in memory. The tick puts unused ones to rest. */
  get namesAwake(): number {
    return this.runner.node.names.size
  }

  /** The counts of this node since it joined, and its current state. */
  metrics(): MeshMetrics {
    this.#callers.settle()
    const present = { held: this.#callers.keys('held'), waiting: this.#callers.keys('waiting') }
    return metricsOf(this.#journal.meters, present, this.status)
  }

  /** At most every ten leases, because a change of view stops all members for a moment. */
  #forgetIfTooMany(now: number): void {
    const { names, resting, config } = this.runner.node
    if (names.size + resting.size <= this.#mostNames || now < this.#forgetsAfter) return
    this.#forgetsAfter = now + 10 * config.settings.lease
    this.runner.dispatch({ kind: 'renew' })
  }

  /** Begins another view, in which every member forgets unused names. Holders keep their locks. */
  async forget(): Promise<void> {
    this.assertOpen()
    const before = this.runner.node.begun?.epoch ?? 0
    this.runner.dispatch({ kind: 'renew' })
    while ((this.runner.node.begun?.epoch ?? 0) <= before) {
      if (!(await this.pause())) this.assertOpen()
    }
  }

  /** Resolves when this node is in a view that a majority supports. */
  async ready(): Promise<void> {
    const inVain = new InVain(this.runner.node, this.#journal)
    while (this.runner.now >= this.runner.node.deadline) {
      inVain.ask(this.runner.now)
      if (!(await this.pause())) throw this.#closed ?? new Error('closed')
    }
  }

  /** Why it is not ready after so many milliseconds. */
  notReady(patienceMs: number): NoQuorumError {
    return new NoQuorumError(whyNotIn(this.runner.node, this.runner.now, patienceMs, this.status))
  }

  /** Adds a node and its address. Call it at every node. */
  addPeer(id: Id, address: string): void {
    const peers = new Map([...this.#peers(), [requireId(id), readAddress(address)]])
    this.#requirePlace([id])
    this.#setPeers(peers)
  }

  /** Removes a node that will not return. A voter must first stop voting: by `changeVoters`, or by its own `leave`. */
  removePeer(id: Id): void {
    if (this.status.voters.includes(id))
      throw new InvalidInput(`"${id}" is a voter and cannot be removed: call changeVoters() without it first`)
    this.#setPeers(new Map([...this.#peers()].filter(([peer]) => peer !== id)))
  }

  #peers(): ReadonlyMap<Id, Address> {
    this.assertOpen()
    if (this.#addresses !== null) return this.#addresses
    throw new InvalidInput(
      `node ${this.id} cannot have peers: it joined without an address or without a stateDir`,
    )
  }

  #requirePlace(ids: readonly Id[]): void {
    const why = whyNoPlace(this.runner.node, this.runner.now, ids)
    if (why !== null) throw new InvalidInput(why)
  }

  #requireVoters(): void {
    this.assertOpen()
    if (this.runner.node.meeting === null) return
    throw new InvalidInput(`node ${this.id} has no voters: at a meeting place the register decides`)
  }

  #setPeers(addresses: ReadonlyMap<Id, Address>): void {
    this.#addresses = addresses
    this.runner.setPeers(addresses)
  }

  /**
   * Resolves when exactly these nodes vote (R23), which needs a majority of the old voters and of the new. A later call at
   * this node supersedes an earlier one.
   */
  changeVoters(ids: readonly Id[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#requireVoters()
      if (ids.length === 0) throw new InvalidInput('a mesh needs at least one voter')
      const known = peersOf(this.runner.node)
      const stranger = [...ids].map(requireId).find((id) => !known.includes(id))
      if (stranger !== undefined)
        throw new InvalidInput(`voter "${stranger}" is not among the peers ${known.join(', ')}`)
      this.#requirePlace(ids)
      this.#settleWish((wish) => wish.reject(invalidState('superseded by a later changeVoters()')))
      this.#wish = { resolve, reject }
      this.runner.dispatch({ kind: 'voters', wanted: ids })
    })
  }

  /**
   * R26: an operator's order, if a majority of disks is lost for good. Resolves when the order is given. The view begins as
   * soon as all of its voters are running. All holders lose their locks. It is refused while a majority answers: this listens
   * for one as long as a lease may run.
   */
  async orderGenesis(genesis: Genesis, wasBlank = isBlank(this.runner.node)): Promise<void> {
    this.#requireVoters()
    await orderGenesis(this.runner, { ...genesis, wasBlank }, this.#journal, async () => {
      if (!(await this.pause())) this.assertOpen()
    })
  }

  #settleWish(settle: (wish: { resolve: () => void; reject: (reason: Error) => void }) => void): void {
    const wish = this.#wish
    this.#wish = null
    if (wish !== null) settle(wish)
  }

  /**
   * Releases all locks and leaves. The others need not wait for a lease (R22). `forGood` waits for a majority. A `leave`
   * without it ends that wait, and so does one without `drain`.
   */
  async leave(options: LeaveOptions = {}): Promise<void> {
    const { forGood, drain, timeout } = readLeave(options)
    this.runner.keepAlive('joining', true)
    if (drain && this.#closed === null)
      await within(this.#callers.drain(invalidState(`node ${this.id} is leaving`)), timeout)
    if (this.#closed === null) {
      this.#close(new Error('the node has left'))
      this.#handOver()
    }
    this.runner.dispatch({ kind: 'leave', forGood })
    await this.ended
    const records = this.runner.recordings?.map((recording) => recording.stop(this.runner.now)) ?? []
    await Promise.all([this.runner.stop(), ...records])
    await this.runner.audit?.stop()
  }

  /** Passes locks on with the next message, so that waiters of other nodes need not wait for the next view. */
  #handOver(): void {
    for (const [name, { seats }] of this.runner.node.names) {
      for (const { caller } of seats.flatMap(({ holds }) => holds))
        this.runner.dispatch({ kind: 'release', name, caller })
    }
  }

  #close(reason: Error): void {
    if (this.#closed !== null) return
    this.#closed = reason
    const error = invalidState(`node ${this.id} is not in its mesh: ${reason.message}`)
    this.#callers.close(error)
    this.#survey.fail(error)
    this.#settleWish((wish) => wish.reject(error))
    this.#beat(false)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.leave()
  }
}
