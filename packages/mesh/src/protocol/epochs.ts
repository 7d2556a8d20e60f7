/**
 * How far an epoch may lead. Epochs are some bits of a fence and a promise never goes back, so one wrong number, believed and put on
 * disk, would be the last promise that anybody can make. Below `LAST_LEAP` every step is believed: whoever is new or was away has
 * far to go, and an operator's first view begins where it is told to. Above it is room for views that follow each other, and a
 * step is believed from nearby only.
 */
import { LAST_EPOCH } from './fence.ts'
import type { Message, MessageOf } from './messages.ts'
import type { Node } from './state.ts'

/** A quarter of all epochs is kept: for five hundred years, with a view every second. */
export const LAST_LEAP = LAST_EPOCH - 2 ** 34

/** More than a node that is alone for years could promise to itself while it hears no others. */
const LONGEST_STEP = 2 ** 32

/** The highest epoch that this node would promise. */
export function farthestEpoch({ durable, heard }: Node): number {
  const { epoch } = durable.promised
  // A new disk knows nothing: views that others say they have begun have been chosen.
  const known = epoch > 0 ? epoch : Math.max(0, ...Object.values(heard).map(({ begun }) => begun ?? 0))
  return reachFrom(known)
}

function reachFrom(epoch: number): number {
  return Math.min(LAST_EPOCH, Math.max(LAST_LEAP, epoch + LONGEST_STEP))
}

/** Whether a message speaks of an epoch that cannot be: then nothing of it is believed. */
export function isOutOfReach(node: Node, message: Message): boolean {
  if (message.type === 'heartbeat') return isFarAhead(node, message)
  const epoch = epochIn(message)
  return epoch > LAST_LEAP && epoch > farthestEpoch(node)
}

/** To a new disk it is enough that a promise is near to a view that its sender knows. */
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
