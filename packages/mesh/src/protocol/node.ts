/**
 * One node of the mesh: voter, member and proposer in one, as a state machine without a socket or a clock. The host delivers
 * events with the node's own monotonic time, and performs the effects in their order. Rules are numbered as in
 * docs/mesh-protocol.md.
 */
import { InvalidInput } from '@turnwise/core/invalid-input'
import { advanceAll, askTheRest, cancel, deliver, isSpent, rejoin, release, request } from './callers.ts'
import { advise, consult, onAdvice, onConsult } from './consulting.ts'
import { dictionary } from './dictionary.ts'
import { isOutOfReach } from './epochs.ts'
import type { Effect, Event } from './events.ts'
import { standsAside } from './first-view.ts'
import { beat, heartbeat } from './heartbeat.ts'
import { considerProposing, isDisturber, reconsiderProposing } from './initiative.ts'
import { lapse, wakeAtLapse } from './lapse.ts'
import {
  acknowledge,
  distrustClock,
  hear,
  leave,
  onAck,
  onGone,
  onOut,
  oweEverybody,
  renewAlone,
  sayGone,
  startAfresh,
} from './lease.ts'
import type { Ledger } from './ledger.ts'
import { isStuck, onLinkAck, repeatLink, repeatLinks, repeatToBeginner, takeFromLink } from './links.ts'
import { fade } from './longest.ts'
import { receiveMeeting, underRegister } from './meeting/meeting-events.ts'
import { type MeetingOptions, newMeeting } from './meeting/meeting-state.ts'
import { goOut } from './meeting/row.ts'
import { onOtherView } from './meeting/view.ts'
import { catchUp, onBegin, onCopy, onFetch, tryBegin } from './member.ts'
import type { Message, MessageOf, Payload } from './messages.ts'
import { desist, downgrade, upgrade } from './mode-changes.ts'
import {
  leaveForGood,
  orderGenesis,
  orderOfFirstStart,
  setPeers,
  setRivals,
  settle,
  wishForVoters,
} from './operator-changes.ts'
import { isAttended, partners } from './partners.ts'
import { onAccepted, onPromise, onRefuse, propose } from './proposer.ts'
import { answer, askMembers, onAsk, tellOn } from './query.ts'
import { blank, type Durable, type Id } from './record.ts'
import { putToRest } from './resting.ts'
import { rules } from './rules.ts'
import { maySpeakFor } from './sender-rights.ts'
import { learnFromDisk, onStale, tellIfBehind } from './stale.ts'
import { watchQuorum } from './standing.ts'
import { type Config, type Handling, isEnded, isFrozen, type Node, newHandling, persist } from './state.ts'
import { forgetUnderWay } from './tables.ts'
import { onSteal, onStolen } from './theft.ts'
import { onInstall, onPrepare, tryAccept } from './voter.ts'

/**
 * A process starts with what its disk has (`blank` if it is new). R19: it is a new session that holds nothing. `quietFor`: no heartbeat
 * that came within so many milliseconds was acknowledged by an earlier life. It is 0 if that is unknown.
 */
export function start(
  id: Id,
  config: Config,
  durable: Durable,
  now: number,
  quietFor = 0,
): { node: Node; effects: Effect[] } {
  const node = newNode(id, config, durable, now)
  node.order = orderOfFirstStart(node)
  learnFromDisk(node)
  const handling = newHandling(node, now)
  persist(handling, { k: rules.newSession(durable.k) })
  oweEverybody(handling, now - quietFor)
  return { node, effects: handling.effects }
}

/** A process joins others at a register. `id` is its session. Nothing is on a disk. */
export function startMeeting(id: Id, config: Config, options: MeetingOptions, now: number): Node {
  const node = newNode(id, config, blank(id), now)
  node.meeting = newMeeting(options, now)
  return node
}

function newNode(id: Id, config: Config, durable: Durable, now: number): Node {
  return {
    id,
    config,
    durable,
    begun: null,
    installed: null,
    chosen: 0,
    herald: null,
    acked: dictionary(),
    deadline: Number.NEGATIVE_INFINITY,
    promised: Number.NEGATIVE_INFINITY,
    names: new Map(),
    gated: new Set(),
    unasked: new Set(),
    holding: 0,
    thefts: new Map(),
    resting: new Map(),
    restingTexts: new Map(),
    used: new Set(),
    stirring: new Set(),
    links: dictionary(),
    full: new Set(),
    underWay: dictionary(),
    tellings: [],
    left: false,
    owed: dictionary(),
    closing: null,
    inUse: config.settings.lease,
    fadingSince: null,
    heard: dictionary(),
    gone: dictionary(),
    known: dictionary(),
    proposal: null,
    ballots: 0,
    stirred: now,
    reasonSince: null,
    notBefore: now,
    ticks: 0,
    wish: null,
    order: null,
    isLeaving: false,
    isStale: false,
    started: now,
    noQuorumSince: now,
    meeting: null,
  }
}

