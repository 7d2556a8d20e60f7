/**
 * Callers queue at their node, in front of the algorithm. One caller at a time uses the entry of a seat, or several that share
 * it.
 */
import { type AnyAlgorithm, type Ask, type Mode, receiver } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { type Fence, nextTurn } from './fence.ts'
import {
  algorithmFor,
  callInstance,
  heldByTable,
  localName,
  openInstance,
  runInstance,
  runSteps,
} from './instances.ts'
import { hasRoom } from './links.ts'
import type { Payload } from './messages.ts'
import { becomeAlone, isUpgrading, mayUpdate, takeBackUpgrade, tellOfSharing } from './modes.ts'
import type { Id } from './record.ts'
import { rules } from './rules.ts'
import {
  type Caller,
  type CallerId,
  type Hold,
  type LocalName,
  type Node,
  type Seat,
  type Turn,
  type Waiting,
} from './state.ts'
import { announceTheft, endTheft, isBeingStolen, takeHere } from './theft.ts'

export function request(turn: Turn, name: string, caller: Caller): void {
  const local = localName(turn.node, name)
  // A permit has one user, so its mode is exclusive.
  if (name.startsWith('#') && caller.mode !== 'exclusive')
    return request(turn, name, { ...caller, mode: 'exclusive' })
  const waiting = waitingSince(caller, turn.now)
  if (caller.steals) {
    // A thief goes before everyone except earlier thieves. They get in first, and this one then steals from them.
    const before = local.waiting.filter(({ steals }) => steals).length
    local.waiting.splice(before, 0, waiting)
    if (takeHere(turn, name, local)) return
    announceTheft(turn, name)
  } else standInLine(local.waiting, waiting)
  advance(turn, name, local)
}

/** Queues behind all callers of the same or higher priority, and behind all thieves. */
function standInLine(line: Waiting[], caller: Waiting): void {
  const last = line.at(-1)
  if (last === undefined || last.priority >= caller.priority || last.steals) {
    line.push(caller)
    return
  }
  const place = line.findIndex(({ priority, steals }) => !steals && priority < caller.priority)
  line.splice(place, 0, caller)
}

/** Copies field by field for speed: every request passes here. */
function waitingSince(asked: Caller, since: number): Waiting {
  const { caller, mode, priority, steals, probes, about } = asked
  if (probes === undefined && about === undefined) return { caller, mode, priority, steals, since }
  return {
    caller,
    mode,
    priority,
    steals,
    since,
    ...(probes && { probes }),
    ...(about && { about }),
  }
}

/**
 * The caller no longer waits. If a seat asked only for it, the request is withdrawn, or the entry is released as soon as it is
 * granted.
 */
export function cancel(turn: Turn, name: string, caller: CallerId): void {
  const local = turn.node.names.get(name)
  const index = local?.waiting.findIndex((waiting) => waiting.caller === caller) ?? -1
  if (local === undefined || index < 0) return
  const [gone] = local.waiting.splice(index, 1)
  if (gone?.steals) endTheft(turn, name, local)
  if (index === 0) askForTheNext(turn, name, local)
  advance(turn, name, local)
}

/** Withdraws requests that were made in another mode than the next caller needs. Such a request loses its place. */
function askForTheNext(turn: Turn, name: string, local: LocalName): void {
  const next = local.waiting[0]
  if (next === undefined || !canAsk(turn)) return
  const mode = askedMode(turn, name, next)
  for (const seat of local.seats) {
    if (seat.instance !== null && seat.instance.mode !== mode) takeBack(turn, name, local, seat)
  }
}

export function release(turn: Turn, name: string, caller: CallerId): void {
  const { node } = turn
  const local = node.names.get(name)
  if (local === undefined) return
  for (const seat of local.seats) {
    const index = seat.holds.findIndex((hold) => hold.caller === caller)
    if (index < 0) continue
    const { fence, mode } = get(seat.holds, index)
    if (seat.holds.length === 1) seat.holds.pop()
    else seat.holds.splice(index, 1)
    node.holding -= 1
    if (seat.holds.length === 0) afterLast(turn, name, local, seat, fence)
    else if (mode === 'update' || isUpgrading(local)) advance(turn, name, local)
    return
  }
}

/** The last caller of a seat has released. The next one follows under the same hold, or the entry is released. */
function afterLast(turn: Turn, name: string, local: LocalName, seat: Seat, fence: Fence): void {
  if (!handOn(turn, name, local, seat, fence)) {
    // R11: frozen, a release stays local.
    if (!rules.isSilent(turn.node)) giveBack(turn, name, local, seat)
  }
}

