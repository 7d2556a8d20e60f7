/**
 * The seats of a node: how one asks the algorithm for its entry, which callers use the entry, and when the seat gives it back.
 * `callers.ts` calls it for the callers of this node, `theft.ts` for thieves at other nodes, `lapse.ts` when the lease ends.
 */
import type { AnyAlgorithm, Ask, Mode } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import type { Loss } from './events.ts'
import { type Fence, nextTurn } from './fence.ts'
import { callInstance, heldByTable, openInstance, runInstance, runSteps } from './instances.ts'
import { hasRoom, sendOnLink } from './links.ts'
import type { Payload } from './messages.ts'
import { isGroup } from './names.ts'
import { rules } from './rules.ts'
import { becomeAlone, isUpgrading, mayUpdate, takeBackUpgrade, tellOfSharing } from './seat-modes.ts'
import type { Caller, CallerId, Handling, Hold, Instance, LocalName, Node, Seat, Waiting } from './state.ts'
import { servingAt } from './view-worlds.ts'

/**
 * Does all that is possible for the callers of a name: requests it, lets callers in, or releases an entry that no caller wants.
 */
export function advance(handling: Handling, name: string, local: LocalName): void {
  const { node } = handling
  // Both sets are empty most of the time, and every message passes here.
  if (node.gated.size > 0) node.gated.delete(name)
  if (node.unasked.size > 0) node.unasked.delete(name)
  if (node.begun === null) return
  const frozen = !canAsk(handling)
  if (isGroup(name)) return frozen ? undefined : serveStays(handling, name, local)
  /** Callers for whom no seat asks yet. */
  let unserved = local.waiting.length
  for (const seat of local.seats) {
    if (seat.holds.length > 0) {
      if (!rules.isSilent(node)) tellOfSharing(handling, name, local, seat)
      becomeAlone(handling, name, local, seat)
      joinThose(handling, name, local, seat)
      unserved = Math.min(unserved, local.waiting.length)
    } else if (frozen) continue
    else if (Math.min(unserved, local.waiting.length) <= 0) {
      takeBack(handling, name, local, seat)
      giveBack(handling, name, local, seat)
    } else if (isBeingStolen(node, name)) giveBack(handling, name, local, seat)
    else {
      unserved -= 1
      serve(handling, name, local, seat)
    }
  }
}

/** R11: a frozen node requests, releases and withdraws nothing. */
export function canAsk({ node }: Handling): boolean {
  return !rules.freezes(node)
}

/** Serves the first waiting caller from a seat that no caller holds. */
function serve(handling: Handling, name: string, local: LocalName, seat: Seat): void {
  const { node } = handling
  const head = get(local.waiting, 0)
  const instance = openInstance(handling, name, local, seat)
  if (instance.phase === 'idle') {
    if (!hasRoom(node)) return void node.unasked.add(name)
    ask(handling, name, local, seat, head)
  }
  if (instance.phase !== 'inside' || local.waiting.length === 0) return
  // The caller that it was asked for has gone. Keeping a shared entry for another mode would keep out other nodes.
  if (instance.mode !== askedMode(handling, name, get(local.waiting, 0)))
    return giveBack(handling, name, local, seat)
  if (instance.grant === null) return
  // R5: a gated instance stays inside, and is tried again after the next ack.
  if (handling.now >= node.deadline) {
    node.gated.add(name)
    return
  }
  const fence = rules.fence(node.begun?.epoch ?? 0, instance.grant)
  // The instance is inside without a caller. The next tick proposes another view, and its table will not name this node.
  if (fence === null) return void node.gated.add(name)
  instance.grant = null
  letIn(handling, name, local, seat, fence)
}

/**
 * Of a group each seat asks for one caller, with the names that this caller wants, and lets in nobody else. So callers of one node
 * that want different names are inside together.
 */
function serveStays(handling: Handling, name: string, local: LocalName): void {
  const { waiting, seats } = local
  const isUnasked = ({ caller }: Waiting) => !seats.some(({ instance }) => instance?.caller === caller)
  for (const { instance } of seats) if (instance?.isLeft) adopt(instance, waiting.filter(isUnasked))
  for (const seat of seats) {
    if (seat.holds.length > 0) continue
    const next = waiting.find(isUnasked)
    if (seat.instance === null && next === undefined) continue
    const instance = openInstance(handling, name, local, seat)
    if (instance.phase === 'idle' && next !== undefined) {
      if (!hasRoom(handling.node)) {
        handling.node.unasked.add(name)
        continue
      }
      instance.caller = next.caller
      instance.wants = next.resources
      ask(handling, name, local, seat, next)
    }
    if (instance.phase === 'inside') enterStay(handling, name, local, seat, instance)
  }
}

