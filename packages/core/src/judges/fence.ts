import type { Mode, NodeId } from '../algorithm.ts'
import type { Shapes } from '../shape.ts'
import { Findings } from './judge.ts'

/**
 * Fences: a later grant carries a larger number than every earlier one, so that a resource can turn away a
 * holder that was late. Shared entries may repeat a number among themselves. Where k may be inside together
 * (see `Shapes.fence`) numbers rise within each of the k places, if the algorithm has places; if not, a number
 * tells the entries apart, but need not rise.
 */
export class FenceJudge {
  readonly findings = new Findings('fence')
  readonly #entries: number
  readonly #hasPlaces: boolean
  readonly #given = new Set<number>()
  /** The last grant of each place; there is one place where one may be inside. */
  readonly #last = new Map<number, { fence: number; mode: Mode; holder: NodeId }>()

  constructor(entries: number, { slots }: Pick<Shapes['fence'], 'slots'> = {}) {
    this.#entries = entries
    this.#hasPlaces = entries === 1 || slots === true
  }

  entered(at: number, node: NodeId, mode: Mode, fence: number): void {
    if (!this.#hasPlaces) return this.#distinct(at, node, fence)
    const place = fence % this.#entries
    const last = this.#last.get(place)
    const repeats = fence === last?.fence && mode === 'shared' && last.mode === 'shared'
    if (last !== undefined && fence <= last.fence && !repeats) {
      this.findings.add(
        at,
        [last.holder, node],
        `node ${node} enters with fence ${fence} after node ${last.holder} had ${last.fence}`,
      )
      return
    }
    this.#last.set(place, { fence, mode, holder: node })
  }

  #distinct(at: number, node: NodeId, fence: number): void {
    if (this.#given.has(fence))
      this.findings.add(at, [node], `node ${node} enters with fence ${fence}, given out before`)
    this.#given.add(fence)
  }
}
