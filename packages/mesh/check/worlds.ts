/**
 * Worlds of the mesh: the number of each process, what is left of the trouble, the last fence granted, and a set of
 * messages and facts. Messages never go away, so each may be lost, repeated and overtaken; but what can do nothing at its
 * receiver any more is dropped.
 */
import type { Model, Visit } from '@turnwise/checker/explore'
import { get, intAt } from '@turnwise/core/bounds'
import type { Message } from '../src/protocol/messages.ts'
import { type Id, includesSession, type Roster } from '../src/protocol/record.ts'
import { Draft, type Finding, MOST_THINGS } from './draft.ts'
import { Forgetting } from './forgetting.ts'
import type { Happening, Outcome } from './happening.ts'
import { EVERYBODY, EVERYBODY_WAITS, type Hears, NOBODY, WAITS } from './hears.ts'
import { choices, subsets } from './items.ts'
import { Lemmas } from './lemmas.ts'
import type { Machine } from './machine.ts'
import { type Envelope, hasFreshLease, holdsOrWaits } from './process.ts'
import { StatelessReplies } from './stateless-replies.ts'
import { tellHappening, tellMessage, tellView } from './telling.ts'
import { packTrouble, readTrouble, remembers, type Trouble } from './trouble.ts'

const BEAT: Happening = { kind: 'beat' }

export class Worlds implements Model<Finding> {
  readonly mostNumbers = MOST_THINGS
  readonly machine: Machine
  /** What did happen in some run. */
  readonly sometimes = new Map<string, number>()
  readonly #lemmas: Lemmas
  readonly #n: number
  readonly #draft: Draft
  readonly #replies: StatelessReplies
  readonly #forgetting: Forgetting
  readonly #header: number
  readonly #next: Int32Array
  #world: Int32Array = new Int32Array(0)
  #worldSize = 0
  #visit: Visit<Finding> = () => {}

  constructor(machine: Machine) {
    this.machine = machine
    this.#n = machine.bounds.nodes.length
    this.#lemmas = new Lemmas(machine)
    this.#draft = new Draft(machine, this.#lemmas, this.sometimes)
    this.#replies = new StatelessReplies(machine, this.#draft)
    this.#forgetting = new Forgetting(machine, this.#draft)
    this.#header = this.#draft.header
    this.#next = this.#draft.next
  }

