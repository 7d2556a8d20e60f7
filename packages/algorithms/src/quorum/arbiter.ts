/**
 * The engine of the quorum algorithms: every node is a requester, and an arbiter for those that ask it.
 *
 * An arbiter grants one request at a time, the smallest timestamp first, and keeps the others in a queue. A
 * requester enters when its whole quorum has granted. Two quorums share an arbiter, so two requesters are
 * never both granted by all. Requesters that hold some grants and wait for others could block each other for
 * ever; so an arbiter whose grant went to a larger timestamp than one that came later INQUIREs whether it may
 * have it back, and a requester that cannot enter yet YIELDs. How a requester knows that it cannot enter is
 * the policy: it was told so by a FAIL, or it yields whenever it is asked.
 *
 * After Maekawa 1985 and Sanders 1987, section 5, with these repairs:
 *  1. Every message names the request it belongs to; what belongs to another request is ignored. Without it an
 *     INQUIRE that crosses a RELEASE is answered by the next request, and an arbiter is freed under someone's feet.
 *  2. An INQUIRE that cannot be answered yet is remembered until a FAIL or the grant itself arrives. Sanders
 *     tests once, on arrival, and deadlocks.
 *  3. A request smaller than the granted one but not the smallest in the queue gets a FAIL too, and so does
 *     every queued request that is overtaken. Maekawa tells the newcomer only, Sanders forgets the first case.
 * With them no channel needs to keep order.
 *
 * Whom a node asks and whom it tells when it leaves need not be the same: that is the relation. An arbiter
 * remembers a grant only until it is told that the grant is used up, so not at all if it never will be told.
 */
import type { Algorithm, Message as AnyMessage, Here, NodeId } from '@turnwise/core/algorithm'
import type { Setup } from '@turnwise/core/setup'
import type { Shapes } from '@turnwise/core/shape'
import { precedes, sameTimestamp, type Timestamp } from '@turnwise/core/timestamp'

/** `time` is that of the request the message belongs to; with the requester's number it is its timestamp. */
export type ArbiterMessage =
  | { readonly type: 'request'; readonly time: number; readonly down?: readonly NodeId[] }
  | ({ readonly type: 'grant'; readonly time: number; readonly fence: number } & Carried)
  | { readonly type: 'release'; readonly time: number; readonly fence: number }
  | { readonly type: 'fail'; readonly time: number }
  | { readonly type: 'inquire'; readonly time: number }
  | { readonly type: 'yield'; readonly time: number }

/** What some relations add to a grant: the arbiter's clock, and whom it knows to have failed. */
export interface Carried {
  readonly clock?: number
  readonly down?: readonly NodeId[]
}

interface Queued extends Timestamp {
  /** Whether its requester knows that it must wait. */
  failed: boolean
}

export interface ArbiterState {
  /** The largest time seen in any message. */
  clock: number
  /** As arbiter: the request that has our grant, and whether we asked for it back. */
  granted: Timestamp | null
  inquired: boolean
  /** As arbiter: the others, smallest timestamp first. */
  queue: Queued[]
  /** As arbiter: the largest fence heard of. */
  fence: number
  /** As requester: null while we do not want to enter. */
  ours: OwnRequest | null
}

interface OwnRequest {
  readonly time: number
  inside: boolean
  /** Who has granted, and not been yielded to. */
  grants: NodeId[]
  /** Whose FAIL, or whose grant that we yielded, tells us that we cannot enter yet. */
  refused: NodeId[]
  /** Whose INQUIRE waits for our answer. */
  inquiries: NodeId[]
  /** The largest fence heard of from those who granted; our own once inside. */
  fence: number
}

/**
 * Whom an arbiter tells that it must wait: `all` who are not first; only a `newcomer` that is not first, as
 * Maekawa published; a newcomer behind the granted and all who are `overtaken`, as Sanders published; or `none`,
 * because requesters yield whenever they are asked.
 */
export type FailPolicy = 'all' | 'newcomer' | 'overtaken' | 'none'

type Rules<Options> = Pick<
  Algorithm<ArbiterState, ArbiterMessage, Options>,
  'init' | 'request' | 'release' | 'receive'
>

/** Who asks and tells whom. Members come in rising order. */
export interface Relation<Options> {
  /** R_i: whose grants a node needs, as it stands; without a state, as the world begins. */
  asks(setup: Setup<Options>, requester: NodeId, state?: ArbiterState): readonly NodeId[]
  /** I_i: whom it tells that it has left. An arbiter remembers that it has granted only to those who will tell it. */
  tells(setup: Setup<Options>, requester: NodeId): readonly NodeId[]
  /** Whether a node grants to itself at once, or only when all others have granted: until then it holds nothing. */
  ownGrant(options: Options): 'first' | 'last'
  /** What grants carry besides, and requests: such as the arbiter's clock, for nodes that are asked by none. */
  withGrant(state: ArbiterState): Carried
  withRequest(state: ArbiterState): Pick<Carried, 'down'>
  /** Whether a FAIL to this requester, or an INQUIRE of this holder, can be of use to anyone. */
  failHelps(setup: Setup<Options>, requester: NodeId): boolean
  inquireHelps(setup: Setup<Options>, arbiter: NodeId, holder: NodeId): boolean
}

