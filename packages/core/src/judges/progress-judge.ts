import type { NodeId } from '../algorithm.ts'
import { Findings } from './findings.ts'

/** Progress: when the run is over, no living node still waits for an entry it asked for. */
export class ProgressJudge {
  readonly findings = new Findings('progress')
  /** When each waiting node asked. */
  readonly #waiting = new Map<NodeId, number>()

  get waiting(): number {
    return this.#waiting.size
  }

  requested(at: number, node: NodeId): void {
    this.#waiting.set(node, at)
  }

  /** It entered, gave up, or crashed. */
  settled(node: NodeId): void {
    this.#waiting.delete(node)
  }

  /** `unit` turns ticks into the units a person reads. */
  ended(at: number, unit: number): void {
    const waiting = [...this.#waiting].toSorted(([a], [b]) => a - b)
    for (const [node, since] of waiting) {
      this.findings.add(at, [node], `node ${node} asked at time ${since / unit} and was never let in`)
    }
  }
}
