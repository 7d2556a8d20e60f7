/**
 * R17: within a view, between every two members, delivery is exactly once and in order. Both directions start empty with
 * the view; what was unacknowledged in the old one is forgotten.
 */
import { get } from '@turnwise/core/bounds'
import type { MessageOf, Payload } from './messages.ts'
import { expected } from './partners.ts'
import type { Id } from './record.ts'
import { rules } from './rules.ts'
import { type Config, isLive, type Link, type Node, send, type Turn } from './state.ts'

function linkTo(node: Node, peer: Id): Link {
  // Looked up once: every message comes this way.
  const known = node.links[peer]
  if (known !== undefined) return known
  const link: Link = { nextOut: 1, unacked: [], nextIn: 1, oldest: 0, unmoved: 0 }
  node.links[peer] = link
  return link
}

export function sendOnLink(turn: Turn, to: Id, payload: Payload): void {
  const { node } = turn
  if (rules.isSilent(node) || node.begun === null) return
  const link = linkTo(node, to)
  const seq = link.nextOut
  link.nextOut += 1
  link.unacked.push({ seq, payload })
  if (isFull(link.unacked, node.config)) node.full.add(to)
  send(turn, to, { type: 'link', epoch: node.begun.epoch, seq, payload })
}

/** The payload to handle now, if this is the one expected. What is dropped is not acknowledged: it comes again. */
export function takeFromLink(
  turn: Turn,
  from: Id,
  { epoch, seq, payload }: MessageOf<'link'>,
): Payload | null {
  const { node } = turn
  if (node.begun === null) return null
  if (epoch !== node.begun.epoch) return rules.ofAnotherView(payload)
  if (rules.isSilent(node)) return null
  // Between members alone. Whoever has a link here was one when it was made, and the view is still the same.
  if (node.links[from] === undefined && !node.begun.members.some(({ id }) => id === from)) return null
  const link = linkTo(node, from)
  if (seq > link.nextIn) return null
  const isNext = seq === link.nextIn
  if (isNext) link.nextIn += 1
  send(turn, from, { type: 'link-ack', epoch, upTo: link.nextIn - 1 })
  return isNext ? payload : null
}

export function onLinkAck({ node }: Turn, from: Id, epoch: number, upTo: number): void {
  if (node.begun?.epoch !== epoch) return
  const unacked = node.links[from]?.unacked ?? []
  // In the order sent: what is acknowledged is at the front.
  let acked = 0
  while (acked < unacked.length && get(unacked, acked).seq <= upTo) acked += 1
  // Most often it is one or two, which are gone quickest so.
  if (acked > FEW) unacked.splice(0, acked)
  else for (; acked > 0; acked -= 1) unacked.shift()
  if (node.full.size > 0 && !isFull(unacked, node.config)) node.full.delete(from)
}

/**
 * R18, on the tick: whether a link is full and nothing was acknowledged on it for a lease. Nothing is dropped, that would
 * break the view: it ends instead. A peer that is only busy has acknowledged something by then, or is silent. One that is silent is
 * left to R8, which lets its lease run out first: a ballot now would need its answer, or leave it out though it only stands still.
 */
export function isStuck({ node, now }: Turn): boolean {
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
 * R18: whether more may be asked of the others. What they have not acknowledged yet is bounded, so a burst of requests, or
 * a view that begins with many who wait, is handled by them in pieces, and by this node too.
 */
export function hasRoom({ full }: Node): boolean {
  return full.size === 0
}

function isFull(unacked: Link['unacked'], { linkLimit = LINK_LIMIT }: Config): boolean {
  return unacked.length >= linkLimit
}

/** On the tick. */
export function repeatLinks(turn: Turn): void {
  for (const peer of Object.keys(turn.node.links)) repeatLink(turn, peer, WINDOW)
}

/** R17: whoever had not begun the view dropped what came before. It says that it has, so nothing has to wait for a tick. */
export function repeatToBeginner(turn: Turn, peer: Id, epoch: number | null): void {
  if (epoch === turn.node.begun?.epoch) repeatLink(turn, peer)
}

/** Everything, unless `most` says less: after a transport connected anew, what may have been lost with the old connection. */
export function repeatLink(turn: Turn, peer: Id, most = Number.POSITIVE_INFINITY): void {
  const { node } = turn
  if (rules.isSilent(node) || node.begun === null) return
  const { epoch } = node.begun
  for (const { seq, payload } of node.links[peer]?.unacked.slice(0, most) ?? []) {
    send(turn, peer, { type: 'link', epoch, seq, payload })
  }
}

/** What is repeated on a tick: a receiver takes only the next, so more would mostly be dropped. */
const WINDOW = 32

const FEW = 4

/** What a heartbeat may have to wait behind, there and back; enough that neither end is idle while the other works. */
export const LINK_LIMIT = 256

const TICKS_OF_A_LEASE = 10
