/**
 * Runs one node of the protocol: gives it events with its own time, and does the effects in their order. What follows a
 * `persist` waits until that is on disk; what later events bring waits behind it.
 */
import { nextTick } from 'node:process'
import { get } from '@turnwise/core/bounds'
import type { Disk } from '../disk/disk.ts'
import type { SharedLedger } from '../lease/shared-ledger.ts'
import type { Effect, Event } from '../protocol/events.ts'
import { deadlineUnder, isAlone } from '../protocol/lease.ts'
import { hasRoom } from '../protocol/links.ts'
import type { Message } from '../protocol/messages.ts'
import { handle, start } from '../protocol/node.ts'
import { expected } from '../protocol/partners.ts'
import { nextStep, ONE_TICK, type Step } from '../protocol/quiet.ts'
import type { Id } from '../protocol/record.ts'
import { type CallerId, type Config, type Node, tickOf } from '../protocol/state.ts'
import type { Address } from '../transport/sockets.ts'
import type { Transport } from '../transport/transport.ts'
import { Acks } from './acks.ts'
import { Attendance, type Attending, type PlaceStatus } from './attendance.ts'
import type { AuditTrail } from './audit-trail.ts'
import type { Clock } from './clock.ts'
import { Pace } from './pace.ts'
import type { Recording } from './recording.ts'
import { Silence } from './silence.ts'
import { Wakes } from './wakes.ts'
import type { Watcher } from './watcher.ts'

/** Bytes that wait for one peer to read them. */
const FULL = 8 * 1024 * 1024

export class Runner {
  readonly node: Node
  /** Those who write down what happens; null if nobody does. */
  recordings: readonly Recording[] | null = null
  /** Writes down every event; null if nobody asked for it. */
  audit: AuditTrail | null = null
  /** Messages of locks that went to other nodes, those that were repeated included. */
  sent = 0
  /** When the last event was handled: close enough to now for whoever measures what follows from it. */
  at = 0
  readonly #clock: Clock
  readonly #disk: Disk
  readonly #transport: Transport
  readonly #watcher: Watcher
  readonly #ledger: SharedLedger | null
  /** What waits for the disk, in order; null while nothing is being written. */
  #behind: Effect[] | null = null
  #events: Event[] = []
  #isHandling = false
  #movedAt = Number.NEGATIVE_INFINITY
  #stopped = false
  #isCongested = false
  #roomIsAwaited = false
  #settled: Partial<Pick<Node, 'durable' | 'closing' | 'inUse'>> = {}
  readonly #needed = { joining: true, callers: false, pauses: false, questions: false }
  #isAlive = true
  readonly #pace: Pace
  #tickIsDue = false
  readonly #wakes = new Wakes(() => this.dispatch({ kind: 'wake' }))
  readonly #silence = new Silence()
  readonly #acks: Acks
  readonly #attendance: Attendance | null

  constructor(
    id: Id,
    config: Config,
    disk: Disk,
    transport: Transport,
    clock: Clock,
    watcher: Watcher,
    ledger: SharedLedger | null = null,
    attending: Attending | null = null,
  ) {
    this.#clock = clock
    this.#disk = disk
    this.#transport = transport
    this.#watcher = watcher
    this.#ledger = ledger
    // Twice that is a tenth of a tick, on which a sender repeats what is unacknowledged.
    const patience = Math.max(1, config.settings.lease / 200)
    this.#acks = new Acks(patience, (to, message) => transport.send(to, message))
    this.#attendance = attending && new Attendance(attending, this)
    const { node, effects } =
      this.#attendance?.start(id, config, clock.now()) ??
      start(id, { ...config, marks: disk.marks }, disk.durable, clock.now())
    this.node = node
    this.#pace = new Pace(tickOf(node), this.#due)
    this.#perform(effects)
  }

