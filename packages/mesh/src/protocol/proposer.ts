/** The proposer of a view: R9, R12, R16 and R21. Any node may propose at any time, so safety depends on no election. */
import { areCompatible } from '@turnwise/core/modes'
import { randomStream } from '@turnwise/core/random'
import { dictionary } from './dictionary.ts'
import { farthestEpoch } from './epochs.ts'
import { standsAside } from './first-view.ts'
import { fitting, nextMembers, votersFirst } from './fit.ts'
import type { MessageOf, PromiseMessage } from './messages.ts'
import { isGroup, permitsOf } from './names.ts'
import { votersAfter } from './operator-changes.ts'
import { isHeardByAny, isTwoWay, reachEachOther } from './reach.ts'
import {
  debtFor,
  type Holder,
  type Id,
  includesSession,
  type Member,
  overlapping,
  type Roster,
  sessionKey,
  type ViewRecord,
  withoutTable,
} from './record.ts'
import { rules } from './rules.ts'
import { mayRefuse, maySpeakFor, votesIn } from './sender-rights.ts'
import { tellIfBehind } from './stale.ts'
import {
  type Handling,
  isEnded,
  isLive,
  type Node,
  type Proposal,
  peersOf,
  send,
  sendToAll,
  suspicion,
} from './state.ts'
import { isLong, isReporting, isTravelling, sendTable } from './tables.ts'
import { onPrepare } from './voter.ts'

/**
 * R9: begins a new ballot, above every known promise. The promise to oneself is on disk before PREPARE leaves. `insists`: by
 * order of the host.
 */
export function propose(handling: Handling, insists: boolean): void {
  const { node, now } = handling
  const { order } = node
  // A ballot whose view could not fit would freeze all members in vain.
  if (nextMembers(node, now) === null || standsAside(handling, node.id)) return
  const heard = Object.values(node.heard).map(({ promised }) => promised)
  const highest = Math.max(node.durable.promised.epoch, ...heard)
  const epoch = Math.max(rules.nextEpoch(highest, node.begun?.epoch ?? 0), firstEpoch(node))
  // An epoch beyond this could not be read back from disk.
  if (epoch > farthestEpoch(node)) return
  node.ballots += 1
  const ballot = `${node.id}/${node.durable.voterId}.${node.durable.k}/${node.ballots}`
  node.proposal = {
    epoch,
    ballot,
    started: now,
    promises: dictionary(),
    refusers: [],
    record: null,
    accepts: [],
    order,
    isFirst: false,
    insists,
  }
  node.stirred = now
  const prepare: MessageOf<'prepare'> = { type: 'prepare', epoch, ballot, insists }
  onPrepare(handling, node.id, prepare)
  for (const peer of peersOf(node)) if (peer !== node.id) send(handling, peer, prepare)
}

/** R21, R26: no disk here knows which epochs were used before, so the configuration or the order says where to begin. */
function firstEpoch({ order, config, durable }: Node): number {
  if (order !== null) return order.firstEpoch
  return durable.accepted === null ? (config.firstEpoch ?? 1) : 1
}

export function onPromise(handling: Handling, from: Id, message: PromiseMessage): void {
  const { proposal } = handling.node
  if (proposal?.ballot !== message.ballot || proposal.record !== null) return
  const { session, accepted } = message
  // A node speaks only for itself, and accepts only records in which it votes (R13).
  if (!maySpeakFor(handling.node, from, session.voterId)) return
  if (accepted !== null && !votesIn(accepted, from, session.voterId)) return
  const said = { k: session.k, promised: message.epoch, accepted: accepted?.epoch ?? 0 }
  // R20: an old copy of a directory must not report, because it has forgotten something.
  if (tellIfBehind(handling, from, session, said)) return
  const before = proposal.promises[from]
  // R12: one session per id: the one in H, else the first that has not ended.
  const highest = highestAccepted(proposal)
  const isInH = highest !== null && includesSession(highest, session)
  if (before === undefined || isEnded(handling.node, before.session) || isInH)
    proposal.promises[from] = message
  tryDecide(handling)
}

export function onRefuse(handling: Handling, from: Id, { ballot, promised }: MessageOf<'refuse'>): void {
  const { node } = handling
  const { heard, proposal } = node
  if (heard[from] !== undefined) heard[from].promised = Math.max(heard[from].promised, promised.epoch)
  if (proposal?.ballot !== ballot) return
  if (mayRefuse(node, from)) giveUp(handling)
  else if (!proposal.refusers.includes(from)) proposal.refusers.push(from)
}

/** R16: nothing is undone. */
export function giveUp({ node, now }: Handling): void {
  node.proposal = null
  node.notBefore = now + backoff(node)
}

/** A time in [S, 2S] that differs between nodes and attempts. */
export function backoff(node: Node): number {
  const { voterId, k } = node.durable
  return suspicion(node) * (1 + randomStream(k * 1000 + node.ballots, voterId).fraction())
}

