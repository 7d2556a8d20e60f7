import type { NodeId } from '@turnwise/core/algorithm'
import type { StateChange } from '../run/play.ts'

/**
 * A change of a node's state on its way from the worker: only the variables that changed. Whole states share with the state
 * before what did not change, which a message to another thread keeps within itself only: each part of a run would begin
 * with copies of everything, and what changed could not be told by comparing references any more.
 */
export interface StatePatch {
  readonly event: number
  readonly node: NodeId
  /** Null if there are none any more. */
  readonly fields: object | null
  /** Whether these are all variables that the node has. */
  readonly isWhole: boolean
}

/** Says what changed since the last state of the same node. */
export class PatchWriter {
  readonly #last: (object | null)[] = []

  write({ event, node, state }: StateChange): StatePatch {
    const old = (this.#last[node] ?? null) as Record<string, unknown> | null
    this.#last[node] = state
    if (state === null) return { event, node, fields: null, isWhole: true }
    const fields = Object.entries(state) as [string, unknown][]
    if (old === null || Object.keys(old).some((name) => !(name in state)))
      return { event, node, fields: state, isWhole: true }
    const changed = fields.filter(([name, value]) => !(name in old) || old[name] !== value)
    return { event, node, fields: Object.fromEntries(changed), isWhole: false }
  }
}

/** Makes states of patches. What did not change is the same value as in the state before. */
export class PatchReader {
  readonly #last: (object | null)[] = []

  read({ event, node, fields, isWhole }: StatePatch): StateChange {
    const state = isWhole ? fields : { ...this.#last[node], ...fields }
    this.#last[node] = state
    return { event, node, state }
  }
}
