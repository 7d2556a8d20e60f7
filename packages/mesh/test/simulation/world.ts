/**
 * Nodes of the mesh in virtual time, with clocks that run at different rates, a network that loses, repeats, delays and
 * cuts, and processes that stop, crash between any two effects of an event, and come back with or without their disk.
 * Everything is drawn from the seed of the plan, so a run is its seed.
 */
import { type Random, randomStream } from '@turnwise/core/random'
import { EventQueue } from '@turnwise/simulator/event-queue'
import type { Message } from '../../src/protocol/messages.ts'
import { handle, start } from '../../src/protocol/node.ts'
import { blank, type Durable, isMajority } from '../../src/protocol/record.ts'
import { type Rules, SOUND } from '../../src/protocol/rules.ts'
import { type Config, type Effect, type Event, isFrozen, type Node } from '../../src/protocol/state.ts'
import { exclusion, Fences, type Violation } from './judge.ts'
import { LEASE, type Plan } from './plan.ts'

const HANDLE = 0
const RESTART = 1
const FAULT = 2
const CALLER = 3
const HEAL = 4
const QUIET = 5

const ANY_LIFE = -1

type Fault = 'crash' | 'cut' | 'pause' | 'renew' | 'leave'

interface Process {
  readonly id: string
  readonly rate: number
  offset: number
  disk: Durable
  /** Null while it does not run. */
  node: Node | null
  /** Counts starts: what belongs to an earlier life is not delivered. */
  life: number
  pausedUntil: number
  /** It crashes after so many more effects; null for no crash ahead. */
  effectsLeft: number | null
  disks: number
}

export interface Counts {
  runs: number
  events: number
  chosen: number
  begun: number
  grants: number
  handOns: number
  frozenHandOns: number
  carried: number
  lost: number
  crashes: number
  lostStates: number
  pauses: number
  cuts: number
  leaves: number
  replaced: number
  quietTails: number
  halted: number
}

export interface Outcome {
  readonly violation: Violation | null
  readonly counts: Counts
}

export function noCounts(): Counts {
  return {
    runs: 0,
    events: 0,
    chosen: 0,
    begun: 0,
    grants: 0,
    handOns: 0,
    frozenHandOns: 0,
    carried: 0,
    lost: 0,
    crashes: 0,
    lostStates: 0,
    pauses: 0,
    cuts: 0,
    leaves: 0,
    replaced: 0,
    quietTails: 0,
    halted: 0,
  }
}

/** Runs one plan to its end or to the first violation. `watch` hears of every event and effect, for a replay. */
export function simulate(
  plan: Plan,
  rules: Rules = SOUND,
  watch: (line: string) => void = () => {},
): Outcome {
  return new World(plan, rules, watch).run()
}

class World {
  readonly #plan: Plan
  readonly #rules: Rules
  readonly #watch: (line: string) => void
  readonly #queue = new EventQueue()
  readonly #processes: Process[]
  readonly #config: Config
  readonly #network: Random
  readonly #trouble: Random
  readonly #load: Random
  readonly #cut = new Set<number>()
  readonly #fences = new Fences()
  readonly #entered = new Set<string>()
  readonly #counts = noCounts()
  #violation: Violation | null = null
  #callers = 0
  #quiet = false
  #now = 0

