import type { MessageOf } from './messages.ts'
import { expected, partners } from './partners.ts'
import type { Id } from './record.ts'
import { markOf } from './stale.ts'
import { isLive, send, sessionOf, type Turn } from './state.ts'

/** R1: to voters, from voters to everyone, oneself included; stamped with the own clock at sending. */
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
    suspects: expected(node).filter((peer) => !isLive(node, peer, now)),
  }
  for (const peer of to === null ? partners(node, now) : [to]) send(turn, peer, message)
}
