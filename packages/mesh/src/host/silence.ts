/**
 * Connections that lead nowhere although nothing says so: to a peer that is not heard, or that says it does not hear us.
 * They are made anew, one peer at most once in S.
 */

import { expected } from '../protocol/partners.ts'
import { isTwoWay } from '../protocol/reach.ts'
import type { Id } from '../protocol/record.ts'
import { isLive, type Node, suspicion } from '../protocol/state.ts'

export class Silence {
  /** When each of these was first missed, or last connected to anew. */
  readonly #since = new Map<Id, number>()

  /** On the tick: whom to connect to anew. */
  due(node: Node, now: number): Id[] {
    return expected(node).filter((peer) => peer !== node.id && this.#isDue(node, peer, now))
  }

  #isDue(node: Node, peer: Id, now: number): boolean {
    if (isTwoWay(node, peer, now)) {
      this.#since.delete(peer)
      return false
    }
    const heard = node.heard[peer]
    const since = this.#since.get(peer)
    // One that has fallen silent has been so for S. One that starts needs a while to hear us, or to be heard.
    const isDue =
      since === undefined ? heard !== undefined && !isLive(node, peer, now) : now - since >= suspicion(node)
    if (isDue || since === undefined) this.#since.set(peer, now)
    return isDue
  }
}
