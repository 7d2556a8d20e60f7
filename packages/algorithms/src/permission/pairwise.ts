/**
 * The engine of Carvalho-Roucairol and of Singhal's dynamic structure: permissions that are kept.
 *
 * Of every two nodes at most one may enter without asking the other: it has the other's permission, and keeps it until
 * the other asks. A request goes only to the nodes whose permission is missing (the paper's R). A node that is inside,
 * or waits with a smaller number, defers it (the paper's I). A waiting node that gives its permission away to a smaller
 * number needs that node's permission again, and asks for it with its old number.
 *
 * Why it is safe: a reply gives the pair's permission away, and a node that is inside replies to no conflicting request. A
 * reply under way already belongs to its receiver: its sender knows the number that it answers, and asks later with a
 * larger one, which the receiver defers. Why nobody starves: a node that asks takes a number above all it has seen. So
 * every node outside replies to the smallest waiting number, and a node inside does so on leaving. Messages need no order.
 *
 * Shared requests. A permission allows nothing, to share, or to be alone. Two nodes may both have each other's
 * permission to share. The permission to be alone leaves the other with nothing. So:
 *  - A node that replies to a reader keeps its own permission to share, if it had one. A node that replies to a writer
 *    keeps nothing.
 *  - A permission to read is no permission to write. A writer asks all nodes whose permission is only to share.
 *  - Readers, waiting or inside, do not conflict, and reply to each other at once. Conflicts are decided as before.
 *  - Readers that come back without asking cannot starve a writer. Each of them replies to it, at the latest on
 *    leaving. Then it has to ask, and the writer has the smaller number.
 * This is, pair by pair, how caches share a line: a copy is invalid, shared or exclusive.
 *
 * Withdrawn requests. No message tells of a withdrawal: the nodes that were asked still reply, and the replies bring
 * permissions to keep. Until such a reply comes we do not ask that node again, so that each request has one reply. A new
 * request of ours waits for the old reply, and asks again only if it is not enough. If sharing is enough now and the old
 * request was for more, DOWNGRADE says so, or we would wait for readers to leave. Meanwhile we hold back a request from
 * that node with a larger number, even if nobody here wants to enter. Its sender may have replied to ours before it
 * asked, and if we replied first, that reply would take back what we gave. This does not last long, since a node that
 * waits with a larger number replies at once.
 *
 * Replies carry the fences, since entries do not follow the order of numbers. A node that has entered since I last
 * could enter needed my permission, or I now needed its permission. So I have heard of its fence. All readers between
 * two writers have the same fence.
 */
