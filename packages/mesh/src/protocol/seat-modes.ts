/** The mode of a seat: what its callers need, what the instance holds towards the others, and how the two become equal. */
import type { Mode } from '@turnwise/core/algorithm'
import { type Fence, nextTurn } from './fence.ts'
import { openInstance, runInstance } from './instances.ts'
import { holdersOf } from './record.ts'
import { rules } from './rules.ts'
import type { Handling, Hold, Instance, LocalName, Node, Seat } from './state.ts'
import { servingAt } from './view-worlds.ts'

/** The mode that the view's table gives this node. It counts for an instance that was not opened yet. */
export function tableMode({ id, begun }: Node, name: string, seat: number): Mode | undefined {
  if (begun === null) return undefined
  return holdersOf(begun.table, name).find((holder) => holder.id === id && holder.seat === seat)?.mode
}

/** The strongest mode among the callers of a seat: exclusive, then update, then shared. */
export function strongest(holds: readonly Hold[]): Mode {
  return holds.find(({ mode }) => mode !== 'shared')?.mode ?? 'shared'
}

export function change(seat: Seat, { caller }: Hold, to: Partial<Hold>): void {
  seat.holds = seat.holds.map((each) => (each.caller === caller ? { ...each, ...to } : each))
}

/** Withdraws the instance's request to be exclusive. */
export function takeBackUpgrade(handling: Handling, name: string, local: LocalName, seat: Seat): void {
  const { instance } = seat
  if (instance?.upgrades !== true) return
  instance.upgrades = false
  if (instance.grant === null)
    return runInstance(handling, name, local, seat, (algorithm, state, here) =>
      algorithm.withdraw?.(state, here),
    )
  instance.mode = 'exclusive'
  // The next that is exclusive here needs a fence above those of the readers that have left for this.
  const fence = rules.fence(handling.node.begun?.epoch ?? 0, instance.grant)
  const [hold] = seat.holds
  if (hold !== undefined && fence !== null) change(seat, hold, { fence })
  instance.grant = null
}

/**
 * The callers of a seat only share now, but the instance holds more. Tells the instance, if the algorithm has a rule for it, so
 * that readers of other nodes may come in.
 */
export function tellOfSharing(handling: Handling, name: string, local: LocalName, seat: Seat): void {
  if (!isMoreThanShared(handling.node, name, local, seat)) return
  if (servingAt(handling.node, name).algorithm.downgrade === undefined) return
  openInstance(handling, name, local, seat).mode = 'shared'
  runInstance(handling, name, local, seat, (algorithm, state, here) => algorithm.downgrade?.(state, here))
}

/** Whether the callers of a seat only share, but towards the others the node holds more. */
function isMoreThanShared(node: Node, name: string, { seats }: LocalName, seat: Seat): boolean {
  if (strongest(seat.holds) !== 'shared') return false
  return (seat.instance?.mode ?? tableMode(node, name, seats.indexOf(seat)) ?? 'shared') !== 'shared'
}

/** Whether a new view has something to tell or to ask for: a downgrade that others do not know of, or an upgrade. */
export function hasNews(node: Node, name: string, local: LocalName): boolean {
  return local.seats.some(
    (seat) => seat.holds.length > 0 && (isUpgrading(local) || isMoreThanShared(node, name, local, seat)),
  )
}

/**
 * A holder that upgrades, and is the last of its seat, becomes exclusive when no other node shares any more. R11: if the node is
 * frozen, only where its report said exclusive.
 */
export function becomeAlone(handling: Handling, name: string, local: LocalName, seat: Seat): void {
  const { node, now } = handling
  const [hold] = seat.holds
  if (hold?.upgrades !== true || seat.holds.length > 1) return
  const instance = openInstance(handling, name, local, seat)
  if (instance.mode !== 'exclusive' && rules.isSilent(node)) return
  if (instance.mode !== 'exclusive') {
    if (instance.upgrades !== true) askToBeAlone(handling, name, local, seat, instance)
    if (instance.grant === null) return
  }
  // R5: a gated upgrade is tried again after the next ack. If the algorithm was not asked, it is a turn like a hand-on: a writer that
  // went on as a reader may have had the same fence.
  const fence =
    instance.grant === null
      ? (turnAfter(hold) ?? hold.fence)
      : rules.fence(node.begun?.epoch ?? 0, instance.grant)
  if (now >= node.deadline || fence === null) return void node.gated.add(name)
  if (instance.upgrades === true) instance.mode = 'exclusive'
  instance.upgrades = false
  instance.grant = null
  change(seat, hold, { mode: 'exclusive', fence, upgrades: false })
  handling.effects.push({ kind: 'upgraded', name, caller: hold.caller, fence })
}

function askToBeAlone(
  handling: Handling,
  name: string,
  local: LocalName,
  seat: Seat,
  instance: Instance,
): void {
  instance.upgrades = true
  if (instance.mode === 'update')
    return runInstance(handling, name, local, seat, (algorithm, state, here) =>
      algorithm.upgrade?.(state, here),
    )
  // The node is alone in the view, and its callers only shared so far. It enters once more, and nobody can come in between: the fences
  // of later readers must exceed that of this writer.
  const ask = { mode: 'exclusive', priority: 0 } as const
  runInstance(handling, name, local, seat, (algorithm, state, here) => algorithm.release(state, here))
  runInstance(handling, name, local, seat, (algorithm, state, here) => algorithm.request(state, here, ask))
}

/**
 * Whether a caller in mode update may join the readers of this node under its hold. R11: a frozen node holds no more than its
 * report said.
 */
export function mayUpdate(handling: Handling, name: string, local: LocalName, seat: Seat): boolean {
  const { node } = handling
  const [first] = seat.holds
  if (rules.isSilent(node) || strongest(seat.holds) !== 'shared') return false
  // Its upgrade needs a turn of its own.
  if (first === undefined || turnAfter(first) === null) return false
  return openInstance(handling, name, local, seat).mode !== 'shared' || node.begun?.members.length === 1
}

function turnAfter({ fence }: Hold): Fence | null {
  return nextTurn(fence, Number.POSITIVE_INFINITY)
}

/** Whether a caller of this node waits to become exclusive. */
export function isUpgrading({ seats }: LocalName): boolean {
  return seats.some(({ holds }) => holds.some(({ upgrades }) => upgrades === true))
}
