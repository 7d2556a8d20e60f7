/** What a host can tell its callers and operators about a node: R26. Nothing here changes the node. */
import { debtFor, type Id, isMajority, type Roster, sessionKey, votersOf } from './record.ts'
import { rules } from './rules.ts'
import { isFrozen, isLive, lastView, type Node, rivalsOf } from './state.ts'

export interface Standing {
  /** The epoch of the view that this node has begun; null without one. */
  readonly view: number | null
  readonly isFrozen: boolean
  readonly isLeaseValid: boolean
  /** Since when no majority of voters is heard, on the node's clock; null while one is. */
  readonly noQuorumSince: number | null
  /** Voters that are not heard. */
  readonly missing: readonly Id[]
  /** Voters that are heard without the disk that voted. Each is another voter under the same name (R20). */
  readonly withoutState: readonly Id[]
  /** So many voters lost their state that no majority can return. An operator may order a new first view (R26). */
  readonly needsOperator: boolean
}

export function standing(node: Node, now: number): Standing {
  const view = lastView(node)
  const missing: Id[] = []
  const withoutState: Id[] = []
  for (const { id, voterId } of view === null ? [] : votersOf(view)) {
    if (!isLive(node, id, now)) missing.push(id)
    else if (voterIdOf(node, id) !== voterId) withoutState.push(id)
  }
  if (view === null) missing.push(...node.config.voters.filter((id) => !isLive(node, id, now)))
  return {
    view: node.begun?.epoch ?? null,
    isFrozen: isFrozen(node),
    isLeaseValid: now < node.deadline,
    noQuorumSince: node.noQuorumSince,
    missing: [...new Set(missing)],
    withoutState: [...new Set(withoutState)],
    needsOperator:
      node.meeting === null && view !== null && !isMajority(view, thatMayReturn(node, view, now)),
  }
}

/**
 * R21: why the very first view has not begun. It needs every voter, while later views need a majority. Null if there has been a
 * view, as far as this node or those that it hears know.
 */
export function whyNoFirstView(node: Node, now: number): string | null {
  if (node.meeting !== null) return null
  const hasOther = Object.entries(node.heard).some(
    ([id, { accepted }]) => accepted !== null && isLive(node, id, now),
  )
  if (lastView(node) !== null || hasOther) return null
  const { voters } = node.config
  const missing = voters.filter((id) => !isLive(node, id, now))
  const needs = `the first view needs every voter (${voters.join(', ')})`
  if (missing.length === 0) return `${needs}: all are heard, ${whyNotYet(node, now)}`
  return `${needs}, and ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing`
}

/** R13: the silent members of the last view, without whom no view begins before the leases end that this voter renewed. */
export function silentWithLease(
  node: Node,
  now: number,
): { readonly ids: readonly Id[]; readonly leftMs: number } {
  const owed = (lastView(node)?.members ?? [])
    .filter(({ id }) => !isLive(node, id, now))
    .map(({ id, session }) => ({ id, left: (node.owed[sessionKey(session)] ?? now) - now }))
    .filter(({ left }) => left > 0)
  return { ids: owed.map(({ id }) => id), leftMs: Math.max(0, ...owed.map(({ left }) => left)) }
}

/** R21: where every voter is heard, the first view waits for other peers, or because of blank disks. */
function whyNotYet(node: Node, now: number): string {
  const { config, durable } = node
  const rivals = rivalsOf(node)
  if (rivals.length > 0)
    return `but other voters were told to ${rivals.join(', ')} (start this node again if they are gone)`
  if (rules.mayBeContested(node, now))
    return 'but other peers may have been told other voters, and have a lease to say so'
  if (durable.accepted !== null || config.firstStart !== undefined) return 'but it has not begun yet'
  const wait = Math.ceil(debtFor(config.settings.lease, config.settings.drift))
  return `but a node with a new state directory waits ${wait} ms after its start, unless firstStart is true`
}

/**
 * R26: why an operator's order of a first view is refused, or null. This node cannot know whether a majority works on beyond a
 * cut. The operator vouches for that.
 */
export function whyNoGenesis(node: Node, now: number, firstEpoch: number): string | null {
  const view = lastView(node)
  if (now < node.deadline || (view !== null && hearsQuorum(node, now)))
    return `a majority of view ${view?.epoch} still answers`
  const known = Object.entries(node.heard).filter(([id]) => isLive(node, id, now))
  const witness = known.find(([, { accepted }]) => view === null && accepted !== null)
  if (witness !== undefined) {
    const [id, { accepted }] = witness
    return `this node has no record of a view, but ${id} has that of view ${accepted}: give the order there`
  }
  const highest = Math.max(node.durable.promised.epoch, ...known.map(([, { promised }]) => promised))
  return firstEpoch > highest ? null : `epoch ${firstEpoch} is not above ${highest}, the highest one used`
}

/** On the tick. */
export function watchQuorum(node: Node, now: number): void {
  if (hearsQuorum(node, now)) node.noQuorumSince = null
  else node.noQuorumSince ??= now
}

/** Before the first view a quorum is every configured voter (R21). At a register, the register must have answered (M13). */
export function hearsQuorum(node: Node, now: number): boolean {
  if (node.meeting !== null) return now < node.meeting.row.until
  const view = lastView(node)
  if (view === null) return node.config.voters.every((id) => isLive(node, id, now))
  const heard = votersOf(view).filter(
    ({ id, voterId }) => isLive(node, id, now) && voterIdOf(node, id) === voterId,
  )
  return isMajority(
    view,
    heard.map(({ voterId }) => voterId),
  )
}

/** Unheard voters may come back with their disk. Voters that are heard with another disk have lost theirs. */
function thatMayReturn(node: Node, view: Roster, now: number): string[] {
  return votersOf(view)
    .filter(({ id, voterId }) => !isLive(node, id, now) || voterIdOf(node, id) === voterId)
    .map(({ voterId }) => voterId)
}

function voterIdOf(node: Node, id: Id): string | undefined {
  return id === node.id ? node.durable.voterId : node.heard[id]?.session.voterId
}
