import type { NodeId } from '@turnwise/core/algorithm'
import type { Setup } from '@turnwise/core/setup'
import type { ArbiterState, Carried } from './arbiter.ts'

/** What is otherwise where a node does not simply tell those it has asked. */
export interface Relation<Options> {
  /** Whom a node tells that it has left. */
  tells(setup: Setup<Options>, requester: NodeId, asked: readonly NodeId[]): readonly NodeId[]
  /** Whether an arbiter keeps in mind that it has granted, because it will be told. */
  remembers(setup: Setup<Options>, arbiter: NodeId, requester: NodeId): boolean
  /** Whether a node grants to itself at once, or only when all others have granted: until then it holds nothing. */
  ownGrant(options: Options): 'first' | 'last'
  /** What grants and requests carry besides, such as the arbiter's clock, for nodes that are asked by none. */
  withGrant(state: ArbiterState): Carried
  withRequest(state: ArbiterState): Pick<Carried, 'down'>
  /** Whether a FAIL to this requester, or an INQUIRE of this holder, can be of use to anyone. */
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
