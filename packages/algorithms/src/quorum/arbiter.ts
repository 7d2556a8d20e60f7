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
 */
import type { Algorithm, Message as AnyMessage, Here, NodeId } from '@turnwise/core/algorithm'
import type { Shapes } from '@turnwise/core/shape'
import { precedes, sameTimestamp, type Timestamp } from '@turnwise/core/timestamp'

/** `time` is that of the request the message belongs to; with the requester's number it is its timestamp. */
export type ArbiterMessage =
  | { readonly type: 'request'; readonly time: number }
  | { readonly type: 'grant'; readonly time: number; readonly fence: number }
  | { readonly type: 'release'; readonly time: number; readonly fence: number }
  | { readonly type: 'fail'; readonly time: number }
  | { readonly type: 'inquire'; readonly time: number }
  | { readonly type: 'yield'; readonly time: number }

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
  /** Whom we asked. */
  readonly quorum: readonly NodeId[]
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
 * Maekawa published; or `none`, because requesters yield whenever they are asked.
 */
export type FailPolicy = 'all' | 'newcomer' | 'none'

type Rules<Options> = Pick<
  Algorithm<ArbiterState, ArbiterMessage, Options>,
  'init' | 'request' | 'release' | 'receive'
>

/** `choose` picks the quorum of a request; `fenceFor` turns the count that arbiters carry along into a fence. */
export function arbiterRules<Options extends object>(
  policyOf: (options: Options) => FailPolicy,
  choose: (here: Here<ArbiterMessage, Options>) => readonly NodeId[] = quorumOf,
  fenceFor: (count: number, here: Here<ArbiterMessage, Options>) => number = (count) => count,
): Rules<Options> {
  type Place = Here<ArbiterMessage, Options>

  /** What a node tells itself happens at once and is no message. */
  function tell(node: ArbiterState, here: Place, to: NodeId, message: ArbiterMessage): void {
    if (to !== here.self) return here.send(to, message)
    const handle = receive[message.type] as (n: ArbiterState, h: Place, m: AnyMessage, from: NodeId) => void
    handle(node, here, message, to)
  }

  function grantNext(node: ArbiterState, here: Place): void {
    const next = node.queue.shift()
    node.inquired = false
    node.granted = next === undefined ? null : { time: next.time, node: next.node }
    if (next !== undefined) tell(node, here, next.node, { type: 'grant', time: next.time, fence: node.fence })
  }

  function fail(node: ArbiterState, here: Place, request: Queued): void {
    if (request.failed || policyOf(here.setup.options) === 'none') return
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

  const receive: Rules<Options>['receive'] = {
    request(node, here, { time }, from) {
      node.clock = Math.max(node.clock, time)
      const request: Queued = { time, node: from, failed: false }
      const place = node.queue.findIndex((queued) => precedes(request, queued))
      node.queue.splice(place === -1 ? node.queue.length : place, 0, request)
      if (node.granted === null) return grantNext(node, here)
      if (precedes(node.granted, request)) return fail(node, here, request)
      if (policyOf(here.setup.options) === 'all') {
        for (const overtaken of node.queue.filter((queued) => precedes(request, queued)))
          fail(node, here, overtaken)
      }
      if (node.queue[0] !== request) fail(node, here, request)
      if (node.inquired) return
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

    grant(node, here, { time, fence }, from) {
      const { ours } = node
      if (ours === null || ours.inside || ours.time !== time) return
      ours.grants = [...without(ours.grants, from), from].toSorted((a, b) => a - b)
      ours.refused = without(ours.refused, from)
      ours.fence = Math.max(ours.fence, fence)
      if (ours.grants.length < ours.quorum.length) return yieldWhatWeCan(node, here, ours)
      ours.inside = true
      ours.inquiries = []
      ours.fence += 1
      node.fence = Math.max(node.fence, ours.fence)
      here.enter(fenceFor(ours.fence, here))
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

  return {
    init(self, { quorums, inside }) {
      // Those inside may have chosen quorums that do not meet.
      const asked = (node: NodeId) => quorums?.choice?.apart[inside.indexOf(node)] ?? quorums?.of(node) ?? []
      const holder = inside.find((node) => asked(node).includes(self))
      const quorum = asked(self)
      const own = { time: 0, quorum, inside: true, grants: [], refused: [], inquiries: [], fence: 0 }
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
      const quorum = choose(here)
      node.ours = { time, quorum, inside: false, grants: [], refused: [], inquiries: [], fence: node.fence }
      for (const arbiter of quorum) tell(node, here, arbiter, { type: 'request', time })
    },

    release(node, here) {
      if (node.ours === null) return
      const { time, fence, quorum } = node.ours
      node.ours = null
      for (const arbiter of quorum) tell(node, here, arbiter, { type: 'release', time, fence })
    },

    receive,
  }
}

function quorumOf({ self, setup }: Here<ArbiterMessage>): readonly NodeId[] {
  return setup.quorums?.of(self) ?? []
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
        quorum: { list: 'node' },
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
