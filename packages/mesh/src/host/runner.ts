/** Runs one node of the protocol: delivers events with its own time, and performs the effects. */
import { nextTick } from 'node:process'
import { get } from '@turnwise/core/bounds'
import type { Disk } from '../disk/disk.ts'
import type { Clock } from '../lease/clock.ts'
import type { SharedLedger } from '../lease/shared-ledger.ts'
import type { PlaceStatus } from '../observe/mesh-status.ts'
import type { Effect, Event } from '../protocol/events.ts'
import { deadlineUnder, isAlone } from '../protocol/lease.ts'
import { hasRoom } from '../protocol/links.ts'
import type { Message } from '../protocol/messages.ts'
import { handle, start } from '../protocol/node.ts'
import { expected } from '../protocol/partners.ts'
import { nextStep, ONE_TICK, type Step } from '../protocol/quiet.ts'
import type { Id } from '../protocol/record.ts'
import { type Config, type Node, tickOf } from '../protocol/state.ts'
import type { Address } from '../transport/sockets.ts'
import type { Receiver, Transport } from '../transport/transport.ts'
import { Acks } from './acks.ts'
import { Attendance, type Attending } from './attendance.ts'
import type { AuditTrail } from './audit-trail.ts'
import { OrderedEffects, type Performed } from './ordered-effects.ts'
import { Pace } from './pace.ts'
import type { Recording } from './recording-file.ts'
import { Silence } from './silence.ts'
import { Wakes } from './wakes.ts'
import type { Watcher } from './watcher.ts'

/** How many bytes may wait for one peer before callers are slowed. */
const FULL = 8 * 1024 * 1024

