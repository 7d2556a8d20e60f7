/**
 * One node of the mesh: voter, member and proposer in one, as a state machine without a socket or a clock. The host delivers
 * events with the node's own monotonic time, and performs the effects in their order. Rules are numbered as in
 * docs/mesh-protocol.md.
 */
import { InvalidInput } from '@turnwise/core/invalid-input'
import { advanceAll, askTheRest, cancel, deliver, isSpent, rejoin, release, request } from './callers.ts'
import { leaveForGood, orderGenesis, orderOfFirstStart, setPeers, settle, wishForVoters } from './changes.ts'
import { advise, consult, onAdvice, onConsult } from './consulting.ts'
import { dictionary } from './dictionary.ts'
import { isOutOfReach } from './epochs.ts'
import type { Effect, Event } from './events.ts'
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
import { receiveMeeting, underRegister } from './meeting/events.ts'
import { goOut } from './meeting/row.ts'
import { type MeetingOptions, newMeeting } from './meeting/state.ts'
import { onOtherView } from './meeting/view.ts'
import { catchUp, onBegin, onCopy, onFetch, tryBegin } from './member.ts'
import type { Message, MessageOf, Payload } from './messages.ts'
import { desist, downgrade, upgrade } from './mode-changes.ts'
import { isAttended, partners } from './partners.ts'
import { onAccepted, onPromise, onRefuse, propose } from './proposer.ts'
import { answer, askMembers, onAsk, tellOn } from './query.ts'
import { blank, type Durable, type Id } from './record.ts'
import { putToRest } from './resting.ts'
import { rules } from './rules.ts'
import { learnFromDisk, onStale, tellIfBehind } from './stale.ts'
import { watchQuorum } from './standing.ts'
import { type Config, isEnded, isFrozen, type Node, newTurn, persist, type Turn } from './state.ts'
import { forgetUnderWay } from './tables.ts'
import { onSteal, onStolen } from './theft.ts'
import { onInstall, onPrepare, tryAccept } from './voter.ts'
import { maySpeakFor } from './words.ts'

/** A process starts with what its disk has (`blank` if it is new). R19: it is a new session that holds nothing. */
export function start(
  id: Id,
  config: Config,
  durable: Durable,
  now: number,
): { node: Node; effects: Effect[] } {
  const node = newNode(id, config, durable, now)
  node.order = orderOfFirstStart(node)
  learnFromDisk(node)
  const turn = newTurn(node, now)
  persist(turn, { k: rules.newSession(durable.k) })
  oweEverybody(turn)
  return { node, effects: turn.effects }
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
  const turn = newTurn(node, now, ledger)
  try {
    renewAlone(turn)
    lapse(turn) // R6
    dispatch(turn, event)
    drain(turn)
  } catch (error) {
    // An invalid order of the host is an error for the host.
    if (error instanceof InvalidInput && event.kind !== 'receive' && event.kind !== 'tick') throw error
    endSession(turn, error)
  }
  return turn.effects
}

/**
 * No message ends a process, even if an algorithm finds it impossible or a record contradicts the holds. Effects decided before
 * stand, as if the process had ended between two effects. Then the session is over, and its holds are lost (R7).
 */
function endSession(turn: Turn, error: unknown): void {
  const { node } = turn
  turn.toSelf.length = 0
  turn.between.length = 0
  node.proposal = null
  node.installed = null
  node.closing = null
  const what = error instanceof Error ? error.message : String(error)
  turn.effects.push({ kind: 'contradiction', what })
  if (node.left) return
  if (node.meeting === null) startAfresh(turn)
  else goOut({ ...turn, meeting: node.meeting }, 'of a contradiction')
}

/** R18: messages to oneself are handled at once. */
function drain(turn: Turn): void {
  while (turn.toSelf.length > 0 || turn.between.length > 0) {
    const message = turn.toSelf.shift()
    if (message !== undefined) receive(turn, turn.node.id, message)
    const between = turn.between.shift()
    // As on links, a message ends with its view.
    if (between !== undefined && between.epoch === turn.node.begun?.epoch) {
      deliver(turn, turn.node.id, between.payload)
    }
  }
}

/** Events of callers are handled alike, with voters or at a register. */
function dispatch(turn: Turn, event: Event): void {
  const { node } = turn
  switch (event.kind) {
    case 'receive':
      return receive(turn, event.from, event.message)
    case 'request':
      if (!node.left) request(turn, event.name, event)
      return
    case 'release':
      return release(turn, event.name, event.caller)
    case 'downgrade':
      return downgrade(turn, event.name, event.caller)
    case 'upgrade':
      return upgrade(turn, event.name, event.caller)
    case 'desist':
      return desist(turn, event.name, event.caller)
    case 'cancel':
      return cancel(turn, event.name, event.caller)
    case 'ask':
      return askMembers(turn, event.name, event.ticket)
    case 'answer':
      return answer(turn, event)
    case 'rejoin':
      return rejoin(turn, event.name)
    default:
      return node.meeting === null
        ? underVoters(turn, event)
        : underRegister({ ...turn, meeting: node.meeting }, event)
  }
}

