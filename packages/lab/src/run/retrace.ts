import {
  type AnyProtocol,
  type Here,
  ImpossibleError,
  isElection,
  type Message,
  type NodeId,
  receiver,
} from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { randomStream } from '@turnwise/core/random'
import { requestOf } from '@turnwise/core/resources'
import type { Setup } from '@turnwise/core/setup'
import { type Happening, happenings } from '@turnwise/core/trace/happening'
import type { Trace } from '@turnwise/core/trace/trace'
import type { StateChange } from './play.ts'
import { sharedCopy } from './shared-copy.ts'

/**
 * The states that a record does not tell, found by calling the same handlers with the same events. What they do is held
 * against what the record says they did: if it differs anywhere (other options, other draws, a beginning that is not the
 * usual one), nothing is claimed, and the result is null.
 */
export function retrace(
  trace: Trace,
  protocol: AnyProtocol,
  setup: Setup,
  /** Told the place of every event whose handler may run next. */
  begins: (event: number) => void = () => {},
): StateChange[] | null {
  try {
    return new Retracing(trace, protocol, setup, begins).run()
  } catch {
    // Handlers of another world may throw anything.
    return null
  }
}

/** What a handler did, in the words of a trace. */
type Deed =
  | readonly ['send', NodeId | null, Message]
  | readonly ['enter', number | string]
  | readonly ['elected', NodeId]

class Retracing {
  readonly #trace: Trace
  readonly #protocol: AnyProtocol
  readonly #setup: Setup
  readonly #states: object[]
  readonly #kept: object[] = []
  readonly #changes: StateChange[] = []
  readonly #here: Here & { self: NodeId }
  #deeds: Deed[] = []
  readonly #begins: (event: number) => void

  constructor(trace: Trace, protocol: AnyProtocol, setup: Setup, begins: (event: number) => void) {
    this.#begins = begins
    this.#trace = trace
    this.#protocol = protocol
    this.#setup = setup
    this.#states = Array.from({ length: setup.nodes }, (_, node) => protocol.init(node, setup))
    this.#here = this.#place()
  }

  run(): StateChange[] | null {
    const indexOf = new Map(this.#trace.events.map((event, index) => [event, index]))
    this.#states.forEach((_, node) => {
      this.#here.self = node
      if (!this.#setup.absent.includes(node)) this.#protocol.start?.(get(this.#states, node), this.#here)
      this.#keep(-1, node)
    })
    for (const happening of happenings(this.#trace)) {
      const { node, cause } = happening
      if (node === null) continue
      this.#deeds = []
      this.#here.self = node
      this.#begins(indexOf.get(cause) ?? 0)
      const isBroken = !this.#handle(node, happening)
      if (!isBroken && !this.#isAsTold(happening)) return null
      this.#keep(indexOf.get(cause) ?? 0, node)
    }
    return this.#changes
  }

  /** False if the handler met what its paper excludes: the host then stops the node. */
  #handle(node: NodeId, happening: Happening): boolean {
    try {
      this.#call(node, happening)
      return true
    } catch (error) {
      if (error instanceof ImpossibleError) return false
      throw error
    }
  }

  #call(node: NodeId, { cause, transit }: Happening): void {
    const here = this.#here
    const protocol = this.#protocol
    if (cause.is === 'join' || (cause.is === 'restart' && !cause.memory))
      this.#states[node] = protocol.init(node, this.#setup)
    const state = get(this.#states, node)
    switch (cause.is) {
      case 'receive':
        if (transit === null) throw new Error('a message that was never sent')
        return receiver(protocol, transit.message.type)(state, here, transit.message, transit.from)
      case 'undelivered':
        if (transit === null || transit.to === null) throw new Error('a message that was never sent')
        return protocol.undelivered?.(state, here, transit.to, transit.message)
      case 'timeout':
        return protocol.timeout?.(state, here, cause.timer)
      case 'proceed':
        return protocol.proceed?.(state, here, cause.step)
      case 'suspect':
      case 'restore':
      case 'linked':
      case 'unlinked':
        return protocol[cause.is]?.(state, here, cause.peer)
      case 'restart':
        return protocol.restart?.(state, here, cause.memory)
      case 'join':
        return protocol.join?.(state, here, cause.sponsor)
      case 'depart':
        return protocol.leave?.(state, here)
      case 'elect':
        return isElection(protocol) ? protocol.elect(state, here) : undefined
      default:
        return this.#callExclusion(state, cause)
    }
  }

  #callExclusion(state: object, cause: Happening['cause']): void {
    const protocol = this.#protocol
    if (isElection(protocol)) return
    if (cause.is === 'request') protocol.request(state, this.#here, { priority: 0, ...requestOf(cause) })
    else if (cause.is === 'leave') protocol.release(state, this.#here)
    else if (cause.is === 'downgrade') protocol.downgrade?.(state, this.#here)
    else if (cause.is === 'upgrade') protocol.upgrade?.(state, this.#here)
    else if (cause.is === 'withdraw' || cause.is === 'desist') protocol.withdraw?.(state, this.#here)
    // Sends and entries without a known cause cannot be repeated.
    else if (cause.is === 'send' || cause.is === 'enter') throw new Error('its cause is not recorded')
  }

  #isAsTold({ consequences }: Happening): boolean {
    const told = consequences.flatMap((event): Deed[] => {
      if (event.is === 'send') return [['send', event.to, event.message]]
      if (event.is === 'enter') return [['enter', event.fence]]
      return event.is === 'elected' ? [['elected', event.coordinator]] : []
    })
    return JSON.stringify(told) === JSON.stringify(this.#deeds)
  }

  #keep(event: number, node: NodeId): void {
    const state = sharedCopy(this.#kept[node], get(this.#states, node))
    if (state === this.#kept[node]) return
    this.#kept[node] = state
    this.#changes.push({ event, node, state })
  }

  #place(): Here & { self: NodeId } {
    const random = randomStream(this.#trace.header.seed, 'algorithm')
    const here: Here & { self: NodeId } = {
      self: 0,
      setup: this.#setup,
      send: (to, message) => void this.#deeds.push(['send', to, message]),
      sendToOthers: (message) => {
        for (let to = 0; to < this.#setup.nodes; to += 1) if (to !== here.self) here.send(to, message)
      },
      broadcast: (message) => void this.#deeds.push(['send', null, message]),
      enter: (fence) => void this.#deeds.push(['enter', fence]),
      elected: (coordinator) => void this.#deeds.push(['elected', coordinator]),
      setTimer: () => {},
      cancelTimer: () => {},
      proceed: () => {},
      random: (bound) => random.below(bound),
    }
    return here
  }
}
