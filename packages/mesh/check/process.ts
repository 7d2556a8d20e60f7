/**
 * One process as the explorer keeps it: the node's own state, with all times relative to its clock, and without what
 * cannot matter. Every normalisation here either changes nothing that the node can ever do, or lets it do more.
 */
import { isSound, under } from '../broken/under.ts'
import type { Message, MessageOf } from '../src/protocol/messages.ts'
import {
  type Durable,
  type Id,
  includesSession,
  type Roster,
  reachedByMajority,
  sessionKey,
  type ViewRecord,
} from '../src/protocol/record.ts'
import { putToRest } from '../src/protocol/resting.ts'
import type { Rules } from '../src/protocol/rules.ts'
import { type Config, isFrozen, type Node, newHandling, sessionOf } from '../src/protocol/state.ts'
import type { Bounds } from './bounds.ts'
import type { Reductions } from './reductions.ts'
import { Shared } from './text.ts'
import './texts.ts'

export interface Process {
  readonly node: Node
  /** What a restart finds: the last `persist`. */
  readonly disk: Durable
  /** How many more callers will come. */
  readonly asks: number
}

const configs = new Shared<Config>()
const records = new Shared<Roster | ViewRecord>()
const disks = new Shared<Durable>()

export function sharedConfig(config: Config): Config {
  return configs.of(config)
}

export function holdsOrWaits({ node }: Process): boolean {
  return node.holding > 0 || [...node.names.values()].some(({ waiting }) => waiting.length > 0)
}

/** Whether a lease of this session can matter to anybody. */
export function needsLease(process: Process, { spareLeases }: Bounds): boolean {
  return (spareLeases && process.asks > 0) || holdsOrWaits(process)
}

/** Changes and returns the process. */
export function normalised(process: Process, rules: Rules, bounds: Bounds, reductions: Reductions): Process {
  const { node } = process
  const { lease } = node.config.settings
  // Who looks alive, and whether a wait is over, the explorer decides at each event; initiative is never asked, and what
  // an operator is told of a quorum decides nothing.
  node.heard = {}
  node.stirred = 0
  node.notBefore = Number.POSITIVE_INFINITY
  node.reasonSince = null
  node.noQuorumSince = null
  // Nobody lies here: who said that a view was chosen does not matter, as if it had said so itself.
  node.herald = node.id
  // Leases are those of the bounds: none is forgotten.
  node.inUse = 0
  node.fadingSince = null
  // The next tick brings a heartbeat, also of one that rests (R1).
  node.ticks = 9
  // A first start names the configured voters, so its word changes no decision.
  node.order = null
  // Messages are never lost here, so nothing has to be said again.
  for (const link of Object.values(node.links)) link.unacked = []
  node.full = new Set()
  // What is over is over: only `> now` is ever asked of these.
  for (const [key, owed] of Object.entries(node.owed)) if (owed <= 0) delete node.owed[key]
  for (const [key, at] of Object.entries(node.acked)) if (at + lease <= 0) delete node.acked[key]
  if (node.deadline <= 0) node.deadline = Number.NEGATIVE_INFINITY
  node.started = isBlankWaitOver(node, rules) ? Number.NEGATIVE_INFINITY : node.started
  // No session is below 1. How far a voter has come is asked only to find old copies of directories, of which there are none.
  node.known = Object.fromEntries(
    Object.entries(node.known).flatMap(([key, { k }]) =>
      k <= 1 ? [] : [[key, { k, promised: 0, accepted: 0, mark: '' }]],
    ),
  )
  restAtOnce(node, rules)
  // A frozen node lets nobody in and is silent (R11), and another view begins with nobody at the gate, and with no message.
  if (isFrozen(node) && isSound(rules, 'freezes', 'isSilent')) {
    node.gated = new Set()
    node.links = {}
    node.resting = new Map()
  }
  // Without a hold to lose or a caller to let in, a deadline stops nothing but R7, which may then come at any time.
  if (!needsLease(process, bounds)) {
    node.acked = {}
    node.deadline = Number.NEGATIVE_INFINITY
  }
  forgetOldViews(node, rules)
  if (reductions.ballotsByEpoch) node.ballots = 0
  if (reductions.leases) raiseAcks(node)
  if (reductions.frozenViews && isFrozen(node)) forgetFrozenView(node, bounds)
  if (reductions.fences) forgetFences(node)
  if (reductions.lostBallots) forgetForeignRecord(node)
  share(node, bounds)
  return { ...process, disk: sharedDisk(process.disk, bounds) }
}