/** R5, hand-on under one unbroken hold. It needs only the lease, frozen or not, because the table names this node. */
export function handOn(turn: Turn, name: string, local: LocalName, seat: Seat, before: Fence): boolean {
  const { node, now } = turn
  const next = local.waiting[0]
  if (next === undefined || now >= node.deadline || isBeingStolen(node, name)) return false
  if (askedMode(turn, name, next) !== openInstance(turn, name, local, seat).mode) return false
  const fence = nextTurn(before, next.steals ? Number.POSITIVE_INFINITY : (node.config.localTurns ?? 1))
  if (fence === null) return false
  letIn(turn, name, local, seat, fence)
  return true
}

/**
 * Releases a seat's entry. If callers wait it requests again before the messages of the release leave, so that both can travel
 * together.
 */
export function giveBack(turn: Turn, name: string, local: LocalName, seat: Seat): void {
  const instance = seat.instance ?? heldByTable(turn, name, local, seat)
  if (instance?.phase !== 'inside') return
  if (instance.upgrades === true) takeBackUpgrade(turn, name, local, seat)
  instance.phase = 'idle'
  instance.grant = null
  callInstance(turn, name, local, seat, (algorithm, state, here) => algorithm.release(state, here))
  advance(turn, name, local)
  runSteps(instance)
}

/** Withdraws the pending request of a seat, if the algorithm can. Nodes queued behind it then wait no longer for it. */
function takeBack(turn: Turn, name: string, local: LocalName, seat: Seat): void {
  const { instance } = seat
  if (instance?.phase !== 'waiting' || servedBy(turn, name).withdraw === undefined) return
  instance.phase = 'idle'
  runInstance(turn, name, local, seat, (algorithm, state, here) => algorithm.withdraw?.(state, here))
}

/** R11: a frozen node requests, releases and withdraws nothing. */
function canAsk({ node }: Turn): boolean {
  return !rules.freezes(node)
}

/**
 * Does all that is possible for the callers of a name: requests it, lets callers in, or releases an entry that no caller wants.
 */
export function advance(turn: Turn, name: string, local: LocalName): void {
  const { node } = turn
  // Both sets are empty most of the time, and every message passes here.
  if (node.gated.size > 0) node.gated.delete(name)
  if (node.unasked.size > 0) node.unasked.delete(name)
  if (node.begun === null) return
  const frozen = !canAsk(turn)
  /** Callers for whom no seat asks yet. */
  let unserved = local.waiting.length
  for (const seat of local.seats) {
    if (seat.holds.length > 0) {
      if (!rules.isSilent(node)) tellOfSharing(turn, name, local, seat)
      becomeAlone(turn, name, local, seat)
      joinThose(turn, name, local, seat)
      unserved = Math.min(unserved, local.waiting.length)
    } else if (frozen) continue
    else if (Math.min(unserved, local.waiting.length) <= 0) {
      takeBack(turn, name, local, seat)
      giveBack(turn, name, local, seat)
    } else if (isBeingStolen(node, name)) giveBack(turn, name, local, seat)
    else {
      unserved -= 1
      serve(turn, name, local, seat)
    }
  }
}

export function advanceAll(turn: Turn, names: Iterable<string>): void {
  for (const name of names) {
    const local = turn.node.names.get(name)
    if (local !== undefined) advance(turn, name, local)
  }
}

/** R18: asks while links have room, and for a limited number of names in one event, so that the node can serve others. */
export function askTheRest(turn: Turn): void {
  const { node, now, effects } = turn
  let left = SLICE
  for (const name of node.unasked) {
    if (!hasRoom(node)) return
    if (left === 0) return void effects.push({ kind: 'wake', at: now })
    left -= 1
    advanceAll(turn, [name])
  }
}

/** How many names one event asks for. */
const SLICE = 128

/** Serves the first waiting caller from a seat that no caller holds. */
function serve(turn: Turn, name: string, local: LocalName, seat: Seat): void {
  const { node } = turn
  const head = get(local.waiting, 0)
  const instance = openInstance(turn, name, local, seat)
  if (instance.phase === 'idle') {
    if (!hasRoom(node)) return void node.unasked.add(name)
    ask(turn, name, local, seat, head)
  }
  if (instance.phase !== 'inside' || local.waiting.length === 0) return
  // The caller that it was asked for has gone. Keeping a shared entry for another mode would keep out other nodes.
  if (instance.mode !== askedMode(turn, name, get(local.waiting, 0))) return giveBack(turn, name, local, seat)
  if (instance.grant === null) return
  // R5: a gated instance stays inside, and is tried again after the next ack.
  if (turn.now >= node.deadline) {
    node.gated.add(name)
    return
  }
  const fence = rules.fence(node.begun?.epoch ?? 0, instance.grant)
  // The instance is inside without a caller. The next tick proposes another view, and its table will not name this node.
  if (fence === null) return void node.gated.add(name)
  instance.grant = null
  letIn(turn, name, local, seat, fence)
}

