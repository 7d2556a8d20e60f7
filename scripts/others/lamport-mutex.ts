/**
 * Lamport's algorithm cut as the module LamportMutex of the TLA+ examples cuts it, for `explore`: TLC's figures for it are published, so
 * they say whether our search visits every world once. It differs from `lamport.ts` in this:
 *  - Clocks begin with 1, and only the receipt of a request moves one, past the stamp. A request is stamped without a tick, and acks and
 *    releases carry no stamp.
 *  - A node counts acks; ours takes anything stamped later than its request.
 *  - To enter is a step of its own, which may repeat inside and then changes nothing; ours enters in the step that makes it possible.
 *  - Each node asks any number of times; the clocks are bounded.
 */
import type { Model } from '@turnwise/checker'
import { intAt } from '@turnwise/core/bounds'

/** What TLC finds with three nodes and clocks up to 6. It counts the first state as generated, and as one of the depth. */
export const PUBLISHED = { nodes: 3, mostClock: 6, distinct: 724_274, generated: 2_729_079, depth: 61 }

const ACK = 1
const RELEASE = 2
/** A request is this and its stamp. */
const REQUEST = 2

/** A channel is a number whose digits are its messages, the first to arrive last. */
function digitsOf(mostClock: number): number {
  return REQUEST + mostClock + 2
}

/** What was found beside worlds: the steps that TLC counts, also those into worlds beyond the bound. */
export interface Generated {
  steps: number
}

/** A world: the clocks, the requests that each node knows of (0 for none), acks and nodes inside as bits, the channels. */
export function lamportMutex(nodes: number, mostClock: number, generated: Generated): Model<string> {
  const base = digitsOf(mostClock)
  const all = 2 ** nodes - 1
  const requests = nodes
  const acks = requests + nodes * nodes
  const inside = acks + nodes
  const channels = inside + 1
  const size = channels + nodes * nodes
  const next = new Int32Array(size)
  const requestOf = (node: number, of: number) => requests + node * nodes + of
  const channel = (from: number, to: number) => channels + from * nodes + to

  function send(from: number, to: number, message: number): void {
    const place = channel(from, to)
    let unit = 1
    while (unit <= intAt(next, place)) unit *= base
    next[place] = intAt(next, place) + unit * message
  }

  function sendToOthers(from: number, message: number): void {
    for (let to = 0; to < nodes; to += 1) if (to !== from) send(from, to, message)
  }

  function isFirst(world: Int32Array, node: number): boolean {
    const own = intAt(world, requestOf(node, node))
    for (let other = 0; other < nodes; other += 1) {
      const theirs = intAt(world, requestOf(node, other))
      if (other === node || theirs === 0) continue
      if (own > theirs || (own === theirs && node > other)) return false
    }
    return true
  }

  function receive(world: Int32Array, to: number, from: number): string {
    const waiting = intAt(world, channel(from, to))
    const message = waiting % base
    next[channel(from, to)] = (waiting - message) / base
    if (message === ACK) next[acks + to] = intAt(world, acks + to) | (1 << from)
    else if (message === RELEASE) next[requestOf(to, from)] = 0
    else {
      const stamp = message - REQUEST
      next[requestOf(to, from)] = stamp
      next[to] = Math.max(intAt(world, to), stamp) + 1
      send(to, from, ACK)
    }
    return `node ${to} receives from node ${from}`
  }

  /** What a node may do by itself; `next` is where it leads. */
  const own: ((world: Int32Array, node: number) => string | null)[] = [
    function ask(world, node) {
      if (intAt(world, requestOf(node, node)) !== 0) return null
      next[requestOf(node, node)] = intAt(world, node)
      next[acks + node] = 1 << node
      sendToOthers(node, REQUEST + intAt(world, node))
      return `node ${node} asks`
    },
    function enter(world, node) {
      if (intAt(world, acks + node) !== all || !isFirst(world, node)) return null
      next[inside] = intAt(world, inside) | (1 << node)
      return `node ${node} enters`
    },
    function exit(world, node) {
      if ((intAt(world, inside) & (1 << node)) === 0) return null
      next[inside] = intAt(world, inside) & ~(1 << node)
      next[requestOf(node, node)] = 0
      next[acks + node] = 0
      sendToOthers(node, RELEASE)
      return `node ${node} leaves`
    },
  ]

  function violation(): string | null {
    const bits = intAt(next, inside)
    return (bits & (bits - 1)) === 0 ? null : 'two nodes are inside together'
  }

  function isBeyond(): boolean {
    for (let node = 0; node < nodes; node += 1) if (intAt(next, node) > mostClock) return true
    return false
  }

  return {
    mostNumbers: size,
    initial(world) {
      world.fill(0, 0, size)
      world.fill(1, 0, nodes)
      return size
    },
    expand(world, _size, visit) {
      const reach = (told: string | null) => {
        if (told === null) return
        generated.steps += 1
        if (!isBeyond()) visit(next, size, violation(), () => told)
      }
      for (let node = 0; node < nodes; node += 1) {
        for (const step of own) {
          next.set(world.subarray(0, size))
          reach(step(world, node))
        }
        for (let from = 0; from < nodes; from += 1) {
          next.set(world.subarray(0, size))
          if (intAt(world, channel(from, node)) !== 0) reach(receive(world, node, from))
        }
      }
    },
  }
}