  /** Listens, and lets time pass. */
  async run(): Promise<void> {
    await this.#transport.start({
      receive: (from, message) => this.dispatch({ kind: 'receive', from, message }),
      connected: (peer) => this.dispatch({ kind: 'connected', peer }),
      disconnected: (peer) => this.#attendance && this.dispatch({ kind: 'disconnected', peer }),
      failed: (error) => this.fail(error),
    })
    if (this.#stopped) return
    // Others are dialled when there is something to say to them; to these there soon is.
    for (const peer of expected(this.node)) this.#transport.reset(peer)
    this.#pace.next(ONE_TICK, this.#clock.now())
    this.#attendance?.begin()
  }

  /**
   * Whether passing time keeps the process alive: while anybody needs it to. That nobody does any more counts from the
   * next tick, since every turn at a lock comes this way.
   */
  keepAlive(who: 'joining' | 'callers' | 'pauses' | 'questions', isNeeded: boolean): void {
    this.#needed[who] = isNeeded
    if (isNeeded && !this.#isAlive) this.#setAlive(true)
    if (isNeeded && this.#pace.isLong) this.#pace.quicken()
  }

  get #isNeeded(): boolean {
    const { joining, callers, pauses, questions } = this.#needed
    return joining || callers || pauses || questions
  }

  #setAlive(isAlive: boolean): void {
    this.#isAlive = isAlive
    this.#pace.setAlive(isAlive)
  }

  get now(): number {
    return this.#clock.now()
  }

  get place(): PlaceStatus | null {
    return this.#attendance?.place ?? null
  }

  /** Whether the lease runs at this moment. If not, what was held is lost before this returns (R6). */
  hasLease(): boolean {
    const now = this.#clock.now()
    this.#collect(now)
    if (now < this.node.deadline) return true
    this.dispatch({ kind: 'wake' })
    return now < this.node.deadline
  }

  /** Everyone else from now on, and where they listen. */
  setPeers(addresses: ReadonlyMap<Id, Address>): void {
    this.#transport.setPeers(addresses)
    this.dispatch({ kind: 'peers', peers: [this.node.id, ...addresses.keys()] })
  }

  /** An event that comes while another is handled, from a callback of the host, waits until that is done. */
  dispatch(event: Event): void {
    if (this.#stopped) return
    if (this.#isHandling) {
      this.#events.push(event)
      return
    }
    this.#isHandling = true
    let done = 0
    try {
      this.#step(event)
      while (done < this.#events.length) {
        done += 1
        this.#step(get(this.#events, done - 1))
      }
    } finally {
      // All at once: one by one would take longer for each the more there are.
      if (done > 0) this.#events.splice(0, done)
      this.#isHandling = false
    }
    if (this.#pace.isLong && this.#nextStep(this.at) === ONE_TICK) this.#pace.quicken()
    if (this.#roomIsAwaited && hasRoom(this.node)) {
      this.#roomIsAwaited = false
      this.#watcher.eased?.()
    }
  }

  /** "Pauses and sleep" in docs/mesh-protocol.md: the program asks or gives back, however long it does so in one turn of the event loop; so it is not stuck. */
  moves(now = this.#clock.now()): void {
    this.at = now
    if (now - this.#movedAt < tickOf(this.node) / 2) return
    this.#movedAt = now
    this.#ledger?.alive(now)
  }

  #step(event: Event): void {
    // "Pauses and sleep" in docs/mesh-protocol.md: what a sleeping machine held may be somebody else's by now, whatever its clock says.
    const now = this.#clock.now()
    this.moves(now)
    if (this.#clock.slept(now)) {
      this.#ledger?.distrust(this.node)
      this.#perform(this.#handle({ kind: 'slept' }, now))
      if (!isAlone(this.node)) this.#watcher.slept?.()
    }
    this.#collect(now)
    const { deadline } = this.node
    this.#perform(this.#handle(event, now))
    this.#settle()
    // A mesh of one renews its lease when it likes: what was left of it says nothing.
    if (this.node.deadline > deadline && !(now >= deadline && isAlone(this.node)))
      this.#watcher.renewed?.(deadline - now)
  }

  #handle(event: Event, now: number): readonly Effect[] {
    const { node, recordings, audit } = this
    if (recordings === null && audit === null) return handle(node, event, now, this.#ledger)
    const onlookers = [...(audit === null ? [] : [audit]), ...(recordings ?? [])]
    for (const onlooker of onlookers) onlooker.before(node)
    const effects = handle(node, event, now, audit?.overhear(this.#ledger) ?? this.#ledger)
    for (const onlooker of onlookers) onlooker.after(event, effects, node, now)
    return effects
  }

  /** What the lease thread knows of acks counts before R6 does. */
  #collect(now: number): void {
    if (this.#ledger === null || now < this.node.deadline || this.node.begun === null) return
    this.#ledger.collect(this.node)
    this.node.deadline = deadlineUnder(this.node, this.node.begun)
  }

  /** Whom the lease thread may acknowledge changes with what is on disk, and with what is about to be accepted. */
  #settle(): void {
    const { durable, closing, inUse } = this.node
    if (this.#ledger === null) return
    // This does not wait for the disk: the time after which a lease is forgotten has begun.
    if (inUse !== this.#settled.inUse) this.#ledger.shorten(inUse)
    if (this.#behind !== null) return
    const isSame =
      durable === this.#settled.durable && closing === this.#settled.closing && inUse === this.#settled.inUse
    if (isSame) return
    this.#settled = { durable, closing, inUse }
    this.#ledger.settle(this.node)
  }

  #perform(effects: readonly Effect[]): void {
    if (this.#behind !== null) return this.#queue(effects, this.#behind)
    for (let i = 0; i < effects.length; i += 1) {
      const effect = get(effects, i)
      if (effect.kind === 'persist') {
        this.#behind = effects.slice(i + 1)
        this.#write(effect)
        return
      }
      this.#do(effect)
    }
  }

  /** What is lost is lost now, disk or no disk, unless its grant is not told yet either. */
  #queue(effects: readonly Effect[], behind: Effect[]): void {
    // Very many may be lost in one event, while very many wait.
    const untold = new Set<CallerId>()
    if (effects.some(({ kind }) => kind === 'lost')) {
      for (const effect of behind) if (effect.kind === 'grant') untold.add(effect.caller)
    }
    for (const effect of effects) {
      if (effect.kind === 'grant') untold.add(effect.caller)
      if (effect.kind === 'lost' && !untold.has(effect.caller)) this.#do(effect)
      else behind.push(effect)
    }
  }

  #write({ durable }: Extract<Effect, { kind: 'persist' }>): void {
    this.#disk.persist(durable).then(
      () => {
        const behind = (this.#behind ?? []).filter(
          (effect) => effect.kind !== 'grant' || this.#isHeld(effect),
        )
        this.#behind = null
        if (!this.#stopped) this.#perform(behind)
        this.#settle()
        // Time has passed while the disk was busy: R6 before anybody believes in what was granted.
        this.dispatch({ kind: 'wake' })
      },
      (error: unknown) => this.fail(error instanceof Error ? error : new Error(String(error))),
    )
  }

  /** A grant that waited for the disk until it was lost is not told: somebody else may have a later one by now. */
  #isHeld({ name, caller }: Extract<Effect, { kind: 'grant' }>): boolean {
    const seats = this.node.names.get(name)?.seats ?? []
    return this.hasLease() && seats.some(({ holds }) => holds.some((hold) => hold.caller === caller))
  }

  #do(effect: Exclude<Effect, { kind: 'persist' }>): void {
    switch (effect.kind) {
      case 'send':
        return this.#send(effect.to, effect.message)
      case 'wake':
        return this.#wakes.after(effect.at - this.#clock.now())
      case 'told':
        // The rest of a long answer comes as what is here of it is acknowledged, and nothing goes the other way meanwhile.
        if (effect.more) this.#acks.leave(effect.from)
        return this.#watcher.told(effect)
      case 'call':
      case 'out':
      case 'addresses':
      case 'hints':
      case 'doubt':
        return this.#attendance?.do(effect)
      default:
        this.#watcher.told(effect)
    }
  }

  #send(to: Id, message: Message): void {
    if (message.type === 'link-ack') return this.#acks.hold(to, message)
    if (message.type !== 'link') return this.#transport.send(to, message)
    this.#transport.send(to, this.#acks.onto(to, message))
    this.#counted(to)
  }

  /** When the promises that are settled have run, and in time for what goes to others now. */
  afterPromises(action: () => void): void {
    if (this.#transport.beforeWriting?.(action) !== true) nextTick(action)
  }

  /** R18: sockets are full, so callers are to be slowed. Nothing is dropped. */
  get isCongested(): boolean {
    return this.#isCongested
  }

  /** R18: whether callers may be asked for. If not, the watcher hears when they may. */
  mayAsk(): boolean {
    if (this.#isCongested) return false
    this.#roomIsAwaited = !hasRoom(this.node)
    return !this.#roomIsAwaited
  }

  #counted(to: Id): void {
    this.sent += 1
    // So many fill no socket, and it is felt if every message asks.
    if (this.sent % 16 === 0) this.#isCongested ||= this.#transport.backlog(to) > FULL
  }

  /**
   * After what has arrived is read. If the program kept the event loop, its timers come first when it turns again, and a tick
   * then would find everybody silent whose word only waits to be read.
   */
  readonly #due = (): void => {
    this.moves()
    if (this.#tickIsDue) return
    this.#tickIsDue = true
    setImmediate(() => {
      this.#tickIsDue = false
      if (!this.#stopped) this.#tick()
    })
  }

  #tick(): void {
    const peers = this.node.begun?.members ?? []
    this.#isCongested = peers.some(({ id }) => this.#transport.backlog(id) > FULL)
    this.dispatch({ kind: 'tick', passed: this.#pace.passed(this.#clock.now()) })
    // Peers send heartbeats, so their silence says something. Members of a place that have nothing to say send nothing.
    if (this.#attendance === null)
      for (const peer of this.#silence.due(this.node, this.#clock.now())) this.#transport.reset(peer)
    this.#watcher.ticked(this.#clock.now())
    if (this.#isAlive && !this.#isNeeded) this.#setAlive(false)
    if (!this.#stopped) this.#pace.next(this.#nextStep(this.at), this.#clock.now())
  }

  /** Whoever needs time to pass needs it soon. */
  #nextStep(now: number): Step {
    return this.#isNeeded ? ONE_TICK : nextStep(this.node, now)
  }

  /** Something that it cannot do without has failed. */
  fail(error: Error): void {
    if (this.#stopped) return
    this.#halt()
    this.#watcher.failed(error)
  }

  #halt(): void {
    this.#stopped = true
    this.#pace.stop()
    this.#wakes.stop()
    this.#acks.stop()
  }

  /** Says nothing more; what was said before is still sent. */
  async stop(): Promise<void> {
    this.#halt()
    // What is left to say is said, whatever else keeps the process alive.
    const awake = setInterval(() => {}, 60_000)
    try {
      await this.#transport.close()
      await this.#attendance?.close()
      await this.#disk.close()
    } finally {
      clearInterval(awake)
    }
  }
}
