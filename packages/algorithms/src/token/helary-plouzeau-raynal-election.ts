/**
 * The election that replaces a lost token of Helary, Plouzeau and Raynal (1988), section 7.1.2.
 * `helary-plouzeau-raynal-regeneration` says how it goes, and why there is one token.
 */
import type { Here, NodeId } from '@turnwise/core/algorithm'
import type { Timestamp } from '@turnwise/core/timestamp'
import { LEAP } from './fence-leap.ts'
import { noted } from './helary-plouzeau-raynal.ts'
import { broadcastAgain, redirect, up, withPeer } from './helary-plouzeau-raynal-section-7.ts'
import {
  type Message as BaseMessage,
  type State as BaseState,
  type Token as BaseToken,
  type TokenMessage as BaseTokenMessage,
  type TableMessage,
  withoutWay,
} from './helary-plouzeau-raynal-section-7-state.ts'
import { isBefore } from './nishio-li-manning-regeneration.ts'

/** An election, and the token that it makes or confirms: compared by number, then by the node that called it. */
export interface Generation {
  readonly number: number
  readonly node: NodeId
  /** The failures that its caller knew of. */
  readonly fates: readonly Fate[]
}

/**
 * A node that has failed, or has failed and come back, and so on. A node that never failed has no entry. Sorted by node.
 */
export interface Fate {
  readonly node: NodeId
  /** Odd if it has failed, even if it is back. A higher count is later news. */
  readonly changes: number
}

/** Added to a token and to a table: the last election in which the holder, or the sender, took part. */
interface Dated {
  readonly generation?: Generation
}

type Token = BaseToken & Dated
type TokenMessage = BaseTokenMessage & Dated

export type Message =
  | Exclude<BaseMessage, { type: 'token' | 'table' }>
  | TokenMessage
  | (TableMessage & Dated)
  | ElectionMessage

export type ElectionMessage =
  /** The sender takes part in this election. */
  | { readonly type: 'election'; readonly generation: Generation }
  /** The reports of the sender and of the nodes behind it. */
  | { readonly type: 'support'; readonly generation: Generation; readonly report: Report }
  /** There is a token. */
  | { readonly type: 'elected'; readonly generation: Generation }

/** The combined reports of some participants of an election. */
export interface Report {
  /** The participants, sorted; each with the time up to which its requests are satisfied, as in `lud`. */
  readonly supporters: readonly Timestamp[]
  /** Whether one of them has the token. */
  readonly present: boolean
}

export interface State extends BaseState {
  token: Token | null
  /** The failures and elections that a node knows of. */
  regeneration: Regeneration
}

export interface Regeneration {
  /** The last election in which this node took part: a token of an earlier one is void here. */
  generation: Generation
  /** The failures it knows of. */
  fates: readonly Fate[]
  /** That election, until its outcome is known. */
  election: Election | null
}

export interface Election {
  /** The neighbour from which this node first heard of it; null if this node called it. */
  readonly father: NodeId | null
  /** The neighbours that have not answered yet, and those whose support has come. */
  readonly awaited: readonly NodeId[]
  readonly children: readonly NodeId[]
  readonly report: Report
}

type Place = Here<Message>

export function startRegeneration(generation: Generation): Regeneration {
  return { generation, fates: [], election: null }
}

/** Whether the token is older than an election in which this node took part. */
export function isVoid({ regeneration }: State, { generation }: TokenMessage): boolean {
  return generation !== undefined && isBefore(generation, regeneration.generation)
}

/** The failure detector has named a neighbour. */
export function failed(node: State, here: Place, peer: NodeId): void {
  const changes = changesOf(node.regeneration.fates, peer)
  if (!node.around.links.includes(peer)) return
  if (hasFailed({ changes }))
    return here.because?.('node {self} knows already that node {peer} has failed', { peer })
  here.because?.('node {peer} has failed, and the token may be lost with it', { peer })
  learn(node, [{ node: peer, changes: changes + 1 }])
  callElection(node, here, node.regeneration.generation)
}

export function restored(node: State, here: Place, peer: NodeId): void {
  const changes = changesOf(node.regeneration.fates, peer)
  if (!hasFailed({ changes })) return
  here.because?.('node {peer} is back after a failure, which is news too', { peer })
  learn(node, [{ node: peer, changes: changes + 1 }])
}

