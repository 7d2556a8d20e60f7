/**
 * Nodes on a machine that does not let them run: each stands still again and again, and its disk is slow. How long a node that asks
 * all the time has to wait for its lock at most, in virtual time. Nothing fails, or some are killed once and started again.
 */
import { get } from '@turnwise/core/bounds'
import { present } from '../../../../test/present.ts'
import '../../check/texts.ts'
import { type Random, randomStream } from '@turnwise/core/random'
import { EventQueue } from '@turnwise/simulator/event-queue'
import type { Effect, Event } from '../../src/protocol/events.ts'
import { handle, start } from '../../src/protocol/node.ts'
import { blank, type Durable } from '../../src/protocol/record.ts'
import { type Config, type Node, tickOf } from '../../src/protocol/state.ts'
import { LEASE } from './plan.ts'

export interface Stutter {
  readonly seed: number
  readonly nodes: number
  /** The shortest and the longest stand, the mean time between two, and the longest write, all in leases. */
  readonly least: number
  readonly stand: number
  readonly between: number
  readonly write: number
  /** How many are killed, all but the first voter; their next processes start a lease later. */
  readonly killed: number
}

const BEGIN = 5 * LEASE
const KILL = BEGIN + 2 * LEASE
const END = 65 * LEASE
const LOCK = 'L'

/** The longest wait of any node for its next turn, in leases. */
export function longestWait(stutter: Stutter): number {
  return new Machine(stutter).run()
}

class Machine {
  readonly #queue = new EventQueue()
  readonly #stutter: Stutter
  readonly #random: Random
  readonly #config: Config
  readonly #nodes: Node[]
  readonly #disks: Durable[]
  /** Counts the processes of each node: what was meant for an earlier one is lost. */
  readonly #lives: number[]
  readonly #standsUntil: number[]
  readonly #standsAt: number[]
  readonly #writesUntil: number[]
  readonly #lastTurn: number[]
  readonly #lastArrival = new Map<string, number>()
  #now = 0
  #callers = 0
  #longest = 0

  constructor(stutter: Stutter) {
    const { seed, nodes } = stutter
    this.#stutter = stutter
    this.#random = randomStream(seed, 'stutter')
    const ids = Array.from({ length: nodes }, (_, i) => present('abcdefg'[i]))
    const settings = { algorithm: 'carvalho-roucairol', lease: LEASE, drift: 0.002 }
    this.#config = { peers: ids, voters: ids, settings, roundTrip: LEASE / 100 }
    this.#disks = ids.map((id) => blank(`${id}${seed}`))
    this.#lives = ids.map(() => 0)
    const first = { ...this.#config, firstStart: ids }
    this.#nodes = ids.map((id, i) => start(id, first, get(this.#disks, i), 0).node)
    this.#standsUntil = ids.map(() => 0)
    this.#standsAt = ids.map(() => BEGIN + this.#random.fraction() * stutter.between * LEASE)
    this.#writesUntil = ids.map(() => 0)
    this.#lastTurn = ids.map(() => BEGIN)
  }

  run(): number {
    this.#nodes.forEach((node, i) => {
      this.#at(this.#random.fraction() * tickOf(node), i, { kind: 'tick' })
      this.#ask(i, 3 * LEASE)
      if (i > 0 && i <= this.#stutter.killed) this.#at(KILL, i, 'kill')
    })
    while (this.#queue.pop() && this.#queue.time < END) {
      this.#now = this.#queue.time
      const { node: i, other: life, payload } = this.#queue
      if (life !== get(this.#lives, i)) continue
      if (payload === 'kill') this.#kill(i)
      else if (payload === 'start') this.#restart(i)
      else this.#handle(i, payload as Event)
    }
    return Math.max(this.#longest, ...this.#lastTurn.map((last) => END - last)) / LEASE
  }

  #at(delay: number, i: number, event: Event | 'kill' | 'start'): void {
    this.#queue.push(this.#now + delay, 0, i, get(this.#lives, i), 0, event)
  }

  #kill(i: number): void {
    this.#lives[i] = get(this.#lives, i) + 1
    this.#at(LEASE, i, 'start')
  }

  #restart(i: number): void {
    const { node, effects } = start(get(this.#nodes, i).id, this.#config, get(this.#disks, i), this.#now)
    this.#nodes[i] = node
    this.#writesUntil[i] = this.#now
    this.#perform(i, effects)
    this.#at(this.#random.fraction() * tickOf(node), i, { kind: 'tick' })
    this.#ask(i, LEASE / 10)
  }

  #ask(i: number, delay: number): void {
    this.#callers += 1
    const caller = { caller: this.#callers, mode: 'exclusive', priority: 0, steals: false } as const
    this.#at(delay, i, { kind: 'request', name: LOCK, ...caller })
  }

  #handle(i: number, event: Event): void {
    if (this.#now >= get(this.#standsAt, i)) this.#stand(i)
    if (this.#now < get(this.#standsUntil, i))
      return this.#at(get(this.#standsUntil, i) - this.#now, i, event)
    const node = get(this.#nodes, i)
    if (event.kind === 'tick') this.#at(tickOf(node), i, event)
    this.#perform(i, handle(node, event, this.#now))
  }

  #stand(i: number): void {
    const { least, stand, between } = this.#stutter
    this.#standsUntil[i] = this.#now + (least + (stand - least) * this.#random.fraction()) * LEASE
    this.#standsAt[i] = this.#standsUntil[i] + 2 * between * LEASE * this.#random.fraction()
  }

  /** What follows a write waits for it, and so does what comes from later events. */
  #perform(i: number, effects: readonly Effect[]): void {
    let delay = Math.max(0, get(this.#writesUntil, i) - this.#now)
    for (const effect of effects) {
      if (effect.kind === 'persist') {
        this.#disks[i] = structuredClone(effect.durable)
        delay += this.#stutter.write * LEASE * this.#random.fraction()
        this.#writesUntil[i] = this.#now + delay
      }
      if (effect.kind === 'send') this.#transmit(i, effect, delay)
      if (effect.kind === 'wake')
        this.#at(delay + Math.max(0, effect.at - this.#now) + 0.01, i, { kind: 'wake' })
      if (effect.kind === 'grant') this.#granted(i, effect)
    }
  }

  #granted(i: number, { name, caller }: Extract<Effect, { kind: 'grant' }>): void {
    if (this.#now > BEGIN) {
      this.#longest = Math.max(this.#longest, this.#now - get(this.#lastTurn, i))
      this.#lastTurn[i] = this.#now
    }
    this.#at(2, i, { kind: 'release', name, caller })
    this.#ask(i, 10)
  }

  #transmit(i: number, { to, message }: Extract<Effect, { kind: 'send' }>, delay: number): void {
    const { id } = get(this.#nodes, i)
    const way = `${id}${to}`
    const arrives = this.#now + delay + (LEASE / 200) * this.#random.fraction()
    const inOrder = Math.max(this.#lastArrival.get(way) ?? 0, arrives)
    this.#lastArrival.set(way, inOrder)
    const receiver = this.#nodes.findIndex((node) => node.id === to)
    this.#at(inOrder - this.#now, receiver, { kind: 'receive', from: id, message })
  }
}
