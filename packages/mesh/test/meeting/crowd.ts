/**
 * Very many nodes that meet at a register, in virtual time and without faults: what they ask and say is counted, so what grows with the square
 * of their number is seen on any machine.
 */
import { get } from '@turnwise/core/bounds'
import { type Random, randomStream } from '@turnwise/core/random'
import { EventQueue } from '@turnwise/simulator/event-queue'
import { atLeast } from '../../../../test/present.ts'
import type { Effect, Event } from '../../src/protocol/events.ts'
import type { Answer, Call, Cell } from '../../src/protocol/meeting/cells.ts'
import { handle, startMeeting } from '../../src/protocol/node.ts'
import type { Node } from '../../src/protocol/state.ts'

export const LEASE = 2000

export interface Crowding {
  readonly nodes: number
  /** Milliseconds in which all come. */
  readonly within: number
  /** Milliseconds that a message takes, and half of a call. */
  readonly delay?: number
  /** Milliseconds of a processor that an event takes; all nodes share two. */
  readonly work?: number
  /** Whether messages that are sent at once arrive in reverse order, as `transport/flushes.ts` writes them. */
  readonly isBackwards?: boolean
  /** Whether the bytes of messages are counted, as JSON. It takes a while. */
  readonly weighs?: boolean
  /** Whether messages need a connection: the first one is lost, and the sender hears when a connection is made or ends. */
  readonly dials?: boolean
  /** Milliseconds of the lease. */
  readonly lease?: number
  /** Milliseconds for which each holds the lock L, once. Then it leaves. Null: nobody wants a lock. */
  readonly stay?: number | null
  readonly seed?: number
}

const ASKED = {
  name: 'L',
  caller: 1,
  mode: 'exclusive',
  priority: 0,
  steals: false,
} as const

function noCounts() {
  return { messages: 0, bytes: 0, reads: 0, lists: 0, writes: 0, ended: 0, views: 0, freezes: 0, frozen: 0 }
}

export class Crowd {
  readonly nodes: (Node | null)[] = []
  /** `frozen`: milliseconds, of all members together. */
  readonly counts = noCounts()
  /** Milliseconds that a member was frozen. */
  longestFreeze = 0
  now = 0
  readonly #queue = new EventQueue()
  readonly #cells = new Map<string, Cell>()
  readonly #crowding: Required<Crowding>
  readonly #places = new Map<string, number>()
  readonly #random: Random
  /** Connections, as `FROM TO`, and from when each carries messages. */
  readonly #connections = new Map<string, number>()
  /** When each of two processors is free. */
  readonly #free = [0, 0]
  readonly #frozen = new Map<number, number>()
  readonly #gone = new Set<number>()
  /** Those that have asked for the lock. */
  readonly #visitors = new Set<number>()
  #versions = 0
  #sessions = 0

