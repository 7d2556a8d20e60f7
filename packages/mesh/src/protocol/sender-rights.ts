/**
 * Who may say what about whom. The transport vouches for the sender's id, by certificate or secret. These functions check the
 * rest. A voterId and its sessions belong to the one id under which records and heartbeats know it. So no node speaks for
 * another: not in heartbeats, acks and votes, and not about its end.
 */
import { type Id, type Roster, type VoterId, votersOf } from './record.ts'
import { type Installed, lastView, type Node } from './state.ts'

/** Whether one of the ids under which this node knows a voterId is as asked. */
function someOwner(node: Node, voterId: VoterId, isAsked: (id: Id) => boolean): boolean {
  const { id, durable, begun, installed, closing, heard } = node
  if (voterId === durable.voterId && isAsked(id)) return true
  for (const roster of [durable.accepted, begun, installed?.record, closing?.record]) {
    if (roster == null) continue
    if (votersOf(roster).some((voter) => voter.voterId === voterId && isAsked(voter.id))) return true
    if (roster.members.some(({ session, id }) => session.voterId === voterId && isAsked(id))) return true
  }
  for (const peer in heard) if (heard[peer]?.session.voterId === voterId && isAsked(peer)) return true
  return false
}

/** Whether no other id is known for this voterId. That of a newcomer is not known at all. */
export function maySpeakFor(node: Node, from: Id, voterId: VoterId): boolean {
  return !someOwner(node, voterId, (owner) => owner !== from)
}

/** Whether the voterId is known, and belongs to the sender only. */
export function speaksFor(node: Node, from: Id, voterId: VoterId): boolean {
  return someOwner(node, voterId, (owner) => owner === from) && maySpeakFor(node, from, voterId)
}

/** Whether the record has this voter under this id. */
export function votesIn(roster: Roster, from: Id, voterId: VoterId): boolean {
  return votersOf(roster).some((voter) => voter.id === from && voter.voterId === voterId)
}

/**
 * Whether its refusal ends a ballot of this node: it votes in a known view, or before the first view it is configured as voter.
 */
export function mayRefuse(node: Node, from: Id): boolean {
  const { proposal, config } = node
  const view = lastView(node)
  const views = Object.values(proposal?.promises ?? {}).flatMap(({ accepted }) => accepted ?? [])
  if (view !== null) views.push(view)
  if (views.length === 0) return (proposal?.order?.voters ?? config.voters).includes(from)
  return views.some((roster) => votersOf(roster).some(({ id }) => id === from))
}

/** Whether it votes in the record on this node's disk, or without one in the configuration. */
export function isVoterFor({ durable: { accepted }, config }: Node, from: Id): boolean {
  return accepted === null ? config.voters.includes(from) : votersOf(accepted).some(({ id }) => id === from)
}

/**
 * Whether it can know that a record was chosen: it is the proposer, which counted, or a member, which has begun it. Null: no node
 * said so.
 */
export function mayHerald({ record, ballot }: Installed, from: Id | null): boolean {
  return from !== null && (proposerOf(ballot) === from || record.members.some(({ id }) => id === from))
}

/** The proposer's id. A ballot is named `id/session/attempt`. */
function proposerOf(ballot: string): Id {
  return ballot.slice(0, Math.max(0, ballot.lastIndexOf('/', ballot.lastIndexOf('/') - 1)))
}