/** R21 asks only whether it is over. */
function isBlankWaitOver({ config, durable, started }: Node, rules: Rules): boolean {
  const { lease, drift } = config.settings
  return (
    config.firstStart !== undefined || durable.accepted !== null || started + rules.debt(lease, drift) <= 0
  )
}

/**
 * Names nobody uses rest at once, not on the second tick after their last use: then when they were used does not matter. They
 * are woken as they were, by the code itself, or began as they would begin again.
 */
function restAtOnce(node: Node, rules: Rules): void {
  node.stirring = new Set(node.names.keys())
  node.used = new Set()
  under(rules, () => putToRest(newHandling(node, 0)))
  node.stirring = new Set()
  // Only so that equal texts are one.
  node.restingTexts = new Map()
}

/** A promise never goes back, so what could only begin a lower view can do nothing. */
function forgetOldViews(node: Node, rules: Rules): void {
  if (!isSound(rules, 'mayBegin', 'keepPromise')) return
  const { epoch } = node.durable.promised
  if (node.chosen < epoch) node.chosen = 0
  const { installed, begun } = node
  if (installed === null || installed.record.epoch >= epoch || installed.record.epoch === begun?.epoch) return
  if (includesSession(installed.record, sessionOf(node))) node.installed = null
}

/** What a majority has not reached counts as if it had been reached just now by all: see `Reductions`. */
function raiseAcks(node: Node): void {
  const record = node.begun ?? node.durable.accepted
  if (record === null) return
  const reached = reachedByMajority(record, node.acked)
  if (reached === Number.NEGATIVE_INFINITY) return
  for (const { voterId } of record.voters)
    node.acked[voterId] = Math.max(node.acked[voterId] ?? reached, reached)
}

/** An ack of this very moment from a majority: nothing that is sent now can lengthen the lease. */
export function hasFreshLease({ begun, durable, acked }: Node): boolean {
  const record = begun ?? durable.accepted
  return record !== null && reachedByMajority(record, acked) === 0
}

/** Who holds and who waits is kept, and with which voters its lease counts. */
function forgetFrozenView(node: Node, { catchUp }: Bounds): void {
  for (const [name, { waiting, seats }] of node.names) {
    for (const seat of seats) {
      const { mode } = seat.instance ?? seat.holds[0] ?? { mode: 'exclusive' }
      seat.instance = seat.holds.length === 0 ? null : { state: {}, phase: 'inside', mode, grant: null }
    }
    if (waiting.length === 0 && seats.every(({ holds }) => holds.length === 0)) node.names.delete(name)
  }
  if (node.begun === null) return
  // Copies of it were sent when it began, where anybody asks for them.
  if (catchUp && node.installed?.record.epoch === node.begun.epoch) node.installed = null
  node.begun = { ...node.begun, table: {} }
}

function forgetFences(node: Node): void {
  for (const { seats } of node.names.values()) {
    for (const seat of seats) seat.holds = seat.holds.map((hold) => ({ ...hold, fence: NO_FENCE }))
  }
}

const NO_FENCE = { epoch: 0, counter: 0 }

/** A record without this session never begins here, nor with any later one. */
function forgetForeignRecord(node: Node): void {
  if (node.installed !== null && !includesSession(node.installed.record, sessionOf(node)))
    node.installed = null
}

/** Equal records are one object: worlds of instances are kept per record, and texts are made once. */
function share(node: Node, bounds: Bounds): void {
  node.durable = sharedDisk(node.durable, bounds)
  node.begun = sharedRoster(node.begun)
  if (node.installed !== null) {
    node.installed = { ...node.installed, record: records.of(node.installed.record) as ViewRecord }
  }
  if (node.closing !== null) {
    const until = node.closing.until <= 0 ? Number.NEGATIVE_INFINITY : node.closing.until
    node.closing = { ...node.closing, until, record: records.of(node.closing.record) as ViewRecord }
  }
  if (node.proposal === null) return
  node.proposal = { ...node.proposal, started: 0, order: null, record: sharedRoster(node.proposal.record) }
  // What it decided from is not read again.
  if (node.proposal.record !== null) node.proposal.promises = {}
  node.proposal.accepts = node.proposal.accepts.toSorted()
}

