/**
 * Callers queue at their node, in front of the algorithm. One caller at a time uses the entry of a seat, or several that share
 * it.
 */
import { receiver } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { PASSES_IN_MESH, passesOf } from '@turnwise/core/priorities'
import type { Fence } from './fence.ts'
import { localName, runInstance } from './instances.ts'
import { hasRoom } from './links.ts'
import type { Payload } from './messages.ts'
import { isGroup } from './names.ts'
import type { Id } from './record.ts'
import { rules } from './rules.ts'
import { isUpgrading, takeBackUpgrade } from './seat-modes.ts'
import {
  advance,
  announceTheft,
  askedMode,
  canAsk,
  endTheft,
  giveBack,
  handOn,
  leaveSeat,
  takeBack,
  takeHere,
} from './seats.ts'
import type { Caller, CallerId, Handling, LocalName, Node, Seat, Waiting } from './state.ts'
import { servingAt } from './view-worlds.ts'

export function request(handling: Handling, name: string, caller: Caller): void {
  const local = localName(handling.node, name)
  // A permit has one user, and so has a name of a group: the mode is exclusive.
  if ((name.startsWith('#') || isGroup(name)) && caller.mode !== 'exclusive')
    return request(handling, name, { ...caller, mode: 'exclusive' })
  const waiting = waitingSince(caller, handling.now)
  if (caller.steals) {
    // A thief goes before everyone except earlier thieves. They get in first, and this one then steals from them.
    const before = local.waiting.filter(({ steals }) => steals).length
    local.waiting.splice(before, 0, waiting)
    if (takeHere(handling, name, local)) return
    announceTheft(handling, name)
  } else if (local.waiting.length === 0) local.waiting = [waiting]
  else standInLine(handling, name, local.waiting, waiting)
  advance(handling, name, local)
}

/**
 * Queues behind all callers of the same or higher priority, behind all thieves, and behind those that were passed as often as may be: the
 * same rule as in the line between nodes (`token-queue-line.ts`), so that nobody starves at either.
 */
function standInLine(handling: Handling, name: string, line: Waiting[], caller: Waiting): void {
  const last = line.at(-1)
  if (last === undefined || last.priority >= caller.priority || last.steals) {
    line.push(caller)
    return
  }
  const most = mostPasses(handling, name)
  const mayPass = ({ priority, steals, passed = 0 }: Waiting) =>
    !steals && priority < caller.priority && passed < most
  const place = line.findLastIndex((waiting) => !mayPass(waiting)) + 1
  for (const passed of line.slice(place)) passed.passed = (passed.passed ?? 0) + 1
  line.splice(place, 0, caller)
}

/** As the algorithm says it for requests of different nodes, if it does. */
function mostPasses({ node }: Handling, name: string): number {
  const { algorithm, options } = servingAt(node, name)
  return passesOf(algorithm, options) ?? PASSES_IN_MESH
}

/** Copies field by field for speed: every request passes here. */
function waitingSince(asked: Caller, since: number): Waiting {
  const { caller, mode, priority, steals, probes, about, resources } = asked
  if (probes === undefined && about === undefined && resources === undefined)
    return { caller, mode, priority, steals, since }
  return {
    caller,
    mode,
    priority,
    steals,
    since,
    ...(probes && { probes }),
    ...(about && { about }),
    ...(resources && { resources }),
  }
}

/**
 * The caller no longer waits. If a seat asked only for it, the request is withdrawn, or the entry is released as soon as it is
 * granted.
 */
export function cancel(handling: Handling, name: string, caller: CallerId): void {
  const local = handling.node.names.get(name)
  const index = local?.waiting.findIndex((waiting) => waiting.caller === caller) ?? -1
  if (local === undefined || index < 0) return
  const [gone] = local.waiting.splice(index, 1)
  if (gone?.steals) endTheft(handling, name, local)
  if (isGroup(name)) leaveSeat(local, caller)
  if (index === 0) askForTheNext(handling, name, local)
  advance(handling, name, local)
}

/** Withdraws requests that were made in another mode than the next caller needs. Such a request loses its place. */
function askForTheNext(handling: Handling, name: string, local: LocalName): void {
  const next = local.waiting[0]
  if (next === undefined || !canAsk(handling)) return
  const mode = askedMode(handling, name, next)
  for (const seat of local.seats) {
    if (seat.instance !== null && seat.instance.mode !== mode) takeBack(handling, name, local, seat)
  }
}

export function release(handling: Handling, name: string, caller: CallerId): void {
  const { node } = handling
  const local = node.names.get(name)
  if (local === undefined) return
  for (const seat of local.seats) {
    const index = seat.holds.findIndex((hold) => hold.caller === caller)
    if (index < 0) continue
    const { fence, mode } = get(seat.holds, index)
    if (seat.holds.length === 1) seat.holds.pop()
    else seat.holds.splice(index, 1)
    node.holding -= 1
    if (seat.holds.length === 0) afterLast(handling, name, local, seat, fence)
    else if (mode === 'update' || isUpgrading(local)) advance(handling, name, local)
    return
  }
}

/** The last caller of a seat has released. The next one follows under the same hold, or the entry is released. */
function afterLast(handling: Handling, name: string, local: LocalName, seat: Seat, fence: Fence): void {
  // It may have waited to be exclusive. The next one does not.
  if (!rules.isSilent(handling.node)) takeBackUpgrade(handling, name, local, seat)
  // The next caller of a group wants other names.
  if (!isGroup(name) && handOn(handling, name, local, seat, fence)) return
  // R11: frozen, a release stays local.
  if (!rules.isSilent(handling.node)) giveBack(handling, name, local, seat)
}

export function advanceAll(handling: Handling, names: Iterable<string>): void {
  for (const name of names) {
    const local = handling.node.names.get(name)
    if (local !== undefined) advance(handling, name, local)
  }
}

/** R18: asks while links have room, and for a limited number of names in one event, so that the node can serve others. */
export function askTheRest(handling: Handling): void {
  const { node, now, effects } = handling
  let left = SLICE
  for (const name of node.unasked) {
    if (!hasRoom(node)) return
    if (left === 0) return void effects.push({ kind: 'wake', at: now })
    left -= 1
    advanceAll(handling, [name])
  }
}

/** How many names one event asks for. */
const SLICE = 128

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

export function rejoin(handling: Handling, name: string): void {
  const { node, now } = handling
  const local = node.names.get(name)
  if (local === undefined) return
  for (const seat of local.seats) seat.joinUntil = Math.max(seat.joinUntil, now + node.config.settings.lease)
  advance(handling, name, local)
}

/** A message of the algorithm. R17: it comes in order and once. */
export function deliver(handling: Handling, from: Id, payload: Extract<Payload, { kind: 'lock' }>): void {
  const { name, message, to } = payload
  const local = localName(handling.node, name)
  const seat = get(local.seats, to)
  runInstance(handling, name, local, seat, (algorithm, state, here) => {
    receiver(algorithm, message.type)(state, here, message, here.numberOf(from, payload.from))
  })
  advance(handling, name, local)
}
