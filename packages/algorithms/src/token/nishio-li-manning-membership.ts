/**
 * How a controller of `nishio-li-manning` that knows nothing joins the system, and how one leaves it. Velazquez 1993,
 * section 4, says that a controller that has lost its memory is sent information, and that insertion and removal take
 * little more. The rules are ours.
 *
 * A node that has lost its memory asks all others, and after T2 again those that have not answered. Each tells the
 * latest age it knows or proposes, its own request number, that of the asker, its highest fence, and the members. From
 * now on it counts the asker as a member. Until all members have answered, the asker promises nothing, takes no token,
 * and postpones its own request. Why that is enough: everything it has promised is below the age of the proposer, which
 * tells it, and the node that passed the token knew every request that was granted. A node that joins does the same.
 *
 * A node that leaves tells all members, and again after T2, until they have confirmed; then no inquiry needs its ACK. An
 * idle token goes to the next node on the circle. A node that hears this twice takes no second token.
 *
 * Assumes that one node at a time joins, leaves or is without memory, that a node which loses its memory twice gets no
 * answers to what it asked before, and that a node which crashes while it leaves joins again only when all messages of its
 * departure have arrived. Otherwise it may leave its token twice (`scenarios/nishio-li-manning/bequest.txt`).
 */
import type { Here, NodeId } from '@turnwise/core/algorithm'
import { get, increase } from '@turnwise/core/bounds'
import type { ShapeOf } from '@turnwise/core/shape'
import { LEAP } from './fence-leap.ts'
import type { Message, Options, State, Token } from './nishio-li-manning.ts'
import {
  type Age,
  ask,
  bid,
  clockwise,
  countAcks,
  enter,
  handOn,
  isBefore,
  latest,
  receiveInquiry,
  tokenShape,
} from './nishio-li-manning-regeneration.ts'

export type MembershipMessage =
  /** Asks for all that a controller should know. */
  | { readonly type: 'recovering' }
  | ({ readonly type: 'information' } & Information)
  /** Refuses every proposal below this age. Carries the token for the next node on the circle, if it was here. */
  | { readonly type: 'leaving'; readonly age: Age; readonly bequest: Bequest | null; readonly fence: number }
  | { readonly type: 'farewell' }

interface Information {
  readonly age: Age
  /** The sender's own request number. */
  readonly number: number
  readonly asker: NodeId
  /** The request number of the asker, as the sender knows it. */
  readonly known: number
  readonly fence: number
  readonly members: readonly boolean[]
}

interface Bequest {
  readonly age: Age
  readonly token: Token
}

export interface MembershipState {
  /** The members, as far as we know. */
  members: boolean[]
  /**
   * While we are without memory: the nodes that have answered, the highest known number of our own requests, and the
   * highest fence.
   */
  recovery: { told: boolean[]; known: number; fence: number } | null
  /** While we leave: the nodes that have confirmed, and the token for the next on the circle. */
  departure: { confirmed: boolean[]; bequest: Bequest | null } | null
}

type Place = Here<Message, Options>
type Received<Type> = Extract<MembershipMessage, { type: Type }>

const bequestShape = (age: ShapeOf<Age>) => ({ fields: { age, token: tokenShape } }) as const

export const membershipStateShapes = (age: ShapeOf<Age>) =>
  ({
    members: { perNode: 'data' },
    recovery: {
      fields: {
        told: { perNode: 'data' },
        known: { clock: 'number', of: 'self' },
        fence: { clock: 'fence' },
      },
    },
    departure: { fields: { confirmed: { perNode: 'data' }, bequest: bequestShape(age) } },
  }) as const

export const membershipMessageShapes = (age: ShapeOf<Age>) =>
  ({
    recovering: {},
    information: {
      age,
      number: { clock: 'number', of: 'sender' },
      asker: 'node',
      known: { clock: 'number', of: 'asker' },
      fence: { clock: 'fence' },
      members: { perNode: 'data' },
    },
    leaving: { age, bequest: bequestShape(age), fence: { clock: 'fence' } },
    farewell: {},
  }) as const

/** A new node, or one that has lost its memory. The state from `init` is long out of date. */
export function startRecovery(node: State, here: Place): void {
  here.because?.('node {self} knows nothing: it asks all others')
  const nobody = () => Array.from({ length: here.setup.nodes }, () => false)
  node.token = null
  node.members = nobody().map(() => true)
  node.recovery = { told: nobody(), known: 0, fence: 0 }
  askAround(node, here)
}

/** Asks the nodes again that have not answered, and tells those again that have not confirmed. */
export function remind(node: State, here: Place): void {
  if (node.recovery !== null) askAround(node, here)
  sayGoodbye(node, here)
}

function askAround(node: State, here: Place): void {
  const silent = clockwise(node, here).filter((other) => node.recovery?.told[other] === false)
  if (silent.length > 0) here.because?.('{silent} has not told yet what node {self} should know', { silent })
  for (const other of silent) here.send(other, { type: 'recovering' })
  here.setTimer('news', here.setup.options.T2)
}