  constructor(crowding: Crowding) {
    this.#crowding = {
      delay: 1,
      work: 0,
      isBackwards: false,
      weighs: false,
      dials: false,
      lease: LEASE,
      stay: null,
      seed: 1,
      ...crowding,
    }
    this.#random = randomStream(this.#crowding.seed, 'crowd')
    for (let i = 0; i < crowding.nodes; i += 1) {
      this.nodes.push(null)
      this.#push(this.#random.fraction() * crowding.within, i, null)
    }
  }

  /** Another, which comes now. */
  add(): number {
    this.nodes.push(null)
    this.#push(0, this.nodes.length - 1, null)
    return this.nodes.length - 1
  }

  kill(index: number): void {
    const node = get(this.nodes, index)
    if (node !== null) this.#hangUp(node.id)
    this.nodes[index] = null
    this.#gone.add(index)
  }

  /** In good order, with its locks given back. */
  leave(index: number): void {
    this.#push(0, index, { kind: 'leave', forGood: true })
  }

  /** Characters of the largest cell: the view. */
  get largestCell(): number {
    return Math.max(...[...this.#cells.values()].map(({ value }) => value.length))
  }

  /** Counts begin anew. */
  forget(): void {
    Object.assign(this.counts, noCounts())
    this.longestFreeze = 0
  }

  get living(): Node[] {
    return this.nodes.flatMap((node) => (node === null || node.left ? [] : [node]))
  }

  /** Whether all are in one view of all. */
  get isWhole(): boolean {
    const { living } = this
    const count = this.nodes.length - this.#gone.size - this.nodes.filter((node) => node?.left).length
    const epoch = living[0]?.begun?.epoch
    return (
      living.length === count &&
      living.every(
        ({ begun, durable }) =>
          begun?.members.length === count && begun.epoch === epoch && durable.promised.epoch === epoch,
      )
    )
  }

  /** When it is so; throws if it is not by then. */
  until(isSo: () => boolean, milliseconds: number): number {
    const began = this.now
    while (!isSo()) {
      if (this.now - began > milliseconds) throw new Error(`not within ${milliseconds} ms`)
      this.pass(10)
    }
    return this.now - began
  }

  pass(milliseconds: number): void {
    const end = this.now + milliseconds
    this.#push(milliseconds, -1, null)
    while (this.#queue.pop()) {
      this.now = Math.max(this.now, this.#queue.time)
      if (this.#queue.node === -1) {
        if (this.#queue.time >= end) return
        continue
      }
      this.#step(this.#queue.node, this.#queue.payload as Event | null)
    }
  }

  #push(delay: number, index: number, payload: unknown): void {
    this.#queue.push(this.now + delay, 0, index, 0, 0, payload)
  }

  #step(index: number, event: Event | null): void {
    if (this.#gone.has(index)) return
    if (event === null) return this.#start(index)
    const node = this.nodes[index]
    if (node == null) return
    if (event.kind === 'receive' && (event as Event & { to?: string }).to !== node.id) return
    if (event.kind === 'tick') this.#push(this.#crowding.lease / 10, index, event)
    const epoch = node.begun?.epoch
    for (const effect of handle(node, event, this.now)) this.#perform(index, node, effect)
    const isFrozen = node.begun !== null && node.durable.promised.epoch !== node.begun.epoch
    if (isFrozen && !this.#frozen.has(index)) this.#frozen.set(index, this.now)
    if (!isFrozen && this.#frozen.has(index)) {
      const frozen = this.now - (this.#frozen.get(index) ?? this.now)
      this.longestFreeze = Math.max(this.longestFreeze, frozen)
      this.counts.freezes += 1
      this.counts.frozen += frozen
      this.#frozen.delete(index)
    }
    if (node.begun !== null && node.begun.epoch !== epoch && node.begun.members[0]?.id === node.id)
      this.counts.views += 1
  }

  #start(index: number): void {
    const session = this.#session(index)
    const settings = { algorithm: 'token-queue', lease: this.#crowding.lease, drift: 0.001 }
    const config = { peers: [session], voters: [], settings, roundTrip: 5 }
    this.nodes[index] = startMeeting(session, config, { address: session, life: '', seconds: 1000 }, this.now)
    this.#push(0, index, { kind: 'tick' })
  }

  #session(index: number): string {
    this.#sessions += 1
    const session = `${this.#random.below(1_000_000)}.${this.#sessions}`
    this.#places.set(session, index)
    return session
  }

  /** When an event is done with that comes then. */
  #worked(at: number): number {
    const { work } = this.#crowding
    if (work === 0) return at
    const which = get(this.#free, 0) <= get(this.#free, 1) ? 0 : 1
    this.#free[which] = Math.max(get(this.#free, which), at) + work
    return this.#free[which]
  }

  #later(delay: number, index: number, event: Event): void {
    this.#queue.push(this.#worked(this.now + delay), 0, index, 0, 0, event)
  }

  #perform(index: number, node: Node, effect: Effect): void {
    const { delay, isBackwards } = this.#crowding
    switch (effect.kind) {
      case 'send': {
        this.counts.messages += 1
        if (this.#crowding.weighs) this.counts.bytes += JSON.stringify(effect.message).length
        const to = this.#places.get(effect.to)
        const event = { kind: 'receive', from: node.id, message: effect.message, to: effect.to } as Event
        const sooner = isBackwards ? this.counts.messages * 1e-6 : 0
        if (to !== undefined && this.#isConnected(node.id, effect.to)) this.#later(delay - sooner, to, event)
        return
      }
      case 'begun':
        if (this.#crowding.stay !== null && !this.#visitors.has(index)) {
          this.#visitors.add(index)
          this.#push(0, index, { ...ASKED, kind: 'request' })
        }
        return
      case 'grant':
        this.#push(this.#crowding.stay ?? 0, index, { ...ASKED, kind: 'release' })
        return this.#push(this.#crowding.stay ?? 0, index, { kind: 'leave' })
      case 'left':
        return this.#hangUp(node.id)
      case 'call':
        return this.#later(2 * delay, index, {
          kind: 'answered',
          ticket: effect.ticket,
          answer: this.#do(effect.call),
        })
      case 'wake':
        return this.#push(Math.max(0, effect.at - this.now) + 0.001, index, { kind: 'wake' })
      case 'out': {
        this.counts.ended += 1
        const session = this.#session(index)
        return this.#push(20, index, { kind: 'session', session, address: session })
      }
    }
  }

  /** A message without a connection is lost, and makes one, for messages in this direction only. */
  #isConnected(from: string, to: string): boolean {
    const { dials, delay } = this.#crowding
    const connection = `${from} ${to}`
    if (!dials) return true
    const open = this.#connections.get(connection)
    if (open !== undefined) return this.now >= open
    if (this.#nodeOf(to)?.left !== false) return false
    this.#connections.set(connection, this.now + 2 * delay)
    this.#push(2 * delay, this.#places.get(from) ?? -1, { kind: 'connected', peer: to })
    return false
  }

  /** Null if that session is over. */
  #nodeOf(session: string): Node | null {
    const node = this.nodes[this.#places.get(session) ?? -1] ?? null
    return node?.id === session ? node : null
  }

  /** All its connections end. Those who had connected to it hear of that. */
  #hangUp(session: string): void {
    for (const connection of this.#connections.keys()) {
      const [from, to] = atLeast(2, connection.split(' '))
      if (from !== session && to !== session) continue
      this.#connections.delete(connection)
      const index = this.#places.get(from) ?? -1
      if (to === session) this.#push(this.#crowding.delay, index, { kind: 'disconnected', peer: session })
    }
  }

  #do(call: Call): Answer {
    if (call.do === 'read') {
      this.counts.reads += 1
      return { kind: 'cell', cell: this.#cells.get(call.cell) ?? null }
    }
    if (call.do === 'list') {
      this.counts.lists += 1
      return {
        kind: 'cells',
        cells: new Map([...this.#cells].filter(([name]) => name.startsWith(call.prefix))),
      }
    }
    this.counts.writes += 1
    if ((this.#cells.get(call.cell)?.version ?? null) !== call.version) return { kind: 'refused' }
    this.#versions += 1
    const version = String(this.#versions)
    if (call.value === null) this.#cells.delete(call.cell)
    else this.#cells.set(call.cell, { value: call.value, version })
    return { kind: 'done', version: call.value === null ? '' : version }
  }
}