/**
 * A request to a group cannot be taken back. If its caller gives up, the seat waits for the next one that wants the same names.
 * Otherwise callers that give up again and again would use up all seats, and nobody here could take a name that is free.
 */
export function leaveSeat({ seats }: LocalName, caller: CallerId): void {
  for (const { instance } of seats) if (instance?.caller === caller) instance.isLeft = true
}

function adopt(instance: Instance, unasked: readonly Waiting[]): void {
  const wants = String(instance.wants)
  const next = unasked.find(({ resources }) => String(resources) === wants)
  if (next === undefined) return
  instance.caller = next.caller
  instance.isLeft = false
}

/** The seat has all that it asked for. If its caller has gone, or the stay is over, it gives everything back. */
function enterStay(handling: Handling, name: string, local: LocalName, seat: Seat, instance: Instance): void {
  const { node } = handling
  const { grant } = instance
  const place = local.waiting.findIndex(({ caller }) => caller === instance.caller)
  if (grant === null || place < 0) return giveBack(handling, name, local, seat)
  // R5, and a number that does not fit: as in `serve`.
  const fence = handling.now >= node.deadline ? null : rules.fence(node.begun?.epoch ?? 0, grant)
  if (fence === null) return void node.gated.add(name)
  instance.grant = null
  const [next] = local.waiting.splice(place, 1)
  admit(handling, name, local, seat, next as Waiting, fence)
}

function ask(handling: Handling, name: string, local: LocalName, seat: Seat, caller: Caller): void {
  const instance = openInstance(handling, name, local, seat)
  const mode = askedMode(handling, name, caller)
  const { priority, resources } = caller
  const wanted: Ask = resources === undefined ? { mode, priority } : { mode, priority, resources }
  instance.phase = 'waiting'
  instance.mode = wanted.mode
  runInstance(handling, name, local, seat, (algorithm, state, here) => algorithm.request(state, here, wanted))
}

/** The mode that the algorithm is asked for. Callers of one node can share even where the algorithm knows no shared mode. */
export function askedMode(handling: Handling, name: string, { mode }: Pick<Caller, 'mode'>): Mode {
  return modeBetweenNodes(servingAt(handling.node, name).algorithm, mode)
}

export function modeBetweenNodes(algorithm: AnyAlgorithm, mode: Mode): Mode {
  if (mode === 'exclusive') return mode
  const canDo = mode === 'shared' ? algorithm.facts.sharedMode : algorithm.upgrade !== undefined
  return canDo ? mode : 'exclusive'
}

/**
 * Releases a seat's entry. If callers wait it requests again before the messages of the release leave, so that both can travel
 * together.
 */
export function giveBack(handling: Handling, name: string, local: LocalName, seat: Seat): void {
  const instance = seat.instance ?? heldByTable(handling, name, local, seat)
  if (instance?.phase !== 'inside') return
  if (instance.upgrades === true) takeBackUpgrade(handling, name, local, seat)
  instance.phase = 'idle'
  instance.grant = null
  if (instance.caller !== undefined) {
    instance.caller = undefined
    instance.wants = undefined
    instance.isLeft = false
  }
  callInstance(handling, name, local, seat, (algorithm, state, here) => algorithm.release(state, here))
  advance(handling, name, local)
  runSteps(instance)
}

/** Withdraws the pending request of a seat, if the algorithm can. Nodes queued behind it then wait no longer for it. */
export function takeBack(handling: Handling, name: string, local: LocalName, seat: Seat): void {
  const { instance } = seat
  if (instance?.phase !== 'waiting' || servingAt(handling.node, name).algorithm.withdraw === undefined) return
  instance.phase = 'idle'
  runInstance(handling, name, local, seat, (algorithm, state, here) => algorithm.withdraw?.(state, here))
}

/** R5, hand-on under one unbroken hold. It needs only the lease, frozen or not, because the table names this node. */
export function handOn(
  handling: Handling,
  name: string,
  local: LocalName,
  seat: Seat,
  before: Fence,
): boolean {
  const { node, now } = handling
  const next = local.waiting[0]
  if (next === undefined || now >= node.deadline || isBeingStolen(node, name)) return false
  if (askedMode(handling, name, next) !== openInstance(handling, name, local, seat).mode) return false
  const fence = nextTurn(before, next.steals ? Number.POSITIVE_INFINITY : (node.config.localTurns ?? 1))
  if (fence === null) return false
  letIn(handling, name, local, seat, fence)
  return true
}