/** How long a ballot may take: longer than any wait of R13. */
function patience({ config }: Node): number {
  const { lease: leaseMs, drift: driftFraction } = config.settings
  return 2 * debtFor(leaseMs, driftFraction) + 4 * config.roundTrip
}

/** On the tick: repeats everything, or gives up. */
export function pursue(handling: Handling): void {
  const { node, now } = handling
  const { proposal } = node
  if (proposal === null) return
  if (now - proposal.started > patience(node) && !isTravelling(handling, proposal)) return giveUp(handling)
  const { epoch, ballot, insists, record } = proposal
  // Nodes that wait for a long table hear that the ballot goes on.
  if (record === null || isLong(node, record.table)) {
    for (const peer of peersOf(node)) send(handling, peer, { type: 'prepare', epoch, ballot, insists })
  }
  if (record === null) tryDecide(handling)
  else install(handling, record, ballot)
}

function install(handling: Handling, record: ViewRecord, ballot: string): void {
  const message: MessageOf<'install'> = { type: 'install', record, ballot }
  for (const peer of peersOf(handling.node)) sendTable(handling, peer, message)
}

/** H: the accepted record with the highest epoch. */
function highestAccepted({ promises }: Proposal): Roster | null {
  let highest: Roster | null = null
  for (const { accepted } of Object.values(promises)) {
    if (accepted !== null && accepted.epoch > (highest?.epoch ?? 0)) highest = accepted
  }
  return highest
}

/** R12: decides when a majority of H has promised, and slower nodes had some time to report. */
function tryDecide(handling: Handling): void {
  const { node } = handling
  const { proposal } = node
  if (proposal === null || proposal.record !== null) return
  const promised = Object.values(proposal.promises).map(({ session }) => session.voterId)
  // R26: an order of the operator overrides earlier records.
  const highest = proposal.order?.overrides ? null : highestAccepted(proposal)
  const voters = firstVoters(node, proposal)
  const among = voters.filter((id) => proposal.promises[id] !== undefined)
  const isEnough =
    highest !== null
      ? rules.enoughPromises(highest, promised)
      : // R21: a majority of empty disks may be a majority that lost its state.
        rules.enoughForFirst(among.length, voters.length)
  if (!isEnough) return
  if (isAnybodyLate(handling, proposal)) return
  const record = highest === null ? firstRecord(handling, proposal) : nextRecord(handling, proposal, highest)
  // Nodes that are missing for a view that fits may still report. If they do not, the ballot is given up.
  if (record === null) return
  proposal.isFirst = highest === null
  proposal.record = record
  install(handling, record, proposal.ballot)
}

/**
 * Whether to wait for more reports. A node that is left out loses its locks, and comes back only by another change of view. A
 * node that is heard, here or by a node that this one hears, has some time to report. A node with a running lease has longer,
 * unless it says that it does not hear this node: without its report the record could not be accepted before that lease is over
 * (R13). A node that has promised this epoch may have much to report.
 */
function isAnybodyLate(handling: Handling, proposal: Proposal): boolean {
  const { node, now } = handling
  const { started, promises } = proposal
  const { lease: leaseMs } = node.config.settings
  return peersOf(node).some((id) => {
    const heard = node.heard[id]
    if (promises[id] !== undefined || (heard !== undefined && isEnded(node, heard.session))) return false
    if (isReporting(handling, proposal, id)) return true
    if (now - started < 0.3 * leaseMs && isHeardByAny(node, id, now)) return true
    if (heard === undefined || now - heard.at >= leaseMs || now - started >= 0.8 * leaseMs) return false
    const isDeaf = isLive(node, id, now) && !isTwoWay(node, id, now)
    const owed = node.owed[sessionKey(heard.session)] ?? Number.NEGATIVE_INFINITY
    return owed - now > 3 * node.config.roundTrip && !isDeaf
  })
}

function firstVoters({ config }: Node, { order }: Proposal): readonly Id[] {
  return order?.voters ?? config.voters
}

/** R21: no caller holds anything. Sessions that began an earlier view stay out, and come back fresh. */
function firstRecord(handling: Handling, proposal: Proposal): ViewRecord | null {
  const { node } = handling
  const voters = firstVoters(node, proposal)
  const promises = Object.entries(proposal.promises).toSorted(byId)
  const fresh = whoCanSpeak(
    handling,
    promises.filter(([, { begun }]) => begun === null),
    null,
  )
  // If the fresh sessions do not fit, but others still belong to earlier views, the view has no members: all come back together.
  const isOver = fresh.length < promises.length
  const members = whoFits(handling, fresh, voters, voters) ?? (isOver ? [] : null)
  if (members === null) return null
  return {
    epoch: proposal.epoch,
    voters: promises
      .filter(([id]) => voters.includes(id))
      .map(([id, { session }]) => ({ id, voterId: session.voterId })),
    oldVoters: null,
    members: members.map(memberOf),
    table: {},
    settings: node.config.settings,
    // R26: others may have voted before.
    ...(proposal.order?.overrides && { since: proposal.epoch }),
  }
}

type Promises = [Id, PromiseMessage][]