  constructor(plan: Plan, rules: Rules, watch: (line: string) => void) {
    this.#plan = plan
    this.#rules = rules
    this.#watch = watch
    this.#network = randomStream(plan.seed, 'network')
    this.#trouble = randomStream(plan.seed, 'trouble')
    this.#load = randomStream(plan.seed, 'load')
    const ids = Array.from({ length: plan.nodes }, (_, i) => 'abcdefgh'[i])
    const { algorithm, drift } = plan
    this.#config = {
      peers: ids,
      voters: ids,
      settings: { algorithm, lease: LEASE, drift },
      localTurns: 16,
      roundTrip: 4,
    }
    const rates = randomStream(plan.seed, 'clocks')
    this.#processes = ids.map((id) => ({
      id,
      // The extremes are what matters.
      rate: 1 + drift * (rates.chance(0.7) ? (rates.chance(0.5) ? 1 : -1) : 2 * rates.fraction() - 1),
      offset: 0,
      disk: blank(`${id}1`),
      node: null,
      life: 0,
      pausedUntil: 0,
      effectsLeft: null,
      disks: 1,
    }))
  }

  run(): Outcome {
    const plan = this.#plan
    this.#counts.runs = 1
    this.#processes.forEach((_, i) => {
      this.#at(this.#trouble.fraction() * LEASE * (this.#trouble.chance(0.2) ? 3 : 0.3), RESTART, i)
      this.#at(this.#load.fraction() * plan.idle, CALLER, i)
    })
    for (const fault of ['crash', 'cut', 'pause', 'renew', 'leave'] as const) this.#nextFault(fault)
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
        for (const link of payload as number[]) this.#cut.delete(link)
        return
      case QUIET:
        return this.#fallQuiet()
    }
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
    this.#guarded(() =>
      this.#perform(process, index, handle(node, event, this.#clock(process), this.#rules), event),
    )
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
    const { node, effects } = start(process.id, this.#config, process.disk, this.#clock(process), this.#rules)
    process.node = node
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

  /** In order; a crash may come between any two. */
  #perform(process: Process, index: number, effects: readonly Effect[], event: Event | null): void {
    for (const effect of effects) {
      if (process.effectsLeft !== null) {
        if (process.effectsLeft === 0) return this.#crash(process, index)
        process.effectsLeft -= 1
      }
      this.#do(process, index, effect, event)
    }
  }

  #do(process: Process, index: number, effect: Effect, event: Event | null): void {
    this.#watch(`  ${process.id}: ${JSON.stringify(effect)}`)
    switch (effect.kind) {
      case 'persist':
        process.disk = effect.durable
        return
      case 'send':
        return this.#transmit(index, this.#config.peers.indexOf(effect.to), effect.message)
      case 'wake':
        // Not a rounding error too early, or it would be asked for again without end.
        return this.#at(Math.max(0, effect.at - this.#clock(process)) / process.rate + 0.001, HANDLE, index, {
          kind: 'wake',
        })
      case 'grant': {
        const complaint = this.#fences.granted(effect.name, effect)
        if (complaint !== null) this.#report('fence', `${process.id}: ${complaint}`)
        this.#counts.grants += 1
        if (event?.kind === 'release') this.#countHandOn(process, effect.fence.counter)
        if (this.#plan.mustEnterFrom !== null && this.#now >= this.#plan.mustEnterFrom) {
          this.#entered.add(`${process.id} ${effect.name}`)
        }
        const stay = (this.#quiet ? 3 : this.#plan.stay) * (0.2 + 1.6 * this.#load.fraction())
        const { name, caller } = effect
        return this.#at(stay, HANDLE, index, { kind: 'release', name, caller })
      }
      case 'lost':
        this.#counts.lost += 1
        return
      case 'chosen':
        this.#counts.chosen += 1
        if (effect.record.oldVoters !== null) this.#counts.replaced += 1
        return
      case 'begun': {
        this.#counts.begun += 1
        const holders = Object.values(effect.record.table).flat()
        this.#counts.carried += holders.filter(({ id }) => id === process.id).length
      }
    }
  }

  #countHandOn(process: Process, counter: number): void {
    if (counter % 16 === 0) return
    this.#counts.handOns += 1
    if (process.node !== null && isFrozen(process.node)) this.#counts.frozenHandOns += 1
  }

  #transmit(from: number, to: number, message: Message): void {
    const { loss, duplication, nodes } = this.#plan
    if (to < 0)
      return this.#report('impossible', `${this.#config.peers[from]} sends to nobody: ${message.type}`)
    const copies = !this.#quiet && this.#network.chance(duplication) ? 2 : 1
    for (let copy = 0; copy < copies; copy += 1) {
      const delay = this.#delay(from, to)
      if (this.#cut.has(from * nodes + to) || (!this.#quiet && this.#network.chance(loss))) continue
      const event: Event = { kind: 'receive', from: this.#config.peers[from], message }
      // Whoever runs there when it arrives gets it: sessions and epochs tell what is old.
      this.#queue.push(this.#now + delay, HANDLE, to, ANY_LIFE, 0, event)
    }
  }

  #delay(from: number, to: number): number {
    const { delay, tail, longest, slow, nodes } = this.#plan
    if (this.#quiet) return 1 + this.#network.fraction()
    const usual = delay * (1 + 2 * this.#network.fraction())
    if (this.#network.chance(tail)) return usual + longest * this.#network.fraction()
    return slow.includes(from * nodes + to) ? 10 * usual : usual
  }

  #nextFault(fault: Fault): void {
    const { crashes, cuts, pauses, renewals, leaves } = this.#plan
    const mean = { crash: crashes, cut: cuts, pause: pauses, renew: renewals, leave: leaves }[fault]
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
      case 'pause':
        this.#counts.pauses += 1
        process.pausedUntil = this.#now + 4 * LEASE * this.#trouble.fraction() ** 2
        return
      case 'renew':
        return this.#at(0, HANDLE, index, { kind: 'renew' })
      case 'leave':
        this.#counts.leaves += 1
        this.#at(0, HANDLE, index, { kind: 'leave' })
        // Gone for good some ticks later; the same directory may be started again.
        process.effectsLeft = this.#trouble.below(4 * this.#plan.nodes)
    }
  }

  #crash(process: Process, index: number): void {
    const { quick, lostState } = this.#plan
    this.#counts.crashes += 1
    process.node = null
    process.effectsLeft = null
    this.#watch(`${this.#now.toFixed(2)} ${process.id} crashes`)
    if (!this.#quiet && this.#trouble.chance(lostState) && this.#mayLose(process)) {
      this.#counts.lostStates += 1
      process.disks += 1
      process.disk = blank(`${process.id}${process.disks}`)
    }
    const away = this.#trouble.chance(quick) ? LEASE / 10 : 3 * LEASE
    this.#at(away * this.#trouble.fraction(), RESTART, index)
  }

  /** The model: a minority of voters' disks may be lost before the repair (R20) has finished. */
  #mayLose({ disk }: Process): boolean {
    const disks = this.#processes.map((process) => process.disk)
    const left = disks.map(({ voterId }) => voterId).filter((voterId) => voterId !== disk.voterId)
    return disks.every(({ accepted }) => accepted === null || isMajority(accepted, left))
  }

  /** Between one node and one other, or all others, one way or both. */
  #cutOff(index: number): void {
    const { nodes, oneWay } = this.#plan
    const other = this.#trouble.below(nodes)
    const all = this.#trouble.chance(0.5)
    const bothWays = !this.#trouble.chance(oneWay)
    const links: number[] = []
    for (let peer = 0; peer < nodes; peer += 1) {
      if (peer === index || !(all || peer === other)) continue
      links.push(index * nodes + peer)
      if (bothWays) links.push(peer * nodes + index)
    }
    this.#counts.cuts += 1
    for (const link of links) this.#cut.add(link)
    this.#watch(`${this.#now.toFixed(2)} cut ${links.join(' ')}`)
    this.#at(3 * LEASE * this.#trouble.fraction(), HEAL, 0, links)
  }

  #newCaller(process: Process, index: number): void {
    const { names, idle, shared } = this.#plan
    const pause = this.#quiet ? LEASE / 2 : -idle * Math.log(1 - this.#load.fraction())
    this.#at(pause, CALLER, index)
    const { node } = process
    if (node === null || node.left) return
    for (const name of this.#quiet ? names : [names[this.#load.below(names.length)]]) {
      if ((node.names.get(name)?.waiting.length ?? 0) > 3) continue
      this.#callers += 1
      const caller = `${process.id}${this.#callers}`
      const mode = this.#load.chance(shared) ? 'shared' : 'exclusive'
      this.#at(0, HANDLE, index, {
        kind: 'request',
        name,
        caller,
        mode,
        priority: 0,
        steals: false,
      })
      if (!this.#quiet && this.#load.chance(0.1)) {
        this.#at(LEASE * this.#load.fraction(), HANDLE, index, { kind: 'cancel', name, caller })
      }
    }
  }

  /** Faults end: links heal, and whoever is away comes back. */
  #fallQuiet(): void {
    this.#quiet = true
    this.#cut.clear()
    this.#processes.forEach((process, index) => {
      process.effectsLeft = null
      if (process.node?.left) process.node = null
      if (process.node === null) this.#start(process, index)
    })
  }

  /** Everybody enters every name, unless a majority of voters' disks is gone: then the mesh halts by design (R26). */
  #askProgress(): void {
    this.#counts.quietTails += 1
    const voterIds = this.#processes.map(({ disk }) => disk.voterId)
    const isHalted = this.#processes.some(
      ({ disk }) => disk.accepted !== null && !isMajority(disk.accepted, voterIds),
    )
    if (isHalted) {
      this.#counts.halted += 1
      return
    }
    for (const { id } of this.#processes) {
      for (const name of this.#plan.names) {
        if (!this.#entered.has(`${id} ${name}`))
          this.#report('progress', `${id} never entered ${name} after the faults`)
      }
    }
  }
}
