/** What callers want, and when: drawn from the seed of the plan, in a stream of their own. */
import type { Mode, ResourceId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { type Random, randomStream } from '@turnwise/core/random'
import type { Event } from '../../src/protocol/events.ts'
import { isGroup, resourcesIn } from '../../src/protocol/names.ts'
import type { CallerId, Node } from '../../src/protocol/state.ts'
import { LEASE, type Plan } from './plan.ts'

/** An event at a node after a delay. */
interface Due {
  readonly delay: number
  readonly event: Event
}

/** Permits and names of a group have one mode, and nobody steals them. */
function hasModes(name: string): boolean {
  return !name.startsWith('#') && !isGroup(name)
}

/** More of them do not wait at one node for one name. */
const MOST_WAITING = 4

export class Callers {
  readonly #plan: Plan
  readonly #random: Random
  readonly #modes: Random
  readonly #wishes: Random
  readonly #priorities: Random
  #count = 0
  /** Faults are over: from now on everybody wants everything, and for a short time. */
  isQuiet = false

  constructor(plan: Plan) {
    this.#plan = plan
    this.#random = randomStream(plan.seed, 'load')
    this.#modes = randomStream(plan.seed, 'modes')
    this.#wishes = randomStream(plan.seed, 'wishes')
    this.#priorities = randomStream(plan.seed, 'priorities')
  }

  first(): number {
    return this.#random.fraction() * this.#plan.idle
  }

  /** Until the next of a node. */
  pause(): number {
    return this.isQuiet ? LEASE / 2 : -this.#plan.idle * Math.log(1 - this.#random.fraction())
  }

  stay(): number {
    return (this.isQuiet ? 3 : this.#plan.stay) * (0.2 + 1.6 * this.#random.fraction())
  }

  /** How a holder changes its mode during its stay, and when. Drawn apart from the load. */
  changes(stay: number, { name, caller, mode }: { name: string; caller: CallerId; mode: Mode }): Due[] {
    const { downgrades, updates } = this.#plan
    if (downgrades + updates === 0 || mode === 'shared' || !hasModes(name)) return []
    const found: Due[] = []
    const at = (kind: 'downgrade' | 'upgrade' | 'desist', from = 0): number => {
      const part = from + (1 - from) * this.#modes.fraction()
      found.push({ delay: part * stay, event: { kind, name, caller } })
      return part
    }
    const upgrades = mode === 'update' && this.#modes.chance(0.5) ? at('upgrade') : null
    if (upgrades !== null && this.#modes.chance(0.3)) at('desist', upgrades)
    if (this.#modes.chance(downgrades)) at('downgrade', upgrades ?? 0)
    return found
  }

  /** What is asked at a node now, and perhaps thought better of. */
  requests({ id, names }: Pick<Node, 'id' | 'names'>): Due[] {
    const asked = this.isQuiet
      ? this.#plan.names
      : [get(this.#plan.names, this.#random.below(this.#plan.names.length))]
    return asked
      .filter((name) => (names.get(name)?.waiting.length ?? 0) < MOST_WAITING)
      .flatMap((name) => this.#request(id, name))
  }

  #request(id: string, name: string): Due[] {
    const { shared, steals, updates } = this.#plan
    this.#count += 1
    const caller = `${id}${this.#count}`
    const drawn = this.#random.chance(shared) ? 'shared' : 'exclusive'
    const mode = updates > 0 && this.#modes.chance(updates) ? 'update' : drawn
    const maySteal = steals > 0 && mode === 'exclusive' && !this.isQuiet && hasModes(name)
    const request: Event = {
      kind: 'request',
      name,
      caller,
      mode,
      priority: this.#priority(name),
      steals: maySteal && this.#random.chance(steals),
      ...(isGroup(name) && { resources: this.#some(resourcesIn(name)) }),
    }
    const asks: Due = { delay: 0, event: request }
    if (this.isQuiet || !this.#random.chance(0.1)) return [asks]
    return [asks, { delay: LEASE * this.#random.fraction(), event: { kind: 'cancel', name, caller } }]
  }

  /** Permits and names of a group have none. */
  #priority(name: string): number {
    const { priorities } = this.#plan
    return priorities > 0 && hasModes(name) && this.#priorities.chance(priorities)
      ? this.#priorities.below(5) - 2
      : 0
  }

  /** At least one. */
  #some(count: number): ResourceId[] {
    const all = Array.from({ length: count }, (_, resource) => resource)
    const some = all.filter(() => this.#wishes.chance(0.4))
    return some.length > 0 ? some : [this.#wishes.below(count)]
  }
}
