import { get, intAt } from '@turnwise/core/bounds'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { detailOf } from './local-steps.ts'
import type { Parts } from './parts.ts'
import type { Step } from './step.ts'
import type { Layout } from './world-layout.ts'

/**
 * Distances between neighbouring values of a clock, counted up to a bound: a world stands for all worlds with the same distances, and
 * with larger ones where it has the bound. So a node that hears of nothing while others count on falls behind only so far, and runs of
 * any length have finitely many worlds.
 *
 * Why no step is lost. Rules compare values of one clock, take the larger, and raise one by one. Comparisons of values that are there do not depend
 * on distances. A raised value depends on the distance to the next value above it, and only on whether that is the bound or more. So each
 * world is expanded twice: with every distance that has the bound as it is, and with all of them one larger (`widened`). A step raises one value,
 * so no mixture of the two is needed; `settle` makes sure of that. The steps found are all steps of all worlds that this one stands for.
 * A rule that asks for more, such as whether a value is exactly one above another, needs a bound above that distance. With a smaller one, a step
 * of the widened world that raises nothing leads elsewhere than the same step of the world itself; `expand` refuses that.
 *
 * There may be more runs than in the algorithm: each step exists in some world that is meant, but a chain of steps may exist in none. So what holds of
 * all runs is proved; what fails may hold.
 */
export class Gaps {
  readonly #most: number
  readonly #parts: Parts
  readonly #layout: Layout
  readonly #nodes: number
  /** By clock, the values of the world that is being expanded, ascending; null between expansions. */
  #before: number[][] | null = null
  /** By clock, the values of the world and of the widened one while that is being expanded; null otherwise. */
  #widening: { readonly from: readonly number[][]; readonly to: readonly number[][] } | null = null
  /** By clock, the values that the last `settle` has found, and those that it has put in their place. */
  readonly #settling: { readonly from: number[][]; readonly to: number[][] } = { from: [], to: [] }
  /** Whether the last step raised a value to below another that is more than one above. */
  #raisedBelow = false

  constructor(layout: Layout, nodes: number, most: number) {
    this.#most = most
    this.#parts = layout.parts
    this.#layout = layout
    this.#nodes = nodes
  }

