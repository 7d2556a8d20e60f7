/**
 * Connects nodes of one process without sockets, for tests and experiments. Messages go through the codec as everywhere. Faults
 * come from the simulator's schedules and from a seeded stream, and time from the given timers. So a run is a function of its
 * seed.
 *
 * Faults are harsher than those of TCP, and as silent as on a real network: a lost message causes no error.
 */
import { get } from '@turnwise/core/bounds'
import type { Fault } from '@turnwise/core/faults'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { type Random, randomStream } from '@turnwise/core/random'
import type { Message } from '../protocol/messages.ts'
import type { Id } from '../protocol/record.ts'
import type { Codec } from './lease-codec.ts'
import type { Timers } from './timers.ts'
import type { Receiver, Transport } from './transport.ts'

export interface HubOptions {
  /** Faults name nodes by their index in this list. */
  readonly ids: readonly Id[]
  readonly codec: Codec
  readonly timers: Timers
  /** The seed for random faults and delays. */
  readonly seed?: number
  /** How long one message travels. Messages of a channel do not overtake each other. */
  readonly delay?: (random: Random) => number
  /** drop, duplicate, spike, pause, cut and split. Times count from the construction of the hub, in units of the timers. */
  readonly faults?: readonly Fault[]
}

/** Messages on their way from one sender to one receiver. */
interface Channel {
  readonly to: Id
  readonly underWay: Uint8Array[]
  bytes: number
  /** How many have arrived at a paused node. */
  held: number
}

interface Endpoint {
  readonly id: Id
  readonly receiver: Receiver
  readonly channels: Map<Id, Channel>
}

export class MemoryHub {
  readonly #options: HubOptions
  readonly #chance: Random
  readonly #latency: Random
  readonly #endpoints = new Map<Id, Endpoint>()
  readonly #cuts = new Map<string, number>()
  readonly #pauses = new Map<Id, number>()

  constructor(options: HubOptions) {
    this.#options = options
    this.#chance = randomStream(options.seed ?? 0, 'faults')
    this.#latency = randomStream(options.seed ?? 0, 'latency')
    for (const fault of options.faults ?? []) this.#schedule(fault)
  }

