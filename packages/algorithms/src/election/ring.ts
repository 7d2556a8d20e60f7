/**
 * A ring in which a crashed process is bypassed (Kessler 2024, the ring-based algorithm, and its exercise on keeping
 * the ring up to date). Each process knows its successor, the one after that, and its predecessor.
 *
 * When the successor crashes, the next-of-next takes its place. Two processes must hear of it: the new successor, which
 * tells its new predecessor who comes next, and the predecessor, whose next-of-next has changed. That takes three
 * messages. Two neighbours that crash before that leave a gap that no process can bridge.
 */
import type { Here, NodeId } from '@turnwise/core/algorithm'
import type { Shape } from '@turnwise/core/shape'

export type RingMessage =
  /** The sender comes before you now. Tell it who comes after you. */
  | { readonly type: 'predecessor' }
  /** After the sender comes `next`. */
  | { readonly type: 'successor'; readonly next: NodeId }

export interface Ring {
  next: NodeId
  /** Null until the new successor has told us. */
  nextOfNext: NodeId | null
  previous: NodeId
  /** The processes that the failure detector has named. */
  down: NodeId[]
}

export const RING_SHAPES = {
  state: {
    fields: { next: 'node', nextOfNext: 'node', previous: 'node', down: { list: 'node' } },
  },
  messages: { predecessor: {}, successor: { next: 'node' } },
} as const satisfies { state: Shape; messages: Record<RingMessage['type'], Record<string, Shape>> }

/** The ring of all nodes by their numbers, the last before the first. */
export function ringAround(self: NodeId, { nodes }: { readonly nodes: number }): Ring {
  return {
    next: (self + 1) % nodes,
    nextOfNext: (self + 2) % nodes,
    previous: (self + nodes - 1) % nodes,
    down: [],
  }
}

/** Where a ring's messages are sent from: the algorithm's own `here` fits. */
type Sender = { send(to: NodeId, message: RingMessage): void } & Pick<Here, 'self' | 'because'>

/** Bypasses a successor that is down, if we know who comes after it. True if there is a new successor. */
export function mend(ring: Ring, here: Sender): boolean {
  const failed = ring.next
  if (!ring.down.includes(failed)) return false
  if (ring.nextOfNext === null) {
    here.because?.('node {self} cannot bypass node {failed} yet: nobody has told it who comes next', {
      failed,
    })
    return false
  }
  ring.next = ring.nextOfNext
  ring.nextOfNext = ring.next === here.self ? here.self : null
  if (ring.next === here.self) {
    here.because?.('without node {failed} node {self} is alone in the ring', { failed })
    ring.previous = here.self
    return true
  }
  here.because?.('node {self} bypasses node {failed}: node {next} comes after it', {
    failed,
    next: ring.next,
  })
  here.send(ring.next, { type: 'predecessor' })
  if (!ring.down.includes(ring.previous)) {
    here.because?.('node {previous}, before node {self}, must know who comes after it now', {
      previous: ring.previous,
    })
    here.send(ring.previous, { type: 'successor', next: ring.next })
  }
  return true
}

export const ringReceive = {
  predecessor(ring: Ring, here: Sender, _predecessor: RingMessage, from: NodeId): void {
    here.because?.('node {from} comes before node {self} now, and must know who comes after it', { from })
    ring.previous = from
    here.send(from, { type: 'successor', next: ring.next })
  },

  successor(ring: Ring, here: Sender, { next }: { readonly next: NodeId }, from: NodeId): void {
    if (from !== ring.next) return
    here.because?.('if node {from} fails, node {self} will go on to node {next}', { from, next })
    ring.nextOfNext = next
  },
}
