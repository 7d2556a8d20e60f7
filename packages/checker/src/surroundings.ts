import type { NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import type { Budgets, Instance } from './instance.ts'

const COMINGS = ['restarts', 'unlinks', 'links', 'joins', 'leaves'] as const

export type Coming = (typeof COMINGS)[number]

/** The part of a world that belongs to no node: how much may still come and go, and which channels have. */
export interface Surroundings {
  readonly left: Readonly<Pick<Budgets, Coming>>
  /** Channels as `a-b`, a < b, sorted: those of the first graph that are gone, and those that are new. */
  readonly gone: readonly string[]
  readonly added: readonly string[]
}

/**
 * Whether nodes or channels may come and go, or messages come back: only then a world has surroundings. An algorithm
 * without a rule for undelivered messages needs none for crashes alone: no node reads messages to the dead.
 */
export function canChange({ algorithm, setup, budgets }: Instance): boolean {
  const losesSome = budgets.crashes > 0 || setup.dead.length > 0
  return (
    COMINGS.some((coming) => budgets[coming] > 0) ||
    setup.absent.length > 0 ||
    (losesSome && algorithm.undelivered !== undefined)
  )
}

/** The nodes that are absent at first if so many may join: the last ones. The first node begins with the token. */
export function absentFor(nodes: number, joins: number): NodeId[] {
  const absent = Math.min(joins, nodes - 1)
  return Array.from({ length: absent }, (_, i) => nodes - absent + i)
}

/** What must be kept of a node that crashes now, if so many restarts are left. */
export function memoryAfterCrash(
  { memory = 'kept' }: Instance,
  restartsLeft: number,
): 'kept' | 'lost' | 'none' {
  return restartsLeft === 0 ? 'none' : memory === 'lost' ? 'lost' : 'kept'
}

/** All surroundings that occur, each with a number that stands for it in a world. */
export class SurroundingsTable {
  /** By number. */
  readonly all: Surroundings[] = []
  readonly #instance: Instance
  readonly #numbers = new Map<string, number>()

  constructor(instance: Instance) {
    this.#instance = instance
  }

  first(): number {
    const { restarts, unlinks, links, joins, leaves } = this.#instance.budgets
    return this.number({ left: { restarts, unlinks, links, joins, leaves }, gone: [], added: [] })
  }

  at(number: number): Surroundings {
    return get(this.all, number)
  }

  number(surroundings: Surroundings): number {
    const key = JSON.stringify(surroundings)
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    this.#numbers.set(key, this.all.length)
    return this.all.push(surroundings) - 1
  }

  spend(number: number, coming: Coming): number {
    const { left, ...rest } = get(this.all, number)
    return this.number({ left: { ...left, [coming]: left[coming] - 1 }, ...rest })
  }

  isLinked(number: number, a: NodeId, b: NodeId): boolean {
    const { gone, added } = get(this.all, number)
    if (this.#instance.setup.topology.linked(a, b)) return !gone.includes(channel(a, b))
    return added.includes(channel(a, b))
  }

  /** Only a removed channel loses messages: an algorithm may send where the graph shows no channel. */
  isCut(number: number, from: NodeId, to: NodeId): boolean {
    return get(this.all, number).gone.includes(channel(from, to))
  }

  /** After the channel has come, or gone. */
  relinked(number: number, a: NodeId, b: NodeId): number {
    const { left, gone, added } = get(this.all, number)
    const kind = this.isLinked(number, a, b) ? 'unlinks' : 'links'
    const toggled = (list: readonly string[]) =>
      list.includes(channel(a, b))
        ? list.filter((other) => other !== channel(a, b))
        : [...list, channel(a, b)].toSorted()
    const isOld = this.#instance.setup.topology.linked(a, b)
    return this.number({
      left: { ...left, [kind]: left[kind] - 1 },
      gone: isOld ? toggled(gone) : gone,
      added: isOld ? added : toggled(added),
    })
  }
}

function channel(a: NodeId, b: NodeId): string {
  return `${Math.min(a, b)}-${Math.max(a, b)}`
}
