import { type AnyAlgorithm, isElection, type NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import type { Setup } from '@turnwise/core/setup'
import type { Instance } from './instance.ts'
import type { Local } from './local.ts'

/** Whose fences they are. */
interface Fenced {
  readonly algorithm: AnyAlgorithm
  readonly setup: Setup
  readonly readers?: Instance['readers']
  readonly updates?: Instance['updates']
}

/**
 * What a world remembers of the fences given out, as one number: enough to tell whether the next one is right (see
 * `Shapes.fence`). If one may be inside, that is the last fence. If k may, it is the last one of each place, or, for an
 * algorithm without places, every fence so far. With shared entries it is the largest fence, and the largest exclusive
 * one. If there are several resources, it is the last one of each. Such lists are in a table, and the world has their number.
 *
 * A last fence is kept plus one, 0 standing for one below all that are still to come.
 */
export class GivenFences {
  readonly clock: string
  /** Whether all that were given must be remembered: then runs without end have no end of worlds. */
  readonly areAllKept: boolean
  readonly #entries: number
  readonly #someShare: boolean
  readonly #resources: number
  /** How much a fence changes when its clock is shifted by one. */
  readonly #unit: number
  readonly #lists: number[][] = []
  readonly #numbers = new Map<string, number>()

  constructor({ setup, algorithm, readers = 'none', updates = false }: Fenced) {
    const { clock, scaled, slots } = algorithm.shapes.fence
    this.clock = clock
    this.#entries = setup.entries
    this.#someShare = readers !== 'none' || updates
    this.#resources = setup.resources
    this.areAllKept = keepsAllFences({ setup, algorithm })
    this.#unit = scaled ? setup.nodes : slots === true ? setup.entries : 1
    if (this.#areLists)
      this.#number(
        this.areAllKept
          ? []
          : this.#someShare
            ? [0, 0]
            : Array.from({ length: setup.entries * setup.resources }, () => 0),
      )
  }

  /** What is remembered after an entry, and the flaw of its fence, or null. */
  after(
    given: number,
    { node, mode, resources }: Pick<Local, 'node' | 'mode' | 'resources'>,
    fence: number,
  ): { readonly given: number; readonly stale: string | null } {
    if (!this.#areLists) return { given: fence + 1, stale: staleAfter(given, node, fence) }
    const list = get(this.#lists, given)
    if (this.#someShare) {
      const [any = 0, alone = 0] = list
      return {
        given: this.#number([Math.max(any, fence + 1), mode === 'exclusive' ? fence + 1 : alone]),
        stale: staleAfter(mode === 'exclusive' ? any : alone, node, fence),
      }
    }
    if (this.areAllKept) {
      const repeats = list.includes(fence)
      const next = repeats ? given : this.#number([...list, fence].toSorted((a, b) => a - b))
      return {
        given: next,
        stale: repeats ? `node ${node} enters with fence ${fence}, given out before` : null,
      }
    }
    const places = this.#entries === 1 ? (resources ?? [0]) : [fence % this.#entries]
    return {
      given: this.#number(list.map((last, place) => (places.includes(place) ? fence + 1 : last))),
      stale: staleAfter(Math.max(...places.map((place) => get(list, place))), node, fence),
    }
  }

  /** The same after the clock of the fences was shifted. */
  shifted(given: number, by: number): number {
    const shift = (last: number) => Math.max(0, last - by * this.#unit)
    return !this.#areLists ? shift(given) : this.#number(get(this.#lists, given).map(shift))
  }

  /** The same as it is numbered here. */
  adopted(other: GivenFences, given: number): number {
    return !this.#areLists ? given : this.#number(get(other.#lists, given))
  }

  get #areLists(): boolean {
    return this.#entries > 1 || this.#resources > 1 || this.#someShare
  }

  #number(list: number[]): number {
    const key = list.join()
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    this.#numbers.set(key, this.#lists.length)
    return this.#lists.push(list) - 1
  }
}

/** Whether fences only tell entries apart. */
export function keepsAllFences({ setup, algorithm }: Pick<Instance, 'algorithm' | 'setup'>): boolean {
  return !isElection(algorithm) && setup.entries > 1 && algorithm.shapes.fence.slots !== true
}

function staleAfter(last: number, node: NodeId, fence: number): string | null {
  return fence + 1 <= last ? `node ${node} enters with fence ${fence} after fence ${last - 1}` : null
}
