/** How a holder changes its mode while it is inside: from exclusive or update to shared, and from update to exclusive. */

import { rules } from './rules.ts'
import { change, takeBackUpgrade } from './seat-modes.ts'
import { advance, openToReaders } from './seats.ts'
import type { CallerId, Handling, Hold, LocalName, Node, Seat } from './state.ts'

/** The node stays inside, so no writer gets in between. Frozen or not, callers of this node that share may join (R5). */
export function downgrade(handling: Handling, name: string, caller: CallerId): void {
  const place = placeOf(handling.node, name, caller)
  if (place === null || place.hold.mode === 'shared') return
  desist(handling, name, caller)
  change(place.seat, place.hold, { mode: 'shared' })
  openToReaders(handling, place.seat)
  advance(handling, name, place.local)
}

/** The holder in mode update wants to be exclusive. From now on no caller joins it. */
export function upgrade(handling: Handling, name: string, caller: CallerId): void {
  const place = placeOf(handling.node, name, caller)
  if (place?.hold.mode !== 'update') return
  change(place.seat, place.hold, { upgrades: true })
  advance(handling, name, place.local)
}

/**
 * The holder stops waiting to be exclusive, and keeps mode update. If the algorithm has granted it meanwhile, the node stays
 * exclusive towards the others.
 */
export function desist(handling: Handling, name: string, caller: CallerId): void {
  const place = placeOf(handling.node, name, caller)
  if (place?.hold.upgrades !== true) return
  const { local, seat, hold } = place
  change(seat, hold, { upgrades: false })
  if (!rules.isSilent(handling.node)) takeBackUpgrade(handling, name, local, seat)
  advance(handling, name, local)
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