export function startDeparture(node: State, here: Place): void {
  const confirmed = Array.from({ length: here.setup.nodes }, () => false)
  if (node.token === null) here.because?.('node {self} leaves: no inquiry shall wait for it')
  else here.because?.('node {self} leaves, and its token goes to the next on the circle')
  node.departure = { confirmed, bequest: node.token === null ? null : { age: node.age, token: node.token } }
  node.token = null
  sayGoodbye(node, here)
}

function sayGoodbye(node: State, here: Place): void {
  const { departure, age, fence } = node
  if (departure === null) return
  const { confirmed } = departure
  const others = clockwise(node, here)
  const open = others.filter((other) => !confirmed[other])
  for (const other of open) {
    const bequest = other === others[0] ? departure.bequest : null
    here.send(other, { type: 'leaving', age, bequest, fence })
  }
  if (open.length > 0) {
    here.because?.('{open} has not confirmed yet that node {self} leaves', { open })
    here.setTimer('news', here.setup.options.T2)
  } else here.cancelTimer('news')
}

export const receiveMembership = {
  recovering(node: State, here: Place, _message: Received<'recovering'>, from: NodeId): void {
    if (node.recovery !== null) return here.because?.('node {self} knows nothing itself')
    if (node.departure !== null) {
      here.because?.('node {self} leaves: node {from} need not wait for it', { from })
      here.send(from, { type: 'leaving', age: node.age, bequest: null, fence: node.fence })
      return
    }
    here.because?.('node {from} knows nothing: node {self} counts it in, and tells what it knows', { from })
    node.members[from] = true
    here.send(from, {
      type: 'information',
      age: bid(node, here.self),
      number: get(node.requested, here.self),
      asker: from,
      known: get(node.requested, from),
      fence: node.fence,
      members: [...node.members],
    })
  },

  information(node: State, here: Place, message: Received<'information'>, from: NodeId): void {
    const { recovery } = node
    if (recovery === null) return here.because?.('node {self} knows all it needs')
    here.because?.('node {from} has told what it knows', { from })
    recovery.told[from] = true
    recovery.known = Math.max(recovery.known, message.known)
    recovery.fence = Math.max(recovery.fence, message.fence)
    node.age = latest(node.age, message.age)
    node.requested[from] = Math.max(get(node.requested, from), message.number)
    node.members = node.members.map((isMember, other) => isMember && get(message.members, other))
    finishRecovery(node, here)
  },

  leaving(node: State, here: Place, { age, bequest, fence }: Received<'leaving'>, from: NodeId): void {
    here.send(from, { type: 'farewell' })
    if (!node.members[from]) return here.because?.('node {self} knows that node {from} leaves', { from })
    const isOurs = bequest !== null && inherits(node, bequest, from)
    here.because?.('node {from} leaves: nobody needs its answers any more', { from })
    node.members[from] = false
    node.fence = Math.max(node.fence, fence)
    if (node.recovery !== null) {
      node.age = latest(node.age, age)
      return finishRecovery(node, here)
    }
    if (isOurs) return inherit(node, here, bequest)
    // This also answers our inquiry: the node may have refused, and its NACK may be under way.
    if (node.inquiry !== null) receiveInquiry.nack(node, here, { type: 'nack', age })
    if (node.inquiry !== null) countAcks(node, here, node.inquiry)
  },

  farewell(node: State, here: Place, _message: Received<'farewell'>, from: NodeId): void {
    if (node.departure === null) return
    here.because?.('node {from} has confirmed that node {self} leaves', { from })
    node.departure.confirmed[from] = true
    const isOver = clockwise(node, here).every((other) => node.departure?.confirmed[other])
    if (isOver) here.cancelTimer('news')
  },
}

/** All members have told. */
export function finishRecovery(node: State, here: Place): void {
  const { recovery } = node
  if (recovery === null) return
  const silent = clockwise(node, here).filter((other) => !recovery.told[other])
  if (silent.length > 0)
    return here.because?.('node {self} takes no part before it knows what {silent} can tell', { silent })
  here.because?.('all members have told: node {self} takes part again')
  node.requested[here.self] = recovery.known
  node.fence = recovery.fence + LEAP
  node.recovery = null
  here.cancelTimer('news')
  if (!node.waiting) return
  const number = increase(node.requested, here.self)
  here.because?.('node {self} waits, and knows its numbers now: it sends request {number}', { number })
  ask(node, here)
}

/** The token of a node that leaves, if the message carries one. */
export function bequestIn(message: Message): Bequest | null {
  return message.type === 'leaving' ? message.bequest : null
}

/** Whether we accept the token of a node that leaves: not twice, and not if it was replaced. */
export function inherits(
  { members, recovery, departure, age }: State,
  bequest: Bequest,
  from: NodeId,
): boolean {
  return get(members, from) && recovery === null && departure === null && !isBefore(bequest.age, age)
}

/** The token of a node that leaves. We did not ask for it, but another node may have by now. */
function inherit(node: State, here: Place, { age, token }: Bequest): void {
  node.age = latest(age, bid(node, here.self))
  if (node.waiting) {
    here.because?.('node {self} inherits the token, and has waited for it')
    return enter(node, here, token)
  }
  here.because?.('node {self} inherits the token, and does not wait for it')
  node.token = token
  handOn(node, here, token)
}
