import type { Mode, NodeId } from '../algorithm.ts'
import { Findings } from './judge.ts'

interface Grant {
  readonly node: NodeId
  readonly fence: number
}

const NONE: Grant = { node: -1, fence: Number.NEGATIVE_INFINITY }

/**
 * Fences: a later grant carries a larger number than every earlier one that it excludes, so that a resource can
 * turn away a holder that was late. Shared entries do not exclude each other: among them numbers may repeat or
 * fall. Where k may be inside together a number tells the entries apart, but need not rise.
 */
export class FenceJudge {
  readonly findings = new Findings('fence')
  readonly #entries: number
  readonly #given = new Set<number>()
  /** The largest given to anyone, and the largest given to an entry that was alone. */
  #largest: Grant = NONE
  #largestAlone: Grant = NONE

  constructor(entries: number) {
    this.#entries = entries
  }

  entered(at: number, node: NodeId, mode: Mode, fence: number): void {
    if (this.#entries > 1) return this.#distinct(at, node, fence)
    const before = mode === 'shared' ? this.#largestAlone : this.#largest
    if (fence <= before.fence) {
      this.findings.add(
        at,
        [before.node, node],
        `node ${node} enters with fence ${fence} after node ${before.node} had ${before.fence}`,
      )
      return
    }
    if (fence > this.#largest.fence) this.#largest = { node, fence }
    if (mode === 'exclusive') this.#largestAlone = { node, fence }
  }

  #distinct(at: number, node: NodeId, fence: number): void {
    if (this.#given.has(fence))
      this.findings.add(at, [node], `node ${node} enters with fence ${fence}, given out before`)
    this.#given.add(fence)
  }
}
