/**
 * Worlds of the mesh: the number of each process, what is left of the trouble, the last fence granted, and a set of
 * messages and facts. Messages never go away, so each may be lost, repeated and overtaken; but what can do nothing at its
 * receiver any more is dropped.
 */
import type { Message } from '../src/protocol/messages.ts'
import type { Id } from '../src/protocol/record.ts'
import { Ledger } from './ledger.ts'
import { EVERYBODY, type Happening, type Hears, type Machine, NOBODY, type Outcome } from './machine.ts'
import { type Envelope, holdsOrWaits } from './process.ts'
import { tellFence, tellHappening, tellMessage, tellView } from './telling.ts'
import { aged, choices, type Fact, subsets } from './things.ts'
import { packTrouble, readTrouble, remembers, type Trouble } from './trouble.ts'

export interface Finding {
  readonly property: string
  readonly reason: string
}

/** A step is told by a thunk: most are never printed. */
export type Visit = (world: Int32Array, size: number, finding: Finding | null, tell: () => string) => void

const BEAT: Happening = { kind: 'beat' }

export const MOST_THINGS = 1024

export class Worlds {
  readonly machine: Machine
  /** What did happen in some run. */
  readonly sometimes = new Map<string, number>()
  readonly #ledger: Ledger
  readonly #n: number
  /** Where the set begins: after the processes, the trouble left and the fence. */
  readonly #header: number
  readonly #next = new Int32Array(MOST_THINGS)
  readonly #leases: number[]
  #size = 0
  #world: Int32Array = new Int32Array(0)
  #worldSize = 0
  #visit: Visit = () => {}
  #fault: Finding | null = null

