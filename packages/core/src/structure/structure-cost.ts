/**
 * The cost of an information structure, computed without running it (Sanders 1987, section 6).
 *
 * Two formulas are not as printed. D_ij is printed as 2 wherever I_i and I_j meet, which contradicts the value
 * 2(N-1)/N given for the centralized structure: a RELEASE and a GRANT follow one another only if some third node
 * is told by the one that leaves and asked by the one that waits. And the sum DM goes over the others in R_i:
 * with i itself in it the completely distributed structure would have N, not the N - 1 of the text.
 */
import type { NodeId } from '../algorithm.ts'
import { get } from '../bounds.ts'
import { type Structure, statusSets } from './structure.ts'

/** NM_i: messages for one entry of node i, when nobody competes and at most. */
export interface MessageBounds {
  readonly least: number
  readonly most: number
}

export interface NodeMetrics {
  readonly messages: MessageBounds
  /** DM: how many of the most are for recovery from potential deadlock. */
  readonly deadlockMessages: number
  /** D_ij for every node j that may have left. */
  readonly delays: readonly number[]
  /** D_i: the mean of D_ij over the other nodes j. */
  readonly delay: number
}

export interface Metrics {
  readonly perNode: readonly NodeMetrics[]
  /** The means over all nodes: NM and D. */
  readonly messages: MessageBounds
  readonly delay: number
}

export function metrics(structure: Structure): Metrics {
  const perNode = messageBounds(structure).map((messages, node) => {
    const delays = structure.inform.map((_, left) => syncDelay(structure, node, left))
    return {
      messages,
      deadlockMessages: messages.most - messages.least,
      delays,
      delay: meanDelay(delays),
    }
  })
  return {
    perNode,
    messages: {
      least: mean(perNode.map(({ messages }) => messages.least)),
      most: mean(perNode.map(({ messages }) => messages.most)),
    },
    delay: mean(perNode.map(({ delay }) => delay)),
  }
}

/** NM_i for every node. */
export function messageBounds(structure: Structure): readonly MessageBounds[] {
  const { inform, request } = structure
  const status = statusSets(structure)
  return request.map((members, node) => {
    const told = get(inform, node).filter((other) => other !== node)
    const asked = members.filter((other) => other !== node)
    const least = told.length + 2 * asked.length
    const extra = asked.reduce((sum, arbiter) => sum + mostExtra(get(status, arbiter), arbiter, node), 0)
    return { least, most: least + extra }
  })
}

/** D_i, of the delays D_ij. */
function meanDelay(delays: readonly number[]): number {
  if (delays.length === 1) return 0
  return delays.reduce((sum, delay) => sum + delay, 0) / (delays.length - 1)
}

/**
 * r_j: what the request of i can cause at j beyond its GRANT. A FAIL, and, if j may have granted to a third node,
 * INQUIRE, YIELD and the second GRANT. Asking itself costs j no message.
 */
function mostExtra(status: readonly NodeId[], arbiter: NodeId, requester: NodeId): number {
  return status.every((node) => node === arbiter || node === requester) ? 1 : 4
}

/** D_ij: messages one after another between the exit of `left` and the entry of `next`, which waits already. */
export function syncDelay({ inform, request }: Structure, next: NodeId, left: NodeId): 0 | 1 | 2 {
  if (next === left) return 0
  const through = get(inform, left).some(
    (node) => node !== next && node !== left && get(request, next).includes(node),
  )
  return through ? 2 : 1
}

function mean(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0) / values.length
}