/** Handles one event. The host performs the effects in order. Effects after a `persist` wait until it is on disk. */
export function handle(node: Node, event: Event, now: number, ledger: Ledger | null = null): Effect[] {
  if (node.isStale) return []
  const handling = newHandling(node, now, ledger)
  try {
    renewAlone(handling)
    lapse(handling) // R6
    dispatch(handling, event)
    drain(handling)
  } catch (error) {
    // An invalid order of the host is an error for the host.
    if (error instanceof InvalidInput && event.kind !== 'receive' && event.kind !== 'tick') throw error
    endSession(handling, error)
  }
  return handling.effects
}

/**
 * No message ends a process, even if an algorithm finds it impossible or a record contradicts the holds. Effects decided before
 * stand, as if the process had ended between two effects. Then the session is over, and its holds are lost (R7).
 */
function endSession(handling: Handling, error: unknown): void {
  const { node } = handling
  handling.toSelf.length = 0
  handling.between.length = 0
  node.proposal = null
  node.installed = null
  node.closing = null
  const what = error instanceof Error ? error.message : String(error)
  handling.effects.push({ kind: 'contradiction', what })
  if (node.left) return
  if (node.meeting === null) startAfresh(handling)
  else goOut({ ...handling, meeting: node.meeting }, 'of a contradiction')
}

/** R18: messages to oneself are handled at once. */
function drain(handling: Handling): void {
  while (handling.toSelf.length > 0 || handling.between.length > 0) {
    const message = handling.toSelf.shift()
    if (message !== undefined) receive(handling, handling.node.id, message)
    const between = handling.between.shift()
    // As on links, a message ends with its view.
    if (between !== undefined && between.epoch === handling.node.begun?.epoch) {
      deliver(handling, handling.node.id, between.payload)
    }
  }
}

/** Events of callers are handled alike, with voters or at a register. */
function dispatch(handling: Handling, event: Event): void {
  const { node } = handling
  switch (event.kind) {
    case 'receive':
      return receive(handling, event.from, event.message)
    case 'request':
      if (!node.left) request(handling, event.name, event)
      return
    case 'release':
      return release(handling, event.name, event.caller)
    case 'downgrade':
      return downgrade(handling, event.name, event.caller)
    case 'upgrade':
      return upgrade(handling, event.name, event.caller)
    case 'desist':
      return desist(handling, event.name, event.caller)
    case 'cancel':
      return cancel(handling, event.name, event.caller)
    case 'ask':
      return askMembers(handling, event.name, event.ticket)
    case 'answer':
      return answer(handling, event)
    case 'rejoin':
      return rejoin(handling, event.name)
    default:
      return node.meeting === null
        ? underVoters(handling, event)
        : underRegister({ ...handling, meeting: node.meeting }, event)
  }
}

function underVoters(handling: Handling, event: Event): void {
  const { node } = handling
  switch (event.kind) {
    case 'tick':
      return tick(handling, event.passed ?? 1)
    case 'wake':
      tryAccept(handling)
      askTheRest(handling)
      return reconsiderProposing(handling)
    case 'slept':
      return distrustClock(handling)
    case 'renew':
      if (!node.left && node.proposal === null) propose(handling, true)
      return
    case 'leave':
      return event.forGood ? leaveForGood(handling) : leave(handling)
    case 'voters':
      return wishForVoters(handling, event.wanted)
    case 'peers':
      return setPeers(handling, event.peers)
    case 'rivals':
      return setRivals(handling, event.rivals)
    case 'connected':
      forgetUnderWay(node, event.peer)
      return node.left ? undefined : reconnect(handling, event.peer)
    case 'consult':
      return consult(handling, event)
    case 'advise':
      return advise(handling, event)
    case 'genesis':
      return orderGenesis(handling, event.voters, event.firstEpoch)
  }
}

/** After a reconnection: says that this node is here, and repeats link messages that may have been lost. */
function reconnect(handling: Handling, peer: Id): void {
  if (partners(handling.node, handling.now).includes(peer)) heartbeat(handling, peer)
  repeatLink(handling, peer)
}

