/**
 * Finds connections that lead nowhere without an error: to a peer that is not heard, or that says it does not hear us. They are
 * reconnected, per peer at most once in S, and less and less often while that does not help. On a machine that is too busy to
 * answer in time, hundreds of new connections would keep it so.
 */

import { expected } from '../protocol/partners.ts'
import { isTwoWay } from '../protocol/reach.ts'
import type { Id } from '../protocol/record.ts'
import { isLive, type Node, suspicion } from '../protocol/state.ts'

export class Silence {
  /** When each peer was first missed or last reconnected, and how long it has from then. */
  readonly #missed = new Map<Id, { readonly at: number; readonly patienceMs: number }>()

  /** On the tick: the peers to reconnect. */
  due(node: Node, now: number): Id[] {
    return expected(node).filter((peer) => peer !== node.id && this.#isDue(node, peer, now))
  }

  #isDue(node: Node, peer: Id, now: number): boolean {
    if (isTwoWay(node, peer, now)) {
      this.#missed.delete(peer)
      return false
    }
    const missed = this.#missed.get(peer)
    const shortest = suspicion(node)
    // A peer that fell silent has been silent for S. A peer that starts needs some time to hear us, or to be heard.
    const isDue =
      missed === undefined
        ? node.heard[peer] !== undefined && !isLive(node, peer, now)
        : now - missed.at >= missed.patienceMs
    if (missed === undefined) this.#missed.set(peer, { at: now, patienceMs: shortest })
    else if (isDue)
      this.#missed.set(peer, { at: now, patienceMs: Math.min(2 * missed.patienceMs, LONGEST * shortest) })
    return isDue
  }
}

/** In units of S. */
const LONGEST = 4
