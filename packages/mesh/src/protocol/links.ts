/**
 * R17: within a view, between every two members, delivery is exactly once and in order. Both directions start empty with the
 * view. Messages that were not acknowledged in the old view are forgotten.
 */
import { get } from '@turnwise/core/bounds'
import { memberOf } from './membership.ts'
import type { MessageOf, Payload } from './messages.ts'
import { expected } from './partners.ts'
import type { Id } from './record.ts'
import { rules } from './rules.ts'
import { type Config, type Handling, isLive, type Link, type Node, send } from './state.ts'

function linkTo(node: Node, peer: Id): Link {
  // One lookup, because every message passes here.
  const known = node.links[peer]
  if (known !== undefined) return known
  const link: Link = { nextOut: 1, unacked: [], nextIn: 1, oldest: 0, unmoved: 0 }
  node.links[peer] = link
  return link
}

export function sendOnLink(handling: Handling, to: Id, payload: Payload): void {
  const { node } = handling
  if (node.begun === null) return
  const isSilent = rules.isSilent(node)
  // M6: this node may thaw. With voters a promise never goes back, so the view is over.
  if (isSilent && node.meeting === null) return
  const link = linkTo(node, to)
  const seq = link.nextOut
  link.nextOut += 1
  link.unacked.push({ seq, payload })
  if (isFull(link.unacked, node.config)) node.full.add(to)
  if (!isSilent) send(handling, to, { type: 'link', epoch: node.begun.epoch, seq, payload })
}

/** The payload to handle now, if it is the expected one. A dropped message is not acknowledged, so it comes again. */
export function takeFromLink(
  handling: Handling,
  from: Id,
  { epoch, seq, payload }: MessageOf<'link'>,
): Payload | null {
  const { node } = handling
  if (node.begun === null) return null
  if (epoch !== node.begun.epoch) return rules.ofAnotherView(payload)
  if (rules.isSilent(node)) return null
  // Links exist between members only. If there is a link, its peer is a member: links are cleared with the view.
  if (node.links[from] === undefined && memberOf(node, from) === undefined) return null
  const link = linkTo(node, from)
  if (seq > link.nextIn) return null
  const isNext = seq === link.nextIn
  if (isNext) link.nextIn += 1
  send(handling, from, { type: 'link-ack', epoch, upTo: link.nextIn - 1 })
  return isNext ? payload : null
}

export function onLinkAck({ node }: Handling, from: Id, epoch: number, upTo: number): void {
  if (node.begun?.epoch !== epoch) return
  const unacked = node.links[from]?.unacked ?? []
  // Messages are in sending order, so the acknowledged ones are at the front.
  let acked = 0
  while (acked < unacked.length && get(unacked, acked).seq <= upTo) acked += 1
  // For one or two messages, the usual case, `shift` is faster.
  if (acked > FEW) unacked.splice(0, acked)
  else for (; acked > 0; acked -= 1) unacked.shift()
  if (node.full.size > 0 && !isFull(unacked, node.config)) node.full.delete(from)
}

/**
 * R18, on the tick: whether a link is full and nothing on it was acknowledged for a lease. Dropping a message would break the
 * view, so the view ends instead. A busy peer has acknowledged something by then. A silent peer is left to R8, which lets its
 * lease run out first. A ballot now would need its answer, or would leave out a member that may only be paused.
 */
export function isStuck({ node, now }: Handling): boolean {
  const { links, config } = node
  let stuck = false
  for (const [peer, link] of Object.entries(links)) {
    const oldest = link.unacked[0]?.seq ?? 0
    const isSilent = !isLive(node, peer, now) && expected(node).includes(peer)
    const isUnmoved = isFull(link.unacked, config) && oldest === link.oldest && !isSilent
    link.unmoved = isUnmoved ? link.unmoved + 1 : 0
    link.oldest = oldest
    stuck ||= link.unmoved >= TICKS_OF_A_LEASE
  }
  return stuck
}

/** M5, on the tick: whether the same message has waited for its ack on a link for half a lease. */
export function isUnheard({ links }: Node): boolean {
  let unheard = false
  for (const link of Object.values(links)) {
    const oldest = link.unacked[0]?.seq ?? 0
    link.unmoved = oldest > 0 && oldest === link.oldest ? link.unmoved + 1 : 0
    link.oldest = oldest
    unheard ||= 2 * link.unmoved >= TICKS_OF_A_LEASE
  }
  return unheard
}

/**
 * R18: whether the node may ask for more. Unacknowledged messages are bounded. So a burst of requests, or a view that begins with
 * many waiting callers, is handled in pieces at both ends.
 */
export function hasRoom({ full }: Node): boolean {
  return full.size === 0
}

function isFull(unacked: Link['unacked'], { linkLimit = LINK_LIMIT }: Config): boolean {
  return unacked.length >= linkLimit
}

/** On the tick. */
export function repeatLinks(handling: Handling): void {
  for (const peer of Object.keys(handling.node.links)) repeatLink(handling, peer, WINDOW)
}

/**
 * R17: a peer that had not begun the view dropped our messages. It now says that it has, so we repeat them without waiting for a
 * tick.
 */
export function repeatToBeginner(handling: Handling, peer: Id, epoch: number | null): void {
  if (epoch === handling.node.begun?.epoch) repeatLink(handling, peer)
}

/** Repeats all unacknowledged messages, at most `most`. After a reconnection these may have been lost. */
export function repeatLink(handling: Handling, peer: Id, most = Number.POSITIVE_INFINITY): void {
  const { node } = handling
  if (rules.isSilent(node) || node.begun === null) return
  const { epoch } = node.begun
  for (const { seq, payload } of node.links[peer]?.unacked.slice(0, most) ?? []) {
    send(handling, peer, { type: 'link', epoch, seq, payload })
  }
}

/** How many messages a tick repeats. A receiver takes only the next one, so more would mostly be dropped. */
const WINDOW = 32

const FEW = 4

/** A heartbeat may have to wait behind so many messages each way. It is enough to keep both ends busy. */
export const LINK_LIMIT = 256

const TICKS_OF_A_LEASE = 10
