/**
 * Nodes of the mesh in virtual time, with clocks that run at different rates, a network that loses, repeats, delays and
 * cuts, and processes that stop, crash between any two effects of an event, and come back with or without their disk.
 * Everything is drawn from the seed of the plan, so a run is its seed.
 */
import { type Random, randomStream } from '@turnwise/core/random'
import { EventQueue } from '@turnwise/simulator/event-queue'
import { SOUND, under } from '../../broken/under.ts'
import type { Effect, Event } from '../../src/protocol/events.ts'
import type { Message } from '../../src/protocol/messages.ts'
import { handle, start } from '../../src/protocol/node.ts'
import type { Durable } from '../../src/protocol/record.ts'
import type { Rules } from '../../src/protocol/rules.ts'
import { isFrozen, type Node } from '../../src/protocol/state.ts'
import { marksFor } from '../marks.ts'
import { Callers } from './callers.ts'
import { type Counts, count, noCounts } from './counts.ts'
import { exclusion, Fences, isHalted, mayLose, unfinished, type Violation } from './judge.ts'
import { Network } from './network.ts'
import { FAULTS, type Fault, LEASE, meanTime, type Plan } from './plan.ts'
import { end, loseDisk, newProcesses, type Process } from './process.ts'

const [HANDLE, RESTART, FAULT, CALLER, HEAL, QUIET, WRITTEN] = [0, 1, 2, 3, 4, 5, 6]

const ANY_LIFE = -1

type EffectOf<Kind extends Effect['kind']> = Extract<Effect, { kind: Kind }>

export interface Outcome {
  readonly violation: Violation | null
  readonly counts: Counts
}

/** Looks on from beside a node, as a recorder does. A process that starts again is another node. */
export interface Beside {
  before(node: Node, now: number): void
  after(event: Event, effects: readonly Effect[], node: Node, now: number): void
}

/** Runs one plan to its end or to the first violation. `watch` hears of every event and effect, for a replay. */
export function simulate(
  plan: Plan,
  rules: Rules = SOUND,
  watch: (line: string) => void = () => {},
  beside: Beside | null = null,
): Outcome {
  return new World(plan, rules, watch, beside).run()
}

class World {
  readonly #plan: Plan
  readonly #rules: Rules
  readonly #watch: (line: string) => void
  readonly #beside: Beside | null
  readonly #queue = new EventQueue()
  readonly #processes: Process[]
  readonly #ids: readonly string[]
  readonly #network: Network
  readonly #trouble: Random
  readonly #callers: Callers
  readonly #fences = new Fences()
  readonly #entered = new Set<string>()
  readonly #counts = noCounts()
  #violation: Violation | null = null
  #quiet = false
  #now = 0

  constructor(plan: Plan, rules: Rules, watch: (line: string) => void, beside: Beside | null) {
    this.#plan = plan
    this.#watch = watch
    this.#beside = beside
    this.#network = new Network(plan)
    this.#trouble = randomStream(plan.seed, 'trouble')
    this.#callers = new Callers(plan)
    const ids = Array.from({ length: plan.nodes }, (_, i) => 'abcdefgh'[i])
    this.#ids = ids
    this.#rules = plan.heedsRank ? rules : { ...rules, heedsRank: () => false }
    this.#processes = newProcesses(plan, ids)
  }

