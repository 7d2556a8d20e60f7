import type { Mode, NodeId } from '../algorithm.ts'
import { Findings } from './judge.ts'

/**
 * Fences: a later grant carries a larger number than every earlier one, so that a resource can turn away a
 * holder that was late. Shared entries may repeat a number among themselves. Where k may be inside together
 * a number tells the entries apart, but need not rise.
 */
export class FenceJudge {
  readonly findings = new Findings('fence')
  readonly #entries: number
  readonly #given = new Set<number>()
  #largest = Number.NEGATIVE_INFINITY
  #largestMode: Mode = 'exclusive'
  #holder: NodeId = -1

  constructor(entries: number) {
    this.#entries = entries
  }

  entered(at: number, node: NodeId, mode: Mode, fence: number): void {
    if (this.#entries > 1) return this.#distinct(at, node, fence)
    const repeats = fence === this.#largest && mode === 'shared' && this.#largestMode === 'shared'
    if (fence <= this.#largest && !repeats) {
      this.findings.add(
        at,
        [this.#holder, node],
        `node ${node} enters with fence ${fence} after node ${this.#holder} had ${this.#largest}`,
      )
      return
    }
    this.#largest = fence
    this.#largestMode = mode
    this.#holder = node
  }

  #distinct(at: number, node: NodeId, fence: number): void {
    if (this.#given.has(fence))
      this.findings.add(at, [node], `node ${node} enters with fence ${fence}, given out before`)
    this.#given.add(fence)
  }
}