  constructor(machine: Machine) {
    this.machine = machine
    this.#n = machine.bounds.nodes.length
    this.#header = this.#n + 2
    this.#leases = machine.bounds.nodes.map(() => 0)
    this.#ledger = new Ledger(machine)
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
    this.#size = this.#header
    if (!genesis) this.#beginFirstView()
    const does = (id: Id, kind: 'ask' | 'wish') => {
      const p = this.#indexOf(id)
      this.#apply(p, machine.run(next[p], { kind }))
    }
    for (const id of machine.bounds.waiting) does(id, 'ask')
    for (const id of Object.keys(machine.bounds.wishes)) does(id, 'wish')
    for (let p = 0; p < this.#n; p += 1) this.#settle(p)
    world.set(next.subarray(0, this.#size))
    return this.#size
  }

  /** By the rules as they are: the first proposer proposes, and everything arrives. */
  #beginFirstView(): void {
    const { machine } = this
    const next = this.#next
    const under: number[] = []
    const take = (p: number, { process, things }: Outcome) => {
      next[p] = process
      under.push(...things.filter((thing) => machine.receivers[thing] >= 0))
    }
    const first = this.#indexOf(machine.bounds.proposers[0])
    take(first, machine.run(next[first], { kind: 'propose', heard: 0, waits: true }))
    for (let thing = under.shift(); thing !== undefined; thing = under.shift()) {
      const p = this.#indexOf((machine.things.list[thing] as Envelope).to)
      take(p, machine.deliver(next[p], thing))
    }
  }

  expand(world: Int32Array, size: number, visit: Visit): void {
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
    const number = this.#world[p]
    const process = machine.processes.list[number]
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
    const trouble = readTrouble(this.#world[this.#n])
    if (trouble.restarts > 0) this.#restart(p, 'restart', { ...trouble, restarts: trouble.restarts - 1 })
    if (trouble.lostDisks > 0 && bounds.losers.includes(id))
      this.#restart(p, 'lose disk', { ...trouble, lostDisks: trouble.lostDisks - 1 })
  }

  /** One event at one process. */
  #simple(p: number, happening: Happening): void {
    const outcome = this.machine.run(this.#world[p], happening)
    if (this.#changesNothing(p, outcome)) return
    this.#start()
    this.#apply(p, outcome)
    this.#finish(() => tellHappening(happening, this.machine.processes.list[this.#next[p]].node))
  }

  /** Promises and accepts go to `gather`. */
  #deliverAll(p: number): void {
    const { things, receivers, isGathered } = this.machine
    for (let i = this.#header; i < this.#worldSize; i += 1) {
      const number = this.#world[i]
      if (receivers[number] !== p || isGathered[number]) continue
      const outcome = this.machine.deliver(this.#world[p], number)
      if (this.#changesNothing(p, outcome)) continue
      this.#start()
      this.#apply(p, outcome)
      this.#finish(() => tellMessage(things.list[number] as Envelope))
    }
  }

  /** R9: with every epoch that it may have heard of by now. */
  #propose(p: number): void {
    const { machine } = this
    const traits = machine.bounds.nodes.map((_, q) => machine.traitsOf(this.#world[q]).promised)
    const { ballots, epochs, firstStart } = machine.bounds
    const most = firstStart ? Math.min(Math.max(...traits), epochs - 1) : epochs - 1
    const { id, durable } = machine.processes.list[this.#world[p]].node
    for (let heard = traits[p]; heard <= most; heard += 1) {
      if (ballots !== null && ![id, durable.voterId].includes(ballots[heard + 1])) continue
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
      const number = this.#world[i]
      if (machine.receivers[number] !== p || !machine.isGathered[number]) continue
      const { from, message } = machine.things.list[number] as Envelope
      if (message.type === 'accepted') accepts.push(number)
      else byPeer[this.#indexOf(from)].push(number)
    }
    const from = (promise: number) => this.#indexOf((machine.things.list[promise] as Envelope).from)
    for (const chosen of choices(byPeer)) {
      const doubted = machine.bounds.doubts ? subsets(chosen.map(from)) : [NOBODY]
      for (const some of doubted) this.#decide(p, chosen, some)
    }
    if (accepts.length === 0) return
    this.#start()
    for (const accept of accepts) this.#apply(p, machine.deliver(this.#next[p], accept))
    if (machine.processes.list[this.#next[p]].node.proposal !== null && this.#fault === null) return
    this.#finish(() => `${id} hears of enough accepts and says BEGIN`)
  }

  #decide(p: number, promises: readonly number[], doubted: Hears): void {
    const { machine } = this
    this.#start()
    promises.forEach((promise, i) => {
      this.#apply(p, machine.deliver(this.#next[p], promise, i < promises.length - 1 ? EVERYBODY : doubted))
    })
    const { node } = machine.processes.list[this.#next[p]]
    if (node.proposal !== null && node.proposal.record === null && this.#fault === null) return
    const from = promises.map((promise) => (machine.things.list[promise] as Envelope).from).join(' and ')
    this.#finish(
      () => `${node.id} decides, from what it and ${from} reported: ${tellView(node.proposal?.record)}`,
    )
  }

  /** A heartbeat that arrives at one other in the tick in which it is sent, and its ack. */
  #beat(p: number, q: number): void {
    const { machine } = this
    const { nodes } = machine.bounds
    const beat = machine.run(this.#world[p], BEAT)
    const heartbeat = this.#instantOf(beat, q, 'heartbeat')
    if (heartbeat === undefined) return
    const heard = machine.deliver(this.#world[q], heartbeat)
    const ack = this.#instantOf(heard, p, 'ack')
    const acked = ack === undefined ? beat : machine.deliver(beat.process, ack)
    const isIdle = this.#changesNothing(p, acked) && this.#changesNothing(q, heard)
    const fetch = this.#instantOf(heard, p, 'fetch')
    if (ack === undefined && !machine.bounds.catchUp) return
    if (isIdle && fetch === undefined && this.#changesNothing(p, { ...beat, process: this.#world[p] })) return
    this.#start()
    this.#apply(p, beat)
    this.#apply(q, heard)
    if (ack !== undefined) this.#apply(p, machine.deliver(this.#next[p], ack))
    // A copy that is asked for may be late, so it is a message like others.
    if (fetch !== undefined) this.#apply(p, machine.deliver(this.#next[p], fetch))
    this.#finish(
      () => `${nodes[q]} gets a heartbeat of ${nodes[p]}${ack === undefined ? '' : ' and acknowledges it'}`,
    )
  }

  /** The same process, and nothing said that was not said before. */
  #changesNothing(p: number, { process, things, fence, impossible }: Outcome): boolean {
    if (process !== this.#world[p] || fence > 0 || impossible !== null) return false
    return things.every((thing) => this.#isThere(thing))
  }

  #isThere(number: number): boolean {
    for (let i = this.#header; i < this.#worldSize; i += 1) if (this.#world[i] === number) return true
    const q = this.machine.receivers[number]
    return q >= 0 && this.machine.isDead(this.#world[q], number, remembers(this.#world[this.#n]))
  }

  #instantOf({ instant }: Outcome, to: number, type: Message['type']): number | undefined {
    return instant.find((number) => {
      if (this.machine.receivers[number] !== to) return false
      return (this.machine.things.list[number] as Envelope).message.type === type
    })
  }

  #restart(p: number, kind: 'restart' | 'lose disk', trouble: Trouble): void {
    const { node } = this.machine.processes.list[this.#world[p]]
    if (node.proposal !== null)
      this.#ledger.proposerDies(node, this.#world, this.#header, this.#worldSize, this.sometimes)
    this.#start()
    this.#next[this.#n] = packTrouble(trouble)
    this.#apply(p, this.machine.run(this.#next[p], { kind }))
    // What could matter only after the loss of a disk can go everywhere.
    if (kind === 'lose disk') for (let q = 0; q < this.#n; q += 1) this.#settle(q)
    this.#finish(() =>
      kind === 'restart' ? `${node.id} restarts` : `${node.id} restarts with an empty disk`,
    )
  }

  /** The clock moves on at all, or at all but one that is slow. */
  #pass(): void {
    const { bounds } = this.machine
    const trouble = readTrouble(this.#world[this.#n])
    if (bounds.ticks !== null && trouble.ticks === 0) return
    const left = bounds.ticks === null ? trouble : { ...trouble, ticks: trouble.ticks - 1 }
    this.#passBut(-1, left)
    for (let p = 0; p < this.#n; p += 1) {
      if ((trouble.slow & (1 << p)) === 0 || !bounds.slow.includes(bounds.nodes[p])) continue
      this.#passBut(p, { ...left, slow: left.slow & ~(1 << p) })
    }
  }

  #passBut(slow: number, trouble: Trouble): void {
    this.#start()
    const next = this.#next
    next[this.#n] = packTrouble(trouble)
    for (let p = 0; p < this.#n; p += 1) {
      if (p !== slow) next[p] = this.machine.run(next[p], { kind: 'later' }).process
    }
    if (this.machine.bounds.delays) this.#age(slow)
    this.#finish(
      () => `a tick passes${slow < 0 ? '' : `, but not on the clock of ${this.machine.bounds.nodes[slow]}`}`,
    )
  }

  #age(slow: number): void {
    const { things, bounds } = this.machine
    const before = this.#next.slice(this.#header, this.#size)
    this.#size = this.#header
    for (const number of before) {
      const thing = aged(things.list[number], bounds.nodes[slow], bounds)
      if (thing !== null) this.#insert(this.machine.numberOf(thing))
    }
  }

  #start(): void {
    this.#next.set(this.#world.subarray(0, this.#worldSize))
    this.#size = this.#worldSize
    this.#fault = null
  }

  #apply(p: number, { process, things, fence, began, happened, impossible }: Outcome): void {
    if (this.#fault !== null) return
    if (impossible !== null) {
      this.#fault = { property: 'impossible', reason: impossible }
      return
    }
    const next = this.#next
    next[p] = process
    for (const what of happened) this.#happened(what)
    if (fence > 0) {
      if (fence <= next[this.#n + 1]) {
        this.#fault = {
          property: 'F',
          reason: `a grant with fence ${tellFence(fence)} after ${tellFence(next[this.#n + 1])}`,
        }
      }
      next[this.#n + 1] = Math.max(fence, next[this.#n + 1])
    }
    for (const thing of things) this.#add(thing)
    if (began > 0) this.#fault ??= this.#ledger.begins(began, next, this.#header, this.#size)
    this.#settle(p)
  }

  #add(number: number): void {
    const q = this.machine.receivers[number]
    if (q >= 0) {
      if (!this.machine.isDead(this.#next[q], number, remembers(this.#next[this.#n]))) this.#insert(number)
      return
    }
    const thing = this.machine.things.list[number] as Fact
    const { fault, added, dropped } = this.#ledger.enter(number, thing, this.#next, this.#header, this.#size)
    for (const each of dropped) this.#remove(each)
    for (const each of added) this.#insert(each)
    if (fault !== null) this.#fault ??= fault
    for (const what of this.#ledger.noticed(thing, added, this.#next)) this.#happened(what)
  }

  /** Drops what can do nothing at a process any more. */
  #settle(p: number): void {
    const next = this.#next
    const { machine } = this
    const lasts = remembers(next[this.#n])
    let kept = this.#header
    for (let i = this.#header; i < this.#size; i += 1) {
      if (machine.receivers[next[i]] === p && machine.isDead(next[p], next[i], lasts)) continue
      next[kept] = next[i]
      kept += 1
    }
    this.#size = kept
  }

  #insert(number: number): void {
    const next = this.#next
    let place = this.#size
    while (place > this.#header && next[place - 1] > number) place -= 1
    if (place > this.#header && next[place - 1] === number) return
    next.copyWithin(place + 1, place, this.#size)
    next[place] = number
    this.#size += 1
  }

  #remove(number: number): void {
    const at = this.#next.indexOf(number, this.#header)
    if (at < 0 || at >= this.#size) return
    this.#next.copyWithin(at, at + 1, this.#size)
    this.#size -= 1
  }

  #finish(tell: () => string): void {
    this.#forgetDebts()
    const fault = this.#fault ?? this.#ledger.judge(this.#next, this.#header, this.#size)
    this.#visit(this.#next, this.#size, fault, tell)
  }

  #forgetDebts(): void {
    const next = this.#next
    let key = 0
    for (let p = 0; p < this.#n; p += 1) {
      this.#leases[p] = this.machine.traitsOf(next[p]).lease
      key = key * 64 + this.#leases[p]
    }
    for (let p = 0; p < this.#n; p += 1) next[p] = this.machine.withoutDebts(next[p], this.#leases, key)
  }

  #happened(what: string): void {
    this.sometimes.set(what, (this.sometimes.get(what) ?? 0) + 1)
  }
}