/** Quorums: a node tells those it asks. */
const QUORUMS: Relation<object> = {
  asks: quorumOf,
  tells: quorumOf,
  ownGrant: () => 'first',
  withGrant: () => ({}),
  withRequest: () => ({}),
  failHelps: () => true,
  inquireHelps: () => true,
}

export function arbiterRules<Options extends object>(
  policyOf: (options: Options) => FailPolicy,
  relation: Relation<Options> = QUORUMS,
): Rules<Options> {
  return arbiterEngine(policyOf, relation).rules
}

/** The rules, and what recovery from failures does besides. */
export function arbiterEngine<Options extends object>(
  policyOf: (options: Options) => FailPolicy,
  relation: Relation<Options>,
) {
  type Place = Here<ArbiterMessage, Options>

  /** What a node tells itself happens at once and is no message. */
  function tell(node: ArbiterState, here: Place, to: NodeId, message: ArbiterMessage): void {
    if (to !== here.self) return here.send(to, message)
    const handle = receive[message.type] as (n: ArbiterState, h: Place, m: AnyMessage, from: NodeId) => void
    handle(node, here, message, to)
  }

  /** Grants to the first in the queue, and on until one is granted who will tell us when it has left. */
  function grantNext(node: ArbiterState, here: Place): void {
    const { self, setup } = here
    node.inquired = false
    node.granted = null
    while (node.granted === null) {
      const next = node.queue.at(0)
      if (next === undefined || (next.node === self && !isOwnTurn(node, here))) return
      node.queue.shift()
      if (relation.tells(setup, next.node).includes(self)) node.granted = { time: next.time, node: next.node }
      const { fence } = node
      tell(node, here, next.node, { type: 'grant', time: next.time, fence, ...relation.withGrant(node) })
    }
  }

  /** Whether our own arbiter may grant to ourselves. */
  function isOwnTurn(node: ArbiterState, { self, setup }: Place): boolean {
    if (relation.ownGrant(setup.options) === 'first') return true
    return node.ours?.grants.length === relation.asks(setup, self, node).length - 1
  }

  function fail(node: ArbiterState, here: Place, request: Queued): void {
    if (request.failed || policyOf(here.setup.options) === 'none') return
    if (!relation.failHelps(here.setup, request.node)) return
    request.failed = true
    tell(node, here, request.node, { type: 'fail', time: request.time })
  }

  /** Gives back every grant that is asked for, once it is known that we cannot enter yet. */
  function yieldWhatWeCan(node: ArbiterState, here: Place, ours: OwnRequest): void {
    if (ours.refused.length === 0 && policyOf(here.setup.options) !== 'none') return
    const asked = ours.inquiries.filter((arbiter) => ours.grants.includes(arbiter))
    for (const arbiter of asked) {
      ours.inquiries = without(ours.inquiries, arbiter)
      ours.grants = without(ours.grants, arbiter)
      ours.refused = [...ours.refused, arbiter]
      tell(node, here, arbiter, { type: 'yield', time: ours.time })
    }
  }

  function enterOrYield(node: ArbiterState, here: Place, ours: OwnRequest): void {
    if (ours.inside) return
    if (ours.grants.length < relation.asks(here.setup, here.self, node).length)
      yieldWhatWeCan(node, here, ours)
    else enter(here, ours)
  }

  function enter(here: Place, ours: OwnRequest): void {
    ours.inside = true
    ours.inquiries = []
    ours.fence += 1
    here.enter(ours.fence)
  }

  const receive: Rules<Options>['receive'] = {
    request(node, here, { time }, from) {
      node.clock = Math.max(node.clock, time)
      const request: Queued = { time, node: from, failed: false }
      const place = node.queue.findIndex((queued) => precedes(request, queued))
      node.queue.splice(place === -1 ? node.queue.length : place, 0, request)
      if (node.granted === null) {
        grantNext(node, here)
        // Only where our own request waits to be granted last is anybody left in the queue.
        node.queue.forEach((queued, i) => {
          if (node.granted !== null || i > 0) fail(node, here, queued)
        })
        return
      }
      if (precedes(node.granted, request)) return fail(node, here, request)
      const policy = policyOf(here.setup.options)
      if (policy === 'all' || policy === 'overtaken') {
        for (const overtaken of node.queue.filter((queued) => precedes(request, queued)))
          fail(node, here, overtaken)
      }
      if (node.queue[0] !== request && policy !== 'overtaken') fail(node, here, request)
      if (node.inquired || !relation.inquireHelps(here.setup, here.self, node.granted.node)) return
      node.inquired = true
      tell(node, here, node.granted.node, { type: 'inquire', time: node.granted.time })
    },

    release(node, here, { time, fence }, from) {
      node.fence = Math.max(node.fence, fence)
      if (node.granted !== null && sameTimestamp(node.granted, { time, node: from })) grantNext(node, here)
    },

    yield(node, here, { time }, from) {
      if (node.granted === null || !sameTimestamp(node.granted, { time, node: from })) return
      const yielded: Queued = { time, node: from, failed: true }
      const place = node.queue.findIndex((queued) => precedes(yielded, queued))
      node.queue.splice(place === -1 ? node.queue.length : place, 0, yielded)
      grantNext(node, here)
    },

    grant(node, here, { time, fence, clock = 0 }, from) {
      const { ours } = node
      node.clock = Math.max(node.clock, clock)
      if (ours === null || ours.inside || ours.time !== time) return
      ours.grants = [...without(ours.grants, from), from].toSorted((a, b) => a - b)
      ours.refused = without(ours.refused, from)
      ours.fence = Math.max(ours.fence, fence)
      if (node.granted === null) grantNext(node, here)
      enterOrYield(node, here, ours)
    },

    fail(node, here, { time }, from) {
      const { ours } = node
      if (ours === null || ours.inside || ours.time !== time) return
      ours.refused = [...without(ours.refused, from), from].toSorted((a, b) => a - b)
      yieldWhatWeCan(node, here, ours)
    },

    inquire(node, here, { time }, from) {
      const { ours } = node
      if (ours === null || ours.inside || ours.time !== time) return
      ours.inquiries = [...ours.inquiries, from].toSorted((a, b) => a - b)
      yieldWhatWeCan(node, here, ours)
    },
  }

  const rules: Rules<Options> = {
    init(self, setup) {
      const { inside } = setup
      const holder = inside.find(
        (node) => relation.asks(setup, node).includes(self) && relation.tells(setup, node).includes(self),
      )
      const own = { time: 0, inside: true, grants: [], refused: [], inquiries: [], fence: 0 }
      return {
        clock: 0,
        granted: holder === undefined ? null : { time: 0, node: holder },
        inquired: false,
        queue: [],
        fence: 0,
        ours: inside.includes(self) ? own : null,
      }
    },

    request(node, here) {
      node.clock += 1
      const time = node.clock
      const ours = { time, inside: false, grants: [], refused: [], inquiries: [], fence: 0 }
      const asked = relation.asks(here.setup, here.self, node)
      const carried = relation.withRequest(node)
      node.ours = ours
      if (asked.length === 0) return enter(here, ours)
      for (const arbiter of asked) tell(node, here, arbiter, { type: 'request', time, ...carried })
    },

    release(node, here) {
      if (node.ours === null) return
      const { time, fence } = node.ours
      node.ours = null
      for (const arbiter of relation.tells(here.setup, here.self))
        tell(node, here, arbiter, { type: 'release', time, fence })
    },

    receive,
  }

  return {
    rules,

    /**
     * `gone` has failed. As requester: its grant counts no more, and `fresh` are asked, again if need be; unless we
     * `keep` what we have from it. As arbiter: whatever it asked or was granted is void.
     */
    mend(node: ArbiterState, here: Place, gone: NodeId, fresh: readonly NodeId[], keep: boolean): void {
      const { ours } = node
      const isWaiting = ours !== null && !ours.inside
      if (isWaiting && !keep) {
        const stays = (other: NodeId) => other !== gone && !fresh.includes(other)
        ours.grants = ours.grants.filter(stays)
        ours.refused = ours.refused.filter(stays)
        ours.inquiries = ours.inquiries.filter(stays)
        for (const other of fresh) {
          here.send(other, { type: 'request', time: ours.time, ...relation.withRequest(node) })
        }
      }
      node.queue = node.queue.filter((queued) => queued.node !== gone)
      if (node.granted === null || node.granted.node === gone) grantNext(node, here)
      if (isWaiting) enterOrYield(node, here, ours)
    },
  }
}

function quorumOf({ quorums }: Setup, node: NodeId): readonly NodeId[] {
  return quorums?.of(node) ?? []
}

function without(nodes: readonly NodeId[], node: NodeId): NodeId[] {
  return nodes.filter((other) => other !== node)
}

const TIME = { clock: 'time' } as const
const FENCE = { clock: 'fence' } as const

export const ARBITER_SHAPES: Shapes<ArbiterMessage['type']> = {
  state: {
    clock: TIME,
    granted: { fields: { time: TIME, node: 'node' } },
    inquired: 'data',
    queue: { list: { fields: { time: TIME, node: 'node', failed: 'data' } } },
    fence: FENCE,
    ours: {
      fields: {
        time: TIME,
        inside: 'data',
        grants: { list: 'node' },
        refused: { list: 'node' },
        inquiries: { list: 'node' },
        fence: FENCE,
      },
    },
  },
  messages: {
    request: { time: TIME },
    grant: { time: TIME, fence: FENCE },
    release: { time: TIME, fence: FENCE },
    fail: { time: TIME },
    inquire: { time: TIME },
    yield: { time: TIME },
  },
  fence: { clock: 'fence', scaled: false },
}
