/**
 * Connections that lead nowhere although nothing says so: to a peer that is not heard, or that says it does not hear us.
 * They are made anew, one peer at most once in S, and less and less often as long as that does not help: on a machine that is too
 * busy to answer in time, connections by the hundred would keep it so.
 */

import { expected } from '../protocol/partners.ts'
import { isTwoWay } from '../protocol/reach.ts'
import type { Id } from '../protocol/record.ts'
import { isLive, type Node, suspicion } from '../protocol/state.ts'

export class Silence {
  /** When each of these was first missed, or last connected to anew, and how long it has from then. */
  readonly #missed = new Map<Id, { readonly at: number; readonly patience: number }>()

  /** On the tick: whom to connect to anew. */
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
    // One that has fallen silent has been so for S. One that starts needs a while to hear us, or to be heard.
    const isDue =
      missed === undefined
        ? node.heard[peer] !== undefined && !isLive(node, peer, now)
        : now - missed.at >= missed.patience
    if (missed === undefined) this.#missed.set(peer, { at: now, patience: shortest })
    else if (isDue)
      this.#missed.set(peer, { at: now, patience: Math.min(2 * missed.patience, LONGEST * shortest) })
    return isDue
  }
}

/** Of S. */
const LONGEST = 4
