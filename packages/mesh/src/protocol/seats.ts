/**
 * The seats of a node: how one asks the algorithm for its entry, which callers use the entry, and when the seat gives it back.
 * `callers.ts` calls it for the callers of this node, `theft.ts` for thieves at other nodes, `lapse.ts` when the lease ends.
 */
import type { Ask, Mode } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import type { Loss } from './events.ts'
import { type Fence, nextTurn } from './fence.ts'
import { callInstance, heldByTable, openInstance, runInstance, runSteps } from './instances.ts'
import { hasRoom, sendOnLink } from './links.ts'
import type { Payload } from './messages.ts'
import { becomeAlone, isUpgrading, mayUpdate, takeBackUpgrade, tellOfSharing } from './modes.ts'
import { rules } from './rules.ts'
import { servedBy } from './serving.ts'
import type { Caller, Hold, LocalName, Node, Seat, Turn, Waiting } from './state.ts'

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

/** R11: a frozen node requests, releases and withdraws nothing. */
export function canAsk({ node }: Turn): boolean {
  return !rules.freezes(node)
}

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
export function takeBack(turn: Turn, name: string, local: LocalName, seat: Seat): void {
  const { instance } = seat
  if (instance?.phase !== 'waiting' || servedBy(turn, name).withdraw === undefined) return
  instance.phase = 'idle'
  runInstance(turn, name, local, seat, (algorithm, state, here) => algorithm.withdraw?.(state, here))
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

/** Whether a thief at another node goes before the callers here. */
export function isBeingStolen({ thefts, names, id }: Node, name: string): boolean {
  const thieves = thefts.size === 0 ? undefined : thefts.get(name)
  if (thieves === undefined) return false
  return names.get(name)?.waiting[0]?.steals !== true || thieves.some((thief) => thief < id)
}

/** The thief is first in line here. If callers of this node hold the lock, it gets it at once, without a message. */
export function takeHere(turn: Turn, name: string, local: LocalName): boolean {
  const seat = get(local.seats, 0)
  const fence = seat.holds[0]?.fence
  if (fence === undefined) return false
  loseHolds(turn, name, seat, 'stolen')
  if (handOn(turn, name, local, seat, fence)) return true
  if (!rules.isSilent(turn.node)) giveBack(turn, name, local, seat)
  return seat.holds.length > 0
}

export function announceTheft(turn: Turn, name: string): void {
  tellOthers(turn, { kind: 'steal', name })
}

/** The thief is inside, or has given up. Other thieves of this node may still wait, and steal from it in turn. */
export function endTheft(turn: Turn, name: string, local: LocalName): void {
  if (!local.waiting[0]?.steals) tellOthers(turn, { kind: 'stolen', name })
  else if (takeHere(turn, name, local)) return
  if (turn.node.thefts.has(name)) rob(turn, name)
}

export function rob(turn: Turn, name: string): void {
  const local = turn.node.names.get(name)
  if (local === undefined) return
  for (const seat of local.seats) {
    loseHolds(turn, name, seat, 'stolen')
    if (!rules.isSilent(turn.node)) giveBack(turn, name, local, seat)
  }
}

function tellOthers(turn: Turn, payload: Payload): void {
  for (const { id } of turn.node.begun?.members ?? []) {
    if (id !== turn.node.id) sendOnLink(turn, id, payload)
  }
}

export function loseHolds({ node, effects }: Turn, name: string, seat: Seat, why: Loss): void {
  for (const { caller } of seat.holds) effects.push({ kind: 'lost', name, caller, why })
  node.holding -= seat.holds.length
  seat.holds = []
}
