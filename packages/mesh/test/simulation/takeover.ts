/** The holder of a lock is killed while others wait for it: how long until the next is inside, in virtual time. */
import { get } from '@turnwise/core/bounds'
import { present } from '../../../../test/present.ts'
import '../../check/texts.ts'
import { type Random, randomStream } from '@turnwise/core/random'
import { EventQueue } from '@turnwise/simulator/event-queue'
import type { Effect, Event } from '../../src/protocol/events.ts'
import { handle, start } from '../../src/protocol/node.ts'
import { blank } from '../../src/protocol/record.ts'
import { type Config, type Node, tickOf } from '../../src/protocol/state.ts'
import { LEASE } from './plan.ts'

export interface Takeover {
  readonly seed: number
  /** How many nodes there are, all of them voters. */
  readonly nodes: number
  /** Which of them is killed, by its place in the order in which they propose. */
  readonly rank: number
}

const LOCK = 'L'

/** From the kill to the next entry, in units of virtual time; null if nobody has entered after ten leases. */
export function takeover({ seed, nodes, rank }: Takeover): number | null {
  return new Killing(seed, nodes, rank).run()
}

class Killing {
  readonly #queue = new EventQueue()
  readonly #random: Random
  readonly #nodes: (Node | null)[] = []
  readonly #victim: number
  /** When the last message on each way arrives. */
  readonly #last = new Map<string, number>()
  #now = 0
  #killed: number | null = null
  #entered: number | null = null

  constructor(seed: number, count: number, victim: number) {
    this.#random = randomStream(seed, `takeover of ${victim} of ${count}`)
    this.#victim = victim
    const ids = Array.from({ length: count }, (_, i) => present('abcdefg'[i]))
    const settings = { algorithm: 'carvalho-roucairol', lease: LEASE, drift: 0.002 }
    const config: Config = { peers: ids, voters: ids, firstStart: ids, settings, roundTrip: LEASE / 200 }
    ids.forEach((id, i) => {
      const { node, effects } = start(id, config, blank(`${id}${seed}`), 0)
      this.#nodes.push(node)
      this.#perform(i, effects)
      this.#at(this.#random.fraction() * tickOf(node), i, { kind: 'tick' })
    })
  }

  run(): number | null {
    this.#ask(this.#victim, 3 * LEASE)
    this.#nodes.forEach((_, i) => {
      if (i !== this.#victim) this.#ask(i, 4 * LEASE)
    })
    // Anywhere between two of its heartbeats.
    const kill = (5 + this.#random.fraction()) * LEASE
    while (this.#entered === null && this.#queue.pop() && this.#queue.time < kill + 10 * LEASE) {
      this.#now = this.#queue.time
      if (this.#killed === null && this.#now >= kill) {
        this.#killed = kill
        this.#nodes[this.#victim] = null
      }
      this.#handle(this.#queue.node, this.#queue.payload as Event)
    }
    return this.#entered === null || this.#killed === null ? null : this.#entered - this.#killed
  }

  #at(delay: number, i: number, event: Event): void {
    this.#queue.push(this.#now + delay, 0, i, 0, 0, event)
  }

  #ask(i: number, at: number): void {
    const caller = { caller: i, mode: 'exclusive', priority: 0, steals: false } as const
    this.#at(at, i, { kind: 'request', name: LOCK, ...caller })
  }

  #handle(i: number, event: Event): void {
    const node = get(this.#nodes, i)
    if (node === null) return
    if (event.kind === 'tick') this.#at(tickOf(node), i, event)
    this.#perform(i, handle(node, event, this.#now))
  }

  #perform(i: number, effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.kind === 'send') this.#transmit(i, effect)
      // A timer is never early, and mostly late.
      if (effect.kind === 'wake')
        this.#at(Math.max(0, effect.at - this.#now) + this.#delay(), i, { kind: 'wake' })
      if (effect.kind === 'grant' && this.#killed !== null) this.#entered = this.#now
    }
  }

  /** Half a round trip at the most. */
  #delay(): number {
    return (LEASE / 400) * (0.1 + 0.9 * this.#random.fraction())
  }

  #transmit(from: number, { to, message }: Extract<Effect, { kind: 'send' }>): void {
    const receiver = this.#nodes.findIndex((node) => node?.id === to)
    const sender = present('abcdefg'[from])
    if (receiver < 0) return
    // A connection keeps the order.
    const way = `${sender}${to}`
    const arrives = Math.max(this.#last.get(way) ?? 0, this.#now + this.#delay())
    this.#last.set(way, arrives)
    this.#at(arrives - this.#now, receiver, { kind: 'receive', from: sender, message })
  }
}
