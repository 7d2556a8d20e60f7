/**
 * The measures of quorum agreements (Q, Q^-1) as a whole: not the sets of one node, but all sets, any of Q to ask and
 * any of Q^-1 to tell. The measures of two families:
 *
 *  - Load. An entry asks one request set and tells one acquired set. The load of Q alone, and of Q^-1 alone, is that of
 *    Naor and Wool 1998. Together it is how often the busiest node is asked or told per entry, if both sets are chosen
 *    at random in the best way: a node in both counts twice, since it gets two messages. So it can exceed 1, and is at
 *    most the sum of the two.
 *  - A node can ask while all nodes of some request set are up. It then finds the token even if other nodes that were
 *    told of it have failed since: the request set meets any acquired set, in a node that is up. Part of a request set
 *    is not enough, since the common node may be the one that failed.
 *  - A holder can make itself known while all nodes of some acquired set are up: each member may be the only one that
 *    it shares with some request set.
 *  - Resilience is the largest number of failures that always leaves one set of each family. So it is the smaller of
 *    the two resiliences.
 *  - Availability is the probability that one set of each is up. The families share nodes, so it is at least the
 *    product (Harris 1960), and at most the smaller of the two.
 *
 * All this is about the sets. A token that fails with its holder is lost with any of them.
 */
import type { NodeId } from '../algorithm.ts'
import { get } from '../bounds.ts'
import { columnsAndRows, type QuorumAgreement } from './agreement.ts'
import { listedFamily, type QuorumFamily, thresholdFamily } from './family.ts'
import { largest } from './linear-program.ts'
import { busiest, isFair, type Load, loadOf, MOST_COLUMNS, membership } from './quorum-metrics.ts'

export interface AgreementFamily {
  readonly kind: string
  readonly nodes: number
  /** Q: all sets that can be asked. */
  readonly request: QuorumFamily
  /** Q^-1: all sets that can be told. */
  readonly acquired: QuorumFamily
  /** Up if one of each is. Its quorums are not listed: they are every union of one of each. */
  readonly both: QuorumFamily
  /** The load per entry (see `loadPerEntry`); where a closed form is known. */
  readonly load?: number
}

/** Quorums that serve as both, since every two of them meet. */
export function agreementOfQuorums(quorums: QuorumFamily): AgreementFamily {
  const { kind, nodes } = quorums
  return { kind, nodes, request: quorums, acquired: quorums, both: quorums }
}

/**
 * The columns and the rows that `columnsAndRows` has. No two columns share a node. Of the rows the last, if it is
 * short, is filled up from the one above it: one failure hits both, and one choice of the full rows spares it.
 */
export function gridAgreement(nodes: number): AgreementFamily {
  const agreement = columnsAndRows(nodes)
  const columns = listedFamily({ kind: 'columns', nodes, of: (node) => agreement.request(node) })
  const rows = listedFamily({ kind: 'rows', nodes, of: (node) => agreement.acquired(node) })
  const width = agreement.acquired(0).length
  const fullRows = Math.floor(nodes / width)
  const short = nodes % width
  // Full rows that are up with probability p ** width each; the last and the short one have width + short nodes.
  const lastUp = (up: number) => (short === 0 ? up ** width : 2 * up ** width - up ** (width + short))
  const family = agreementOfBoth(
    'grid',
    {
      ...columns,
      resilience: width - 1,
      load: 1 / width,
      availability: (up) => 1 - (1 - up ** (fullRows + 1)) ** short * (1 - up ** fullRows) ** (width - short),
    },
    {
      ...rows,
      resilience: fullRows - 1,
      load: 1 / fullRows,
      availability: (up) => 1 - (1 - up ** width) ** (fullRows - 1) * (1 - lastUp(up)),
    },
  )
  // Nodes can be weighted so that each column weighs 1 / width and each row 1 / fullRows at least, all nodes together
  // 1: the row above a short one has its weight where the two meet, which no column is too light for if this holds.
  return fullRows >= width ? { ...family, load: 1 / width + 1 / fullRows } : family
}

/** Ask everyone, tell yourself. */
export function broadcastAgreement(nodes: number): AgreementFamily {
  const everyone = thresholdFamily(nodes, nodes)
  // Where all are up, some one is.
  return {
    ...agreementOfBoth('broadcast', everyone, thresholdFamily(nodes, 1)),
    both: everyone,
    load: 1 + 1 / nodes,
  }
}

/** Two families that need not meet: `firstMissedSet` tells. */
export function agreementOfBoth(
  kind: string,
  request: QuorumFamily,
  acquired: QuorumFamily,
): AgreementFamily {
  const { nodes } = request
  const isMet = (up: readonly boolean[]) => request.isMet(up) && acquired.isMet(up)
  const both: QuorumFamily = { kind, nodes, quorums: null, isMet }
  const [asking, telling] = [request.resilience, acquired.resilience]
  if (asking === undefined || telling === undefined) return { kind, nodes, request, acquired, both }
  return { kind, nodes, request, acquired, both: { ...both, resilience: Math.min(asking, telling) } }
}

/** A request set and an acquired set that do not meet, or null if all do. */
export function firstMissedSet(
  requests: readonly (readonly NodeId[])[],
  acquired: readonly (readonly NodeId[])[],
): { readonly request: readonly NodeId[]; readonly acquired: readonly NodeId[] } | null {
  for (const request of requests) {
    const asked = new Set(request)
    const missed = acquired.find((told) => !told.some((node) => asked.has(node)))
    if (missed !== undefined) return { request, acquired: missed }
  }
  return null
}

/** How often the busiest node is asked or told per entry. */
export function loadPerEntry(family: AgreementFamily, own: QuorumAgreement): Load {
  const { nodes, request, acquired } = family
  if (family.load !== undefined) return { value: family.load, by: 'closed form' }
  if (request === acquired) {
    // The best way for one family is best for both: an average of two other ways is never better.
    const { value, by } = loadOf(request, (node) => own.request(node))
    return { value: 2 * value, by }
  }
  const [asked, told] = [request.quorums, acquired.quorums]
  if (asked !== null && told !== null && isFair(asked, nodes) && isFair(told, nodes)) {
    return { value: (get(asked, 0).length + get(told, 0).length) / nodes, by: 'fairness' }
  }
  if (asked !== null && told !== null && asked.length + told.length <= MOST_COLUMNS) {
    return { value: 1 / packingOfBoth(asked, told, nodes), by: 'linear program' }
  }
  return { value: busiest(nodes, (node) => [...own.request(node), ...own.acquired(node)]), by: 'own quorums' }
}

/** The most that can be given to request sets, and as much to acquired sets, if no node may have more than 1 in all. */
function packingOfBoth(
  asked: readonly (readonly NodeId[])[],
  told: readonly (readonly NodeId[])[],
  nodes: number,
): number {
  const rows = membership([...asked, ...told], nodes).map((coefficients) => ({ coefficients, limit: 1 }))
  const asMuchTold = { coefficients: [...asked.map(() => 1), ...told.map(() => -1)], limit: 0 }
  return largest([...rows, asMuchTold], [...asked.map(() => 1), ...told.map(() => 0)])
}
