/**
 * How long a lock serves nobody after a fault, in virtual time: holders and others are stopped or killed on a machine that also
 * lets everybody stand still now and then.
 */
import { get } from '@turnwise/core/bounds'
import { type Random, randomStream } from '@turnwise/core/random'
import { EventQueue } from '@turnwise/simulator/event-queue'
import { present } from '../../../../test/present.ts'
import type { Effect, Event } from '../../src/protocol/events.ts'
import { handle, start } from '../../src/protocol/node.ts'
import { blank, type Durable, stampFor } from '../../src/protocol/record.ts'
import { type Config, type Node, tickOf } from '../../src/protocol/state.ts'
import '../../check/texts.ts'
import { LEASE } from './plan.ts'

/** What is done: `stop` and `kill` to the holder; the other two to the holder and so many others that no majority is left. */
export const FAULTS = ['stop', 'kill', 'majority killed', 'holder stopped, others killed'] as const
export type ServiceFault = (typeof FAULTS)[number]

export interface Service {
  readonly seed: number
  readonly nodes: number
  readonly fault: ServiceFault
  /** The longest stand of a process, in leases; they come every other lease. 0: an idle machine. */
  readonly stand: number
  /** Whether voters have no stamps, so that a restarted one owes a lease from its start (R19). */
  readonly isUnstamped?: boolean
}

const LOCK = 'L'
const BEGIN = 6 * LEASE
const MOST = 60 * LEASE

/** From the fault to the next entry of anybody, in leases; null if nobody entered. */
export function withoutService(service: Service, watch: (line: string) => void = () => {}): number | null {
  return new Machine(service, watch).run()
}

interface Process {
  readonly id: string
  disk: Durable
  /** What its stamp says, in virtual time (R19). */
  stamp: number
  node: Node | null
  life: number
  standsUntil: number
  standsAt: number
}

class Machine {
  readonly #queue = new EventQueue()
  readonly #service: Service
  readonly #watch: (line: string) => void
  readonly #random: Random
  readonly #config: Config
  readonly #processes: Process[]
  readonly #lastArrival = new Map<string, number>()
  #now = 0
  #callers = 0
  #holder: number | null = null
  #struck: number | null = null
  #served: number | null = null