  /** Writes the first world and returns its size. */
  initial(world: Int32Array): number {
    const { machine } = this
    const { nodes, restarts, lostDisks, ticks, slow, genesis } = machine.bounds
    const next = this.#next
    nodes.forEach((id, p) => {
      next[p] = machine.blank(id)
    })
    next[this.#n] = packTrouble({
      restarts,
      lostDisks,
      ticks: ticks ?? 0,
      slow: slow.length > 0 ? (1 << this.#n) - 1 : 0,
    })
    next[this.#n + 1] = 0
    this.#draft.size = this.#header
    if (!genesis) this.#beginFirstView()
    const does = (id: Id, kind: 'ask' | 'wish') => {
      const p = this.#indexOf(id)
      this.#apply(p, machine.run(intAt(next, p), { kind }))
    }
    for (const id of machine.bounds.waiting) does(id, 'ask')
    for (const id of Object.keys(machine.bounds.wishes)) does(id, 'wish')
    for (let p = 0; p < this.#n; p += 1) this.#draft.settle(p)
    world.set(next.subarray(0, this.#draft.size))
    return this.#draft.size
  }

  /** By the rules as they are: the first proposer proposes, and everything arrives. */
  #beginFirstView(): void {
    const { machine } = this
    const next = this.#next
    const under: number[] = []
    const take = (p: number, { process, items }: Outcome) => {
      next[p] = process
      under.push(...items.filter((item) => get(machine.receivers, item) >= 0))
    }
    const first = this.#indexOf(get(machine.bounds.proposers, 0))
    take(first, machine.run(intAt(next, first), { kind: 'propose', heard: 0, waits: true }))
    for (let item = under.shift(); item !== undefined; item = under.shift()) {
      const p = this.#indexOf((machine.items.list[item] as Envelope).to)
      take(p, machine.deliver(intAt(next, p), item))
    }
  }

  expand(world: Int32Array, size: number, visit: Visit<Finding>): void {
    this.#world = world
    this.#worldSize = size
    this.#visit = visit
    for (let p = 0; p < this.#n; p += 1) this.#expandProcess(p)
    this.#pass()
  }

  #indexOf(id: Id): number {
    return this.machine.bounds.nodes.indexOf(id)
  }

  #expandProcess(p: number): void {
    const { machine } = this
    const { bounds } = machine
    const number = intAt(this.#world, p)
    const process = get(machine.processes.list, number)
    const { node, asks } = process
    const { id } = node
    this.#deliverAll(p)
    if (bounds.proposers.includes(id) && !node.left) this.#propose(p)
    if (node.proposal !== null) this.#gather(p)
    if (asks > 0 && !node.left && !holdsOrWaits(process)) this.#simple(p, { kind: 'ask' })
    if (machine.traitsOf(number).holds) this.#simple(p, { kind: 'release' })
    if (node.closing !== null) this.#simple(p, { kind: 'wake' })
    if (bounds.leavers.includes(id) && !node.left) this.#simple(p, { kind: 'leave' })
    if (bounds.delays) {
      if (bounds.catchUp || machine.traitsOf(number).lease > 0) this.#simple(p, BEAT)
    } else if (!node.left) {
      for (let q = 0; q < this.#n; q += 1) if (q !== p) this.#beat(p, q)
    }
    const trouble = readTrouble(intAt(this.#world, this.#n))
    if (trouble.restarts > 0) this.#restart(p, 'restart', { ...trouble, restarts: trouble.restarts - 1 })
    if (trouble.lostDisks > 0 && bounds.losers.includes(id))
      this.#restart(p, 'lose disk', { ...trouble, lostDisks: trouble.lostDisks - 1 })
  }

  /** One event at one process. */
  #simple(p: number, happening: Happening): void {
    const outcome = this.machine.run(intAt(this.#world, p), happening)
    if (this.#changesNothing(p, outcome)) return
    this.#start()
    this.#apply(p, outcome)
    this.#finish(() => tellHappening(happening, get(this.machine.processes.list, intAt(this.#next, p)).node))
  }

  /** Promises and accepts go to `gather`. */
  #deliverAll(p: number): void {
    const { items, receivers, isGathered } = this.machine
    for (let i = this.#header; i < this.#worldSize; i += 1) {
      const number = intAt(this.#world, i)
      if (receivers[number] !== p || isGathered[number]) continue
      const envelope = items.list[number] as Envelope
      this.#deliver(p, number, EVERYBODY, () => tellMessage(envelope))
      if (envelope.message.type === 'install' && this.#mayOwe(p, envelope.message.record)) {
        this.#deliver(p, number, EVERYBODY_WAITS, () => `${tellMessage(envelope)}, and waits`)
      }
    }
  }

  #deliver(p: number, number: number, hears: Hears, tell: () => string): void {
    const outcome = this.machine.deliver(intAt(this.#world, p), number, hears)
    if (this.#changesNothing(p, outcome)) return
    this.#start()
    this.#apply(p, outcome)
    this.#finish(tell)
  }

  /** Whether a voter may have acknowledged somebody whom a record lacks. */
  #mayOwe(p: number, record: Roster): boolean {
    const { durable } = get(this.machine.processes.list, intAt(this.#world, p)).node
    return durable.accepted?.members.some(({ session }) => !includesSession(record, session)) ?? false
  }

  /** R9: with every epoch that it may have heard of by now. */
  #propose(p: number): void {
    const { machine } = this
    const traits = machine.bounds.nodes.map((_, q) => machine.traitsOf(intAt(this.#world, q)).promised)
    const { ballots, epochs, firstStart } = machine.bounds
    const most = firstStart ? Math.min(Math.max(...traits), epochs - 1) : epochs - 1
    const { id, durable } = get(machine.processes.list, intAt(this.#world, p)).node
    for (let heard = get(traits, p); heard <= most; heard += 1) {
      if (ballots !== null && ![id, durable.voterId].includes(ballots[heard + 1] ?? '')) continue
      for (const waits of [true, false]) this.#simple(p, { kind: 'propose', heard, waits })
    }
  }

  /**
   * R12, R14: a proposer decides from some of the promises there are, or hears that it was accepted. They are taken in one step:
   * a proposer that has heard a part of them does nothing else than one that has not.
   */
  #gather(p: number): void {
    const { machine } = this
    const { nodes } = machine.bounds
    const id = nodes[p]
    const byPeer: number[][] = nodes.map(() => [])
    const accepts: number[] = []
    for (let i = this.#header; i < this.#worldSize; i += 1) {
      const number = intAt(this.#world, i)
      if (machine.receivers[number] !== p || !machine.isGathered[number]) continue
      const { from, message } = machine.items.list[number] as Envelope
      if (message.type === 'accepted') accepts.push(number)
      else get(byPeer, this.#indexOf(from)).push(number)
    }
    const from = (promise: number) => this.#indexOf((machine.items.list[promise] as Envelope).from)
    for (const chosen of choices(byPeer)) {
      const doubted = machine.bounds.doubts ? subsets(chosen.map(from)) : [NOBODY]
      for (const some of doubted) {
        this.#decide(p, chosen, some)
        this.#decide(p, chosen, some | WAITS)
      }
    }
    if (accepts.length === 0) return
    this.#start()
    for (const accept of accepts) this.#apply(p, machine.deliver(intAt(this.#next, p), accept))
    if (
      get(machine.processes.list, intAt(this.#next, p)).node.proposal !== null &&
      this.#draft.fault === null
    )
      return
    this.#finish(() => `${id} hears of enough accepts and says BEGIN`)
  }

  #decide(p: number, promises: readonly number[], doubted: Hears): void {
    const { machine } = this
    this.#start()
    promises.forEach((promise, i) => {
      this.#apply(
        p,
        machine.deliver(intAt(this.#next, p), promise, i < promises.length - 1 ? EVERYBODY : doubted),
      )
    })
    const { node } = get(machine.processes.list, intAt(this.#next, p))
    if (node.proposal !== null && node.proposal.record === null && this.#draft.fault === null) return
    // Nobody to wait for, or nothing to accept.
    if (doubted >= WAITS && node.closing === null) return
    const from = promises.map((promise) => (machine.items.list[promise] as Envelope).from).join(' and ')
    this.#finish(
      () => `${node.id} decides, from what it and ${from} reported: ${tellView(node.proposal?.record)}`,
    )
  }

  /** A heartbeat that arrives at one other in the tick in which it is sent, and its ack. */
  #beat(p: number, q: number): void {
    const { machine } = this
    const { nodes } = machine.bounds
    const beat = machine.run(intAt(this.#world, p), BEAT)
    const heartbeat = this.#instantOf(beat, q, 'heartbeat')
    if (heartbeat === undefined || this.#needsNoAck(p, q)) return
    const heard = machine.deliver(intAt(this.#world, q), heartbeat)
    const ack = this.#instantOf(heard, p, 'ack')
    const acked = ack === undefined ? beat : machine.deliver(beat.process, ack)
    const isIdle = this.#changesNothing(p, acked) && this.#changesNothing(q, heard)
    const fetch = machine.bounds.catchUp ? this.#instantOf(heard, p, 'fetch') : undefined
    if (ack === undefined && !machine.bounds.catchUp) return
    if (isIdle && fetch === undefined && this.#changesNothing(p, { ...beat, process: intAt(this.#world, p) }))
      return
    this.#start()
    this.#apply(p, beat)
    this.#apply(q, heard)
    if (ack !== undefined) this.#apply(p, machine.deliver(intAt(this.#next, p), ack))
    // A copy that is asked for may be late, so it is a message like others.
    if (fetch !== undefined) this.#apply(p, machine.deliver(intAt(this.#next, p), fetch))
    this.#finish(
      () => `${nodes[q]} gets a heartbeat of ${nodes[p]}${ack === undefined ? '' : ' and acknowledges it'}`,
    )
  }

  /** See `leases` in `Reductions`. A session above the first, and a view that it has not begun, are news to the receiver. */
  #needsNoAck(p: number, q: number): boolean {
    const { reductions, processes } = this.machine
    if (!reductions.leases) return false
    const { node } = get(processes.list, intAt(this.#world, p))
    const { begun } = get(processes.list, intAt(this.#world, q)).node
    return node.durable.k === 1 && (node.begun?.epoch ?? 0) <= (begun?.epoch ?? 0) && hasFreshLease(node)
  }

  /** The same process, and nothing said that was not said before. */
  #changesNothing(p: number, { process, items, fence, impossible }: Outcome): boolean {
    if (process !== this.#world[p] || fence > 0 || impossible !== null) return false
    return items.every((item) => this.#isThere(item))
  }

  #isThere(number: number): boolean {
    for (let i = this.#header; i < this.#worldSize; i += 1) if (this.#world[i] === number) return true
    const q = get(this.machine.receivers, number)
    return (
      q >= 0 && this.machine.isDead(intAt(this.#world, q), number, remembers(intAt(this.#world, this.#n)))
    )
  }

  #instantOf({ instant }: Outcome, to: number, type: Message['type']): number | undefined {
    return instant.find((number) => {
      if (this.machine.receivers[number] !== to) return false
      return (this.machine.items.list[number] as Envelope).message.type === type
    })
  }

  #restart(p: number, kind: 'restart' | 'lose disk', trouble: Trouble): void {
    const { node } = get(this.machine.processes.list, intAt(this.#world, p))
    if (node.proposal !== null)
      this.#lemmas.proposerDies(node, this.#world, this.#header, this.#worldSize, this.sometimes)
    this.#start()
    this.#draft.trouble = packTrouble(trouble)
    this.#apply(p, this.machine.run(intAt(this.#next, p), { kind }))
    // What could matter only after the loss of a disk can go everywhere.
    if (kind === 'lose disk') for (let q = 0; q < this.#n; q += 1) this.#draft.settle(q)
    this.#finish(() =>
      kind === 'restart' ? `${node.id} restarts` : `${node.id} restarts with an empty disk`,
    )
  }

  /** The clock moves on at all, or at all but one that is slow. */
  #pass(): void {
    const { bounds } = this.machine
    const trouble = readTrouble(intAt(this.#world, this.#n))
    if (bounds.ticks !== null && trouble.ticks === 0) return
    const left = bounds.ticks === null ? trouble : { ...trouble, ticks: trouble.ticks - 1 }
    this.#passBut(-1, left)
    for (let p = 0; p < this.#n; p += 1) {
      if ((trouble.slow & (1 << p)) === 0 || !bounds.slow.includes(get(bounds.nodes, p))) continue
      this.#passBut(p, { ...left, slow: left.slow & ~(1 << p) })
    }
  }

  #passBut(slow: number, trouble: Trouble): void {
    this.#start()
    const draft = this.#draft
    draft.trouble = packTrouble(trouble)
    for (let p = 0; p < this.#n; p += 1) {
      if (p !== slow) draft.become(p, this.machine.run(intAt(draft.next, p), { kind: 'later' }).process)
    }
    if (this.machine.bounds.delays) draft.age(slow)
    this.#finish(
      () => `a tick passes${slow < 0 ? '' : `, but not on the clock of ${this.machine.bounds.nodes[slow]}`}`,
    )
  }

  #start(): void {
    this.#draft.start(this.#world, this.#worldSize)
  }

  #apply(p: number, outcome: Outcome): void {
    this.#draft.apply(p, outcome)
  }

  #finish(tell: () => string): void {
    const draft = this.#draft
    this.#replies.spread()
    const fault = draft.fault ?? this.#lemmas.judge(draft.next, draft.header, draft.size)
    if (fault === null) this.#forgetting.forget()
    this.#visit(draft.next, draft.size, fault, tell)
  }
}
