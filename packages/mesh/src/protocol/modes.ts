/** How a holder changes its mode while it is inside: from alone to shared, and from update to alone. */
import type { Mode } from '@turnwise/core/algorithm'
import { advance, openToReaders, servedBy } from './callers.ts'
import { openInstance, runInstance } from './instances.ts'
import { holdersOf } from './record.ts'
import { rules } from './rules.ts'
import { type CallerId, type Hold, type LocalName, type Node, type Seat, type Turn } from './state.ts'

/** What the table of the view says that this node holds: the mode of an instance that was not used yet. */
export function tableMode({ id, begun }: Node, name: string, seat: number): Mode | undefined {
  if (begun === null) return undefined
  return holdersOf(begun.table, name).find((holder) => holder.id === id && holder.seat === seat)?.mode
}

/** What the callers of a seat hold together: an update is more than sharing, and to be alone more than that. */
export function strongest(holds: readonly Hold[]): Mode {
  return holds.find(({ mode }) => mode !== 'shared')?.mode ?? 'shared'
}

interface Place {
  readonly local: LocalName
  readonly seat: Seat
  readonly hold: Hold
}

function placeOf({ names }: Node, name: string, caller: CallerId): Place | null {
  const local = names.get(name)
  for (const seat of local?.seats ?? []) {
    const hold = seat.holds.find((each) => each.caller === caller)
    if (hold !== undefined && local !== undefined) return { local, seat, hold }
  }
  return null
}

function change(seat: Seat, { caller }: Hold, to: Partial<Hold>): void {
  seat.holds = seat.holds.map((each) => (each.caller === caller ? { ...each, ...to } : each))
}

/** No writer gets in between: the node stays inside. Frozen or not, callers of this node who share may join this one (R5). */
export function downgrade(turn: Turn, name: string, caller: CallerId): void {
  const place = placeOf(turn.node, name, caller)
  if (place === null || place.hold.mode === 'shared') return
  desist(turn, name, caller)
  change(place.seat, place.hold, { mode: 'shared' })
  openToReaders(turn, place.seat)
  advance(turn, name, place.local)
}

/** The holder of an update wants to be alone. From now on nobody joins it. */
export function upgrade(turn: Turn, name: string, caller: CallerId): void {
  const place = placeOf(turn.node, name, caller)
  if (place?.hold.mode !== 'update') return
  change(place.seat, place.hold, { upgrades: true })
  advance(turn, name, place.local)
}

/** It wants that no more, and holds an update as before. Of what came too late for it the node keeps the benefit. */
export function desist(turn: Turn, name: string, caller: CallerId): void {
  const place = placeOf(turn.node, name, caller)
  if (place?.hold.upgrades !== true) return
  const { local, seat, hold } = place
  change(seat, hold, { upgrades: false })
  if (!rules.isSilent(turn.node)) takeBackUpgrade(turn, name, local, seat)
  advance(turn, name, local)
}

/** What the instance was asked for is not wanted any more. */
export function takeBackUpgrade(turn: Turn, name: string, local: LocalName, seat: Seat): void {
  const { instance } = seat
  if (instance?.upgrades !== true) return
  instance.upgrades = false
  if (instance.grant === null)
    return runInstance(turn, name, local, seat, (algorithm, state, here) => algorithm.withdraw?.(state, here))
  instance.mode = 'exclusive'
  instance.grant = null
}

/** Whoever was more than a reader here shares: readers elsewhere may come in, if the algorithm has a rule for it. */
export function tellOfSharing(turn: Turn, name: string, local: LocalName, seat: Seat): void {
  if (!isMoreThanShared(turn.node, name, local, seat)) return
  if (servedBy(turn, name).downgrade === undefined) return
  openInstance(turn, name, local, seat).mode = 'shared'
  runInstance(turn, name, local, seat, (algorithm, state, here) => algorithm.downgrade?.(state, here))
}

/** Whether the callers of a seat share, and its node is alone towards the others, or may be. */
function isMoreThanShared(node: Node, name: string, { seats }: LocalName, seat: Seat): boolean {
  if (strongest(seat.holds) !== 'shared') return false
  return (seat.instance?.mode ?? tableMode(node, name, seats.indexOf(seat)) ?? 'shared') !== 'shared'
}

/** What is to be told or asked in a view that has begun: sharing that others do not know of, and upgrades. */
export function hasNews(node: Node, name: string, local: LocalName): boolean {
  return local.seats.some(
    (seat) => seat.holds.length > 0 && (isUpgrading(local) || isMoreThanShared(node, name, local, seat)),
  )
}

/**
 * A holder that upgrades and is the last of its seat becomes exclusive when no other node shares any more. R11: frozen, only where the
 * report said that this node is alone.
 */
export function becomeAlone(turn: Turn, name: string, local: LocalName, seat: Seat): void {
  const { node, now } = turn
  const [hold] = seat.holds
  if (hold?.upgrades !== true || seat.holds.length > 1) return
  const instance = openInstance(turn, name, local, seat)
  if (instance.mode !== 'exclusive' && rules.isSilent(node)) return
  if (instance.mode === 'update') {
    if (instance.upgrades !== true) {
      instance.upgrades = true
      runInstance(turn, name, local, seat, (algorithm, state, here) => algorithm.upgrade?.(state, here))
    }
    if (instance.grant === null) return
  }
  // R5: what is gated is tried again after the next ack.
  const fence = instance.grant === null ? hold.fence : rules.fence(node.begun?.epoch ?? 0, instance.grant)
  if (now >= node.deadline || fence === null) return void node.gated.add(name)
  if (instance.upgrades === true) instance.mode = 'exclusive'
  instance.upgrades = false
  instance.grant = null
  change(seat, hold, { mode: 'exclusive', fence, upgrades: false })
  turn.effects.push({ kind: 'upgraded', name, caller: hold.caller, fence })
}

/** Whether one more, who wants to update, may join those who share here under the hold of the node. R11: frozen, nobody is more than the report said. */
export function mayUpdate(turn: Turn, name: string, local: LocalName, seat: Seat): boolean {
  const { node } = turn
  if (rules.isSilent(node) || strongest(seat.holds) !== 'shared') return false
  return openInstance(turn, name, local, seat).mode !== 'shared' || node.begun?.members.length === 1
}

/** Whether somebody here waits to be alone. */
export function isUpgrading({ seats }: LocalName): boolean {
  return seats.some(({ holds }) => holds.some(({ upgrades }) => upgrades === true))
}
