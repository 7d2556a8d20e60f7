/**
 * Limits how far an epoch may jump. An epoch has few bits, because it is part of a fence, and a promise never goes back. So one
 * wrong number that is believed and stored could leave no epoch for a later promise. Up to `LAST_LEAP` every step is believed: a
 * node that is new or was away has far to go, and an operator chooses the epoch of a first view. Above it only small steps are
 * believed, which is enough for views that follow each other.
 */
import { LAST_EPOCH } from './fence.ts'
import type { Message, MessageOf } from './messages.ts'
import type { Node } from './state.ts'

/** A quarter of all epochs remains. With a view every second it lasts for five hundred years. */
export const LAST_LEAP = LAST_EPOCH - 2 ** 34

/** More than a node that is alone for years could promise to itself. */
const LONGEST_STEP = 2 ** 32

/** The beginning of 2025 (UTC), in milliseconds since 1970. */
const BEGINNING = 1_735_689_600_000

/**
 * R21, M12: no mesh begins with a lower epoch than the seconds since 2025. Time rises, so fences rise even if all disks are lost, or
 * the mesh meets elsewhere from now on. `milliseconds`: since 1970, by the wall clock, which may be wrong.
 */
export function epochOf(milliseconds: number): number {
  return Math.min(LAST_LEAP, Math.max(1, Math.floor((milliseconds - BEGINNING) / 1000)))
}

/** The highest epoch that this node would promise. */
export function farthestEpoch({ durable, heard }: Node): number {
  const { epoch } = durable.promised
  // A new disk knows no epoch. Views that others say they have begun were chosen.
  const known = epoch > 0 ? epoch : Math.max(0, ...Object.values(heard).map(({ begun }) => begun ?? 0))
  return reachFrom(known)
}

function reachFrom(epoch: number): number {
  return Math.min(LAST_EPOCH, Math.max(LAST_LEAP, epoch + LONGEST_STEP))
}

/** Whether a message names an impossible epoch. Then the node ignores the whole message. */
export function isOutOfReach(node: Node, message: Message): boolean {
  if (message.type === 'heartbeat') return isFarAhead(node, message)
  const epoch = epochIn(message)
  return epoch > LAST_LEAP && epoch > farthestEpoch(node)
}

/** A node with a new disk only requires that the promise is near a view that the sender knows. */
function isFarAhead(node: Node, { promised, accepted, begun }: MessageOf<'heartbeat'>): boolean {
  const view = Math.max(accepted ?? 0, begun ?? 0)
  const epoch = Math.max(promised, view)
  if (epoch <= LAST_LEAP) return false
  return epoch > (node.durable.promised.epoch > 0 ? farthestEpoch(node) : reachFrom(view))
}

function epochIn(message: Exclude<Message, { type: 'heartbeat' }>): number {
  switch (message.type) {
    case 'prepare':
    case 'begin':
    case 'out':
      return message.epoch
    case 'install':
    case 'copy':
      return message.record.epoch
    case 'refuse':
      return message.promised.epoch
    case 'promise':
      return Math.max(message.epoch, message.accepted?.epoch ?? 0)
    default:
      return 0
  }
}