/** R19 owes at least the lease of the record, so none up to the shortest has to be remembered. */
function sharedDisk(disk: Durable, { lease, leases }: Bounds): Durable {
  const longest = Math.max(disk.longest, Math.min(lease, ...Object.values(leases)))
  return disks.of({ ...disk, longest, accepted: sharedRoster(disk.accepted) })
}

function sharedRoster<Kind extends Roster>(record: Kind | null): Kind | null {
  return record === null ? null : (records.of(record) as Kind)
}

/** Every record that a message carries as the one object of its text; and of a heartbeat what matters here. */
export function sharedMessage(message: Message): Message {
  switch (message.type) {
    case 'heartbeat':
      // The explorer chooses what is heard of promises and suspicions; INSTALL need not be sent again.
      return { ...message, promised: 0, accepted: null, suspects: [] }
    case 'install':
    case 'copy':
      return { ...message, record: records.of(message.record) as ViewRecord }
    case 'promise':
      return { ...message, accepted: sharedRoster(message.accepted) }
    default:
      return message
  }
}

/** One tick later by its own clock. */
export function later({ node }: Process): void {
  for (const ticks of [node.owed, node.acked])
    for (const [key, left] of Object.entries(ticks)) ticks[key] = left - 1
  node.deadline -= 1
  node.started -= 1
  if (node.closing !== null) node.closing = { ...node.closing, until: node.closing.until - 1 }
}

export interface Envelope {
  readonly from: Id
  readonly to: Id
  readonly message: Message
}

/**
 * Whether a message can do nothing at its receiver any more, whatever happens. `remembers`: no disk can be lost from
 * here on. This rests on the rules as they are; a broken rule under which such a message lives may be missed for it,
 * but what is found is real.
 */
export function isDead(
  { node }: Process,
  { from, message }: Envelope,
  rules: Rules,
  remembers: boolean,
  { lostBallots }: Reductions,
): boolean {
  const { promised } = node.durable
  const lasts = remembers && isSound(rules, 'keepPromise')
  const isBelow = (epoch: number) => lasts && epoch < promised.epoch
  const isBelowAndIn = (record: Roster) => isBelow(record.epoch) && includesSession(record, sessionOf(node))
  switch (message.type) {
    case 'promise':
      // A ballot that was given up is never resumed (R9).
      return node.proposal?.ballot !== message.ballot || node.proposal.record !== null
    case 'accepted':
      return node.proposal?.ballot !== message.ballot
    case 'prepare':
      return lasts && isRefused(node, message, rules)
    case 'install':
      if (!lasts || !isSound(rules, 'refusesLower')) return false
      return isBelow(message.record.epoch) || (lostBallots ? isTaken : isDone)(node, message.record)
    case 'begin':
      return isSound(rules, 'mayBegin') && (isBelow(message.epoch) || node.chosen >= message.epoch)
    case 'fetch':
      return isBelow(message.epoch) && node.begun?.epoch !== message.epoch
    case 'copy':
      return message.record.epoch <= (node.begun?.epoch ?? 0) || isBelowAndIn(message.record)
    case 'link':
      return lasts && isOldLink(node, from, message, rules)
    case 'out':
      return sessionKey(message.session) !== sessionKey(sessionOf(node))
    case 'gone':
      return sessionKey(message.session) in node.gone
    default:
      return false
  }
}

/** Refused now and for ever: promises only rise. */
function isRefused({ durable: { promised } }: Node, message: MessageOf<'prepare'>, rules: Rules): boolean {
  const { epoch, ballot } = message
  return !rules.promises(promised, epoch, ballot) && (epoch !== promised.epoch || ballot !== promised.ballot)
}

/** Accepted and begun: once more changes nothing. */
function isDone({ durable, begun }: Node, { epoch }: Roster): boolean {
  return durable.accepted?.epoch === epoch && begun?.epoch === epoch
}

/**
 * Accepted, which was told, and kept if it can begin here: once more changes nothing. After a restart it cannot begin, since the
 * session is another.
 */
function isTaken({ durable }: Node, { epoch }: Roster): boolean {
  return durable.accepted?.epoch === epoch
}

function isOldLink(
  { durable, begun, links }: Node,
  from: Id,
  { epoch, seq }: MessageOf<'link'>,
  rules: Rules,
): boolean {
  if (!isSound(rules, 'isSilent', 'ofAnotherView')) return false
  if (epoch < durable.promised.epoch || epoch < (begun?.epoch ?? 0)) return true
  return epoch === begun?.epoch && seq < (links[from]?.nextIn ?? 1)
}
