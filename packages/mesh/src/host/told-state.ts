/**
 * The variables of a lock's algorithm as a trace shows them, with the node numbers of the trace: all of them when a view begins,
 * and afterwards those that changed. They are read from the instance, not derived from events. So they are right wherever a
 * recording begins or ends.
 */
import type { AnyAlgorithm, Message, NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { reshape } from '@turnwise/core/shape'
import type { Variables } from '@turnwise/core/trace/trace'
import { initialState } from '../protocol/instances.ts'
import type { Id } from '../protocol/record.ts'
import { type Node, newHandling } from '../protocol/state.ts'
import { worldsOf } from '../protocol/view-worlds.ts'

/** One view: the processes of the algorithm in it, and the values that were recorded last. */
interface View {
  readonly algorithm: AnyAlgorithm
  /** The nodes of the trace, in the order of the processes. */
  readonly nodes: readonly NodeId[]
  /** The process of this node. */
  readonly self: number
  /** Each variable as it was written. */
  readonly told: Map<string, string>
}

export class ToldState {
  readonly #key: string
  readonly #numberOf: (id: Id) => NodeId | undefined
  #view: View | null = null

  constructor(key: string, numberOf: (id: Id) => NodeId | undefined) {
    this.#key = key
    this.#numberOf = numberOf
  }

  /** A view begins, or the recording begins within one. Returns all variables. */
  begin(node: Node, now: number, isAmid: boolean): Variables {
    const { begun } = node
    this.#view = null
    if (begun === null) return {}
    const { algorithm, ids } = worldsOf(node).of(this.#key)
    const nodes = ids.map((id) => this.#numberOf(id))
    // A node that became a peer after the recording began has no number in it. Two sessions of one node have the same number.
    if (!nodes.every((number) => number !== undefined) || new Set(nodes).size < nodes.length) return {}
    this.#view = { algorithm, nodes, self: ids.indexOf(node.id), told: new Map() }
    const state =
      (isAmid ? stateAmid(node, this.#key) : null) ?? initialState(newHandling(node, now), this.#key, 0)
    return { view: nodes, state: this.#changed(state) ?? {} }
  }

  end(): void {
    this.#view = null
  }

  /** The variables that changed since the last call; null if none did. */
  changes({ names, begun }: Node): Readonly<Record<string, unknown>> | null {
    const instance = names.get(this.#key)?.seats[0]?.instance ?? null
    // Without an instance they are unchanged: the name rests, or is not used yet in this view.
    return begun === null || instance === null ? null : this.#changed(instance.state)
  }

  /** A message of the algorithm, with the node numbers of the trace. */
  renamed(message: Message, from: NodeId, to: NodeId): Message {
    if (this.#view === null) return message
    const { algorithm, nodes } = this.#view
    const { type, ...fields } = message
    const place = { self: nodes.indexOf(to), sender: nodes.indexOf(from) }
    return { type, ...reshape(algorithm.shapes.messages[type] ?? {}, fields, place, renaming(nodes)) }
  }

  #changed(state: object): Readonly<Record<string, unknown>> | null {
    if (this.#view === null) return null
    const { algorithm, nodes, self, told } = this.#view
    const renamed = reshape(algorithm.shapes.state, state, { self, sender: null }, renaming(nodes))
    const changed = Object.entries(renamed).filter(([name, value]) => {
      const text = JSON.stringify(value)
      if (told.get(name) === text) return false
      told.set(name, text)
      return true
    })
    return changed.length === 0 ? null : Object.fromEntries(changed)
  }
}

function renaming(nodes: readonly NodeId[]) {
  return { node: (process: number) => get(nodes, process) }
}

/** The state of an instance that was used before the recording began, even if it rests now; null if it was not used. */
function stateAmid({ names, resting }: Node, key: string): object | null {
  const used = names.get(key)?.seats[0]?.instance?.state
  if (used !== undefined) return used
  const text = resting.get(key)
  return text === undefined ? null : ((JSON.parse(text) as (object | null)[])[0] ?? null)
}