/** Leaves out sessions that have ended since, and those that a one-way link separates from others. */
function whoCanSpeak({ node, now }: Handling, promises: Promises, before: Roster | null): Promises {
  const there = promises.filter(([, { session }]) => !isEnded(node, session))
  const ids = there.map(([id]) => id)
  const left = reachEachOther(node, ids, before, now)
  return there.filter(([id]) => left.includes(id))
}

/** The promised sessions that fit into one view: all members of the last one, and newcomers as far as there is a place. */
function whoFits(
  { node }: Handling,
  promises: Promises,
  before: readonly Id[],
  voters: readonly Id[],
): Promises | null {
  const ids = promises.map(([id]) => id)
  const newcomers = ids.filter((id) => !before.includes(id))
  const stay = ids.filter((id) => before.includes(id))
  const fit = fitting(node.config.settings, stay, votersFirst(newcomers, voters))
  return fit && promises.filter(([id]) => fit.includes(id))
}

/**
 * Leaves out nodes whose claims to one lock exclude each other. One of them lies, and the proposer cannot tell which; it only
 * trusts itself. Leaving a node out is always safe.
 */
function whoAgrees({ node, effects }: Handling, promises: Promises): Promises {
  // A member may hold very many names, and hardly any name has two holders.
  const seen = new Set<string>()
  const shared = new Set<string>()
  for (const [, { holds }] of promises) {
    for (const [name, { length }] of Object.entries(holds)) {
      if (length > 1 || seen.has(name)) shared.add(name)
      seen.add(name)
    }
  }
  const doubted = new Set<Id>()
  for (const name of shared) {
    const holders = promises.flatMap(([id, { holds }]) => {
      const claims = Object.hasOwn(holds, name) ? holds[name] : undefined
      return (claims ?? []).map((claim) => ({ id, ...claim }))
    })
    const rivals = rivalsAmong(name, holders)
    if (rivals.length === 0) continue
    const ids = [...new Set(rivals.map(({ id }) => id))]
    effects.push({ kind: 'contradiction', what: `${ids.join(' and ')} both claim ${name}` })
    for (const id of ids) if (id !== node.id) doubted.add(id)
  }
  return promises.filter(([id]) => !doubted.has(id))
}

/** R12: members and table are made from the reports. H only limits which sessions may keep their locks. */
function nextRecord(handling: Handling, proposal: Proposal, highest: Roster): ViewRecord | null {
  const { node } = handling
  const promises = Object.entries(proposal.promises).toSorted(byId)
  // A session that began a view but is not in H stays out, even if its lease runs: H may have been chosen without it.
  const may = promises.filter(([, { begun, session }]) => begun === null || rules.takesIn(highest, session))
  const before = highest.members.map(({ id }) => id)
  const voters = highest.voters.map(({ id }) => id)
  const taken = whoFits(handling, whoAgrees(handling, whoCanSpeak(handling, may, highest)), before, voters)
  if (taken === null) return null
  const table = dictionary<Holder[]>()
  for (const [id, { holds }] of taken) {
    for (const [name, claims] of Object.entries(holds)) {
      const holders = (table[name] ??= [])
      for (const claim of claims) holders.push({ id, ...claim })
    }
  }
  return {
    epoch: proposal.epoch,
    ...votersAfter(promises, highest, node.config.spreadsVoters),
    members: rules.members(taken.map(memberOf), highest),
    table,
    settings: node.config.settings,
  }
}

export function onAccepted(handling: Handling, from: Id, { ballot, voterId }: MessageOf<'accepted'>): void {
  const { node } = handling
  const { proposal } = node
  if (proposal?.ballot !== ballot || proposal.record === null) return
  if (!votesIn(proposal.record, from, voterId)) return
  if (!proposal.accepts.includes(voterId)) proposal.accepts.push(voterId)
  const { record, accepts } = proposal
  if (!rules.enoughAccepts(record, accepts)) return
  // R21: all of them must accept. As long as one of these disks is left, no node takes the mesh for a new one.
  const { length } = record.voters.filter(({ voterId }) => accepts.includes(voterId))
  if (proposal.isFirst && !rules.enoughForFirst(length, record.voters.length)) return
  // R14: the record is chosen. If the proposer dies now, R15 carries it on.
  handling.effects.push({ kind: 'chosen', record: withoutTable(proposal.record) })
  node.proposal = null
  sendToAll(handling, { type: 'begin', epoch: proposal.epoch })
}

function memberOf([id, { session, mark, zone }]: Promises[number]): Member {
  return { id, session, ...(mark !== '' && { mark }), ...(zone !== undefined && { zone }) }
}

function byId([a]: readonly [Id, unknown], [b]: readonly [Id, unknown]): number {
  return a < b ? -1 : 1
}

/** The holders of one name that may not hold it together. */
function rivalsAmong(name: string, holders: readonly Holder[]): readonly Holder[] {
  if (isGroup(name)) return overlapping(holders)
  const permits = permitsOf(name)
  const isFair =
    holders.length <= permits || (permits === 1 && areCompatible(holders.map(({ mode }) => mode)))
  return isFair ? [] : holders
}
