import type { NodeId } from '@turnwise/core/algorithm'
import { get, outOfBounds } from '@turnwise/core/bounds'
import { requestOf, wishOf } from '@turnwise/core/resources'
import { TICKS_PER_UNIT, type TraceEvent, type UntimedEvent } from '@turnwise/core/trace/trace'
import type { Search } from './search.ts'
import type { Step } from './step.ts'
import { MOST_NUMBERS } from './world-layout.ts'
import { Worlds } from './worlds.ts'

/** The states from the first to the given one, by a shortest path. */
export function statesTo(search: Search, state: number): number[] {
  const states = [state]
  for (let at = state; at !== 0; at = search.store.parentOf(at)) states.unshift(search.store.parentOf(at))
  return states
}

/**
 * A shortest run to a state. If a step ended the search, the run includes that very step: its target may also be
 * reached in a harmless way.
 */
export function traceTo(search: Search, state: number): TraceEvent[] {
  const from = search.failure?.state === state ? search.failure.from : null
  if (from === null) return traceOf(search, statesTo(search, state))
  const states = [...statesTo(search, from), state]
  const broke = ({ outcome, staleFence }: Step) => staleFence !== null || (outcome?.broke ?? null) !== null
  return traceOf(search, states, (step, to) => to < states.length - 1 || broke(step))
}

/**
 * Tells a way through the state graph as a recorded run. The graph's states are shifted and stripped of what
 * does not matter; the run is found again in concrete worlds, step by step, by taking the step whose result is
 * the next state. Each step takes one unit of time. Where several steps lead to a state, `isMeant` chooses; it
 * is given the place of that state in the list.
 *
 * If the graph has settled worlds only (`Settling`), a settled message is received when one behind it must be, or at once (`settlesAtOnce`).
 */
export function traceOf(
  search: Search,
  states: readonly number[],
  isMeant: (step: Step, to: number) => boolean = () => true,
  settlesAtOnce = false,
): TraceEvent[] {
  const walk = new Walk(search)
  const { settled = false } = search.worlds.instance
  states.slice(1).forEach((wanted, i) => {
    const isWanted = (step: Step) => isMeant(step, i + 1)
    while (!walk.takes(wanted, isWanted)) {
      if (!settled || !walk.takes(get(states, i), isQuietReceipt))
        throw new NoSuchRun(`no step leads to state ${wanted}`)
    }
    while (settlesAtOnce && settled && walk.takes(wanted, isQuietReceipt));
  })
  return walk.events
}

/** Of steps that lead back to the same settled world: the receipt of a settled message. */
function isQuietReceipt({ event, messages, entered }: Step): boolean {
  return event.is === 'receive' && messages === 0 && !entered
}

/** A run in concrete worlds along states of a search. */
class Walk {
  readonly #search: Search
  readonly #concrete: Worlds
  readonly #teller: Teller
  readonly #adopted = new Int32Array(MOST_NUMBERS)
  #world = new Int32Array(MOST_NUMBERS)
  #size: number

  constructor(search: Search) {
    this.#search = search
    this.#concrete = new Worlds(search.worlds.instance, {
      followFences: search.followsFences,
      concrete: true,
    })
    this.#teller = new Teller(this.#concrete)
    this.#size = this.#concrete.initial(this.#world)
  }

  get events(): TraceEvent[] {
    return this.#teller.events
  }

  /** Takes and tells a step to that state; false if there is none. */
  takes(wanted: number, isMeant: (step: Step) => boolean): boolean {
    const { worlds, store } = this.#search
    let found: { world: Int32Array<ArrayBuffer>; size: number } | null = null
    this.#concrete.expand(this.#world, this.#size, (next, nextSize) => {
      if (found !== null || !isMeant(this.#concrete.step)) return
      const adoptedSize = worlds.adopt(this.#concrete, next, nextSize, this.#adopted)
      if (store.find(this.#adopted, adoptedSize) !== wanted) return
      this.#teller.tell(this.#concrete.step)
      found = { world: next.slice(), size: nextSize }
    })
    if (found === null) return false
    const { world, size } = found as { world: Int32Array<ArrayBuffer>; size: number }
    this.#world = world
    this.#size = size
    return true
  }
}

/** The states are worlds of `Gaps`, and no run of the algorithm goes through all of them. */
export class NoSuchRun extends Error {}

/** Writes steps as events of a trace, with a number for each message. */
class Teller {
  readonly events: TraceEvent[] = []
  readonly #worlds: Worlds
  readonly #underWay = new Map<number, number[]>()
  #now = 0
  #messages = 0

  constructor(worlds: Worlds) {
    this.#worlds = worlds
  }

  tell(step: Step): void {
    this.#now += TICKS_PER_UNIT
    const { node, envelope, event, obstacle } = step
    switch (event.is) {
      case 'request':
        this.#write({ is: 'request', node, ...requestOf(event) })
        break
      case 'receive':
        this.#write({ is: 'receive', id: this.#take(envelope), node })
        break
      case 'duplicate': {
        const id = this.#take(envelope)
        this.#send(envelope, id)
        this.#write({ is: 'duplicate', id })
        this.#write({ is: 'receive', id, node })
        break
      }
      case 'lose':
        this.#write({ is: 'lose', id: this.#take(envelope), node, why: event.why })
        break
      case 'undelivered': {
        const id = this.#take(envelope)
        this.#write({ is: 'lose', id, node: event.to, why: obstacle ?? 'crash' })
        this.#write({ is: 'undelivered', id, node })
        break
      }
      case 'crash':
        this.#write({ is: 'crash', node })
        break
      default:
        this.#write({ ...event, node })
    }
    this.#tellOutcome(step)
  }

  #tellOutcome({ node, outcome }: Step): void {
    if (outcome === null) return
    for (const reason of outcome.reasons) this.#write({ is: 'because', node, ...reason })
    for (const { to, message } of outcome.sends) {
      this.#messages += 1
      const id = this.#messages
      this.#write({ is: 'send', id, from: node, to, message })
      for (const receiver of to === null ? this.#listeners(node) : [to]) {
        this.#send(this.#envelope(node, receiver, to === null, message), id)
      }
    }
    if (outcome.elected !== null) this.#write({ is: 'elected', node, coordinator: outcome.elected })
    if (outcome.entered !== null) {
      const { mode, resources } = outcome.local
      const wish = wishOf({ mode: mode ?? 'exclusive', ...(resources === null ? {} : { resources }) })
      this.#write({ is: 'enter', node, ...wish, fence: outcome.entered })
    }
  }

  #envelope(from: NodeId, to: NodeId, isBroadcast: boolean, message: { type: string }): number {
    const medium = isBroadcast && this.#worlds.instance.algorithm.facts.medium === 'ordered broadcast'
    return this.#worlds.parts.envelope({ from, to, message, medium })
  }

  #listeners(from: NodeId): NodeId[] {
    const { setup, algorithm } = this.#worlds.instance
    const everyone = Array.from({ length: setup.nodes }, (_, node) => node)
    return algorithm.facts.medium === 'ordered broadcast'
      ? everyone
      : everyone.filter((node) => node !== from)
  }

  #send(envelope: number, id: number): void {
    this.#underWay.set(envelope, [...(this.#underWay.get(envelope) ?? []), id])
  }

  #take(envelope: number): number {
    const [id = outOfBounds(), ...rest] = this.#underWay.get(envelope) ?? []
    this.#underWay.set(envelope, rest)
    return id
  }

  #write(event: UntimedEvent): void {
    this.events.push({ at: this.#now, ...event })
  }
}
