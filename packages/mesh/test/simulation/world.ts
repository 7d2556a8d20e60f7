/**
 * Nodes of the mesh in virtual time, with clocks that run at different rates, a network that loses, repeats, delays and
 * cuts, and processes that stop, crash between any two effects of an event, and come back. What depends on who decides
 * views is the authority's. Everything is drawn from the seed of the plan, so a run is its seed.
 */
import { get } from '@turnwise/core/bounds'
import { type Random, randomStream } from '@turnwise/core/random'
import { EventQueue } from '@turnwise/simulator/event-queue'
import type { Effect, Event } from '../../src/protocol/events.ts'
import type { Fence } from '../../src/protocol/fence.ts'
import { type CallerId, isFrozen, type Node } from '../../src/protocol/state.ts'
import { Callers } from './callers.ts'
import { type Counts, count, noCounts } from './counts.ts'
import { exclusion, Fences, unfinished, type Violation } from './judge.ts'
import { Network } from './network.ts'
import { FAULTS, type Fault, LEASE, meanTime, type Plan } from './plan.ts'
import type { Process } from './process.ts'

/** What is due. Numbers from `OWN` on are the authority's. */
export const [HANDLE, START, FAULT, CALLER, HEAL, QUIET, OWN] = [0, 1, 2, 3, 4, 5, 6]

/** The node that runs there when it arrives gets it. */
export const ANY_LIFE = -1

type EventOf<Kind extends Event['kind']> = Extract<Event, { kind: Kind }>
type EffectOf<Kind extends Effect['kind']> = Extract<Effect, { kind: Kind }>

/** Effects that mean the same, whether voters or a register decide views. */
type Common = EffectOf<'wake' | 'grant' | 'upgraded' | 'contradiction'>

export interface Outcome {
  readonly violation: Violation | null
  readonly counts: Counts
}

/** Who decides views, and what differs with it. */
export interface Authority<Own extends Process> {
  /** Gives a process its node. */
  start(process: Own): readonly Effect[]
  handle(node: Node, event: Event, clock: number): readonly Effect[]
  perform(process: Own, index: number, effect: Exclude<Effect, Common>): void
  /** Something of its own is due. */
  happens(kind: number, process: Own, index: number, life: number, payload: unknown): void
  inflict(fault: Fault, index: number): void
  leaving(): Event
  /** Whether callers come to this node. */
  isOpen(node: Node, index: number): boolean
  crashed(process: Own, index: number): void
  /** Faults are over: nodes that are away come back. */
  fallQuiet(): void
  /** Nothing can be asked of the end. */
  isHalted(): boolean
}

export class World<Own extends Process> {
  readonly plan: Plan
  readonly processes: readonly Own[]
  readonly network: Network
  readonly trouble: Random
  readonly counts = noCounts()
  isQuiet = false
  now = 0
  readonly #authority: Authority<Own>
  readonly #watch: ((line: string) => void) | null
  readonly #queue = new EventQueue()
  readonly #callers: Callers
  readonly #fences = new Fences()
  readonly #entered = new Set<string>()
  /** What those who may update were let in with. */
  readonly #updating = new Map<CallerId, Fence>()
  #violation: Violation | null = null

  constructor(
    plan: Plan,
    processes: readonly Own[],
    watch: ((line: string) => void) | null,
    authority: (world: World<Own>) => Authority<Own>,
  ) {
    this.plan = plan
    this.processes = processes
    this.network = new Network(plan)
    this.trouble = randomStream(plan.seed, 'trouble')
    this.#callers = new Callers(plan)
    this.#watch = watch
    this.#authority = authority(this)
  }

