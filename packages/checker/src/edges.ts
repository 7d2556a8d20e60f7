import type { NodeId } from '@turnwise/core/algorithm'
import { doubled, floatAt, outOfBounds } from '@turnwise/core/bounds'

/** The steps between states, flat: for each state where its steps begin, and for each step where it leads. */
export class Edges {
  length = 0
  states = 0
  #starts = new Float64Array(INITIAL)
  #targets = new Uint32Array(INITIAL * 4)
  #labels = new Uint16Array(INITIAL * 4)

  /** Begins the steps of the next state. */
  startState(): void {
    if (this.states === this.#starts.length) this.#starts = doubled(this.#starts)
    this.#starts[this.states] = this.length
    this.states += 1
  }

  /** `label` as `labelOf` gives it. */
  add(target: number, label: number): void {
    if (this.length === this.#targets.length) {
      this.#targets = doubled(this.#targets)
      this.#labels = doubled(this.#labels)
    }
    this.#targets[this.length] = target
    this.#labels[this.length] = label
    this.length += 1
  }

  /** Steps `from(state)` up to `to(state) - 1` leave the state. */
  from(state: number): number {
    return floatAt(this.#starts, state)
  }

  to(state: number): number {
    return state + 1 < this.states ? floatAt(this.#starts, state + 1) : this.length
  }

  target(edge: number): number {
    return this.#targets[edge] ?? outOfBounds()
  }

  messages(edge: number): number {
    return (this.#labels[edge] ?? outOfBounds()) >> ENTERED_BITS
  }

  /** Who entered, or -1. */
  entered(edge: number): NodeId {
    return enteredOf(this.#labels[edge] ?? outOfBounds())
  }

  get memory(): number {
    return this.length * 6 + this.states * 8
  }
}

const INITIAL = 1 << 14
const ENTERED_BITS = 6
const MOST_MESSAGES = 1023

/** The messages sent on a step, and the node that entered, or -1, in one number of 16 bits. */
export function labelOf(messages: number, entered: NodeId): number {
  if (messages > MOST_MESSAGES)
    throw new RangeError(`a step sends ${messages} messages; at most ${MOST_MESSAGES} fit`)
  return (messages << ENTERED_BITS) | (entered + 1)
}

/** Who entered on a step with this label, or -1. */
export function enteredOf(label: number): NodeId {
  return (label & ((1 << ENTERED_BITS) - 1)) - 1
}