/** A token may come before the news of its election. A node must not send it on to a failed node. */
export function learnFrom(node: State, { generation }: TokenMessage): void {
  if (generation !== undefined) learn(node, generation.fates)
}

/**
 * Sends nothing to failed nodes any more, above all not the token. A node that was down may hear of a failure when the
 * failed node is already back; later news corrects this.
 */
function learn({ around, regeneration }: State, fates: readonly Fate[]): void {
  for (const fate of fates) {
    if (fate.changes <= changesOf(regeneration.fates, fate.node)) continue
    regeneration.fates = [...regeneration.fates.filter(({ node }) => node !== fate.node), fate].toSorted(
      (a, b) => a.node - b.node,
    )
    if (!around.links.includes(fate.node)) continue
    around.down = hasFailed(fate)
      ? withPeer(around.down, fate.node)
      : around.down.filter((peer) => peer !== fate.node)
  }
}

function changesOf(fates: readonly Fate[], peer: NodeId): number {
  return fates.find(({ node }) => node === peer)?.changes ?? 0
}

function hasFailed({ changes }: Pick<Fate, 'changes'>): boolean {
  return changes % 2 === 1
}

/** The table of the other end of a channel that is up again. Now an open election can perhaps be decided. */
export function compareGenerations(node: State, here: Place, theirs: Generation): void {
  const { generation: ours, election } = node.regeneration
  learn(node, theirs.fates)
  const isSame = !isBefore(ours, theirs) && !isBefore(theirs, ours)
  if (isSame && election === null) return
  if (isSame) here.because?.('the election was open: this channel may help to decide it')
  else here.because?.('the ends of this channel were not in the same election, so a higher one is called')
  callElection(node, here, isBefore(ours, theirs) ? theirs : ours)
}

/** A node that runs again after a crash: others may have made a token since. */
export function comeBack(node: State): void {
  node.token = null
  node.inside = false
  node.regeneration.election = null
}

function callElection(node: State, here: Place, { number }: Generation): void {
  const { fates } = node.regeneration
  takePart(node, here, { number: number + 1, node: here.self, fates }, null)
}

function takePart(node: State, here: Place, generation: Generation, father: NodeId | null): void {
  const { regeneration, around } = node
  const awaited = up(around).filter((peer) => peer !== father)
  const report = ownReport(node, here.self)
  if (node.token !== null) node.token = { ...node.token, generation }
  const { number } = generation
  if (awaited.length > 0)
    here.because?.('node {self} is in election {number}, and asks {awaited} to take part', {
      number,
      awaited,
    })
  else here.because?.('node {self} is in election {number}, and has nobody else to ask', { number })
  for (const peer of awaited) here.send(peer, { type: 'election', generation })
  regeneration.generation = generation
  go(node, here, { father, awaited, children: [], report })
}

/** All requests of this node are satisfied except the one that waits, as if it had sent the token away just before. */
function ownReport({ clock, token, around }: State, self: NodeId): Report {
  return {
    supporters: [{ time: (around.asked?.time ?? clock) - 1, node: self }],
    present: token !== null,
  }
}

/** Continues an election: when all neighbours have answered, this node answers. */
function go(node: State, here: Place, election: Election): void {
  const { generation } = node.regeneration
  const { father, awaited, report } = election
  node.regeneration.election = election
  if (awaited.length > 0)
    return here.because?.('node {self} waits for what {awaited} will report', { awaited })
  if (father === null) return conclude(node, here, report)
  here.because?.('all behind node {self} have reported: node {father} hears it', { father })
  here.send(father, { type: 'support', generation, report })
}

type Received<Type> = Extract<ElectionMessage, { type: Type }>

