/**
 * Where an information structure makes deadlock possible at all (Sanders 1987, end of section 5, leaves it to a
 * more sophisticated algorithm to find out).
 *
 * A deadlock needs a node that holds one grant while it waits for another. INQUIRE asks such a node for the grant
 * it holds, and FAIL tells it that it waits; to any other node both are needless.
 */
import type { NodeId } from '../algorithm.ts'
import { get, outOfBounds } from '../bounds.ts'
import { type Structure, statusSets } from './structure.ts'

export interface HoldAndWait {
  /** Whether `holder` may have the grant of `arbiter` and yet have to wait for that of another. */
  at(arbiter: NodeId, holder: NodeId): boolean
  /**
   * Whether another node may want the grant of an arbiter back from `holder` while it waits. A node that grants to
   * itself last never holds its own grant while it waits.
   */
  anywhere(holder: NodeId, own: 'first' | 'last'): boolean
}

export function holdAndWait(structure: Structure): HoldAndWait {
  const { nodes, inform, request } = structure
  const status = statusSets(structure)
  const askers = new Int32Array(nodes)
  for (const asked of request) for (const node of asked) askers[node] = (askers[node] ?? outOfBounds()) + 1

  // A node that asks itself, and grants to itself last, may let others wait behind its own request.
  const mayWaitAt = (arbiter: NodeId, requester: NodeId) =>
    get(status, arbiter).some((node) => node !== requester) ||
    (arbiter !== requester && get(request, arbiter).includes(arbiter))
  const at = (arbiter: NodeId, holder: NodeId) =>
    get(request, holder).some((other) => other !== arbiter && mayWaitAt(other, holder))
  const wantedFrom = (holder: NodeId) =>
    get(inform, holder).filter(
      (arbiter) =>
        get(request, holder).includes(arbiter) &&
        (askers[arbiter] ?? outOfBounds()) > 1 &&
        at(arbiter, holder),
    )
  return {
    at,
    anywhere: (holder, own) => wantedFrom(holder).some((arbiter) => arbiter !== holder || own === 'first'),
  }
}
