/** What the set of a world consists of: messages, and facts of the past. */
import type { Id, Roster, Session } from '../src/protocol/record.ts'
import type { Node } from '../src/protocol/state.ts'
import type { Bounds } from './bounds.ts'
import type { Envelope } from './process.ts'

/** What is remembered of the past, for the lemmas. Nobody in the mesh reads it. */
export type Fact =
  | { readonly fact: 'decided'; readonly record: Roster; readonly ballot: string; readonly from: number }
  | { readonly fact: 'accepted'; readonly record: Roster; readonly ballot: string; readonly voterId: string }
  | { readonly fact: 'chosen'; readonly record: Roster; readonly ballot: string }
  | { readonly fact: 'began'; readonly session: Session; readonly epoch: number }

export type Item = Envelope | Fact

/**
 * Not STALE: no disk goes back here, so its receiver ignores it, and its sender dropped the message as if it had been lost.
 * Not REFUSE: it ends a proposal and tells an epoch, both of which can happen at any time anyway. Not LINKACK: nothing is
 * lost, so nothing is sent again. INSTALL only from its proposer: it reaches all nodes, and others repeat the same.
 */
export function isKept(envelope: Envelope): boolean {
  const { type } = envelope.message
  if (type === 'stale' || type === 'refuse' || type === 'link-ack') return false
  return type !== 'install' || isOwn(envelope)
}

export function isOwn({ from, message }: Envelope): boolean {
  return message.type === 'install' && message.ballot.startsWith(`${from}/`)
}

/** The record that a voter accepted in this event. */
export function acceptOf(before: Node, { durable, installed }: Node): Fact | null {
  const { accepted, voterId } = durable
  if (accepted === null || accepted.epoch === before.durable.accepted?.epoch) return null
  const { closing } = before
  const ballot = closing?.record.epoch === accepted.epoch ? closing.ballot : (installed?.ballot ?? '')
  return { fact: 'accepted', record: accepted, ballot, voterId }
}

/** A tick later: times in messages are relative to the clock they were read from. Null if it is too old to give a lease. */
export function aged(item: Item, slow: Id | undefined, { lease, leases }: Bounds): Item | null {
  if (!('to' in item) || !('at' in item.message)) return item
  const owner = item.message.type === 'ack' ? item.to : item.from
  const at = item.message.at - (slow === owner ? 0 : 1)
  return at + (leases[owner] ?? lease) > 0 ? { ...item, message: { ...item.message, at } } : null
}

/** Every set of these places, as bits. */
export function subsets(places: readonly number[]): number[] {
  let sets = [0]
  for (const place of places) sets = [...sets, ...sets.map((set) => set | (1 << place))]
  return sets
}

/** Every way to take at most one of each list, but not none at all. */
export function choices(lists: readonly number[][]): number[][] {
  let chosen: number[][] = [[]]
  for (const list of lists)
    chosen = [...chosen, ...chosen.flatMap((some) => list.map((each) => [...some, each]))]
  return chosen.filter((some) => some.length > 0)
}
