/**
 * Messages and state of the arbiters of `arbiter.ts`, and how the algorithms built on them differ: which requester gets
 * a FAIL, which nodes a requester asks, which grants are enough, and which nodes it tells when it leaves.
 */
import type { Algorithm, Here, NodeId } from '@turnwise/core/algorithm'
import type { Setup } from '@turnwise/core/setup'
import type { Shapes } from '@turnwise/core/shape'
import type { Timestamp } from '@turnwise/core/timestamp'

/** `time` is that of the request the message belongs to; with the requester's number it is its timestamp. */
export type ArbiterMessage =
  | { readonly type: 'request'; readonly time: number; readonly down?: readonly NodeId[] }
  | ({ readonly type: 'grant'; readonly time: number; readonly fence: number } & Carried)
  | { readonly type: 'release'; readonly time: number; readonly fence: number }
  | { readonly type: 'fail'; readonly time: number }
  | { readonly type: 'inquire'; readonly time: number }
  | { readonly type: 'yield'; readonly time: number }

/** Optional parts of a grant: a grant taken back, the arbiter's clock, the failures it knows of. */
export interface Carried {
  readonly takenBack?: true
  readonly clock?: number
  readonly down?: readonly NodeId[]
}

export interface Queued extends Timestamp {
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
  /** As arbiter: whether we took a grant back from a failed node, which may have entered with it. */
  takenBack: boolean
  /** As requester: null while we do not want to enter. */
  ours: OwnRequest | null
}

export interface OwnRequest {
  readonly time: number
  /** The nodes we asked, and will tell when we leave. */
  asked: readonly NodeId[]
  inside: boolean
  /** The nodes whose grant we have and did not yield. */
  grants: NodeId[]
  /** The nodes whose FAIL, or whose yielded grant, tells us that we cannot enter yet. */
  refused: NodeId[]
  /** The nodes whose INQUIRE waits for our answer. */
  inquiries: NodeId[]
  /** The largest fence that came with the grants; our own once inside. */
  fence: number
  /** Whether a node that granted had taken the grant back from a failed node. */
  takenBack: boolean
}

/**
 * Which requesters an arbiter tells to wait: `all` that are not first; only a `newcomer` that is not first, as Maekawa
 * published; only a newcomer that is not first in the queue (`queued`), as the survey tells it; a newcomer behind the
 * granted request and all that are `overtaken`, as Sanders published; or `none`, because requesters yield whenever they
 * are asked.
 */
export type FailPolicy = 'all' | 'newcomer' | 'queued' | 'overtaken' | 'none'

/** Which sets of nodes are quorums. Any two must meet. */
export interface QuorumSystem<Options> {
  /** The paper's name for the nodes that a node asks, if it is not quorum. */
  readonly called?: string
  /** The nodes that a node asks while none has failed. */
  of(setup: Setup<Options>, node: NodeId): readonly NodeId[]
  /** Whether the nodes that granted include a quorum. */
  enough(setup: Setup<Options>, granted: readonly NodeId[], node: NodeId, asked: readonly NodeId[]): boolean
  /** The nodes that this request asks, if they are not always the same. */
  choose?(here: Here<ArbiterMessage, Options>): readonly NodeId[]
  /** The fence for the count that arbiters carry, if it is not the count itself. */
  fence?(count: number, here: Here<ArbiterMessage, Options>): number
}

/** The differences if a node does not simply tell the nodes it has asked. */
export interface Relation<Options> {
  /** The nodes that a node tells when it has left. */
  tells(setup: Setup<Options>, requester: NodeId, asked: readonly NodeId[]): readonly NodeId[]
  /** Whether an arbiter remembers a grant, because it will be told of the exit. */
  remembers(setup: Setup<Options>, arbiter: NodeId, requester: NodeId): boolean
  /** Whether a node grants to itself at once, or only when all others have granted. */
  ownGrant(options: Options): 'first' | 'last'
  /** What grants and requests carry in addition, such as the arbiter's clock for nodes that no node asks. */
  withGrant(state: ArbiterState): Carried
  withRequest(state: ArbiterState): Pick<Carried, 'down'>
  /** Whether a FAIL to this requester, or an INQUIRE to this holder, can have any effect. */
  failHelps(setup: Setup<Options>, requester: NodeId): boolean
  inquireHelps(setup: Setup<Options>, arbiter: NodeId, holder: NodeId): boolean
}

/** A node tells those it has asked. */
export const SAME: Relation<object> = {
  tells: (_setup, _requester, asked) => asked,
  remembers: () => true,
  ownGrant: () => 'first',
  withGrant: () => ({}),
  withRequest: () => ({}),
  failHelps: () => true,
  inquireHelps: () => true,
}

/** A node asks the quorum that the setup has for it, and needs all of it. */
export const FIXED: QuorumSystem<object> = {
  of: ({ quorums }, node) => quorums?.of(node) ?? [],
  enough: (setup, granted, node) => granted.length === FIXED.of(setup, node).length,
}

export type ArbiterRules<Options> = Pick<
  Algorithm<ArbiterState, ArbiterMessage, Options>,
  'init' | 'request' | 'release' | 'receive'
>

export function ownRequest(time: number, asked: readonly NodeId[]): OwnRequest {
  const waiting = { inside: false, grants: [], refused: [], inquiries: [], fence: 0, takenBack: false }
  return { time, asked, ...waiting }
}

const TIME = { clock: 'time' } as const
const FENCE = { clock: 'fence' } as const

export const ARBITER_SHAPES: Shapes<ArbiterState, ArbiterMessage> = {
  state: {
    clock: TIME,
    granted: { fields: { time: TIME, node: 'node' } },
    inquired: 'data',
    queue: { list: { fields: { time: TIME, node: 'node', failed: 'data' } } },
    fence: FENCE,
    takenBack: 'data',
    ours: {
      fields: {
        time: TIME,
        asked: { list: 'node' },
        inside: 'data',
        grants: { list: 'node' },
        refused: { list: 'node' },
        inquiries: { list: 'node' },
        fence: FENCE,
        takenBack: 'data',
      },
    },
  },
  messages: {
    request: { time: TIME },
    grant: { time: TIME, fence: FENCE, takenBack: 'data' },
    release: { time: TIME, fence: FENCE },
    fail: { time: TIME },
    inquire: { time: TIME },
    yield: { time: TIME },
  },
  fence: { clock: 'fence', scaled: false },
}
