import type { NodeId } from '../algorithm.ts'
import { outOfBounds } from '../bounds.ts'

/**
 * Order: how often later requests overtook a request, and how evenly entries were shared out.
 *
 * A request is overtaken by every later request that enters before it. At its own entry that is the number
 * of entries so far with a larger request number: an inversion count, kept in a Fenwick tree.
 */
export class OrderJudge {
  mostBypassed = 0
  readonly #entriesOf: Float64Array
  /** The number of the outstanding request of each node, from 1. */
  readonly #requestOf: Float64Array
  #requests = 0
  #entered = 0
  #counts = new Int32Array(1024)

  constructor(nodes: number) {
    this.#entriesOf = new Float64Array(nodes)
    this.#requestOf = new Float64Array(nodes)
  }

  requested(node: NodeId): void {
    this.#requests += 1
    this.#requestOf[node] = this.#requests
    if (this.#requests >= this.#counts.length) this.#grow()
  }

  /** `counted` is false during warm-up: such an entry still overtakes, but is not measured. */
  entered(node: NodeId, counted: boolean): void {
    const request = this.#requestOf[node] ?? outOfBounds()
    this.#requestOf[node] = 0
    const bypassed = this.#entered - this.#enteredUpTo(request)
    this.#add(request)
    this.#entered += 1
    if (!counted) return
    this.#entriesOf[node] = (this.#entriesOf[node] ?? outOfBounds()) + 1
    if (bypassed > this.mostBypassed) this.mostBypassed = bypassed
  }

  /** Nodes that still wait at the end were overtaken too. */
  ended(stillWaiting: (node: NodeId) => boolean): void {
    this.#requestOf.forEach((request, node) => {
      if (request === 0 || !stillWaiting(node)) return
      this.mostBypassed = Math.max(this.mostBypassed, this.#entered - this.#enteredUpTo(request))
    })
  }

  /** Jain's index (Jain, Chiu, Hawe 1984): 1 when all nodes entered equally often, 1/n when one did alone. */
  get jain(): number | null {
    let sum = 0
    let squares = 0
    for (const entries of this.#entriesOf) {
      sum += entries
      squares += entries * entries
    }
    return squares === 0 ? null : (sum * sum) / (this.#entriesOf.length * squares)
  }

  #enteredUpTo(request: number): number {
    let sum = 0
    for (let i = request; i > 0; i -= i & -i) sum += this.#counts[i] ?? outOfBounds()
    return sum
  }

  #add(request: number): void {
    for (let i = request; i < this.#counts.length; i += i & -i)
      this.#counts[i] = (this.#counts[i] ?? outOfBounds()) + 1
  }

  /** The length is a power of two, so the new upper half is empty, except its first cell: the total so far. */
  #grow(): void {
    const old = this.#counts
    this.#counts = new Int32Array(2 * old.length)
    this.#counts.set(old)
    this.#counts[old.length] = this.#entered
  }
}