import type { Algorithm, Here, Mode, NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { nodesWhere } from '@turnwise/core/reason'
import type { Setup } from '@turnwise/core/setup'
import type { Shapes } from '@turnwise/core/shape'
import { precedes, type Timestamp } from '@turnwise/core/timestamp'
import { sayWhoIsFirst } from './priority.ts'

export type PairwiseMessage =
  /** REQUEST(k, j): node j, the sender, asks with number k. */
  | { readonly type: 'request'; readonly number: number; readonly mode: Mode }
  /** REPLY: you have my permission for this, until I ask you. */
  | { readonly type: 'reply'; readonly mode: Mode; readonly written: number; readonly given: number }
  /** If my request is still open at you, sharing is enough for it. */
  | { readonly type: 'downgrade' }

/** What a permission allows; null is nothing. */
type Permission = Mode | null

export interface PairwiseState {
  /** The highest number sent or received. */
  highest: number
  /** The mode in which we wait or are inside; null while we want nothing. */
  mode: Mode | null
  /** The number of our request while we wait; null otherwise, also inside. */
  ours: number | null
  /** What the permission we have from each node allows. Nodes whose permission does not suffice are the paper's R. */
  permission: Permission[]
  /** Our request to each node that it has not replied to: the current one, or a withdrawn one. */
  asked: (Asking | null)[]
  /** How many permissions we still wait for; each of these nodes has been asked. */
  missing: number
  /** The paper's I: the nodes that wait for our reply until we leave, each with its mode. */
  deferred: (Mode | null)[]
  /** The nodes whose requests are held back until their reply to our withdrawn request is here, each with its mode. */
  heldBack: (Mode | null)[]
  /** The largest fence of an exclusive entry, and of any entry, that we have heard of. */
  written: number
  given: number
}

interface Asking {
  readonly number: number
  readonly mode: Mode
  /** Whether the node has been told that sharing would be enough. */
  readonly isDowngraded: boolean
}

/** A request as its receiver sees it. */
export interface Asked extends Timestamp {
  readonly mode: Mode
}

type Place = Here<PairwiseMessage>
type Rules = Pick<
  Algorithm<PairwiseState, PairwiseMessage>,
  'init' | 'request' | 'withdraw' | 'release' | 'downgrade' | 'receive'
>

/** The decisions that a variant may change. */
export interface PairwisePolicy {
  /** Whether node `self` begins with the permission of `other`; never both with each other's. */
  readonly startsWith: (self: NodeId, other: NodeId) => boolean
  /** Whether a request is deferred until we leave. */
  readonly defers?: (node: PairwiseState, here: Place, asked: Asked) => boolean
  /** Whether a waiting node asks again for a permission that it gives away. */
  readonly asksAgain?: boolean
}

export const pairwiseShapes: Shapes<PairwiseState, PairwiseMessage> = {
  state: {
    highest: { clock: 'number' },
    mode: 'data',
    ours: { clock: 'number' },
    permission: { perNode: 'data' },
    asked: { perNode: { fields: { number: { clock: 'number' }, mode: 'data', isDowngraded: 'data' } } },
    missing: 'data',
    deferred: { perNode: 'data' },
    heldBack: { perNode: 'data' },
    written: { clock: 'fence' },
    given: { clock: 'fence' },
  },
  messages: {
    request: { number: { clock: 'number' }, mode: 'data' },
    reply: { mode: 'data', written: { clock: 'fence' }, given: { clock: 'fence' } },
    downgrade: {},
  },
  fence: { clock: 'fence', scaled: false },
}

export function pairwiseRules({ startsWith, defers = deferred, asksAgain = true }: PairwisePolicy): Rules {
  /** Gives our permission in the requested mode, and with it the permission we had from the asker. */
  function answer(node: PairwiseState, here: Place, to: NodeId, mode: Mode): void {
    const before = get(node.permission, to)
    node.permission[to] = mode === 'shared' && before !== null ? 'shared' : null
    here.send(to, { type: 'reply', mode, written: node.written, given: node.given })
    const waitsFor = node.ours === null ? null : node.mode
    if (waitsFor === null || !suffices(before, waitsFor) || suffices(node.permission[to], waitsFor)) return
    here.because?.(
      'by this node {self} loses the permission of node {to}, which it needs for its number {ours}',
      {
        to,
        ours: node.ours as number,
      },
    )
    node.missing += 1
    if (asksAgain) ask(node, here, to)
  }

  /** The nodes that we deferred no longer wait for us. */
  function answerDeferred(node: PairwiseState, here: Place): void {
    const waiting = nodesWhere(node.deferred, (mode, other) => mode !== null && node.heldBack[other] === null)
    if (waiting.length === 0) here.because?.('no request that node {self} has deferred can be answered')
    else here.because?.('node {self} wants nothing any more: {waiting} may have its permission', { waiting })
    node.deferred.forEach((mode, other) => {
      node.deferred[other] = null
      if (mode !== null && node.heldBack[other] === null) answer(node, here, other, mode)
    })
  }

  return {
    init: (self, setup) => ({
      highest: 0,
      mode: setup.inside.includes(self) ? setup.insideMode : null,
      ours: null,
      permission: Array.from({ length: setup.nodes }, (_, other) => atStart(startsWith, setup, self, other)),
      asked: Array.from({ length: setup.nodes }, () => null),
      missing: 0,
      deferred: Array.from({ length: setup.nodes }, () => null),
      heldBack: Array.from({ length: setup.nodes }, () => null),
      written: 0,
      given: 0,
    }),

    request(node, here, { mode }) {
      node.mode = mode
      const lacking = (permission: Permission) => !suffices(permission, mode)
      node.missing = node.permission.filter(lacking).length
      // A request that asks no node is compared with none, and needs no number.
      if (node.missing === 0) {
        here.because?.('node {self} lacks no permission, so it need not ask')
        return enter(node, here)
      }
      node.highest += 1
      node.ours = node.highest
      sayWhomAsked(node, here, mode)
      node.permission.forEach((permission, other) => {
        if (lacking(permission)) ask(node, here, other)
      })
    },

    withdraw(node, here) {
      here.because?.(
        'node {self} gives up without a message: replies still come, and bring permissions to keep',
      )
      node.deferred.forEach((mode, other) => {
        // Its number is larger than ours: it may have replied before it asked.
        if (mode !== null && node.asked[other]?.number === node.ours) node.heldBack[other] = mode
      })
      node.mode = null
      node.ours = null
      node.missing = 0
      answerDeferred(node, here)
    },

    release(node, here) {
      node.mode = null
      answerDeferred(node, here)
    },

    /** Readers that we deferred are answered. Writers wait on, and what others gave us to be alone suffices to share. */
    downgrade(node, here) {
      node.mode = 'shared'
      const readers = nodesWhere(
        node.deferred,
        (mode, other) => mode === 'shared' && node.heldBack[other] === null,
      )
      if (readers.length === 0) here.because?.('node {self} only shares now, and no reader waits for it')
      else here.because?.('node {self} only shares now: {readers} may be inside beside it', { readers })
      node.deferred.forEach((mode, other) => {
        if (mode !== 'shared') return
        node.deferred[other] = null
        if (node.heldBack[other] === null) answer(node, here, other, mode)
      })
    },

    receive: {
      request(node, here, { number, mode }, from) {
        node.highest = Math.max(node.highest, number)
        const asked = { time: number, node: from, mode }
        if (defers(node, here, asked)) node.deferred[from] = mode
        if (mayHaveReplied(node, here, asked)) node.heldBack[from] = mode
        sayWhy(node, here, asked)
        if (node.deferred[from] === null && node.heldBack[from] === null) answer(node, here, from, mode)
      },

      reply(node, here, { mode, written, given }, from) {
        const sufficed = node.mode !== null && suffices(get(node.permission, from), node.mode)
        node.asked[from] = null
        if (!suffices(get(node.permission, from), mode)) node.permission[from] = mode
        node.written = Math.max(node.written, written)
        node.given = Math.max(node.given, given)
        if (node.ours !== null && !sufficed) gained(node, here, from)
        else
          here.because?.('node {self} does not wait for this permission of node {from}, and keeps it', {
            from,
          })
        const held = get(node.heldBack, from)
        node.heldBack[from] = null
        if (held === null) return
        if (isInsideAgainst(node, held)) {
          here.because?.(
            'node {self} is inside now, so the request of node {from} that it held back waits on',
            {
              from,
            },
          )
          node.deferred[from] = held
        } else if (node.deferred[from] === null) {
          here.because?.(
            'with this reply, node {self} need not hold the request of node {from} back any more',
            {
              from,
            },
          )
          answer(node, here, from, held)
        }
      },

      downgrade(node, here, _message, from) {
        if (node.heldBack[from] !== null) {
          here.because?.('node {self} still holds the request of node {from} back, now to share', { from })
          node.heldBack[from] = 'shared'
        }
        if (node.deferred[from] === null) return
        node.deferred[from] = 'shared'
        if (node.mode !== 'shared')
          return here.because?.('node {from} only shares now, but node {self} comes first, and does not', {
            from,
          })
        here.because?.('node {from} only shares now, and so does node {self}: both may be inside', { from })
        node.deferred[from] = null
        if (node.heldBack[from] === null) answer(node, here, from, 'shared')
      },
    },
  }
}

/** A node inside defers whatever the numbers; a waiting node if its number is smaller. Readers never defer readers. */
export function deferred(node: PairwiseState, here: Place, asked: Asked): boolean {
  if (node.mode === null || !conflict(node.mode, asked.mode)) return false
  return node.ours === null || precedes({ time: node.ours, node: here.self }, asked)
}

/** The nodes that still owe a reply to a withdrawn request are not asked: `ask` says so. */
function sayWhomAsked(node: PairwiseState, here: Place, mode: Mode): void {
  const asked = nodesWhere(
    node.permission,
    (permission, other) => !suffices(permission, mode) && node.asked[other] === null,
  )
  if (asked.length > 0)
    here.because?.('node {self} asks only {asked}, whose permission it lacks, with number {ours}', {
      asked,
      ours: node.ours as number,
    })
}

/** Why a request has been deferred or held back, or is answered now. */
function sayWhy(node: PairwiseState, here: Place, asked: Asked): void {
  const { ours } = node
  const { node: from, mode } = asked
  if (node.heldBack[from] !== null)
    here.because?.(
      'node {self} holds this back: node {from} may have replied to its withdrawn request before it asked',
      { from },
    )
  else if (node.mode === null)
    here.because?.('node {self} does not want to enter, so node {from} may have its permission', { from })
  else if (!conflict(node.mode, mode))
    here.because?.('node {self} and node {from} only share: both may be inside', { from })
  else if (ours === null)
    here.because?.('node {self} is inside: node {from} has to wait until it leaves', { from })
  else sayWhoIsFirst(ours, here, asked)
}

/** Whether a node that asks us may have sent a reply to our withdrawn request. */
function mayHaveReplied(node: PairwiseState, here: Place, asking: Asked): boolean {
  const asked = get(node.asked, asking.node)
  if (asked === null || asked.number === node.ours) return false
  return conflict(asked.mode, asking.mode) && precedes({ time: asked.number, node: here.self }, asking)
}

function isInsideAgainst(node: PairwiseState, mode: Mode): boolean {
  return node.mode !== null && node.ours === null && conflict(node.mode, mode)
}

/** A permission has come: one less is missing, unless it answers an older request and is not enough now. */
function gained(node: PairwiseState, here: Place, from: NodeId): void {
  if (!suffices(get(node.permission, from), node.mode as Mode)) {
    here.because?.('node {self} wants to be alone, but node {from} permits only to share: it asks again', {
      from,
    })
    return ask(node, here, from)
  }
  node.missing -= 1
  if (node.missing > 0) {
    const lacking = nodesWhere(node.permission, (permission) => !suffices(permission, node.mode as Mode))
    return here.because?.('node {self} still lacks the permission of {lacking}', { lacking })
  }
  here.because?.('node {self} now has the permission of all others')
  enter(node, here)
}

/** Asks, unless a reply to an earlier request is still to come. */
function ask(node: PairwiseState, here: Place, to: NodeId): void {
  const before = get(node.asked, to)
  if (before !== null) {
    if (suffices(node.mode, before.mode) || before.isDowngraded)
      return here.because?.('the reply of node {to} to an earlier request of node {self} is still to come', {
        to,
      })
    here.because?.('node {self} only wants to share now, which is less than node {to} was asked for', { to })
    node.asked[to] = { ...before, isDowngraded: true }
    return here.send(to, { type: 'downgrade' })
  }
  node.asked[to] = { number: node.ours as number, mode: node.mode as Mode, isDowngraded: false }
  here.send(to, { type: 'request', number: node.ours as number, mode: node.mode as Mode })
}

function enter(node: PairwiseState, here: Place): void {
  node.ours = null
  if (node.mode === 'shared') node.given = node.written + 1
  else {
    node.given += 1
    node.written = node.given
  }
  here.enter(node.given)
}

function conflict(a: Mode, b: Mode): boolean {
  return a === 'exclusive' || b === 'exclusive'
}

function suffices(permission: Permission, mode: Mode): boolean {
  return permission === 'exclusive' || (permission === 'shared' && mode === 'shared')
}

/** A node that is inside when the world begins has the permissions for it, even those that others would have had. */
function atStart(
  startsWith: PairwisePolicy['startsWith'],
  { inside, insideMode }: Setup,
  self: NodeId,
  other: NodeId,
): Permission {
  if (other === self) return 'exclusive'
  if (inside.includes(self)) return insideMode
  return !inside.includes(other) && startsWith(self, other) ? 'exclusive' : null
}
