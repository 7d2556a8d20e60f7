/**
 * How `nishio-li-manning` replaces a token that was lost: Velazquez 1993, section 4.
 *
 * A proposal is an age for a new token (TOKEN_MISSING). An ACK is a promise to accept no token of an earlier age any
 * more. A node that holds the token, or knows or proposes a later age, refuses (NACK). A new token needs the ACK of all,
 * so at that moment no node holds the old one and none will accept it. Of several proposals the highest wins. A node
 * that was refused sends its request again. Nodes that have not answered by T2 are asked again.
 */
import type { Here, NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { nodesWhere } from '@turnwise/core/reason'
import type { ShapeOf } from '@turnwise/core/shape'
import type { Message, Options, State, Token } from './nishio-li-manning.ts'

/** Compared by number, then by node: no two nodes propose the same. */
export interface Age {
  readonly number: number
  readonly node: NodeId
}

export type InquiryMessage =
  /** Proposes an age for a new token. */
  | { readonly type: 'token-missing'; readonly age: Age }
  /** Accepts the proposal of this age. Tells the sender's last granted request and its last fence. */
  | { readonly type: 'ack'; readonly age: Age; readonly granted: number; readonly fence: number }
  /** Refuses every proposal below this age. */
  | { readonly type: 'nack'; readonly age: Age }

/** Of our own proposal: the last granted request of each node that has acknowledged, and the highest fence. */
export interface Inquiry {
  granted: (number | null)[]
  fence: number
}

type Place = Here<Message, Options>
type Received<Type> = Extract<InquiryMessage, { type: Type }>

export const tokenShape = {
  fields: { served: { perNode: { clock: 'number', of: 'index' } }, fence: { clock: 'fence' } },
} as const

export const inquiryShape = {
  fields: { granted: { perNode: { clock: 'number', of: 'index' } }, fence: { clock: 'fence' } },
} as const

export const inquiryMessageShapes = (age: ShapeOf<Age>) =>
  ({
    'token-missing': { age },
    ack: { age, granted: { clock: 'number', of: 'sender' }, fence: { clock: 'fence' } },
    nack: { age },
  }) as const

/** The token did not arrive in time: proposes an age for a new one. */
export function startInquiry(node: State, here: Place): void {
  here.because?.('the token has not come within T: node {self} proposes age {number} for a new one', {
    number: proposal(node, here.self).number,
  })
  node.inquiry = { granted: Array.from({ length: here.setup.nodes }, () => null), fence: node.fence }
  inquire(node, here)
  countAcks(node, here, node.inquiry)
}

export const receiveInquiry = {
  'token-missing'(node: State, here: Place, { age }: Received<'token-missing'>, from: NodeId): void {
    if (node.recovery !== null)
      return here.because?.('node {self} does not know what it has promised: it will be asked again')
    if (node.token !== null && !isBefore(age, node.age)) {
      here.because?.('node {self} has the token: it outbids the proposal, so that nobody discards it')
      // Not the proposed age itself: if asked again after we have passed the token on, we must still refuse.
      node.age = { number: age.number + 1, node: here.self }
    }
    const ours = bid(node, here.self)
    if (!isBefore(age, ours)) return acknowledge(node, here, age, from)
    here.because?.(
      'at node {self} age {number} of node {proposer} counts: what node {from} proposes is earlier',
      {
        number: ours.number,
        proposer: ours.node,
        from,
      },
    )
    here.send(from, { type: 'nack', age: ours })
  },

  ack(node: State, here: Place, { age, granted, fence }: Received<'ack'>, from: NodeId): void {
    const { inquiry } = node
    if (inquiry === null || age.number !== proposal(node, here.self).number)
      return here.because?.('the proposal that node {from} acknowledges is over', { from })
    here.because?.('node {from} has no token, and accepts none of an earlier age', { from })
    inquiry.granted[from] = granted
    inquiry.fence = Math.max(inquiry.fence, fence)
    countAcks(node, here, inquiry)
  },

  nack(node: State, here: Place, { age }: Received<'nack'>): void {
    // A NACK that is not above our proposal answers an earlier one.
    if (node.inquiry === null || !isBefore(proposal(node, here.self), age))
      return here.because?.('node {self} proposes nothing that this refuses')
    here.because?.('age {number} of node {refuser} is later than what node {self} proposes: it asks again', {
      number: age.number,
      refuser: age.node,
    })
    node.age = age
    endInquiry(node, here)
    ask(node, here)
  },
}

/** With the ACKs of all, the token may be replaced. */
export function countAcks(node: State, here: Place, inquiry: Inquiry): void {
  const missing = clockwise(node, here).filter((other) => inquiry.granted[other] === null)
  if (missing.length > 0) return here.because?.('a new token needs the ACK of {missing} too', { missing })
  here.because?.('all others have acknowledged: node {self} makes the token of age {number}', {
    number: proposal(node, here.self).number,
  })
  regenerate(node, here, inquiry)
}

/** Asks the nodes that have not yet answered. */
export function inquire(node: State, here: Place): void {
  const age = proposal(node, here.self)
  const silent = clockwise(node, here).filter((other) => node.inquiry?.granted[other] === null)
  if (silent.length > 0) here.because?.('node {self} has no answer of {silent} to its proposal', { silent })
  for (const other of silent) here.send(other, { type: 'token-missing', age })
  here.setTimer('T2', here.setup.options.T2)
}

function endInquiry(node: State, here: Place): void {
  node.inquiry = null
  here.cancelTimer('T2')
}

/** A promise: we accept no token of an earlier age any more, and our own lower proposal is over. */
function acknowledge(node: State, here: Place, age: Age, to: NodeId): void {
  here.because?.(
    'node {self} has no token and knows no later age: it accepts no token of an earlier age any more',
  )
  node.age = age
  endInquiry(node, here)
  // The proposer looks after the token now.
  if (node.waiting) wait(here)
  here.send(to, { type: 'ack', age, granted: lastGranted(node, here.self), fence: node.fence })
}

/** All have promised. Their reports are the state of the new token. */
function regenerate(node: State, here: Place, { granted, fence }: Inquiry): void {
  const served = granted
    .map((number, other) => number ?? get(node.requested, other))
    .with(here.self, lastGranted(node, here.self))
  node.age = proposal(node, here.self)
  enter(node, here, { served, fence: Math.max(fence, node.fence) })
}

function lastGranted({ requested, waiting }: State, self: NodeId): number {
  return waiting ? get(requested, self) - 1 : get(requested, self)
}

/** The age that a node proposes, as long as its inquiry lasts. */
export function proposal({ age }: State, self: NodeId): Age {
  return { number: age.number + 1, node: self }
}

/** The latest age that counts for us: our own proposal, or the latest we have seen. */
export function bid(node: State, self: NodeId): Age {
  return node.inquiry === null ? node.age : proposal(node, self)
}

export function isBefore(a: Age, b: Age): boolean {
  return a.number < b.number || (a.number === b.number && a.node < b.node)
}

export function latest(a: Age, b: Age): Age {
  return isBefore(a, b) ? b : a
}

/** The other members, from the right-hand neighbour on. */
export function clockwise({ members }: State, { self, setup: { nodes } }: Place): NodeId[] {
  return Array.from({ length: nodes - 1 }, (_, step) => (self + 1 + step) % nodes).filter(
    (other) => members[other],
  )
}

/** Broadcasts the request, for the first time or again under the same number, and waits. */
export function ask(node: State, here: Place): void {
  const others = nodesWhere(node.members, (isMember, other) => isMember && other !== here.self)
  if (others.length === 0) here.because?.('node {self} is the only member left')
  for (const other of others) here.send(other, { type: 'request', number: get(node.requested, here.self) })
  wait(here)
}

export function wait(here: Place): void {
  here.setTimer('T', here.setup.options.T * here.setup.nodes)
}

/** Passes a token that lies here unused to the nearest node that waits, if there is one. */
export function handOn(node: State, here: Place, token: Token): void {
  const next = clockwise(node, here).find((other) => get(node.requested, other) > get(token.served, other))
  if (next === undefined)
    return here.because?.('the token knows of no request that is not served: it stays at node {self}')
  here.because?.('node {next} is the next on the circle that waits', { next })
  pass(node, here, token, next)
}

/** For the latest request of a node. Lower numbers that it has forgotten will not be granted. */
export function pass(node: State, here: Place, { served, fence }: Token, to: NodeId): void {
  const token = { served: served.with(to, get(node.requested, to) - 1), fence }
  here.send(to, { type: 'token', age: node.age, token })
  node.token = null
}

export function enter(node: State, here: Place, token: Token): void {
  here.cancelTimer('T')
  endInquiry(node, here)
  node.waiting = false
  node.using = true
  node.fence = token.fence + 1
  node.token = { ...token, fence: node.fence }
  here.enter(node.fence)
}
