/**
 * Whom this node does not agree with, and on what: told by the handshakes of its own connections. What others say who dial it and
 * are refused does not count, since it is not proved who they are.
 */
import type { Id } from '../protocol/record.ts'
import { isLive, lastView, type Node, peersOf } from '../protocol/state.ts'
import type { Refusal, Terms } from '../transport/handshake.ts'
import type { Encounters } from '../transport/outgoing.ts'

interface Told {
  readonly reason: Refusal['reason']
  readonly why: string
  /** The first of an unbroken row, and the last. */
  readonly since: number
  readonly at: number
}

/** Milliseconds. A peer that refuses is dialled more often; one that has not for so long is not there any more. */
const REMEMBERED = 5000

export class Disagreements implements Encounters {
  readonly #ours: Terms
  readonly #now: () => number
  readonly #theirs = new Map<Id, Terms>()
  readonly #refusals = new Map<Id, Told>()

  constructor(ours: Terms, now: () => number) {
    this.#ours = ours
    this.#now = now
  }

  met(peer: Id, terms: Terms): void {
    this.#theirs.set(peer, terms)
  }

  refused(peer: Id, reason: Refusal['reason'], why: string): void {
    // Two processes with one name: after a restart that is so for a moment.
    if (reason === 'twin') return
    const at = this.#now()
    const since = this.#fresh(peer)?.since ?? at
    this.#refusals.set(peer, { reason, why, since, at })
  }

  welcomed(peer: Id): void {
    this.#refusals.delete(peer)
  }

  #fresh(peer: Id): Told | null {
    const told = this.#refusals.get(peer)
    return told !== undefined && this.#now() - told.at < REMEMBERED ? told : null
  }

  /** One line for each, with the values of both. */
  lines(node: Node, now: number): readonly string[] {
    const peers = peersOf(node)
    const refusals = peers.flatMap((peer) => this.#fresh(peer)?.why ?? [])
    const met = peers.filter((peer) => this.#theirs.has(peer) && isLive(node, peer, now))
    return [...refusals, ...met.flatMap((peer) => this.#differences(peer, node))]
  }

  #differences(peer: Id, node: Node): readonly string[] {
    const theirs = this.#theirs.get(peer) ?? this.#ours
    const lines: string[] = []
    if (theirs.lease !== this.#ours.lease)
      lines.push(`leases differ: ${peer} has ${theirs.lease} ms, ${node.id} has ${this.#ours.lease} ms`)
    // Once there is a view it says who votes, whatever nodes were started with.
    if (theirs.voters !== this.#ours.voters && lastView(node) === null)
      lines.push(`voters differ: ${peer} has "${theirs.voters}", ${node.id} has "${this.#ours.voters}"`)
    return lines
  }

  /** Those who have turned this node away for so long because it is of another mesh, or has another algorithm. */
  opponents(milliseconds: number): readonly Id[] {
    return [...this.#refusals.keys()].filter((peer) => {
      const told = this.#fresh(peer)
      if (told?.reason !== 'mesh' && told?.reason !== 'algorithm') return false
      return this.#now() - told.since >= milliseconds
    })
  }
}
