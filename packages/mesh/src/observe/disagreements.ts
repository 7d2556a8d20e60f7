/**
 * Peers whose settings differ from this node's, or that refuse it, as the handshakes of its own connections show. Claims of nodes
 * that dial this one and are refused do not count, because they have not proved who they are.
 */
import type { Id } from '../protocol/record.ts'
import { isLive, lastView, type Node, peersOf, rivalsOf } from '../protocol/state.ts'
import type { Refusal, Terms } from '../transport/handshake.ts'
import type { Encounters } from '../transport/outgoing.ts'

interface Told {
  readonly reason: Refusal['reason']
  readonly why: string
  /** The first and the last of an unbroken series of refusals. */
  readonly since: number
  readonly at: number
}

/** Milliseconds. A peer that refuses is dialled more often than that. An older refusal no longer counts. */
const REMEMBERED = 5000

/** Between the names of voters, as nodes tell them. */
export const SEPARATOR = ', '

const NOT_BOTH = 'Without a common voter both could make a first view, so this node makes none'

export class Disagreements implements Encounters {
  readonly #ours: Terms
  readonly #now: () => number
  readonly #theirs = new Map<Id, Terms>()
  readonly #refusals = new Map<Id, Told>()
  /** Called with the peers whose voters have none in common with ours, whenever they change (R21). */
  onRivals: (rivals: readonly Id[]) => void = () => {}

  constructor(ours: Terms, now: () => number) {
    this.#ours = ours
    this.#now = now
  }

  met(peer: Id, terms: Terms): void {
    const before = this.#rivals()
    this.#theirs.set(peer, terms)
    const rivals = this.#rivals()
    if (rivals.join('\n') !== before.join('\n')) this.onRivals(rivals)
  }

  #rivals(): readonly Id[] {
    const ours = this.#ours.voters.split(SEPARATOR)
    const isStrange = ({ voters }: Terms) => !voters.split(SEPARATOR).some((id) => ours.includes(id))
    return [...this.#theirs].flatMap(([peer, terms]) => (isStrange(terms) ? [peer] : []))
  }

  refused(peer: Id, reason: Refusal['reason'], why: string): void {
    // Two processes with one name: that is normal for a moment after a restart.
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
    if (theirs.drift !== this.#ours.drift)
      lines.push(`drifts differ: ${peer} has ${theirs.drift}, ${node.id} has ${this.#ours.drift}`)
    // Once there is a view it defines the voters, whatever nodes were started with.
    if (theirs.voters !== this.#ours.voters && lastView(node) === null) {
      const line = `voters differ: ${peer} has "${theirs.voters}", ${node.id} has "${this.#ours.voters}"`
      lines.push(rivalsOf(node).includes(peer) ? `${line}. ${NOT_BOTH}` : line)
    }
    return lines
  }

  /** Peers that have refused this node for so long because of its mesh or its algorithm. */
  opponents(milliseconds: number): readonly Id[] {
    return [...this.#refusals.keys()].filter((peer) => {
      const told = this.#fresh(peer)
      if (told?.reason !== 'mesh' && told?.reason !== 'algorithm') return false
      return this.#now() - told.since >= milliseconds
    })
  }
}