export class Runner {
  readonly node: Node
  /** Observers that record locks; null without any. */
  recordings: readonly Recording[] | null = null
  /** Writes down every event; null without an audit. */
  audit: AuditTrail | null = null
  /** Link messages sent to other nodes, repetitions included. */
  sent = 0
  /** When the last event was handled, as a cheap approximation of now. */
  at = 0
  readonly #clock: Clock
  readonly #disk: Disk
  readonly #transport: Transport
  readonly #watcher: Watcher
  readonly #ledger: SharedLedger | null
  readonly #effects: OrderedEffects
  #events: Event[] = []
  #isHandling = false
  #movedAt = Number.NEGATIVE_INFINITY
  /** When the last event was handled. */
  #steppedAt = Number.NEGATIVE_INFINITY
  #stopped = false
  /** The machine slept since the last event. */
  #hasSlept = false
  #isCongested = false
  /** To whom something was sent since the last tick, and who had much to read then. */
  readonly #sentTo = new Set<Id>()
  #roomIsAwaited = false
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
    // An ack is held at most twice this time, a tenth of the tick on which senders repeat.
    const patience = Math.max(1, config.settings.lease / 200)
    this.#acks = new Acks(patience, (to, message) => transport.send(to, message))
    this.#attendance = attending && new Attendance(attending, this)
    this.#effects = new OrderedEffects(disk, {
      do: (effect) => this.#do(effect),
      written: () => this.dispatch({ kind: 'wake' }),
      failed: (error) => this.fail(error),
    })
    // Read before the clock of the start: a pause between the two makes the debt longer, not shorter (R19).
    const quietFor = disk.stamp?.quietFor()
    const { node, effects } =
      this.#attendance?.start(id, config, clock.now()) ??
      start(id, { ...config, marks: disk.marks }, disk.durable, clock.now(), quietFor)
    this.node = node
    this.#pace = new Pace(tickOf(node), this.#due, () => this.#nextStep(this.at) === ONE_TICK)
    this.#effects.perform(effects)
  }

  /** Listens, and lets time pass. */
  async run(): Promise<void> {
    const receive: Receiver['receive'] = (from, message) => this.dispatch({ kind: 'receive', from, message })
    await this.#transport.start({
      receive: this.#attendance?.heeding(receive) ?? receive,
      connected: (peer) => this.dispatch({ kind: 'connected', peer }),
      disconnected: (peer) => this.#attendance && this.dispatch({ kind: 'disconnected', peer }),
      failed: (error) => this.fail(error),
    })
    if (this.#stopped) return
    // Other peers are dialled when there is a message for them. These will soon get one.
    for (const peer of expected(this.node)) this.#transport.reset(peer)
    this.#pace.next(ONE_TICK, this.#clock.now())
    this.#attendance?.begin()
  }

  /**
   * Whether passing time keeps the process alive: while one of these needs it. That none does takes effect at the next tick,
   * because every turn at a lock calls this.
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

  /** Whether the lease runs at this moment. If not, all holds are lost before this returns (R6). */
  hasLease(): boolean {
    const now = this.#clock.now()
    this.#hasSlept ||= this.#clock.slept(now)
    this.#collect(now)
    if (now < this.node.deadline && !this.#hasSlept) return true
    this.dispatch({ kind: 'wake' })
    return now < this.node.deadline && !this.#hasSlept
  }

  /** All other peers from now on, and where they listen. */
  setPeers(addresses: ReadonlyMap<Id, Address>): void {
    this.#transport.setPeers(addresses)
    this.dispatch({ kind: 'peers', peers: [this.node.id, ...addresses.keys()] })
  }

  /** An event from a callback of the host, during another event, waits until that one is done. */
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
      // Removed together, because removing them one by one would take quadratic time.
      if (done > 0) this.#events.splice(0, done)
      this.#isHandling = false
    }
    this.#pace.look()
    if (this.#roomIsAwaited && hasRoom(this.node)) {
      this.#roomIsAwaited = false
      this.#watcher.eased?.()
    }
  }

  /**
   * "Pauses and sleep" in docs/mesh-protocol.md: a program that requests and releases is not stuck, however long its turn of
   * the event loop takes.
   */
  moves(now = this.#clock.now()): void {
    this.at = now
    if (now - this.#movedAt < tickOf(this.node) / 2) return
    this.#movedAt = now
    this.#ledger?.alive(now)
  }

  #step(event: Event): void {
    // "Pauses and sleep" in docs/mesh-protocol.md: another node may have the locks of a machine that slept, whatever its clock
    // says.
    const now = this.#clock.now()
    this.moves(now)
    if (this.#clock.slept(now) || this.#hasSlept) {
      this.#hasSlept = false
      this.#ledger?.distrust(this.node)
      this.#keepPromise()
      this.#effects.perform(this.#handle({ kind: 'slept' }, now))
      if (!isAlone(this.node)) this.#watcher.slept?.()
    }
    this.#steppedAt = now
    this.#collect(now)
    const { deadline, holding, durable } = this.node
    const { k } = durable
    const effects = this.#handle(event, now)
    // C3: the others drop their debts when they hear of a new session (R7), and after a contradiction it begins before the lease is over.
    if (holding > 0 && this.node.durable.k > k && this.node.promised > now)
      this.#effects.wait(this.node.promised - now)
    this.#effects.perform(effects)
    if (event.kind === 'request') this.#transport.relied?.()
    this.#effects.goOn(this.node)
    this.#ledger?.follow(this.node, !this.#effects.isWriting)
    // A mesh of one may renew its lease late, so the remaining time means nothing.
    if (this.node.deadline > deadline && !(now >= deadline && isAlone(this.node)))
      this.#watcher.renewed?.(deadline - now)
  }

  /**
   * C3: a client of a daemon may run on a machine that has not slept, and relies on its promise. The clock does not say how much of it is
   * left: a lease at most. Until then nobody else gets what the node held.
   */
  #keepPromise(): void {
    const { node } = this
    const isPromised = node.holding > 0 && node.promised > this.#steppedAt
    if (isPromised && !isAlone(node)) this.#effects.wait(node.config.settings.lease)
  }

  #handle(event: Event, now: number): readonly Effect[] {
    const { node, recordings, audit } = this
    if (recordings === null && audit === null) return this.#work(() => handle(node, event, now, this.#ledger))
    const onlookers = [...(audit === null ? [] : [audit]), ...(recordings ?? [])]
    for (const onlooker of onlookers) onlooker.before(node)
    const effects = this.#work(() => handle(node, event, now, audit?.overhear(this.#ledger) ?? this.#ledger))
    for (const onlooker of onlookers) onlooker.after(event, effects, node, now)
    return effects
  }

  /** What calls no code of the program. The lease thread is told, because this ends, however long it takes. */
  #work<Result>(work: () => Result): Result {
    this.#ledger?.works(true)
    try {
      return work()
    } finally {
      this.#ledger?.works(false)
    }
  }

  /** Acks that the lease thread knows of count before R6 is applied. */
  #collect(now: number): void {
    if (this.#ledger === null || now < this.node.deadline || this.node.begun === null) return
    this.#ledger.collect(this.node)
    this.node.deadline = deadlineUnder(this.node, this.node.begun)
  }

  #do(effect: Performed): void {
    switch (effect.kind) {
      case 'send':
        return this.#send(effect.to, effect.message)
      case 'wake':
        return this.#wakes.after(effect.at - this.#clock.now())
      case 'told':
        // The peer sends the rest of a long answer when this piece is acknowledged, and no other message carries the ack.
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
    this.#sentTo.add(to)
    if (message.type === 'link-ack') return this.#acks.hold(to, message)
    if (message.type === 'ack' && this.#disk.stamp?.cover() === false) return
    if (message.type !== 'link') return this.#work(() => this.#transport.send(to, message))
    this.#transport.send(to, this.#acks.onto(to, message))
    this.#counted(to)
  }

  /** Runs the action after the settled promises, and before the messages of this turn leave. */
  afterPromises(action: () => void): void {
    if (this.#transport.beforeWriting?.(action) !== true) nextTick(action)
  }

  /** R18: sockets are full, so callers must be slowed. Nothing is dropped. */
  get isCongested(): boolean {
    return this.#isCongested
  }

  /** R18: whether callers may be requested. If not, the watcher hears when they may. */
  mayAsk(): boolean {
    if (this.#isCongested) return false
    this.#roomIsAwaited = !hasRoom(this.node)
    return !this.#roomIsAwaited
  }

  #isFull(to: Id): boolean {
    return this.#transport.backlog(to) > FULL
  }

  #counted(to: Id): void {
    this.sent += 1
    // So few messages fill no socket, and asking for every message would be slow.
    if (this.sent % 16 === 0) this.#isCongested ||= this.#isFull(to)
  }

  /**
   * Ticks after everything that has arrived was read. If the program blocked the event loop, timers come first when it turns
   * again. A tick at that moment would find peers silent whose heartbeats only wait to be read.
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
    // Nobody else can have much to read. There may be very many members.
    for (const id of this.#sentTo) if (!this.#isFull(id)) this.#sentTo.delete(id)
    this.#isCongested =
      this.#sentTo.size > 0 && this.node.begun?.members.some(({ id }) => this.#sentTo.has(id)) === true
    this.dispatch({ kind: 'tick', passed: this.#pace.passed(this.#clock.now()) })
    // Peers send heartbeats, so their silence means something. Members at a register may be silent for long.
    if (this.#attendance === null)
      for (const peer of this.#silence.due(this.node, this.#clock.now())) this.#transport.reset(peer)
    this.#watcher.ticked(this.#clock.now())
    if (this.#isAlive && !this.#isNeeded) this.#setAlive(false)
    if (!this.#stopped) this.#pace.next(this.#nextStep(this.at), this.#clock.now())
  }

  /** Single ticks while the process is kept alive for someone. */
  #nextStep(now: number): Step {
    return this.#isNeeded ? ONE_TICK : nextStep(this.node, now)
  }

  /** Something that the node cannot do without has failed. */
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

  /** Sends nothing more. Messages sent before still leave. */
  async stop(): Promise<void> {
    this.#halt()
    // Keeps the process alive until these messages have left.
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
