import type { MessageOf } from './messages.ts'
import type { Id } from './record.ts'
import { markOf } from './stale.ts'
import { isLive, peersOf, send, sendToAll, sessionOf, type Turn } from './state.ts'

/** R1: to everyone, oneself included, stamped with the own clock at sending. */
export function heartbeat(turn: Turn, to: Id | null = null): void {
  const { node, now } = turn
  const message: MessageOf<'heartbeat'> = {
    type: 'heartbeat',
    session: sessionOf(node),
    at: now,
    lease: node.config.settings.lease,
    begun: node.begun?.epoch ?? null,
    accepted: node.durable.accepted?.epoch ?? null,
    promised: node.durable.promised.epoch,
    mark: markOf(node),
    wish: node.wish,
    suspects: peersOf(node).filter((peer) => !isLive(node, peer, now)),
  }
  if (to === null) sendToAll(turn, message)
  else send(turn, to, message)
}