  /** To the end of the plan, or to the first violation. */
  run(): Outcome {
    const { plan } = this
    this.counts.runs = 1
    this.processes.forEach((_, i) => {
      this.at(this.trouble.fraction() * LEASE * (this.trouble.chance(0.2) ? 3 : 0.3), START, i)
      this.at(this.#callers.first(), CALLER, i)
    })
    for (const fault of FAULTS) this.#nextFault(fault)
    this.at(plan.quietFrom, QUIET, 0)
    while (this.#violation === null && this.#queue.pop()) {
      if (this.#queue.time > plan.end) break
      this.now = this.#queue.time
      this.#step()
    }
    if (this.#violation === null && plan.mustEnterFrom !== null) this.#askProgress()
    return { violation: this.#violation, counts: this.counts }
  }

  at(delay: number, kind: number, index: number, payload: unknown = null): void {
    this.push(this.now + delay, kind, index, get(this.processes, index).life, payload)
  }

  push(time: number, kind: number, index: number, life: number, payload: unknown): void {
    this.#queue.push(time, kind, index, life, 0, payload)
  }

  #step(): void {
    const { kind, node: index, other: life, payload } = this.#queue
    const process = get(this.processes, index)
    switch (kind) {
      case HANDLE:
        if (process.node === null || (life !== ANY_LIFE && process.life !== life)) return
        if (this.now < process.pausedUntil)
          return this.push(process.pausedUntil, HANDLE, index, life, payload)
        return this.#handle(process, process.node, index, payload as Event)
      case START:
        if (process.node === null) this.start(process, index)
        return
      case FAULT:
        if (this.isQuiet) return
        this.#inflict(payload as Fault)
        return this.#nextFault(payload as Fault)
      case CALLER:
        return this.#newCaller(process, index)
      case HEAL:
        if (!this.isQuiet) this.network.heal(payload as number[])
        return
      case QUIET:
        this.isQuiet = true
        this.#callers.isQuiet = true
        this.network.fallQuiet()
        return this.#authority.fallQuiet()
      default:
        return this.#authority.happens(kind, process, index, life, payload)
    }
  }

  clock({ rate, offset }: Process): number {
    return offset + rate * this.now
  }

  say(line: string): void {
    this.#watch?.(`${this.now.toFixed(2)} ${line}`)
  }

  report(judge: Violation['judge'], text: string): void {
    this.#violation ??= { judge, at: this.now, text }
  }

  start(process: Own, index: number): void {
    process.life += 1
    process.offset = this.trouble.below(1000) - 500 - process.rate * this.now
    process.pausedUntil = 0
    process.effectsLeft = null
    const effects = this.#authority.start(process)
    this.#perform(process, index, effects, null)
    this.at((this.trouble.fraction() * LEASE) / 10, HANDLE, index, { kind: 'tick' })
  }

  #handle(process: Own, node: Node, index: number, event: Event): void {
    // One that was paused when it was told to leave does not leave after the faults ended.
    if (event.kind === 'leave' && this.isQuiet) return
    if (event.kind === 'tick') this.at(LEASE / 10 / process.rate, HANDLE, index, event)
    // A connection to a place names the session that it is for.
    if ('to' in event && event.to !== node.id) return
    this.counts.events += 1
    // Texts of all that happens take as long as the protocol itself.
    if (this.#watch !== null) this.say(`${node.id} ${shown(event)}`)
    if (event.kind === 'downgrade' && this.#isAlone(process, node, event)) {
      this.counts.downgrades += 1
      this.#fences.downgraded(event.name)
    }
    try {
      const effects = this.#authority.handle(node, event, this.clock(process))
      this.#perform(process, index, effects, event)
    } catch (error) {
      this.report('impossible', error instanceof Error ? error.message : String(error))
    }
    const running = this.processes.flatMap((each) =>
      each.node === null ? [] : [{ node: each.node, clock: this.clock(each) }],
    )
    const both = exclusion(running, this.plan.names)
    if (both !== null) this.report('exclusion', both)
  }

  /** In order, what follows a write when that is done; a crash may come between any two, and while one is under way. */
  #perform(process: Own, index: number, effects: readonly Effect[], event: Event | null): void {
    for (const effect of effects) process.outbox.push({ effect, event })
    this.drain(process, index)
  }

  drain(process: Own, index: number): void {
    while (process.writing === null && process.node !== null) {
      const next = process.outbox.shift()
      if (next === undefined) return
      if (process.effectsLeft !== null) {
        if (process.effectsLeft === 0) return this.crash(process, index)
        process.effectsLeft -= 1
      }
      this.#do(process, process.node, index, next.effect, next.event)
    }
  }

  #do(process: Own, node: Node, index: number, effect: Effect, event: Event | null): void {
    this.#watch?.(`  ${node.id}: ${shown(effect)}`)
    count(this.counts, node.id, effect)
    switch (effect.kind) {
      case 'wake': {
        // Not a rounding error too early, or it would be asked for again without end.
        const wait = Math.max(0, effect.at - this.clock(process)) / process.rate + 0.001
        return this.at(wait, HANDLE, index, { kind: 'wake' })
      }
      case 'grant':
        return this.#grant(process, node, index, effect, event)
      case 'upgraded':
        return this.#upgraded(effect)
      case 'contradiction':
        return this.report('impossible', effect.what)
      default:
        return this.#authority.perform(process, index, effect)
    }
  }

  #grant(process: Own, node: Node, index: number, effect: EffectOf<'grant'>, event: Event | null): void {
    const { name, caller, fence } = effect
    // A host does not pass on a grant that waited for the disk until it was lost: its callers would not be told again.
    const isHeld = node.names
      .get(name)
      ?.seats.some(({ holds }) => holds.some((hold) => hold.caller === caller))
    if (!isHeld || this.clock(process) >= node.deadline) return
    const complaint = this.#fences.granted(this.now, name, effect)
    if (complaint !== null) this.report('fence', `${node.id}: ${complaint}`)
    this.counts.grants += 1
    if (event?.kind === 'release' && fence.counter % 16 !== 0) {
      this.counts.handOns += 1
      if (isFrozen(node)) this.counts.frozenHandOns += 1
    }
    const { mustEnterFrom } = this.plan
    if (mustEnterFrom !== null && this.now >= mustEnterFrom) this.#entered.add(`${process.id} ${name}`)
    if (event?.kind === 'downgrade') this.counts.joinedAfter += 1
    if (effect.mode === 'update') this.#updating.set(caller, fence)
    const stay = this.#callers.stay()
    for (const { delay, event: change } of this.#callers.changes(stay, effect))
      this.at(delay, HANDLE, index, change)
    this.at(stay, HANDLE, index, { kind: 'release', name, caller })
  }

  /** Where no algorithm counts it, it is no grant, and has the fence that it had. */
  #upgraded({ name, caller, fence }: EffectOf<'upgraded'>): void {
    this.counts.upgraded += 1
    const before = this.#updating.get(caller)
    if (before?.epoch === fence.epoch && before.counter === fence.counter) return
    const complaint = this.#fences.granted(this.now, name, { mode: 'exclusive', fence })
    if (complaint !== null) this.report('fence', complaint)
  }

