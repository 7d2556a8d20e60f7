import type { NodeId } from '../algorithm.ts'

/** What a judge found. The time is in ticks. */
export interface Violation {
  readonly judge: string
  readonly at: number
  readonly nodes: readonly NodeId[]
  readonly text: string
}

/** A broken run can be wrong at every step. More findings than these teach nothing new. */
const REMEMBERED = 20

/** The findings of one judge: the first ones in full, the rest counted. */
export class Findings {
  readonly judge: string
  readonly first: Violation[] = []
  count = 0
  /** Told of each finding that is kept, as it is made. */
  heard: ((violation: Violation) => void) | null = null

  constructor(judge: string) {
    this.judge = judge
  }

  add(at: number, nodes: readonly NodeId[], text: string): void {
    this.count += 1
    if (this.first.length >= REMEMBERED) return
    const violation = { judge: this.judge, at, nodes, text }
    this.first.push(violation)
    this.heard?.(violation)
  }
}
