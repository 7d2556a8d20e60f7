/** Changes that callers and operators may ask for: voters (R20, R22, R23), peers, a first view (R21, R26). */
import { InvalidInput } from '@turnwise/core/invalid-input'
import { keepingRules } from './keeping-rules.ts'
import { leave } from './lease.ts'
import type { PromiseMessage } from './messages.ts'
import { type Id, type Member, type Roster, sameSession, type Voter } from './record.ts'
import { rules } from './rules.ts'
import { type Handling, isFrozen, isLive, type Node, type Order } from './state.ts'
import { spreadVoters } from './zones.ts'

/** R23 */
export function wishForVoters(handling: Handling, wanted: readonly Id[]): void {
  if (wanted.length === 0) throw new InvalidInput('a mesh has at least one voter, got none')
  handling.node.wish = [...new Set(wanted)].toSorted()
  settle(handling)
}

/** R22: a voter that will not come back first ceases to vote, so that its silence does not count against the others. */
export function leaveForGood(handling: Handling): void {
  handling.node.isLeaving = true
  settle(handling)
}

/** When a view begins, and on the tick: reports a wish that has come true. */
export function settle(handling: Handling): void {
  const { node } = handling
  const { begun } = node
  if (begun === null || isFrozen(node)) return
  const voters = begun.voters.map(({ id }) => id).toSorted()
  if (node.isLeaving) {
    const others = voters.filter((id) => id !== node.id)
    // The last voter has no other voter to leave the mesh to.
    if (others.length === 0 || (begun.oldVoters === null && !voters.includes(node.id))) return leave(handling)
    node.wish = others
  }
  if (node.wish === null || begun.oldVoters !== null || !isSame(voters, node.wish)) return
  node.wish = null
  handling.effects.push({ kind: 'voters', voters })
}

/** Members of the view stay peers until it has ended, listed or not. */
export function setPeers({ node }: Handling, peers: readonly Id[]): void {
  node.config = { ...node.config, peers: [...new Set([...peers, node.id])] }
}

/** R21 */
export function setRivals({ node }: Handling, rivals: readonly Id[]): void {
  node.config = { ...node.config, rivals }
}

/** R26. While its lease is valid a majority answers, and the order is ignored. */
export function orderGenesis({ node, now }: Handling, voters: readonly Id[], firstEpoch: number): void {
  if (voters.length === 0) throw new InvalidInput('a first view has at least one voter, got none')
  if (now >= node.deadline) node.order = { voters: [...new Set(voters)], firstEpoch, overrides: true }
}

/** R21: the order counts once. A node that has accepted a record has had its first start. */
export function orderOfFirstStart({ config, durable }: Node): Order | null {
  if (config.firstStart === undefined || durable.accepted !== null) return null
  return { voters: config.firstStart, firstEpoch: config.firstEpoch ?? 1, overrides: false }
}

/**
 * The voters of the record after `highest`. A voter that came back without its state is replaced (R20). A wish is granted one
 * change at a time, through a joint view (R23).
 */
export function votersAfter(
  promises: readonly [Id, PromiseMessage][],
  highest: Roster,
  spreads = false,
): Pick<Roster, 'voters' | 'oldVoters' | 'since' | 'isChosen'> {
  const { voters, oldVoters, members, epoch } = highest
  const since = {
    ...(highest.since !== undefined && { since: highest.since }),
    ...(highest.isChosen && { isChosen: true as const }),
  }
  const hasBegun = ({ session }: Member) =>
    promises.some(([, promise]) => promise.begun === epoch && sameSession(promise.session, session))
  if (oldVoters !== null) {
    return rules.isSettled(members, hasBegun)
      ? { ...since, voters, oldVoters: null, since: keepingRules.era(epoch, highest.since) }
      : { voters, oldVoters, ...since }
  }
  const current = (id: Id) =>
    promises.find(([from]) => from === id)?.[1].session.voterId ??
    voters.find((voter) => voter.id === id)?.voterId
  const set = (ids: readonly Id[]) =>
    ids.flatMap((id): Voter[] => {
      const voterId = current(id)
      return voterId === undefined ? [] : [{ id, voterId }]
    })
  const wishes = promises.flatMap(([, { wish }]) => (wish === null ? [] : [wish]))
  const ids = voters.map(({ id }) => id)
  // A wish waits until all voters that it names are known. Otherwise the change could end with too few voters.
  const isKnown = (wish: readonly Id[]) => !isSame(wish, ids) && set(wish).length === wish.length
  const granted = wishes.find(isKnown)
  const spread = spreads ? spreadVoters(highest) : null
  const wanted = set(granted ?? (spread !== null && isKnown(spread) ? spread : ids))
  const isChange = !isSame(wanted.map(written), voters.map(written))
  const isKnownChosen = promises.some(([, { begun }]) => begun === epoch)
  if (!isChange || !isKnownChosen) return { voters, oldVoters, ...since }
  // In a joint view a majority of the old voters answers, too. So it knows as much as they did.
  return {
    voters: wanted,
    oldVoters: rules.oldVoters(voters),
    ...since,
    ...(granted !== undefined && { isChosen: true as const }),
  }
}

/** Whether the voters are a reason to change the view: R20, R23. */
export function wantsOtherVoters({ node, now }: Handling, view: Roster): boolean {
  const { epoch, voters, oldVoters, members } = view
  if (oldVoters !== null) {
    return members.every(
      ({ id }) => id === node.id || (isLive(node, id, now) && node.heard[id]?.begun === epoch),
    )
  }
  const isReplaced = voters.some(({ id, voterId }) => {
    const heard = node.heard[id]
    return heard !== undefined && isLive(node, id, now) && heard.session.voterId !== voterId
  })
  const ids = voters.map(({ id }) => id)
  const wishes = [
    node.wish,
    ...members.map(({ id }) => (isLive(node, id, now) ? node.heard[id]?.wish : null)),
    ...(node.config.spreadsVoters ? [spreadVoters(view)] : []),
  ]
  return (
    isReplaced ||
    wishes.some(
      (wish) =>
        wish != null && !isSame(wish, ids) && wish.every((id) => ids.includes(id) || isLive(node, id, now)),
    )
  )
}

function written({ id, voterId }: Voter): string {
  return `${id} ${voterId}`
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((each) => b.includes(each))
}