  /**
   * Expands the world as it is, then the widened one if that differs, and visits what is found. Of the widened world only the steps that
   * the other does not have; `step` names their messages as the world itself does, since fairness goes by these names.
   */
  expand(
    world: Int32Array,
    size: number,
    step: Step,
    visit: Visit,
    expandOne: (world: Int32Array, arrive: Visit) => void,
  ): void {
    const values = this.#parts.domains.map((_, domain) => this.#valuesIn(world, size, domain))
    const wider = values.map((each) => spaced(each, (gap) => (gap === this.#most ? gap + 1 : gap)))
    const isSame = values.every((each, domain) => each.at(-1) === get(wider, domain).at(-1))
    const found = new Map<string, Int32Array[]>()
    try {
      this.#before = values
      expandOne(world, (next, nextSize) => {
        if (!isSame) found.set(nameOf(step), [...(found.get(nameOf(step)) ?? []), next.slice(0, nextSize)])
        visit(next, nextSize)
      })
      if (isSame) return
      this.#widening = { from: values, to: wider }
      const originals = this.#originals(world, size)
      const widened = world.slice(0, size)
      values.forEach((each, domain) => this.#replace(widened, size, domain, each, get(wider, domain)))
      this.#before = wider
      expandOne(widened, (next, nextSize) => {
        step.envelope = originals.get(step.envelope) ?? step.envelope
        if (this.#raisedBelow) return visit(next, nextSize)
        const expected = found.get(nameOf(step)) ?? []
        if (!expected.some((each) => isEqual(each, next, nextSize)))
          throw new InvalidInput(
            `gaps: a step depends on whether clock values are ${this.#most} or more apart; larger gaps may do`,
          )
      })
    } finally {
      this.#before = null
      this.#widening = null
    }
  }

  /** While a world is expanded: a message of it as it is in the world whose steps are visited. */
  widened(envelope: number): number {
    return this.#widening === null ? envelope : this.#replaced(envelope, this.#widening)
  }

  /** A message of the world that was settled last, as it is now. A message that is no longer under way keeps its number. */
  settled(envelope: number): number {
    return this.#replaced(envelope, this.#settling)
  }

  #replaced(
    envelope: number,
    { from, to }: { readonly from: readonly number[][]; readonly to: readonly number[][] },
  ): number {
    const isThere = from.every((values, domain) =>
      this.#parts.valuesOf('envelope', envelope, domain).every((value) => values.includes(value)),
    )
    if (!isThere) return envelope
    return from.reduce(
      (id, values, domain) => this.#parts.withValues('envelope', id, domain, values, get(to, domain)),
      envelope,
    )
  }

  /** From the messages of the widened world to those of the world. */
  #originals(world: Int32Array, size: number): Map<number, number> {
    const found = new Map<number, number>()
    for (let i = this.#layout.header; i < size; i += 1) {
      const original = intAt(world, i)
      found.set(this.widened(original), original)
    }
    return found
  }

  /** Makes the smallest value of each clock 0, and no distance larger than the bound. */
  settle(world: Int32Array, size: number): void {
    this.#raisedBelow = false
    let raised = 0
    for (let domain = 0; domain < this.#parts.domains.length; domain += 1) {
      const values = this.#valuesIn(world, size, domain)
      raised += this.#countRaised(values, domain)
      const settled = spaced(values, (gap) => Math.min(gap, this.#most))
      this.#settling.from[domain] = values
      this.#settling.to[domain] = settled
      const isSame = settled[0] === values[0] && settled.at(-1) === values.at(-1)
      if (!isSame) this.#replace(world, size, domain, values, settled)
    }
    if (raised > 1) throw new InvalidInput(`gaps: a step raises ${raised} clock values; it may raise one`)
  }

  /** How many values were not there before the step. */
  #countRaised(values: readonly number[], domain: number): number {
    const before = this.#before?.[domain]
    if (before === undefined) return 0
    const raised = values.filter((value) => !before.includes(value))
    for (const value of raised) {
      if (!before.includes(value - 1))
        throw new InvalidInput('gaps: a step raises a clock value by more than one')
      if (before.includes(value + this.#most)) this.#raisedBelow = true
    }
    return raised.length
  }

  #valuesIn(world: Int32Array, size: number, domain: number): number[] {
    const values = new Set<number>()
    for (let i = 0; i < this.#nodes; i += 1)
      for (const value of this.#parts.valuesOf('local', intAt(world, i), domain)) values.add(value)
    for (let i = this.#layout.header; i < size; i += 1)
      for (const value of this.#parts.valuesOf('envelope', intAt(world, i), domain)) values.add(value)
    return [...values].toSorted((a, b) => a - b)
  }

  #replace(world: Int32Array, size: number, domain: number, from: number[], to: number[]): void {
    const { header } = this.#layout
    for (let i = 0; i < this.#nodes; i += 1)
      world[i] = this.#parts.withValues('local', intAt(world, i), domain, from, to)
    // Other messages have other numbers, so their groups may stand in another order.
    for (let i = header; i < size; i += 1)
      this.#layout.insert(world, i, this.#parts.withValues('envelope', intAt(world, i), domain, from, to))
  }
}

/** Of steps from one world: the same event at the same node, about the same message. */
function nameOf({ event, node, envelope }: Step): string {
  const detail = event.is === 'lose' || event.is === 'duplicate' ? '' : detailOf(event)
  return `${event.is} ${node} ${envelope} ${detail}`
}

function isEqual(one: Int32Array, other: Int32Array, size: number): boolean {
  return one.length === size && one.every((number, i) => number === other[i])
}

type Visit = (next: Int32Array, size: number) => void

/** Values from 0 on, with other distances. */
function spaced(values: readonly number[], distance: (gap: number) => number): number[] {
  let at = 0
  return values.map((value, i) => {
    if (i > 0) at += distance(value - get(values, i - 1))
    return at
  })
}
