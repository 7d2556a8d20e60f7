/**
 * Whether an information structure guarantees mutual exclusion (Sanders 1987, section 4).
 *
 * The theorem: if every node tells itself (i in I_i), exclusion is guaranteed if and only if
 *  a. a node asks everyone it tells: I_i is a subset of R_i;
 *  b. for every two nodes i and j, I_i and I_j meet, or each of the two asks the other. If some node does not tell
 *  itself, such as all but the coordinator of Figure 1a, we use the footnote's form, which is sufficient: if two inform
 *  sets do not meet, b then also requires that each of the two nodes tells itself.
 *
 * The paper calls it obvious that a is necessary. It is not: a structure can break it harmlessly (a node that is told,
 * but that no relevant node asks, decides nothing). The tests keep the smallest.
 */
import type { NodeId } from '../algorithm.ts'
import { get } from '../bounds.ts'
import type { Structure } from './structure.ts'

export interface Flaw {
  readonly condition: 'a' | 'b'
  /** The two nodes between which it fails. For condition a: the node that tells, and the one that is told but not asked. */
  readonly pair: readonly [NodeId, NodeId]
  readonly why: string
}

export interface Verdict {
  /** Which form of the theorem applies. */
  readonly form: 'theorem' | 'footnote'
  readonly valid: boolean
  /** All that fails, condition a first, in the order of node numbers. */
  readonly flaws: readonly Flaw[]
}

export function validate(structure: Structure): Verdict {
  const form = structure.inform.every((told, node) => told.includes(node)) ? 'theorem' : 'footnote'
  const flaws = [...unaskedButTold(structure), ...uncoveredPairs(structure, form)]
  return { form, valid: flaws.length === 0, flaws }
}

/** One line, such as an option's warning needs it. */
export function tellFlaw({ condition, pair: [i, j], why }: Flaw): string {
  return `condition ${condition} fails for nodes ${i} and ${j}: ${why}`
}

function unaskedButTold({ inform, request }: Structure): Flaw[] {
  return inform.flatMap((told, node) =>
    told
      .filter((other) => !get(request, node).includes(other))
      .map((other) => ({
        condition: 'a' as const,
        pair: [node, other] as const,
        why: `${other} is in the inform set of ${node}, but not in its request set`,
      })),
  )
}

function uncoveredPairs(structure: Structure, form: Verdict['form']): Flaw[] {
  const flaws: Flaw[] = []
  for (let i = 0; i < structure.nodes; i += 1) {
    for (let j = i + 1; j < structure.nodes; j += 1) {
      const missing = missingBetween(structure, i, j, form)
      if (missing.length === 0) continue
      const why = `their inform sets share no node, and ${missing.join(', ')}`
      flaws.push({ condition: 'b', pair: [i, j], why })
    }
  }
  return flaws
}

/** What keeps i and j from watching each other directly; nothing if they need not or if they do. */
function missingBetween(
  { inform, request }: Structure,
  i: NodeId,
  j: NodeId,
  form: Verdict['form'],
): readonly string[] {
  if (get(inform, i).some((node) => get(inform, j).includes(node))) return []
  const missing: string[] = []
  for (const [asks, asked] of [
    [i, j],
    [j, i],
  ] as const) {
    if (!get(request, asks).includes(asked)) missing.push(`${asked} is not in the request set of ${asks}`)
  }
  if (form === 'footnote') {
    for (const node of [i, j]) {
      if (!get(inform, node).includes(node)) missing.push(`${node} is not in its own inform set`)
    }
  }
  return missing
}
