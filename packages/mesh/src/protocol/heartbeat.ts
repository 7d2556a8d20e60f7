import type { MessageOf } from './messages.ts'
import { expected, isAttended, partners, ticksBetween } from './partners.ts'
import type { Id } from './record.ts'
import { markOf } from './stale.ts'
import { type Handling, isLive, send, sessionOf } from './state.ts'

/** R1, on the tick. `before` is the earlier count of ticks. */
export function beat(handling: Handling, before: number): void {
  const between = ticksBetween(handling.node)
  if (Math.floor(handling.node.ticks / between) > Math.floor(before / between)) heartbeat(handling)
}

/**
 * R1: sends a heartbeat, stamped with the node's own clock, to all its partners, itself included, except those that it only
 * answers; or to `to` alone.
 */
export function heartbeat(handling: Handling, to: Id | null = null): void {
  const { node, now } = handling
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
  const all = () => partners(node, now).filter((peer) => !isAttended(node, peer, now))
  for (const peer of to === null ? all() : [to]) send(handling, peer, message)
}
