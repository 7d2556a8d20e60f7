/**
 * Section 7.1.2 of Helary, Plouzeau and Raynal (1988): the token is lost with the process that owns it, or on its way
 * there. In use with `regeneration=true`, which brings the rules of section 7.1 with it.
 *
 * The paper wants an election that a majority supports, and gives no rules. Ours is an echo. Whoever hears that a
 * neighbour has failed calls an election, of a higher generation than any it has taken part in. Who hears of a higher
 * one takes part: it passes the news on to its other neighbours, and when all of them have spoken it tells the first
 * from whom it heard who is behind it, and whether one of them has the token. Of several elections the highest is
 * heard by all. Its caller makes a token of that generation if nobody has one, and says down the tree that there is
 * a token; all who wait broadcast their requests once more, as copies of them may have been lost too.
 *
 * Why there is one token: to take part is a promise to accept no token of an earlier generation. Whoever has the
 * token when it takes part raises it to the new one and says that it is present. So when all have taken part without
 * it, what is still under way is void. A majority of all nodes must have taken part, and of everyone else a
 * neighbour must have said that it has failed.
 *
 * Why there is one again: an election knows the failures that its caller knew, and who knows of another calls a
 * higher one instead of taking part. So what was said to be present was present after all these failures; and who
 * has taken part, or handles a token of that election, sends nothing to those who have failed.
 *
 * `lud` of the new token is what the survivors say of themselves. Its fence is the generation, then a counter of
 * entries. Whoever made the last token was followed by all, so a later caller has a higher number.
 *
 * Assumes fail-stop (7.1.2): failures are detected, and only failures; fewer than half of the nodes fail, and the
 * others stay connected. With e channels between m survivors an election costs 2e + m-1 messages, more where several
 * are called at once, and then up to 2e for each that waits.
 *
 * Where we differ:
 *  - The paper lets a majority decide. That keeps two parts from making two tokens; but the process that failed may
 *    have cut the majority off from a survivor that has the token. So we ask for a word on everyone. Without it
 *    nobody makes a token before a channel comes up again, whose ends then see by their tables that they were not in
 *    the same election. The majority is what is left if the detector errs: who wrongly takes all others for failed
 *    makes no token, unless they are the fewer. Then there are two, and only fences tell them apart.
 *  - A majority of how many? With this option a node knows the number of nodes, against section 2.2. While one of them
 *    has left in good order (7.2) no token is made.
 *  - A node that comes back has no token, and failures are counted, so that older news of it is known as such, also to
 *    those who were down meanwhile. It rests on failures that were noticed before, so a restart is not claimed.
 */
import type { NodeId } from '@turnwise/core/algorithm'
import type { Timestamp } from '@turnwise/core/timestamp'
import { LEAP } from './fence-leap.ts'
import {
  broadcastAgain,
  type Node,
  type Place,
  redirect,
  up,
  withPeer,
} from './helary-plouzeau-raynal-reconfiguration.ts'
import {
  type Election,
  type ElectionMessage,
  type Fate,
  type Generation,
  noted,
  type Regeneration,
  type Report,
  type State,
  type TokenMessage,
  withoutWay,
} from './helary-plouzeau-raynal-state.ts'
import { isBefore } from './nishio-li-manning-regeneration.ts'

/** A node of which `regeneration` is known to be there, and with it `around`. */
export interface Survivor extends Node {
  regeneration: Regeneration
}

export function startRegeneration(generation: Generation): Regeneration {
  return { generation, fates: [], election: null }
}

export function isSurvivor(node: State): node is Survivor {
  return node.regeneration !== null
}

/** Whether the token is of before an election in which this node took part. */
export function isVoid({ regeneration }: State, { generation }: TokenMessage): boolean {
  return regeneration !== null && generation !== undefined && isBefore(generation, regeneration.generation)
}

/** The failure detector has named a neighbour. */
export function failed(node: Survivor, here: Place, peer: NodeId): void {
  const changes = changesOf(node.regeneration.fates, peer)
  if (!node.around.links.includes(peer) || hasFailed({ changes })) return
  learn(node, [{ node: peer, changes: changes + 1 }])
  callElection(node, here, node.regeneration.generation)
}

export function restored(node: Survivor, peer: NodeId): void {
  const changes = changesOf(node.regeneration.fates, peer)
  if (hasFailed({ changes })) learn(node, [{ node: peer, changes: changes + 1 }])
}

/** A token may come before the news of its election: it must not be sent on to those who have failed. */
export function learnFrom(node: Survivor, { generation }: TokenMessage): void {
  if (generation !== undefined) learn(node, generation.fates)
}

/**
 * Nothing is sent any more to those who have failed, the token least of all. Who was down itself may hear of a failure
 * when the one that failed is back: later news takes it back.
 */