  /** The transport of one life of a node. A node that starts again takes another one. */
  transport(id: Id): Transport {
    if (!this.#options.ids.includes(id)) throw new InvalidInput(`"${id}" is not a node of this hub`)
    let endpoint: Endpoint | null = null
    return {
      start: (receiver) => {
        endpoint = { id, receiver, channels: new Map() }
        this.#enter(endpoint)
        return Promise.resolve()
      },
      send: (to, message) => this.#send(endpoint, to, message),
      backlog: (to) => endpoint?.channels.get(to)?.bytes ?? 0,
      reset: () => {},
      setPeers: () => {},
      close: () => {
        if (endpoint !== null) this.#leave(endpoint)
        endpoint = null
        return Promise.resolve()
      },
    }
  }

  /** Messages this way are lost until `heal` was called as often as `cut`. */
  cut(from: Id, to: Id): void {
    raise(this.#cuts, wayOf(from, to), 1)
  }

  heal(from: Id, to: Id): void {
    raise(this.#cuts, wayOf(from, to), -1)
  }

  /** The node reads nothing. Messages to it wait, and count as backlog. */
  pause(id: Id): void {
    raise(this.#pauses, id, 1)
  }

  resume(id: Id): void {
    raise(this.#pauses, id, -1)
    if (this.#pauses.has(id)) return
    for (const sender of this.#endpoints.values()) {
      const channel = sender.channels.get(id) // Nothing more is heard of nodes that left meanwhile.
      if (channel === undefined) continue
      const { held } = channel
      channel.held = 0
      for (let message = 0; message < held; message += 1) this.#arrive(sender, channel)
    }
  }

  #enter(endpoint: Endpoint): void {
    const before = this.#endpoints.get(endpoint.id)
    if (before !== undefined) this.#leave(before)
    this.#endpoints.set(endpoint.id, endpoint)
    for (const other of this.#endpoints.values()) {
      if (other === endpoint) continue
      this.#later(endpoint, (receiver) => this.#isHere(other) && receiver.connected(other.id))
      this.#later(other, (receiver) => this.#isHere(endpoint) && receiver.connected(endpoint.id))
    }
  }

  #leave(endpoint: Endpoint): void {
    if (!this.#isHere(endpoint)) return
    this.#endpoints.delete(endpoint.id)
    for (const other of this.#endpoints.values()) {
      // Messages under way were for this life of the node.
      other.channels.delete(endpoint.id)
      this.#later(other, (receiver) => receiver.disconnected(endpoint.id))
    }
  }

  #isHere(endpoint: Endpoint): boolean {
    return this.#endpoints.get(endpoint.id) === endpoint
  }

  /** Callbacks never run within a call of the host. */
  #later(endpoint: Endpoint, act: (receiver: Receiver) => void): void {
    this.#options.timers.after(0, () => {
      if (this.#isHere(endpoint)) act(endpoint.receiver)
    })
  }

  #send(sender: Endpoint | null, to: Id, message: Message): void {
    const bytes = this.#options.codec.encode(message)
    if (sender === null || to === sender.id || !this.#endpoints.has(to)) return
    const channel = sender.channels.get(to) ?? { to, underWay: [], bytes: 0, held: 0 }
    sender.channels.set(to, channel)
    const isLost = this.#happens('drop')
    const isRepeated = this.#happens('duplicate')
    const copies = isLost ? 0 : isRepeated ? 2 : 1
    for (let copy = 0; copy < copies; copy += 1) {
      const delay = this.#delay()
      if (this.#cuts.has(wayOf(sender.id, to))) continue
      channel.underWay.push(bytes)
      channel.bytes += bytes.length
      // The first message of the channel arrives then, so none overtakes another.
      this.#options.timers.after(delay, () => this.#arrive(sender, channel))
    }
  }

  #arrive(sender: Endpoint, channel: Channel): void {
    const receiver = this.#endpoints.get(channel.to)?.receiver
    // Messages of a node that left may still arrive, but not after it has come back.
    const isOld = (this.#endpoints.get(sender.id) ?? sender) !== sender
    if (receiver === undefined || isOld || sender.channels.get(channel.to) !== channel) return
    if (this.#pauses.has(channel.to)) {
      channel.held += 1
      return
    }
    const bytes = channel.underWay.shift()
    if (bytes === undefined) return
    channel.bytes -= bytes.length
    if (this.#cuts.has(wayOf(sender.id, channel.to))) return
    receiver.receive(sender.id, this.#options.codec.decode(bytes))
  }

  #delay(): number {
    const { delay = () => 0, faults = [] } = this.#options
    let result = delay(this.#latency)
    for (const fault of faults) {
      if (fault.kind === 'spike' && this.#chance.chance(fault.probability)) result *= fault.factor
    }
    return result
  }

  /** Every fault draws a number, whatever the others did, so that one fault does not shift the draws of the next. */
  #happens(kind: 'drop' | 'duplicate'): boolean {
    let happens = false
    for (const fault of this.#options.faults ?? []) {
      if (fault.kind === kind && this.#chance.chance(fault.probability)) happens = true
    }
    return happens
  }

  #schedule(fault: Fault): void {
    const { timers, ids } = this.#options
    switch (fault.kind) {
      case 'drop':
      case 'duplicate':
      case 'spike':
        return
      case 'pause':
        timers.after(fault.at, () => this.pause(get(ids, fault.node)))
        timers.after(fault.until, () => this.resume(get(ids, fault.node)))
        return
      case 'cut':
      case 'split':
        for (const { from, to } of fault.links) {
          timers.after(fault.at, () => this.cut(get(ids, from), get(ids, to)))
          timers.after(fault.until, () => this.heal(get(ids, from), get(ids, to)))
        }
        return
      default:
        throw new InvalidInput(`"${fault.text}" is not a network fault: apply it to the node itself`)
    }
  }
}

function wayOf(from: Id, to: Id): string {
  return JSON.stringify([from, to])
}

/** Counts how often something is in force. At 0 it is not. */
function raise<Key>(counts: Map<Key, number>, key: Key, by: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + by
  if (count > 0) counts.set(key, count)
  else counts.delete(key)
}
