/**
 * Stealing a lock. Every member drops its hold of it, and lets no caller in until the thief has it or gives up. Other nodes keep
 * their places in the algorithm's queue. A node whose turn comes meanwhile releases at once, and requests again afterwards. Of
 * several thieves the one with the lowest id goes first, and the next one steals from it. The last one keeps the lock.
 */
import type { Payload } from './messages.ts'
import type { Id } from './record.ts'
import { advance, rob } from './seats.ts'
import type { Handling } from './state.ts'

export function onSteal(handling: Handling, from: Id, { name }: Extract<Payload, { kind: 'steal' }>): void {
  const { thefts } = handling.node
  const others = (thefts.get(name) ?? []).filter((id) => id !== from)
  thefts.set(name, [...others, from])
  rob(handling, name)
}

export function onStolen(handling: Handling, from: Id, { name }: Extract<Payload, { kind: 'stolen' }>): void {
  const { thefts, names } = handling.node
  const others = (thefts.get(name) ?? []).filter((id) => id !== from)
  if (others.length > 0) thefts.set(name, others)
  else thefts.delete(name)
  const local = names.get(name)
  if (local !== undefined) advance(handling, name, local)
}