  run(): Outcome {
    const plan = this.#plan
    this.#counts.runs = 1
    this.#processes.forEach((_, i) => {
      this.#at(this.#trouble.fraction() * LEASE * (this.#trouble.chance(0.2) ? 3 : 0.3), RESTART, i)
      this.#at(this.#callers.first(), CALLER, i)
    })
    for (const fault of FAULTS) this.#nextFault(fault)
    this.#at(plan.quietFrom, QUIET, 0)
    while (this.#violation === null && this.#queue.pop()) {
      if (this.#queue.time > plan.end) break
      this.#now = this.#queue.time
      this.#step()
    }
    if (this.#violation === null && plan.mustEnterFrom !== null) this.#askProgress()
    return { violation: this.#violation, counts: this.#counts }
  }

  #at(delay: number, kind: number, node: number, payload: unknown = null): void {
    this.#queue.push(this.#now + delay, kind, node, this.#processes[node].life, 0, payload)
  }

  #step(): void {
    const { kind, node, other: life, payload } = this.#queue
    const process = this.#processes[node]
    switch (kind) {
      case HANDLE:
        if (process.node === null || (life !== ANY_LIFE && process.life !== life)) return
        if (this.#now < process.pausedUntil) {
          return this.#queue.push(process.pausedUntil, HANDLE, node, life, 0, payload)
        }
        return this.#handle(process, node, payload as Event)
      case RESTART:
        if (process.node === null) this.#start(process, node)
        return
      case FAULT:
        if (this.#quiet) return
        this.#inflict(payload as Fault)
        return this.#nextFault(payload as Fault)
      case CALLER:
        return this.#newCaller(process, node)
      case HEAL:
        if (!this.#quiet) this.#network.heal(payload as number[])
        return
      case WRITTEN:
        if (process.life === life && process.writing !== null) this.#written(process, node)
        return
      case QUIET:
        return this.#fallQuiet()
    }
  }

  #disks(): Durable[] {
    return this.#processes.map(({ disk }) => disk)
  }

  #clock({ rate, offset }: Process): number {
    return offset + rate * this.#now
  }

  #handle(process: Process, index: number, event: Event): void {
    // One that was paused when it was told to leave does not leave after the faults ended.
    if (event.kind === 'leave' && this.#quiet) return
    if (event.kind === 'tick') this.#at(LEASE / 10 / process.rate, HANDLE, index, event)
    this.#counts.events += 1
    const node = process.node as Node
    this.#watch(`${this.#now.toFixed(2)} ${process.id} ${JSON.stringify(event)}`)
    this.#guarded(() => {
      const now = this.#clock(process)
      this.#beside?.before(node, now)
      const effects = under(this.#rules, () => handle(node, event, now))
      this.#beside?.after(event, effects, node, now)
      this.#perform(process, index, effects, event)
    })
    const running = this.#processes.flatMap((each) =>
      each.node === null ? [] : [{ node: each.node, clock: this.#clock(each) }],
    )
    const both = exclusion(running, this.#plan.names)
    if (both !== null) this.#report('exclusion', both)
  }

  #start(process: Process, index: number): void {
    process.life += 1
    process.offset = this.#trouble.below(1000) - 500 - process.rate * this.#now
    process.pausedUntil = 0
    process.effectsLeft = null
    process.outbox = []
    process.writing = null
    const { id, config, disk } = process
    const marks = marksFor(disk.voterId)
    const { node, effects } = under(this.#rules, () =>
      start(id, { ...config, marks }, disk, this.#clock(process)),
    )
    process.node = node
    if (process.copy === null || this.#trouble.chance(0.3)) process.copy = disk
    this.#watch(`${this.#now.toFixed(2)} ${process.id} starts ${JSON.stringify(process.disk)}`)
    this.#perform(process, index, effects, null)
    this.#at((this.#trouble.fraction() * LEASE) / 10, HANDLE, index, { kind: 'tick' })
  }

  #guarded(action: () => void): void {
    try {
      action()
    } catch (error) {
      this.#report('impossible', error instanceof Error ? error.message : String(error))
    }
  }

  #report(judge: Violation['judge'], text: string): void {
    this.#violation ??= { judge, at: this.#now, text }
  }

  /** In order, what follows a write when that is done; a crash may come between any two, and while one is under way. */
  #perform(process: Process, index: number, effects: readonly Effect[], event: Event | null): void {
    for (const effect of effects) process.outbox.push({ effect, event })
    this.#drain(process, index)
  }

  #drain(process: Process, index: number): void {
    while (process.writing === null && process.node !== null) {
      const next = process.outbox.shift()
      if (next === undefined) return
      if (process.effectsLeft !== null) {
        if (process.effectsLeft === 0) return this.#crash(process, index)
        process.effectsLeft -= 1
      }
      this.#do(process, index, next.effect, next.event)
    }
  }

  #written(process: Process, index: number): void {
    if (process.writing !== null) process.disk = process.writing
    process.writing = null
    this.#drain(process, index)
  }

  #do(process: Process, index: number, effect: Effect, event: Event | null): void {
    this.#watch(`  ${process.id}: ${JSON.stringify(effect)}`)
    count(this.#counts, process.id, effect)
    switch (effect.kind) {
      case 'persist':
        process.writing = effect.durable
        if (this.#plan.write === 0) return this.#written(process, index)
        return this.#at(this.#plan.write * this.#trouble.fraction(), WRITTEN, index)
      case 'send':
        return this.#transmit(index, this.#ids.indexOf(effect.to), effect.message)
      case 'wake':
        // Not a rounding error too early, or it would be asked for again without end.
        return this.#at(Math.max(0, effect.at - this.#clock(process)) / process.rate + 0.001, HANDLE, index, {
          kind: 'wake',
        })
      case 'grant':
        return this.#grant(process, index, effect, event)
      case 'left':
        // Gone for good some ticks later; the same directory may be started again.
        process.effectsLeft = this.#trouble.below(4 * this.#plan.nodes)
        return
      case 'contradiction':
        return this.#report('impossible', effect.what)
      case 'stale-state':
        return this.#discard(process, index)
    }
  }

  #grant(process: Process, index: number, effect: EffectOf<'grant'>, event: Event | null): void {
    const { name, caller, fence } = effect
    const node = process.node as Node
    // A host does not pass on a grant that waited for the disk until it was lost: its callers would not be told again.
    const isHeld = node.names
      .get(name)
      ?.seats.some(({ holds }) => holds.some((hold) => hold.caller === caller))
    if (!isHeld || this.#clock(process) >= node.deadline) return
    const complaint = this.#fences.granted(this.#now, name, effect)
    if (complaint !== null) this.#report('fence', `${process.id}: ${complaint}`)
    this.#counts.grants += 1
    if (event?.kind === 'release') this.#countHandOn(process, fence.counter)
    if (this.#plan.mustEnterFrom !== null && this.#now >= this.#plan.mustEnterFrom) {
      this.#entered.add(`${process.id} ${name}`)
    }
    this.#at(this.#callers.stay(), HANDLE, index, { kind: 'release', name, caller })
  }

  /** R20: what a host does with a directory that is an old copy. */
  #discard(process: Process, index: number): void {
    end(process, false)
    loseDisk(process)
    this.#at(LEASE / 10, RESTART, index)
  }

  #transmit(from: number, to: number, message: Message): void {
    if (to < 0) return this.#report('impossible', `${this.#ids[from]} sends to nobody: ${message.type}`)
    const event: Event = { kind: 'receive', from: this.#ids[from], message }
    // Whoever runs there when it arrives gets it: sessions and epochs tell what is old.
    for (const delay of this.#network.delays(from, to)) {
      this.#queue.push(this.#now + delay, HANDLE, to, ANY_LIFE, 0, event)
    }
  }

  #countHandOn(process: Process, counter: number): void {
    if (counter % 16 === 0) return
    this.#counts.handOns += 1
    if (process.node !== null && isFrozen(process.node)) this.#counts.frozenHandOns += 1
  }

  #nextFault(fault: Fault): void {
    const mean = meanTime(this.#plan, fault)
    if (mean > 0) this.#at(-mean * Math.log(1 - this.#trouble.fraction()), FAULT, 0, fault)
  }

  #inflict(fault: Fault): void {
    const index = this.#trouble.below(this.#plan.nodes)
    const process = this.#processes[index]
    if (process.node === null) return
    switch (fault) {
      case 'crash':
        // At once, or in the middle of what it does next.
        if (this.#trouble.chance(0.5)) this.#crash(process, index)
        else process.effectsLeft = this.#trouble.below(8)
        return
      case 'cut':
        return this.#cutOff(index)
      case 'wish':
        return this.#wish(index)
      case 'suspend':
        return this.#suspend()
      case 'pause':
        this.#counts.pauses += 1
        process.pausedUntil = this.#now + 4 * LEASE * this.#trouble.fraction() ** 2
        return
      case 'renew':
        return this.#at(0, HANDLE, index, { kind: 'renew' })
      case 'leave':
        this.#counts.leaves += 1
        this.#at(0, HANDLE, index, { kind: 'leave', forGood: this.#trouble.chance(this.#plan.forGood) })
    }
  }

  #cutOff(index: number): void {
    const { links, lasts } = this.#network.cutOff(index, this.#trouble)
    this.#counts.cuts += 1
    this.#watch(`${this.#now.toFixed(2)} cut ${links.join(' ')}`)
    this.#at(lasts, HEAL, 0, links)
  }

  /** Somebody wants other voters. */
  #wish(index: number): void {
    const wanted = this.#ids.filter(() => this.#trouble.chance(0.6))
    if (wanted.length === 0) wanted.push(this.#ids[index])
    this.#counts.wishes += 1
    this.#at(0, HANDLE, index, { kind: 'voters', wanted })
  }

  /** The machine of the first node sleeps, and its clock stands still. It has no callers: at a holder that is beyond the bound. */
  #suspend(): void {
    if (this.#now > this.#plan.quietFrom - 6 * LEASE) return
    const [process] = this.#processes
    const sleeps = 2 * LEASE * this.#trouble.fraction()
    this.#counts.suspends += 1
    process.offset -= process.rate * sleeps
    process.pausedUntil = this.#now + sleeps
  }

  #crash(process: Process, index: number): void {
    const { quick, lostState } = this.#plan
    this.#counts.crashes += 1
    end(process, this.#trouble.chance(0.5))
    this.#watch(`${this.#now.toFixed(2)} ${process.id} crashes`)
    if (!this.#quiet && this.#trouble.chance(lostState) && mayLose(this.#disks(), process.disk)) {
      this.#counts.lostStates += 1
      loseDisk(process)
    }
    const away = this.#trouble.chance(quick) ? LEASE / 10 : 3 * LEASE
    this.#at(away * this.#trouble.fraction(), RESTART, index)
  }

  #newCaller({ node }: Process, index: number): void {
    this.#at(this.#callers.pause(), CALLER, index)
    if (node === null || node.left || node.isLeaving) return
    if (index === 0 && this.#plan.suspends > 0 && !this.#quiet) return
    for (const { delay, event } of this.#callers.requests(node)) this.#at(delay, HANDLE, index, event)
  }

  /** Faults end: links heal, and whoever is away comes back; one perhaps with an old copy of its directory. */
  #fallQuiet(): void {
    this.#quiet = true
    this.#callers.isQuiet = true
    this.#network.fallQuiet()
    const restored = this.#trouble.below(this.#plan.nodes)
    this.#processes.forEach((process, index) => {
      process.effectsLeft = null
      if (process.node?.left || process.node?.isLeaving) end(process, true)
      const isOld = process.copy !== null && process.copy.voterId === process.disk.voterId
      if (
        index === restored &&
        isOld &&
        mayLose(this.#disks(), process.disk) &&
        this.#trouble.chance(this.#plan.restored)
      ) {
        this.#counts.restored += 1
        end(process, false)
        process.disk = process.copy as Durable
      }
      if (process.node === null) this.#start(process, index)
    })
    if (this.#plan.wishes > 0) this.#wish(this.#trouble.below(this.#plan.nodes))
  }

  /** Unless a majority of voters' disks is gone: then the mesh halts by design (R26). */
  #askProgress(): void {
    this.#counts.quietTails += 1
    if (isHalted(this.#disks())) {
      this.#counts.halted += 1
      return
    }
    const complaint = unfinished(this.#processes, this.#plan.names, this.#entered)
    if (complaint !== null) this.#report('progress', complaint)
  }
}
