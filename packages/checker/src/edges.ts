import type { NodeId } from '@turnwise/core/algorithm'

/** The steps between states, flat: for each state where its steps begin, and for each step where it leads. */
export class Edges {
  length = 0
  states = 0
  #starts = new Float64Array(INITIAL)
  #targets = new Uint32Array(INITIAL * 4)
  /** The messages sent, and the node that entered plus one, in one number each. */
  #labels = new Uint16Array(INITIAL * 4)

  /** Begins the steps of the next state. */
  startState(): void {
    if (this.states === this.#starts.length) {
      const grown = new Float64Array(2 * this.#starts.length)
      grown.set(this.#starts)
      this.#starts = grown
    }
    this.#starts[this.states] = this.length
    this.states += 1
  }

  add(target: number, messages: number, entered: NodeId): void {
    if (messages > MOST_MESSAGES)
      throw new RangeError(`a step sends ${messages} messages; at most ${MOST_MESSAGES} fit`)
    if (this.length === this.#targets.length) this.#grow()
    this.#targets[this.length] = target
    this.#labels[this.length] = messages * 64 + entered + 1
    this.length += 1
  }

  /** Steps `from(state)` up to `to(state) - 1` leave the state. */
  from(state: number): number {
    return this.#starts[state]
  }

  to(state: number): number {
    return state + 1 < this.states ? this.#starts[state + 1] : this.length
  }

  target(edge: number): number {
    return this.#targets[edge]
  }

  messages(edge: number): number {
    return this.#labels[edge] >> 6
  }

  /** Who entered, or -1. */
  entered(edge: number): NodeId {
    return (this.#labels[edge] & 63) - 1
  }

  get memory(): number {
    return this.length * 6 + this.states * 8
  }

  #grow(): void {
    const targets = new Uint32Array(2 * this.#targets.length)
    targets.set(this.#targets)
    this.#targets = targets
    const labels = new Uint16Array(2 * this.#labels.length)
    labels.set(this.#labels)
    this.#labels = labels
  }
}

const INITIAL = 1 << 14
const MOST_MESSAGES = 1023
