/** What a host can tell its callers and operators of a node, without changing it: R26. */
import { type Id, isMajority, type Roster } from './record.ts'
import { isFrozen, isLive, lastView, type Node } from './state.ts'

export interface Standing {
  /** The epoch of the view this node has begun; null without one. */
  readonly view: number | null
  readonly isFrozen: boolean
  readonly isLeaseValid: boolean
  /** Since when no majority of voters is heard, on the node's clock; null while one is. */
  readonly noQuorumSince: number | null
  /** Voters that are not heard. */
  readonly missing: readonly Id[]
  /** Voters that are heard, but without the disk that voted: another voter under the same name (R20). */
  readonly withoutState: readonly Id[]
  /** So many are without their state that no majority can return: an operator may order a new first view (R26). */
  readonly needsOperator: boolean
}

export function standing(node: Node, now: number): Standing {
  const view = lastView(node)
  const missing: Id[] = []
  const withoutState: Id[] = []
  for (const { id, voterId } of view === null ? [] : [...view.voters, ...(view.oldVoters ?? [])]) {
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
    needsOperator: view !== null && !isMajority(view, thatMayReturn(node, view, now)),
  }
}

/** On the tick. */
export function watchQuorum(node: Node, now: number): void {
  if (hearsQuorum(node, now)) node.noQuorumSince = null
  else node.noQuorumSince ??= now
}

/** Before the first view that is every configured voter (R21). */
function hearsQuorum(node: Node, now: number): boolean {
  const view = lastView(node)
  if (view === null) return node.config.voters.every((id) => isLive(node, id, now))
  const heard = [...view.voters, ...(view.oldVoters ?? [])].filter(
    ({ id, voterId }) => isLive(node, id, now) && voterIdOf(node, id) === voterId,
  )
  return isMajority(
    view,
    heard.map(({ voterId }) => voterId),
  )
}

/** Unheard voters may come back with their disk; those heard as another voter do not. */
function thatMayReturn(node: Node, view: Roster, now: number): string[] {
  return [...view.voters, ...(view.oldVoters ?? [])]
    .filter(({ id, voterId }) => !isLive(node, id, now) || voterIdOf(node, id) === voterId)
    .map(({ voterId }) => voterId)
}

function voterIdOf(node: Node, id: Id): string | undefined {
  return id === node.id ? node.durable.voterId : node.heard[id]?.session.voterId
}
