import { isElection, type Mode, type NodeId } from '@turnwise/core/algorithm'
import { get, outOfBounds } from '@turnwise/core/bounds'
import type { Instance } from './instance.ts'
import { Handlers, type Local, type LocalEvent, type Outcome } from './local.ts'
import type { Envelope, Parts } from './parts.ts'
import { canChange, memoryAfterCrash } from './surroundings.ts'

/** The outcome of an event at a node, in numbers. */
export interface Compiled {
  readonly local: number
  /** The new messages, one number per receiver. */
  readonly envelopes: readonly number[]
  /** How many messages that is: a broadcast counts once. */
  readonly messages: number
  /** Whether the node entered, or its election has ended. */
  readonly entered: boolean
  readonly outcome: Outcome
}

/** What a node may do by itself. */
export interface OwnEvent {
  readonly event: LocalEvent
  /** A request is the environment's, and so is a change of mode; a time-out may have to wait until nothing else can happen. */
  readonly kind: 'request' | 'change' | 'leave' | 'progress' | 'time-out' | 'round-trip'
  readonly results: readonly Compiled[]
}

/** The steps of single nodes, each found once: handlers are deterministic, so a step depends on nothing else. */
export class LocalSteps {
  readonly #instance: Instance
  readonly #parts: Parts
  readonly #handlers: Handlers
  readonly #own: OwnEvent[][] = []
  readonly #received = new Map<number, readonly Compiled[]>()
  readonly #trouble = new Map<string, readonly Compiled[]>()
  /** The event of receiving each message. */
  readonly #receipts: LocalEvent[] = []

  /** `tells`: with the reasons that handlers give. */
  constructor(instance: Instance, parts: Parts, tells: boolean) {
    this.#instance = instance
    this.#parts = parts
    this.#handlers = new Handlers(instance.algorithm, instance.setup, {
      changing: canChange(instance),
      tells,
    })
  }

  first(node: NodeId): number {
    const { budgets, requests } = this.#instance
    return this.#parts.local(
      this.#handlers.first(node, requests, memoryAfterCrash(this.#instance, budgets.restarts)),
    )
  }

  /** What the node may do by itself. */
  own(local: number): readonly OwnEvent[] {
    let events = this.#own[local]
    if (events === undefined) {
      events = this.#findOwn(local)
      this.#own[local] = events
    }
    return events
  }

  #findOwn(id: number): OwnEvent[] {
    const { node, status, mode, requestsLeft, steps, timers, churn } = get(this.#parts.locals, id)
    const kinds = this.#instance.algorithm.facts.timers
    const found: { event: LocalEvent; kind: OwnEvent['kind'] }[] = []
    if (status === 'idle' && requestsLeft !== 0 && churn?.isLeaving !== true) {
      for (const event of this.#wishes(node)) found.push({ event, kind: 'request' })
    }
    if (status === 'inside' || status === 'inside unwanted')
      found.push({ event: { is: 'leave' }, kind: 'leave' })
    if (status === 'inside' && mode !== 'shared' && this.#mayDowngrade())
      found.push({ event: { is: 'downgrade' }, kind: 'change' })
    if (status === 'inside' && mode === 'update') found.push({ event: { is: 'upgrade' }, kind: 'change' })
    if (steps.length > 0) found.push({ event: { is: 'proceed', step: get(steps, 0) }, kind: 'progress' })
    for (const timer of timers) {
      const kind = kinds[timer] ?? outOfBounds()
      found.push({ event: { is: 'timeout', timer }, kind: kind === 'pace' ? 'progress' : kind })
    }
    return found.map(({ event, kind }) => ({ event, kind, results: this.#compile(id, event) }))
  }

  #wishes(node: NodeId): LocalEvent[] {
    const { algorithm, readers = 'none', updates = false, priorities = 1, sets } = this.#instance
    if (isElection(algorithm)) return [{ is: 'elect' }]
    if (sets !== undefined)
      return get(sets, node).map((resources): LocalEvent => ({ is: 'request', mode: 'exclusive', resources }))
    const modes: readonly Mode[] =
      updates && algorithm.upgrade !== undefined ? [...MODES[readers], 'update'] : MODES[readers]
    return modes.flatMap((mode) =>
      Array.from({ length: priorities }, (_, priority): LocalEvent => ({ is: 'request', mode, priority })),
    )
  }

  #mayDowngrade(): boolean {
    const { algorithm, downgrades = false } = this.#instance
    return downgrades && !isElection(algorithm) && algorithm.downgrade !== undefined
  }

  received(local: number, envelope: number): readonly Compiled[] {
    const key = local * MOST_ENVELOPES + envelope
    let results = this.#received.get(key)
    if (results === undefined) {
      results = this.#compile(local, this.receipt(envelope))
      this.#received.set(key, results)
    }
    return results
  }

  receipt(envelope: number): LocalEvent {
    let event = this.#receipts[envelope]
    if (event === undefined) {
      const { from, message } = get(this.#parts.envelopes, envelope)
      event = { is: 'receive', from, message }
      this.#receipts[envelope] = event
    }
    return event
  }

  /** A crash, a withdrawal, a suspicion, or a change of nodes and channels. */
  troubled(local: number, event: LocalEvent): readonly Compiled[] {
    return this.#troubled(`${local} ${event.is} ${detailOf(event)}`, local, event)
  }

  /** What was sent comes back to its sender. */
  returned(local: number, envelope: number): readonly Compiled[] {
    return this.#troubled(`${local} returned ${envelope}`, local, this.returning(envelope))
  }

  returning(envelope: number): LocalEvent {
    const { to, message } = get(this.#parts.envelopes, envelope)
    return { is: 'undelivered', to, message }
  }

  #troubled(key: string, local: number, event: LocalEvent): readonly Compiled[] {
    let results = this.#trouble.get(key)
    if (results === undefined) {
      results = this.#compile(local, event)
      this.#trouble.set(key, results)
    }
    return results
  }

  #compile(local: number, event: LocalEvent): Compiled[] {
    const before = get(this.#parts.locals, local)
    return this.#handlers.outcomes(before, event).map((outcome) => ({
      local: this.#parts.local(outcome.local),
      envelopes: outcome.sends.flatMap(({ to, message }) => this.#addressed(outcome.local.node, to, message)),
      messages: outcome.sends.length,
      entered: outcome.entered !== null || endsElection(before, event, outcome),
      outcome,
    }))
  }

  #addressed(from: NodeId, to: NodeId | null, message: Envelope['message']): number[] {
    const { setup, algorithm } = this.#instance
    if (to !== null) return [this.#parts.envelope({ from, to, message, medium: false })]
    const medium = algorithm.facts.medium === 'ordered broadcast'
    return Array.from({ length: setup.nodes }, (_, node) => node)
      .filter((node) => medium || node !== from)
      .map((node) => this.#parts.envelope({ from, to: node, message, medium }))
  }
}

/** What tells apart events of one kind, messages aside. */
export function detailOf(event: LocalEvent): string | number | boolean | null {
  switch (event.is) {
    case 'suspect':
    case 'restore':
    case 'linked':
    case 'unlinked':
      return event.peer
    case 'join':
      return event.sponsor
    case 'crash':
    case 'restart':
      return event.memory
    case 'timeout':
      return event.timer
    default:
      return ''
  }
}

function endsElection({ status }: Local, event: LocalEvent, { local, elected }: Outcome): boolean {
  return elected !== null && local.status === 'idle' && (status === 'waiting' || event.is === 'elect')
}

const MODES = { none: ['exclusive'], some: ['exclusive', 'shared'], all: ['shared'] } as const

const MOST_ENVELOPES = 2 ** 22