export const receiveElection = {
  election(node: State, here: Place, { generation }: Received<'election'>, from: NodeId): void {
    const { regeneration, around } = node
    const isBack = around.down.includes(from) && !hasFailed({ changes: changesOf(regeneration.fates, from) })
    if (isBack) {
      here.because?.('node {from} seemed down, and is not', { from })
      around.down = around.down.filter((peer) => peer !== from)
    }
    const ours = regeneration.generation
    if (isBefore(generation, ours)) {
      // It was not asked to take part in ours, so its report would be in none.
      if (isBack) return callElection(node, here, ours)
      return here.because?.('node {self} is in a higher election than that of node {caller}', {
        caller: generation.node,
      })
    }
    if (!isBefore(ours, generation)) return answered(node, here, from, null)
    const isInformed = regeneration.fates.every((f) => f.changes <= changesOf(generation.fates, f.node))
    learn(node, generation.fates)
    // A node may have reported the token before a failure that the caller did not know of.
    if (isInformed) {
      here.because?.('the election of node {caller} is the highest that node {self} has heard of', {
        caller: generation.node,
      })
      return takePart(node, here, generation, from)
    }
    here.because?.('node {self} knows of a failure that node {caller} did not: it calls a higher election', {
      caller: generation.node,
    })
    callElection(node, here, generation)
  },

  support(node: State, here: Place, { generation, report }: Received<'support'>, from: NodeId): void {
    if (!isCurrent(node, generation))
      return here.because?.('node {from} supports an election that a higher one has ended', { from })
    answered(node, here, from, report)
  },

  elected(node: State, here: Place, { generation }: Received<'elected'>): void {
    if (!isCurrent(node, generation))
      return here.because?.('that token is of an earlier election than the one of node {self}')
    here.because?.('the election of node {caller} is over: there is a token', { caller: generation.node })
    finish(node, here)
    broadcastAgain(node.around, here)
  },
}

/** Whether this is the highest election that this node has heard of. */
function isCurrent({ regeneration }: State, generation: Generation): boolean {
  return !isBefore(generation, regeneration.generation)
}

/** A neighbour has answered: with its support, or because it heard of the election elsewhere. Or it cannot answer. */
export function answered(node: State, here: Place, from: NodeId, theirs: Report | null): void {
  const { election } = node.regeneration
  if (election === null || !election.awaited.includes(from)) return
  const awaited = election.awaited.filter((peer) => peer !== from)
  if (theirs === null) {
    here.because?.('node {from} reports elsewhere, or cannot be reached', { from })
    return go(node, here, { ...election, awaited })
  }
  here.because?.('node {from} has reported for all behind it', { from })
  const { children, report } = election
  go(node, here, {
    ...election,
    awaited,
    children: withPeer(children, from),
    report: {
      supporters: theirs.supporters.reduce(noted, report.supporters),
      present: theirs.present || report.present,
    },
  })
}

/** The caller has all reports. */
function conclude(node: State, here: Place, { present, supporters }: Report): void {
  if (present) {
    here.because?.('a node that took part in the election of node {self} has the token')
    finish(node, here)
    broadcastAgain(node.around, here)
  } else if (isLost(supporters, node.regeneration.fates, here.setup.nodes)) {
    here.because?.(
      'none of a majority has the token, and all others have failed: node {self} makes a new one',
    )
    regenerate(node, here, supporters)
  } else here.because?.('nobody who took part has the token, but another node may: none is made')
}

/** No participant has the token. Whether it is certain that no other node has it. */
function isLost(supporters: readonly Timestamp[], fates: readonly Fate[], nodes: number): boolean {
  const known = new Set([...supporters, ...fates.filter(hasFailed)].map(({ node }) => node))
  return isMajority(supporters, nodes) && known.size === nodes
}

export function isMajority(supporters: readonly Timestamp[], nodes: number): boolean {
  return 2 * supporters.length > nodes
}

/** Replaces the lost token. */
export function regenerate(node: State, here: Place, supporters: readonly Timestamp[]): void {
  const { generation } = node.regeneration
  finish(node, here)
  const token: Token = { gaveAway: supporters, fence: generation.number * LEAP, givenUp: [], generation }
  redirect(node, here, token)
  broadcastAgain(node.around, here)
}

/** There is a token. Forgets the ways to failed nodes, which announce themselves if they come back. */
function finish(node: State, here: Place): void {
  const { generation, election, fates } = node.regeneration
  const children = election?.children ?? []
  if (children.length > 0)
    here.because?.('{children} reported to node {self}, and must hear that there is a token', { children })
  for (const child of children) here.send(child, { type: 'elected', generation })
  node.heard = node.heard.map((heard) =>
    hasFailed({ changes: changesOf(fates, heard.node) }) ? withoutWay(heard) : heard,
  )
  node.regeneration.election = null
}