function tick(handling: Handling, passed: number): void {
  const { node } = handling
  const before = node.ticks
  node.ticks += passed
  if (node.left) return sayGone(handling)
  beat(handling, before)
  tryAccept(handling)
  tryBegin(handling)
  wakeAtLapse(handling)
  if ((isStuck(handling) || isSpent(node)) && !isFrozen(node) && node.proposal === null)
    propose(handling, true)
  repeatLinks(handling)
  putToRest(handling)
  fade(handling)
  watchQuorum(node, handling.now)
  settle(handling)
  if (!node.left) considerProposing(handling)
}

/**
 * R20: a node that says less than is known of it is told so, and its heartbeat is ignored. Helping an old copy of a directory to
 * catch up would hide that it is one. If the copy is only one start old, it would go on under the session of another life.
 * Ignoring a late heartbeat does no harm.
 */
function isBehind(
  handling: Handling,
  from: Id,
  { session, promised, accepted }: MessageOf<'heartbeat'>,
): boolean {
  return tellIfBehind(handling, from, session, { k: session.k, promised, accepted: accepted ?? 0 })
}

function receive(handling: Handling, from: Id, message: Message): void {
  const { meeting } = handling.node
  if (message.type === 'link') return onLink(handling, from, message)
  if (message.type === 'link-ack') return acknowledged(handling, from, message.epoch, message.upTo)
  if (meeting !== null) return receiveMeeting({ ...handling, meeting }, from, message)
  if (!isOutOfReach(handling.node, message)) receiveVoting(handling, from, message)
}

function onLink(handling: Handling, from: Id, message: MessageOf<'link'>): void {
  const { begun, meeting } = handling.node
  if (message.upTo !== undefined) acknowledged(handling, from, message.epoch, message.upTo)
  const payload = takeFromLink(handling, from, message)
  if (payload !== null) return open(handling, from, payload)
  if (begun === null || message.epoch === begun.epoch) return
  // One of the two has not begun the other's view.
  if (meeting !== null) onOtherView({ ...handling, meeting }, from, message.epoch)
  else if (message.epoch < begun.epoch) heartbeat(handling, from)
}

function receiveVoting(handling: Handling, from: Id, message: Message): void {
  const { node } = handling
  switch (message.type) {
    case 'heartbeat':
      return onHeartbeat(handling, from, message)
    case 'renew':
      // Only the lease thread answers it. The thread never acknowledges a lease longer than those in use (R19).
      return
    case 'ack':
      onAck(handling, from, message)
      tryBegin(handling)
      advanceAll(handling, [...node.gated]) // R5
      return
    case 'out':
      return onOut(handling, message)
    case 'gone':
      onGone(handling, from, message)
      return tryAccept(handling)
    case 'stale':
      return onStale(handling, from, message)
    case 'prepare':
      if (isDisturber(handling, from, message) || standsAside(handling, from)) return
      return onPrepare(handling, from, message)
    case 'promise':
      return onPromise(handling, from, message)
    case 'refuse':
      return onRefuse(handling, from, message)
    case 'install':
      return onInstall(handling, from, message)
    case 'accepted':
      return onAccepted(handling, from, message)
    case 'begin':
      return onBegin(handling, from, message)
    case 'fetch':
      return onFetch(handling, from, message)
    case 'copy':
      return onCopy(handling, from, message)
    case 'consult':
      return onConsult(handling, from, message)
    case 'advice':
      return onAdvice(handling, from, message)
  }
}

/** R18: there may be room for more now. */
function acknowledged(handling: Handling, from: Id, epoch: number, upTo: number): void {
  onLinkAck(handling, from, epoch, upTo)
  askTheRest(handling)
  tellOn(handling, from)
}

function onHeartbeat(handling: Handling, from: Id, message: MessageOf<'heartbeat'>): void {
  const { node } = handling
  if (!maySpeakFor(node, from, message.session.voterId)) return
  if (isBehind(handling, from, message) || isEnded(node, message.session)) return
  const before = node.heard[from]?.begun
  hear(handling, from, message)
  acknowledge(handling, from, message)
  if (node.left) return
  if (isAttended(node, from, handling.now)) heartbeat(handling, from)
  if (message.begun !== before) repeatToBeginner(handling, from, message.begun)
  catchUp(handling, from, message)
}

/** Handles the payload of a link message. */
function open(handling: Handling, from: Id, payload: Payload): void {
  switch (payload.kind) {
    case 'lock':
      return deliver(handling, from, payload)
    case 'steal':
      return onSteal(handling, from, payload)
    case 'stolen':
      return onStolen(handling, from, payload)
    case 'ask':
      return onAsk(handling, from, payload)
    case 'tell':
      handling.effects.push({
        kind: 'told',
        from,
        ticket: payload.ticket,
        names: payload.names,
        more: payload.more,
      })
  }
}