function letIn(handling: Handling, name: string, local: LocalName, seat: Seat, fence: Fence): void {
  admit(handling, name, local, seat, local.waiting.shift() as Waiting, fence)
}

/** The caller no longer waits. */
function admit(
  handling: Handling,
  name: string,
  local: LocalName,
  seat: Seat,
  caller: Waiting,
  fence: Fence,
): void {
  const { node, effects, now } = handling
  const { mode, resources } = caller
  const hold = holdOf(caller, fence, now)
  if (seat.holds.length === 0) seat.holds = [hold]
  else seat.holds.push(hold)
  node.holding += 1
  const grant = { kind: 'grant', name, caller: caller.caller, mode, fence } as const
  effects.push(resources === undefined ? grant : { ...grant, resources })
  if (caller.steals) endTheft(handling, name, local)
  if (mode === 'exclusive') return
  if (seat.holds.length === 1) openToReaders(handling, seat)
  joinThose(handling, name, local, seat)
}

/** Callers that share join the readers of this node, under one unbroken hold and with the same fence. */
function joinThose(handling: Handling, name: string, local: LocalName, seat: Seat): void {
  const { node, now } = handling
  const [first] = seat.holds
  if (first === undefined || first.mode === 'exclusive' || local.waiting.length === 0) return
  // A single member has no writers of other nodes. When it is no longer alone, the time counts.
  const mayJoin = now < seat.joinUntil || node.begun?.members.length === 1
  if (now >= node.deadline || !mayJoin || isUpgrading(local)) return
  for (let [next] = local.waiting; next !== undefined; [next] = local.waiting) {
    const { caller, mode } = next
    if (mode === 'exclusive' || (mode === 'update' && !mayUpdate(handling, name, local, seat))) return
    local.waiting.shift()
    seat.holds.push(holdOf(next, first.fence, now))
    node.holding += 1
    handling.effects.push({ kind: 'grant', name, caller, mode, fence: first.fence })
  }
}

/** Writers of other nodes are not visible here. They get their turn when joining ends. */
export function openToReaders({ node, now }: Handling, seat: Seat): void {
  seat.joinUntil = now + node.config.settings.lease
}

function holdOf(asked: Caller, fence: Fence, since: number): Hold {
  const { caller, mode, priority, steals, about, resources } = asked
  const hold: Hold =
    about === undefined
      ? { caller, mode, priority, steals, fence, since }
      : { caller, mode, priority, steals, fence, since, about }
  return resources === undefined ? hold : { ...hold, resources }
}

/** Whether a thief at another node goes before the callers here. */
export function isBeingStolen({ thefts, names, id }: Node, name: string): boolean {
  const thieves = thefts.size === 0 ? undefined : thefts.get(name)
  if (thieves === undefined) return false
  return names.get(name)?.waiting[0]?.steals !== true || thieves.some((thief) => thief < id)
}

/** The thief is first in line here. If callers of this node hold the lock, it gets it at once, without a message. */
export function takeHere(handling: Handling, name: string, local: LocalName): boolean {
  const seat = get(local.seats, 0)
  const fence = seat.holds[0]?.fence
  if (fence === undefined) return false
  loseHolds(handling, name, seat, 'stolen')
  if (handOn(handling, name, local, seat, fence)) return true
  if (!rules.isSilent(handling.node)) giveBack(handling, name, local, seat)
  return seat.holds.length > 0
}

export function announceTheft(handling: Handling, name: string): void {
  tellOthers(handling, { kind: 'steal', name })
}

/** The thief is inside, or has given up. Other thieves of this node may still wait, and steal from it in turn. */
export function endTheft(handling: Handling, name: string, local: LocalName): void {
  if (!local.waiting[0]?.steals) tellOthers(handling, { kind: 'stolen', name })
  else if (takeHere(handling, name, local)) return
  if (handling.node.thefts.has(name)) rob(handling, name)
}

export function rob(handling: Handling, name: string): void {
  const local = handling.node.names.get(name)
  if (local === undefined) return
  for (const seat of local.seats) {
    loseHolds(handling, name, seat, 'stolen')
    if (!rules.isSilent(handling.node)) giveBack(handling, name, local, seat)
  }
}

function tellOthers(handling: Handling, payload: Payload): void {
  for (const { id } of handling.node.begun?.members ?? []) {
    if (id !== handling.node.id) sendOnLink(handling, id, payload)
  }
}

export function loseHolds({ node, effects }: Handling, name: string, seat: Seat, why: Loss): void {
  for (const { caller } of seat.holds) effects.push({ kind: 'lost', name, caller, why })
  node.holding -= seat.holds.length
  seat.holds = []
}