function underVoters(turn: Turn, event: Event): void {
  const { node } = turn
  switch (event.kind) {
    case 'tick':
      return tick(turn, event.passed ?? 1)
    case 'wake':
      tryAccept(turn)
      askTheRest(turn)
      return reconsiderProposing(turn)
    case 'slept':
      return distrustClock(turn)
    case 'renew':
      if (!node.left && node.proposal === null) propose(turn, true)
      return
    case 'leave':
      return event.forGood ? leaveForGood(turn) : leave(turn)
    case 'voters':
      return wishForVoters(turn, event.wanted)
    case 'peers':
      return setPeers(turn, event.peers)
    case 'connected':
      forgetUnderWay(node, event.peer)
      return node.left ? undefined : reconnect(turn, event.peer)
    case 'consult':
      return consult(turn, event)
    case 'advise':
      return advise(turn, event)
    case 'genesis':
      return orderGenesis(turn, event.voters, event.firstEpoch)
  }
}

/** After a reconnection: says that this node is here, and repeats link messages that may have been lost. */
function reconnect(turn: Turn, peer: Id): void {
  if (partners(turn.node, turn.now).includes(peer)) heartbeat(turn, peer)
  repeatLink(turn, peer)
}

function tick(turn: Turn, passed: number): void {
  const { node } = turn
  const before = node.ticks
  node.ticks += passed
  if (node.left) return sayGone(turn)
  beat(turn, before)
  tryAccept(turn)
  tryBegin(turn)
  wakeAtLapse(turn)
  if ((isStuck(turn) || isSpent(node)) && !isFrozen(node) && node.proposal === null) propose(turn, true)
  repeatLinks(turn)
  putToRest(turn)
  fade(turn)
  watchQuorum(node, turn.now)
  settle(turn)
  if (!node.left) considerProposing(turn)
}

/**
 * R20: a node that says less than is known of it is told so, and its heartbeat is ignored. Helping an old copy of a directory to
 * catch up would hide that it is one. If the copy is only one start old, it would go on under the session of another life.
 * Ignoring a late heartbeat does no harm.
 */
function isBehind(turn: Turn, from: Id, { session, promised, accepted }: MessageOf<'heartbeat'>): boolean {
  return tellIfBehind(turn, from, session, { k: session.k, promised, accepted: accepted ?? 0 })
}

function receive(turn: Turn, from: Id, message: Message): void {
  const { meeting } = turn.node
  if (message.type === 'link') return onLink(turn, from, message)
  if (message.type === 'link-ack') return acknowledged(turn, from, message.epoch, message.upTo)
  if (meeting !== null) return receiveMeeting({ ...turn, meeting }, from, message)
  if (!isOutOfReach(turn.node, message)) receiveVoting(turn, from, message)
}

function onLink(turn: Turn, from: Id, message: MessageOf<'link'>): void {
  const { begun, meeting } = turn.node
  if (message.upTo !== undefined) acknowledged(turn, from, message.epoch, message.upTo)
  const payload = takeFromLink(turn, from, message)
  if (payload !== null) return open(turn, from, payload)
  if (begun === null || message.epoch === begun.epoch) return
  // One of the two has not begun the other's view.
  if (meeting !== null) onOtherView({ ...turn, meeting }, from, message.epoch)
  else if (message.epoch < begun.epoch) heartbeat(turn, from)
}

function receiveVoting(turn: Turn, from: Id, message: Message): void {
  const { node } = turn
  switch (message.type) {
    case 'heartbeat':
      return onHeartbeat(turn, from, message)
    case 'renew':
      // Only the lease thread answers it. The thread never acknowledges a lease longer than those in use (R19).
      return
    case 'ack':
      onAck(turn, from, message)
      tryBegin(turn)
      advanceAll(turn, [...node.gated]) // R5
      return
    case 'out':
      return onOut(turn, message)
    case 'gone':
      onGone(turn, from, message)
      return tryAccept(turn)
    case 'stale':
      return onStale(turn, from, message)
    case 'prepare':
      return isDisturber(turn, from, message) ? undefined : onPrepare(turn, from, message)
    case 'promise':
      return onPromise(turn, from, message)
    case 'refuse':
      return onRefuse(turn, from, message)
    case 'install':
      return onInstall(turn, from, message)
    case 'accepted':
      return onAccepted(turn, from, message)
    case 'begin':
      return onBegin(turn, from, message)
    case 'fetch':
      return onFetch(turn, from, message)
    case 'copy':
      return onCopy(turn, from, message)
    case 'consult':
      return onConsult(turn, from, message)
    case 'advice':
      return onAdvice(turn, from, message)
  }
}

/** R18: there may be room for more now. */
function acknowledged(turn: Turn, from: Id, epoch: number, upTo: number): void {
  onLinkAck(turn, from, epoch, upTo)
  askTheRest(turn)
  tellOn(turn, from)
}

function onHeartbeat(turn: Turn, from: Id, message: MessageOf<'heartbeat'>): void {
  const { node } = turn
  if (!maySpeakFor(node, from, message.session.voterId)) return
  if (isBehind(turn, from, message) || isEnded(node, message.session)) return
  const before = node.heard[from]?.begun
  hear(turn, from, message)
  acknowledge(turn, from, message)
  if (node.left) return
  if (isAttended(node, from, turn.now)) heartbeat(turn, from)
  if (message.begun !== before) repeatToBeginner(turn, from, message.begun)
  catchUp(turn, from, message)
}

/** Handles the payload of a link message. */
function open(turn: Turn, from: Id, payload: Payload): void {
  switch (payload.kind) {
    case 'lock':
      return deliver(turn, from, payload)
    case 'steal':
      return onSteal(turn, from, payload)
    case 'stolen':
      return onStolen(turn, from, payload)
    case 'ask':
      return onAsk(turn, from, payload)
    case 'tell':
      turn.effects.push({
        kind: 'told',
        from,
        ticket: payload.ticket,
        names: payload.names,
        more: payload.more,
      })
  }
}
