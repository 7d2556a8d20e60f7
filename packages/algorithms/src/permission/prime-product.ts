/**
 * The arithmetic of Raynal's algorithm and of its modification, in exponents.
 *
 * Node i has an attribute A_i, pairwise prime, and a value X_i: A_i at the start, but 1 at the first node. A turn
 * of node i multiplies X_i by A_i / A_next, next being its successor on the ring of nodes. So after m turns
 *
 *     X_i = A_i^(e + m) / A_next^m        with e = 0 at the first node, 1 elsewhere,
 *
 * and m says all that X_i does. We keep m, for three reasons. X_i is a fraction whose terms grow without bound, and
 * states are plain data, without big integers. Two products of powers of the A are equal if and only if the exponents
 * are, so nothing is lost. And turns are a clock of which only differences matter, so the checker can visit all states
 * of runs of any length. A test compares the exponents with the fractions themselves.
 */
import type { NodeId } from '@turnwise/core/algorithm'
import { increase } from '@turnwise/core/bounds'

/**
 * The product of the values X of those nodes whose number of turns is given (null: left out), as the exponent of
 * each attribute A.
 */
export function productOf(turns: readonly (number | null)[], first: NodeId): number[] {
  const exponents = turns.map(() => 0)
  turns.forEach((taken, node) => {
    if (taken === null) return
    increase(exponents, node, (node === first ? 0 : 1) + taken)
    increase(exponents, successor(node, turns.length), -taken)
  })
  return exponents
}

/** Whether a product is Q / A_node, Q being the product of all attributes: then it is the node's turn. */
export function isTurnOf(node: NodeId, product: readonly number[]): boolean {
  return product.every((exponent, other) => exponent === (other === node ? 0 : 1))
}

export function successor(node: NodeId, nodes: number): NodeId {
  return (node + 1) % nodes
}