function learn({ around, regeneration }: Survivor, fates: readonly Fate[]): void {
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

/** The table of the other end of a channel that is up again: what could not be decided, now perhaps can. */
export function compareGenerations(node: Survivor, here: Place, theirs: Generation): void {
  const { generation: ours, election } = node.regeneration
  learn(node, theirs.fates)
  const isSame = !isBefore(ours, theirs) && !isBefore(theirs, ours)
  if (!isSame || election !== null) callElection(node, here, isBefore(ours, theirs) ? theirs : ours)
}

/** A node that runs again after a crash: others may have made a token since. */
export function comeBack(node: Survivor): void {
  node.token = null
  node.inside = false
  node.regeneration.election = null
}

function callElection(node: Survivor, here: Place, { number }: Generation): void {
  const { fates } = node.regeneration
  takePart(node, here, { number: number + 1, node: here.self, fates }, null)
}

function takePart(node: Survivor, here: Place, generation: Generation, father: NodeId | null): void {
  const { regeneration, around } = node
  const awaited = up(around).filter((peer) => peer !== father)
  const report = ownReport(node, here.self)
  if (node.token !== null) node.token = { ...node.token, generation }
  for (const peer of awaited) here.send(peer, { type: 'election', generation })
  regeneration.generation = generation
  go(node, here, { father, awaited, children: [], report })
}

/** What this node asked for is satisfied, but for what it waits for: as if it had given the token away just before. */
function ownReport({ clock, token, around }: Survivor, self: NodeId): Report {
  return {
    supporters: [{ time: (around.asked?.time ?? clock) - 1, node: self }],
    present: token !== null,
  }
}

/** Goes on with an election: when all neighbours have spoken, this node does. */
function go(node: Survivor, here: Place, election: Election): void {
  const { generation } = node.regeneration
  const { father, awaited, report } = election
  node.regeneration.election = election
  if (awaited.length > 0) return
  if (father !== null) here.send(father, { type: 'support', generation, report })
  else conclude(node, here, report)
}

type Received<Type> = Extract<ElectionMessage, { type: Type }>

export const receiveElection = {
  election(node: Survivor, here: Place, { generation }: Received<'election'>, from: NodeId): void {
    const { regeneration, around } = node
    const isBack = around.down.includes(from) && !hasFailed({ changes: changesOf(regeneration.fates, from) })
    if (isBack) around.down = around.down.filter((peer) => peer !== from)
    if (!isBefore(regeneration.generation, generation)) {
      // Ours was not sent to where nobody seemed to answer.
      if (isBack) here.send(from, { type: 'election', generation: regeneration.generation })
      if (isCurrent(node, generation)) answered(node, here, from, null)
      return
    }
    const isInformed = regeneration.fates.every((f) => f.changes <= changesOf(generation.fates, f.node))
    learn(node, generation.fates)
    // Who said that the token is present may have said so before a failure that the caller did not know of.
    if (isInformed) takePart(node, here, generation, from)
    else callElection(node, here, generation)
  },

  support(node: Survivor, here: Place, { generation, report }: Received<'support'>, from: NodeId): void {
    if (isCurrent(node, generation)) answered(node, here, from, report)
  },

  elected(node: Survivor, here: Place, { generation }: Received<'elected'>): void {
    if (!isCurrent(node, generation)) return
    finish(node, here)
    broadcastAgain(node.around, here)
  },
}

/** Whether this is the highest election that this node has heard of. */
function isCurrent({ regeneration }: Survivor, generation: Generation): boolean {
  return !isBefore(generation, regeneration.generation)
}

/** A neighbour has spoken: with its support, or because it has heard of the election elsewhere; or it cannot. */
export function answered(node: Survivor, here: Place, from: NodeId, theirs: Report | null): void {
  const { election } = node.regeneration
  if (election === null || !election.awaited.includes(from)) return
  const awaited = election.awaited.filter((peer) => peer !== from)
  if (theirs === null) return go(node, here, { ...election, awaited })
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

/** The caller knows what all have said. */
function conclude(node: Survivor, here: Place, { present, supporters }: Report): void {
  if (present) {
    finish(node, here)
    broadcastAgain(node.around, here)
  } else if (isLost(supporters, node.regeneration.fates, here.setup.nodes)) regenerate(node, here, supporters)
}

/** Nobody who takes part has the token: whether it is certain that nobody else has it. */
function isLost(supporters: readonly Timestamp[], fates: readonly Fate[], nodes: number): boolean {
  const known = new Set([...supporters, ...fates.filter(hasFailed)].map(({ node }) => node))
  return isMajority(supporters, nodes) && known.size === nodes
}

export function isMajority(supporters: readonly Timestamp[], nodes: number): boolean {
  return 2 * supporters.length > nodes
}

/** A token takes the place of the one that is lost. */
export function regenerate(node: Survivor, here: Place, supporters: readonly Timestamp[]): void {
  const { generation } = node.regeneration
  finish(node, here)
  redirect(node, here, { gaveAway: supporters, fence: generation.number * LEAP, givenUp: [], generation })
  broadcastAgain(node.around, here)
}

/** There is a token. What those who have failed asked for is forgotten; if they come back they will say so. */
function finish(node: Survivor, here: Place): void {
  const { generation, election, fates } = node.regeneration
  for (const child of election?.children ?? []) here.send(child, { type: 'elected', generation })
  node.heard = node.heard.map((heard) =>
    hasFailed({ changes: changesOf(fates, heard.node) }) ? withoutWay(heard) : heard,
  )
  node.regeneration.election = null
}