  constructor(service: Service, watch: (line: string) => void) {
    this.#service = service
    this.#watch = watch
    this.#random = randomStream(service.seed, `service after ${service.fault}`)
    const ids = Array.from({ length: service.nodes }, (_, i) => present('abcdefg'[i]))
    const settings = { algorithm: 'carvalho-roucairol', lease: LEASE, drift: 0.002 }
    this.#config = { peers: ids, voters: ids, settings, roundTrip: LEASE / 100 }
    this.#processes = ids.map((id) => ({
      id,
      disk: blank(`${id}${service.seed}`),
      stamp: 0,
      node: null,
      life: 0,
      standsUntil: 0,
      standsAt: BEGIN + this.#random.fraction() * 2 * LEASE,
    }))
  }

  run(): number | null {
    this.#processes.forEach((_, i) => this.#start(i, { ...this.#config, firstStart: this.#config.voters }))
    const strikes = BEGIN + this.#random.fraction() * LEASE
    while (this.#served === null && this.#queue.pop() && this.#queue.time < BEGIN + MOST) {
      this.#now = this.#queue.time
      if (this.#struck === null && this.#now >= strikes && this.#holder !== null) this.#strike(this.#holder)
      const { node: i, other: life, payload } = this.#queue
      if (payload === null) this.#start(i, this.#config)
      else if (get(this.#processes, i).life === life) this.#handle(i, payload as Event)
    }
    return this.#served === null || this.#struck === null ? null : (this.#served - this.#struck) / LEASE
  }

  #strike(holder: number): void {
    this.#struck = this.#now
    const { fault, nodes } = this.#service
    const others = this.#processes.map((_, i) => i).filter((i) => i !== holder)
    const killed = fault === 'stop' ? [] : fault === 'kill' ? [holder] : this.#some(others, nodes)
    if (fault === 'stop' || fault === 'holder stopped, others killed') {
      get(this.#processes, holder).standsUntil = this.#now + (1 + 3 * this.#random.fraction()) * LEASE
    }
    if (fault === 'majority killed') killed.push(holder)
    this.#watch(`${this.#time()} ${fault}: holder ${holder}, killed ${killed.join(' ')}`)
    for (const i of killed) {
      const process = get(this.#processes, i)
      process.node = null
      process.life += 1
      // A supervisor starts it again.
      this.#queue.push(this.#now + (0.2 + 0.8 * this.#random.fraction()) * LEASE, 0, i, 0, 0, null)
    }
  }

  #some(others: number[], nodes: number): number[] {
    const left = [...others]
    const chosen: number[] = []
    while (chosen.length < Math.ceil(nodes / 2)) {
      chosen.push(...left.splice(this.#random.below(left.length), 1))
    }
    return chosen
  }

  #start(i: number, config: Config): void {
    const process = get(this.#processes, i)
    this.#watch(`${this.#time()} ${process.id} starts`)
    const quietFor = this.#service.isUnstamped ? 0 : Math.max(0, this.#now - process.stamp)
    const { node, effects } = start(process.id, config, process.disk, this.#now, quietFor)
    process.node = node
    this.#perform(i, effects)
    this.#at(this.#random.fraction() * tickOf(node), i, { kind: 'tick' })
    this.#ask(i, 10)
  }

  #at(delay: number, i: number, event: Event): void {
    this.#queue.push(this.#now + delay, 0, i, get(this.#processes, i).life, 0, event)
  }

  #ask(i: number, delay: number): void {
    this.#callers += 1
    const caller = { caller: this.#callers, mode: 'exclusive', priority: 0, steals: false } as const
    this.#at(delay, i, { kind: 'request', name: LOCK, ...caller })
  }

  #handle(i: number, event: Event): void {
    const process = get(this.#processes, i)
    const { stand } = this.#service
    if (stand > 0 && this.#now >= process.standsAt && this.#now >= process.standsUntil) {
      process.standsUntil = this.#now + stand * LEASE * this.#random.fraction()
      process.standsAt = process.standsUntil + 4 * LEASE * this.#random.fraction()
    }
    if (this.#now < process.standsUntil) return this.#at(process.standsUntil - this.#now, i, event)
    const { node } = process
    if (node === null) return
    if (event.kind === 'tick') this.#at(tickOf(node), i, event)
    this.#perform(i, handle(node, event, this.#now))
  }

  #perform(i: number, effects: readonly Effect[]): void {
    const process = get(this.#processes, i)
    for (const effect of effects) {
      if (effect.kind === 'persist') process.disk = structuredClone(effect.durable)
      else if (effect.kind === 'send') this.#transmit(i, effect)
      else if (effect.kind === 'wake')
        this.#at(Math.max(0, effect.at - this.#now) + 0.01, i, { kind: 'wake' })
      else if (effect.kind === 'grant') this.#granted(i, effect)
      else if (effect.kind === 'lost' && this.#holder === i) this.#holder = null
      else if (effect.kind === 'begun') {
        const members = effect.record.members.map(({ id }) => id).join(' ')
        this.#watch(`${this.#time()} ${process.id} begins view ${effect.record.epoch} of ${members}`)
      }
    }
  }

  #granted(i: number, { name, caller }: Extract<Effect, { kind: 'grant' }>): void {
    if (this.#struck !== null) this.#served = this.#now
    this.#watch(`${this.#time()} ${get(this.#processes, i).id} is inside`)
    this.#holder = i
    // Held until after the fault, in most cases.
    this.#at(LEASE / 2, i, { kind: 'release', name, caller })
    this.#ask(i, LEASE / 2 + 10)
  }

  #transmit(i: number, { to, message }: Extract<Effect, { kind: 'send' }>): void {
    const process = get(this.#processes, i)
    const { id } = process
    if (message.type === 'ack') process.stamp = stampFor(process.stamp, this.#now, LEASE / 20)
    if (message.type === 'prepare') this.#watch(`${this.#time()} ${id} asks ${to} for view ${message.epoch}`)
    const receiver = this.#processes.findIndex((process) => process.id === to)
    const way = `${id}${to}`
    const arrives = Math.max(
      this.#lastArrival.get(way) ?? 0,
      this.#now + (LEASE / 200) * this.#random.fraction(),
    )
    this.#lastArrival.set(way, arrives)
    this.#at(arrives - this.#now, receiver, { kind: 'receive', from: id, message })
  }

  #time(): string {
    return ((this.#now - (this.#struck ?? BEGIN)) / LEASE).toFixed(3)
  }
}