  /** Whether this caller holds it exclusively, and validly. */
  #isAlone(process: Own, { names, deadline }: Node, { name, caller }: EventOf<'downgrade'>): boolean {
    const holds = names.get(name)?.seats.flatMap((seat) => seat.holds) ?? []
    return (
      this.clock(process) < deadline &&
      holds.some((hold) => hold.caller === caller && hold.mode === 'exclusive')
    )
  }

  #nextFault(fault: Fault): void {
    const mean = meanTime(this.plan, fault)
    if (mean > 0) this.at(-mean * Math.log(1 - this.trouble.fraction()), FAULT, 0, fault)
  }

  #inflict(fault: Fault): void {
    const index = this.trouble.below(this.plan.nodes)
    const process = get(this.processes, index)
    if (process.node === null && fault !== 'outage') return
    switch (fault) {
      case 'crash':
        // At once, or in the middle of what it does next.
        if (this.trouble.chance(0.5)) this.crash(process, index)
        else process.effectsLeft = this.trouble.below(8)
        return
      case 'cut':
        return this.cutOff(index)
      case 'pause':
        this.counts.pauses += 1
        process.pausedUntil = this.now + 4 * LEASE * this.trouble.fraction() ** 2
        return
      case 'renew':
        return this.at(0, HANDLE, index, { kind: 'renew' })
      case 'leave':
        this.counts.leaves += 1
        return this.at(0, HANDLE, index, this.#authority.leaving())
      default:
        return this.#authority.inflict(fault, index)
    }
  }

  cutOff(index: number): void {
    const { links, lasts } = this.network.cutOff(index, this.trouble)
    this.counts.cuts += 1
    this.say(`cut ${links.join(' ')}`)
    this.at(lasts, HEAL, 0, links)
  }

  crash(process: Own, index: number): void {
    if (process.node === null) return
    this.counts.crashes += 1
    this.say(`${process.node.id} crashes`)
    this.#authority.crashed(process, index)
    const isQuick = this.isQuiet || this.trouble.chance(this.plan.quick)
    this.at((isQuick ? LEASE / 10 : 3 * LEASE) * this.trouble.fraction(), START, index)
  }

  #newCaller({ node }: Process, index: number): void {
    this.at(this.#callers.pause(), CALLER, index)
    if (node === null || node.left || !this.#authority.isOpen(node, index)) return
    for (const { delay, event } of this.#callers.requests(node)) this.at(delay, HANDLE, index, event)
  }

  #askProgress(): void {
    this.counts.quietTails += 1
    if (this.#authority.isHalted()) {
      this.counts.halted += 1
      return
    }
    const complaint = unfinished(this.processes, this.plan.names, this.#entered)
    if (complaint !== null) this.report('progress', complaint)
  }
}

function shown(thing: Event | Effect): string {
  return JSON.stringify(thing, (_, value) => (value instanceof Map ? Object.fromEntries(value) : value))
}
