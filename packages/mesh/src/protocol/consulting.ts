/** How members ask voters what they remember (keeping.ts). The host repeats a lost question under the same ticket. */
import type { Event } from './events.ts'
import type { MessageOf } from './messages.ts'
import { type Id, namesVoter, votersOf } from './record.ts'
import { votesIn } from './sender-rights.ts'
import { type Handling, isFrozen, type Node, send } from './state.ts'

/** Only the present holder of the lock may ask, in the view that this node works in. */
export function consult(handling: Handling, event: Extract<Event, { kind: 'consult' }>): void {
  const { node } = handling
  const { name, caller, ticket, step, value } = event
  const fence = fenceOf(node, name, caller)
  if (node.begun === null || isFrozen(node) || fence === null) return
  const question = { name, ballot: { fence, step }, value }
  for (const id of new Set(votersOf(node.begun).map((voter) => voter.id)))
    send(handling, id, { type: 'consult', epoch: node.begun.epoch, ticket, question })
}

function fenceOf({ names }: Node, name: string, caller: unknown) {
  const holds = names.get(name)?.seats.flatMap((seat) => seat.holds) ?? []
  return holds.find((hold) => hold.caller === caller && hold.mode === 'exclusive')?.fence ?? null
}

/** As on links, a frozen node ignores this, and so does a node in another view. */
export function onConsult(
  handling: Handling,
  from: Id,
  { epoch, ticket, question }: MessageOf<'consult'>,
): void {
  const { node } = handling
  if (!isVoterIn(node, epoch)) return
  handling.effects.push({ kind: 'consulted', from, epoch, since: node.begun?.since ?? 0, ticket, question })
}

function isVoterIn(node: Node, epoch: number): boolean {
  const { begun, durable } = node
  return begun?.epoch === epoch && !isFrozen(node) && namesVoter(begun, durable.voterId)
}

/**
 * The host has written it to disk. A node that has promised another view meanwhile does not answer: the next view must not depend
 * on it.
 */
export function advise(
  handling: Handling,
  { to, epoch, ticket, advice }: Extract<Event, { kind: 'advise' }>,
): void {
  const { node } = handling
  if (!isVoterIn(node, epoch)) return
  send(handling, to, { type: 'advice', epoch, ticket, voterId: node.durable.voterId, advice })
}

export function onAdvice(
  handling: Handling,
  from: Id,
  { epoch, ticket, voterId, advice }: MessageOf<'advice'>,
): void {
  const { begun } = handling.node
  // An answer ends with its view, because the next view may have other voters.
  if (begun?.epoch !== epoch || !votesIn(begun, from, voterId)) return
  handling.effects.push({ kind: 'advised', epoch, ticket, voterId, advice })
}
