import type { Message, NodeId } from '@turnwise/core/algorithm'
import type { Fault } from '@turnwise/core/faults'
import {
  ASK,
  DELIVER,
  type Engine,
  FAULT_BEGINS,
  LEAVE,
  LINKED,
  NOTICE,
  PROCEED,
  RESTORE,
  SUSPECT,
  TIMER,
  UNLINKED,
  WITHDRAW,
} from './engine.ts'
import type { Pending } from './event-queue.ts'
import type { Failures, Inhabitants } from './failures.ts'
import type { Membership } from './membership.ts'
import type { Transmission } from './transmission.ts'

/** Runs pending events. */
export class Dispatcher {
  readonly #engine: Engine
  readonly #transmission: Transmission
  readonly #failures: Failures
  readonly #membership: Membership
  readonly #inhabitants: Inhabitants

  constructor(
    engine: Engine,
    parts: {
      transmission: Transmission
      failures: Failures
      membership: Membership
      inhabitants: Inhabitants
    },
  ) {
    this.#engine = engine
    this.#transmission = parts.transmission
    this.#failures = parts.failures
    this.#membership = parts.membership
    this.#inhabitants = parts.inhabitants
  }

  startNodes(): void {
    const { algorithm, setup, alive } = this.#engine
    if (algorithm.start === undefined) return
    for (let node = 0; node < setup.nodes; node += 1) {
      if (alive[node] === 0) continue
      this.#engine.call(node, (state, here) => algorithm.start?.(state, here))
    }
  }

  /** Runs the event just taken out of the queue, or keeps it until its node goes on. */
  handle(): void {
    this.#handle()
    this.settle()
  }

  /** Runs an event that a hand took out of the queue. Its node is neither down nor paused. */
  handleNow({ kind, node, other, id, payload }: Pending): void {
    this.#dispatch(kind, node, other, id, payload)
  }

  /** Nodes that were told to leave are gone when nothing of them is under way any more. */
  settle(): void {
    if (this.#membership.isUnsettled) this.#membership.settle((node) => this.#failures.isPaused(node))
  }

  #handle(): void {
    const { kind, node, other, id, payload, time } = this.#engine.queue
    this.#engine.now = time
    if (kind >= FAULT_BEGINS) {
      if (kind === FAULT_BEGINS) this.#failures.begin(payload as Fault)
      else this.#failures.end(payload as Fault)
      return
    }
    if (this.#failures.isPaused(node)) {
      this.#failures.postpone(node, () => this.#dispatch(kind, node, other, id, payload))
    } else this.#dispatch(kind, node, other, id, payload)
  }

  #dispatch(kind: number, node: NodeId, other: number, id: number, payload: unknown): void {
    const engine = this.#engine
    if (kind === TIMER && !this.#transmission.timers.expire(node, payload as string, id)) return
    if (kind <= LEAVE) engine.happens(kind, node, other)
    switch (kind) {
      case DELIVER:
        return this.#transmission.deliver(node, other, id, payload as Message)
      case ASK:
      case WITHDRAW:
      case LEAVE:
        return this.#inhabitants.happen(kind, node, id, payload)
      case LINKED:
      case UNLINKED:
        return this.#membership.hear(kind, node, other)
      default:
        if (engine.alive[node] === 1) this.#dispatchRare(kind, node, other, id, payload)
    }
  }

  #dispatchRare(kind: number, node: NodeId, other: number, id: number, payload: unknown): void {
    const { algorithm, record, now: at, incarnation } = this.#engine
    switch (kind) {
      case TIMER:
        record?.({ at, is: 'timeout', node, timer: payload as string })
        return this.#engine.call(node, (state, here) => algorithm.timeout?.(state, here, payload as string))
      case PROCEED:
        if (id !== incarnation[node]) return
        record?.({ at, is: 'proceed', node, step: payload as string })
        return this.#engine.call(node, (state, here) => algorithm.proceed?.(state, here, payload as string))
      case NOTICE:
        record?.({ at, is: 'undelivered', id, node })
        return this.#engine.call(node, (state, here) =>
          algorithm.undelivered?.(state, here, other, payload as Message),
        )
      case SUSPECT:
        record?.({ at, is: 'suspect', node, peer: other })
        return this.#engine.call(node, (state, here) => algorithm.suspect?.(state, here, other))
      case RESTORE:
        record?.({ at, is: 'restore', node, peer: other })
        return this.#engine.call(node, (state, here) => algorithm.restore?.(state, here, other))
    }
  }
}
