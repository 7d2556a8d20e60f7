/** The network of a simulated world: it loses, repeats, delays, and is cut, one way or both. */
import { type Random, randomStream } from '@turnwise/core/random'
import { LEASE, type Plan } from './plan.ts'

export class Network {
  quiet = false
  readonly #plan: Plan
  readonly #random: Random
  /** How many cuts each ordered pair is under. */
  readonly #cuts = new Map<number, number>()

  constructor(plan: Plan) {
    this.#plan = plan
    this.#random = randomStream(plan.seed, 'network')
  }

  /** After how long each copy of a message arrives; none if it is lost. */
  delays(from: number, to: number): number[] {
    const { loss, duplication, nodes } = this.#plan
    const copies = !this.quiet && this.#random.chance(duplication) ? 2 : 1
    const arrive: number[] = []
    for (let copy = 0; copy < copies; copy += 1) {
      const delay = this.#delay(from, to)
      if (this.#cuts.has(from * nodes + to) || (!this.quiet && this.#random.chance(loss))) continue
      arrive.push(delay)
    }
    return arrive
  }

  #delay(from: number, to: number): number {
    const { delay, tail, longest, slow, nodes } = this.#plan
    if (this.quiet) return 1 + this.#random.fraction()
    const usual = delay * (1 + 2 * this.#random.fraction())
    if (this.#random.chance(tail)) return usual + longest * this.#random.fraction()
    return slow.includes(from * nodes + to) ? 10 * usual : usual
  }

  /** Between one node and one other, or all others, one way or both. Returns the pairs, and for how long. */
  cutOff(index: number, trouble: Random): { links: number[]; lasts: number } {
    const { nodes, oneWay, longCuts } = this.#plan
    const other = trouble.below(nodes)
    const all = trouble.chance(0.5)
    const bothWays = !trouble.chance(oneWay)
    const links: number[] = []
    for (let peer = 0; peer < nodes; peer += 1) {
      if (peer === index || !(all || peer === other)) continue
      links.push(index * nodes + peer)
      if (bothWays) links.push(peer * nodes + index)
    }
    for (const link of links) this.#cuts.set(link, (this.#cuts.get(link) ?? 0) + 1)
    return { links, lasts: (trouble.chance(longCuts) ? 12 : 3) * LEASE * trouble.fraction() }
  }

  heal(links: readonly number[]): void {
    for (const link of links) {
      const left = (this.#cuts.get(link) ?? 0) - 1
      if (left > 0) this.#cuts.set(link, left)
      else this.#cuts.delete(link)
    }
  }

  fallQuiet(): void {
    this.quiet = true
    this.#cuts.clear()
  }
}
