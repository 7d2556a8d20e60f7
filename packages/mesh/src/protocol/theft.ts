/**
 * Stealing a lock. Every member drops its hold of it, and lets no caller in until the thief has it or gives up. Other nodes keep
 * their places in the algorithm's queue. A node whose turn comes meanwhile releases at once, and requests again afterwards. Of
 * several thieves the one with the lowest id goes first, and the next one steals from it. The last one keeps the lock.
 */
import { get } from '@turnwise/core/bounds'
import { advance, giveBack, handOn } from './callers.ts'
import { loseHolds } from './lapse.ts'
import { sendOnLink } from './links.ts'
import type { Payload } from './messages.ts'
import type { Id } from './record.ts'
import { rules } from './rules.ts'
import { type LocalName, type Node, type Turn } from './state.ts'

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

export function onSteal(turn: Turn, from: Id, { name }: Extract<Payload, { kind: 'steal' }>): void {
  const { thefts } = turn.node
  const others = (thefts.get(name) ?? []).filter((id) => id !== from)
  thefts.set(name, [...others, from])
  rob(turn, name)
}

export function onStolen(turn: Turn, from: Id, { name }: Extract<Payload, { kind: 'stolen' }>): void {
  const { thefts, names } = turn.node
  const others = (thefts.get(name) ?? []).filter((id) => id !== from)
  if (others.length > 0) thefts.set(name, others)
  else thefts.delete(name)
  const local = names.get(name)
  if (local !== undefined) advance(turn, name, local)
}

function rob(turn: Turn, name: string): void {
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
