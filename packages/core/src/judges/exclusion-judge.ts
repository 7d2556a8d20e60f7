import type { Mode, NodeId, ResourceId } from '../algorithm.ts'
import { firstCrowd, type Stay } from '../modes.ts'
import { Findings } from './findings.ts'

/**
 * Exclusion: with each resource never more than `entries` inside, a shared entry only beside shared ones and one that may update
 * (`firstCrowd`). A crashed node is no longer inside; a paused node is.
 */
export class ExclusionJudge {
  readonly findings = new Findings('exclusion')
  mostInside = 0
  readonly #entries: number
  readonly #inside = new Map<NodeId, Stay>()

  constructor(entries: number) {
    this.#entries = entries
  }

  entered(at: number, node: NodeId, mode: Mode, resources?: readonly ResourceId[]): void {
    this.#inside.set(node, { node, mode, resources })
    const inside = this.#inside.size
    if (inside > this.mostInside) this.mostInside = inside
    if (inside > this.#entries) this.#judge(at)
  }

  /** It stays inside, and shares from now on. */
  downgraded(node: NodeId): void {
    const stay = this.#inside.get(node)
    if (stay !== undefined) this.#inside.set(node, { ...stay, mode: 'shared' })
  }

  left(node: NodeId): void {
    this.#inside.delete(node)
  }

  #judge(at: number): void {
    const crowd = firstCrowd([...this.#inside.values()], this.#entries)
    if (crowd === null) return
    const nodes = crowd.stays.map(({ node }) => node).toSorted((a, b) => a - b)
    const isOneLock = crowd.stays.every(({ resources }) => resources === undefined)
    const allowed = this.#entries === 1 ? 'one is' : `${this.#entries} are`
    const where = isOneLock ? 'inside together' : `inside together with resource ${crowd.resource}`
    this.findings.add(at, nodes, `nodes ${nodes.join(', ')} are ${where}; ${allowed} allowed`)
  }
}
