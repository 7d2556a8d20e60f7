import type { Mode, NodeId } from '../algorithm.ts'
import { areCompatible } from '../modes.ts'
import { Findings } from './judge.ts'

/**
 * Exclusion: never more than `entries` inside, a shared entry only beside shared ones and one that may update. A crashed node is no longer
 * inside; a paused node is.
 */
export class ExclusionJudge {
  readonly findings = new Findings('exclusion')
  mostInside = 0
  readonly #entries: number
  readonly #inside = new Map<NodeId, Mode>()

  constructor(entries: number) {
    this.#entries = entries
  }

  entered(at: number, node: NodeId, mode: Mode): void {
    this.#inside.set(node, mode)
    const inside = this.#inside.size
    if (inside > this.mostInside) this.mostInside = inside
    if (inside > this.#entries && !areCompatible(this.#inside.values())) this.#report(at)
  }

  /** It stays inside, and shares from now on. */
  downgraded(node: NodeId): void {
    if (this.#inside.has(node)) this.#inside.set(node, 'shared')
  }

  left(node: NodeId): void {
    this.#inside.delete(node)
  }

  #report(at: number): void {
    const nodes = [...this.#inside.keys()].toSorted((a, b) => a - b)
    const allowed = this.#entries === 1 ? 'one is' : `${this.#entries} are`
    this.findings.add(at, nodes, `nodes ${nodes.join(', ')} are inside together; ${allowed} allowed`)
  }
}
