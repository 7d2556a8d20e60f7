import type { NodeId } from '@turnwise/core/algorithm'
import { get, intAt } from '@turnwise/core/bounds'
import { INSIDE, MOST_NUMBERS, SHARED, UPDATE } from './world-layout.ts'
import type { Worlds } from './worlds.ts'

/** If the other nodes can reach more worlds by themselves, their steps are explored too. */
const MOST_LOOKED_AT = 64
/** What was found about the other nodes is kept for so many of their worlds. */
const MOST_REMEMBERED = 1 << 17
/** How a node stands inside. */
const STAY = INSIDE | SHARED | UPDATE

/** Whether a world is still to be expanded. */
type IsOpen = (world: Int32Array, size: number) => boolean

/**
 * Partial-order reduction: worlds from which the steps of one node are enough, because they commute with all steps that the others
 * can take before them. Such steps are a persistent set (Godefroid, "Partial-Order Methods for the Verification of Concurrent
 * Systems", LNCS 1032, 1996, chapter 4).
 *
 * Independence. A step of a node changes its local state, takes a message from a channel to it, and puts messages into channels from
 * it. Steps of two nodes put into different channels. If one takes from the channel into which the other puts, it takes a message that
 * is there already. So both orders lead to the same world, and neither step prevents the other. (`requireReducible` refuses instances
 * in which anything but nodes takes steps.)
 *
 * Persistence. T has all steps that node i can take now. While i takes none, the others enable no other step of i, unless they send it
 * a message that it can receive at once. `#isDisturbed` looks at all that they can do without i. In a fifo channel a message waits for
 * those before it, so it does not disturb. So in every run w from here, the first step of i is one of T, and it commutes with all
 * before it.
 *
 * Why nothing bad is missed. Let w lead from an explored world s to a bad world or step.
 * - A step of T is in w. Then the first such step may as well come first: its target is explored, and the rest of w is shorter.
 * - No step of T is in w. If w ends in a standstill, this cannot be: T has a step other than a request, and it is still possible there.
 *   Otherwise T has a step t, the witness, that leaves what is bad bad: t takes no node out, makes no token vanish, changes no
 *   coordinator, and breaks no rule, where a run may end. So w leads from t(s) to something bad too. The target of t was not expanded
 *   before s. So this case comes only finitely often in a row. Then all steps are explored, or the first case holds. (This is the
 *   cycle proviso of Bosnacki, Leue and Lluch Lafuente, "Partial-order reduction for general state exploring algorithms", STTT 11(1),
 *   2009.)
 *
 * Runs are left out, so nothing follows for properties of whole runs: starvation, whether a node can enter, messages per entry.
 */
export class Reduction {
  readonly #worlds: Worlds
  readonly #nodes: readonly NodeId[]
  readonly #isFifo: boolean
  readonly #at = new Int32Array(MOST_NUMBERS)
  readonly #known = new Map<string, boolean>()

  constructor(worlds: Worlds) {
    this.#worlds = worlds
    this.#nodes = Array.from({ length: worlds.instance.setup.nodes }, (_, node) => node)
    this.#isFifo = worlds.instance.channels === 'fifo'
  }

  /** The node with the fewest steps, of those whose steps are enough; null if all nodes must take theirs. */
  nodeFor(world: Int32Array, size: number, isOpen: IsOpen): NodeId | null {
    let best: NodeId | null = null
    let fewest = Number.POSITIVE_INFINITY
    let movers = 0
    for (const node of this.#nodes) {
      const { steps, hasWitness } = this.#stepsOf(world, size, node, isOpen)
      if (steps > 0) movers += 1
      if (!hasWitness || steps >= fewest || this.#isDisturbed(world, size, node)) continue
      best = node
      fewest = steps
    }
    return movers > 1 ? best : null
  }

  /** How many steps the node has, and whether one of them is a witness. */
  #stepsOf(
    world: Int32Array,
    size: number,
    node: NodeId,
    isOpen: IsOpen,
  ): { steps: number; hasWitness: boolean } {
    const { layout, step } = this.#worlds
    const stay = layout.flagsOf(world, node) & STAY
    const { coordinator } = layout.localOf(world, node)
    let steps = 0
    let hasWitness = false
    this.#worlds.expandNode(world, size, node, (next, nextSize) => {
      steps += 1
      if (hasWitness) return
      const staysIn = (stay & INSIDE) === 0 || (layout.flagsOf(next, node) & STAY) === stay
      hasWitness =
        staysIn &&
        step.outcome?.broke === null &&
        step.outcome.local.coordinator === coordinator &&
        isOpen(next, nextSize) &&
        this.#keepsTokens(world, size, next, nextSize)
    })
    return { steps, hasWitness: hasWitness && this.#worlds.couldProgress }
  }

  #keepsTokens(world: Int32Array, size: number, next: Int32Array, nextSize: number): boolean {
    const { layout, instance } = this.#worlds
    for (let resource = 0; resource < instance.setup.resources; resource += 1)
      if (layout.tokensIn(next, nextSize, resource) < layout.tokensIn(world, size, resource)) return false
    return true
  }

  /** Whether another node may send something to this one that it can receive at once, before this one takes a step. */
  #isDisturbed(world: Int32Array, size: number, node: NodeId): boolean {
    const free = this.#isFifo ? this.#withEmptyChannel(world, size, node) : this.#nodes
    if (free.length === 0) return false
    const key = `${node} ${free.join()} ${this.#without(world, size, node)}`
    let isDisturbed = this.#known.get(key)
    if (isDisturbed === undefined) {
      isDisturbed = this.#looksDisturbed(world, size, node, free)
      if (this.#known.size === MOST_REMEMBERED) this.#known.clear()
      this.#known.set(key, isDisturbed)
    }
    return isDisturbed
  }

  #looksDisturbed(world: Int32Array, size: number, node: NodeId, free: readonly NodeId[]): boolean {
    const seen = new Set([this.#without(world, size, node)])
    const queue = [world.slice(0, size)]
    let isDisturbed = false
    for (const at of queue) {
      this.#at.set(at)
      for (const other of this.#nodes) {
        if (other === node) continue
        this.#worlds.expandNode(this.#at, at.length, other, (next, nextSize) => {
          const { outcome } = this.#worlds.step
          if (free.includes(other) && outcome?.sends.some(({ to }) => to === node || to === null) === true)
            isDisturbed = true
          if (isDisturbed) return
          const rest = this.#without(next, nextSize, node)
          if (seen.has(rest)) return
          seen.add(rest)
          queue.push(next.slice(0, nextSize))
        })
        if (isDisturbed || queue.length > MOST_LOOKED_AT) return true
      }
    }
    return false
  }

  /** All of a world that matters to the other nodes while this one takes no step. */
  #without(world: Int32Array, size: number, node: NodeId): string {
    const { layout, parts } = this.#worlds
    let text = ''
    for (let i = 0; i < size; i += 1) {
      if (i === node) continue
      const number = intAt(world, i)
      if (i < layout.header || get(parts.envelopes, number).to !== node) text += `${number},`
    }
    return text
  }

  /** The other nodes from which no message is under way to this one. */
  #withEmptyChannel(world: Int32Array, size: number, node: NodeId): NodeId[] {
    const { layout, parts } = this.#worlds
    const senders = new Set<NodeId>()
    for (let i = layout.header; i < size; i += 1) {
      const { from, to } = get(parts.envelopes, intAt(world, i))
      if (to === node) senders.add(from)
    }
    return this.#nodes.filter((other) => other !== node && !senders.has(other))
  }
}