/** Whether a caller waits for a grant whose number no longer fits the counters of this view. */
export function isSpent({ gated, names, begun }: Node): boolean {
  const { epoch = 0 } = begun ?? {}
  for (const name of gated) {
    for (const { instance } of names.get(name)?.seats ?? []) {
      if (
        instance?.phase === 'inside' &&
        instance.grant !== null &&
        rules.fence(epoch, instance.grant) === null
      )
        return true
    }
  }
  return false
}

function ask(turn: Turn, name: string, local: LocalName, seat: Seat, caller: Caller): void {
  const instance = openInstance(turn, name, local, seat)
  const wanted: Ask = { mode: askedMode(turn, name, caller), priority: caller.priority }
  instance.phase = 'waiting'
  instance.mode = wanted.mode
  runInstance(turn, name, local, seat, (algorithm, state, here) => algorithm.request(state, here, wanted))
}

/** The mode that the algorithm is asked for. Callers of one node can share even where the algorithm knows no shared mode. */
export function askedMode(turn: Turn, name: string, { mode }: Pick<Caller, 'mode'>): Mode {
  if (mode === 'exclusive') return mode
  const algorithm = servedBy(turn, name)
  const canDo = mode === 'shared' ? algorithm.facts.sharedMode : algorithm.upgrade !== undefined
  return canDo ? mode : 'exclusive'
}

export function servedBy({ node }: Turn, name: string): AnyAlgorithm {
  return algorithmFor(node.begun?.settings ?? node.config.settings, name)
}

function letIn(turn: Turn, name: string, local: LocalName, seat: Seat, fence: Fence): void {
  const { node, effects, now } = turn
  const caller = local.waiting.shift() as Waiting
  seat.holds.push(holdOf(caller, fence, now))
  node.holding += 1
  effects.push({ kind: 'grant', name, caller: caller.caller, mode: caller.mode, fence })
  if (caller.steals) endTheft(turn, name, local)
  if (caller.mode === 'exclusive') return
  if (seat.holds.length === 1) openToReaders(turn, seat)
  joinThose(turn, name, local, seat)
}

/** Writers of other nodes are not visible here. They get their turn when joining ends. A single member has no such writers. */
export function openToReaders({ node, now }: Turn, seat: Seat): void {
  const alone = node.begun?.members.length === 1
  seat.joinUntil = alone ? Number.POSITIVE_INFINITY : now + node.config.settings.lease
}

function holdOf({ caller, mode, priority, steals, about }: Caller, fence: Fence, since: number): Hold {
  return about === undefined
    ? { caller, mode, priority, steals, fence, since }
    : { caller, mode, priority, steals, fence, since, about }
}

/** Callers that share join the readers of this node, under one unbroken hold and with the same fence. */
function joinThose(turn: Turn, name: string, local: LocalName, seat: Seat): void {
  const { node, now } = turn
  const [first] = seat.holds
  if (first === undefined || first.mode === 'exclusive' || local.waiting.length === 0) return
  if (now >= node.deadline || now >= seat.joinUntil || isUpgrading(local)) return
  for (let [next] = local.waiting; next !== undefined; [next] = local.waiting) {
    const { caller, mode } = next
    if (mode === 'exclusive' || (mode === 'update' && !mayUpdate(turn, name, local, seat))) return
    local.waiting.shift()
    seat.holds.push(holdOf(next, first.fence, now))
    node.holding += 1
    turn.effects.push({ kind: 'grant', name, caller, mode, fence: first.fence })
  }
}

export function rejoin(turn: Turn, name: string): void {
  const { node, now } = turn
  const local = node.names.get(name)
  if (local === undefined) return
  for (const seat of local.seats) seat.joinUntil = Math.max(seat.joinUntil, now + node.config.settings.lease)
  advance(turn, name, local)
}

/** A message of the algorithm. R17: it comes in order and once. */
export function deliver(turn: Turn, from: Id, payload: Extract<Payload, { kind: 'lock' }>): void {
  const { name, message, to } = payload
  const local = localName(turn.node, name)
  const seat = get(local.seats, to)
  runInstance(turn, name, local, seat, (algorithm, state, here) => {
    receiver(algorithm, message.type)(state, here, message, here.numberOf(from, payload.from))
  })
  advance(turn, name, local)
}
