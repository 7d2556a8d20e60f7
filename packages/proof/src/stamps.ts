/** Requests are ordered by a number and, where that is the same, by the node: what the models that compare requests have in common. */
import { and, constant, equal, type Formula, not, or, type SymbolOf, type Term } from './logic/formula.ts'
import { always, type Clause, order } from './model.ts'

type Node = Term<'node'>
type Number = Term<'number'>

const numbers = order('below', 'number')
const nodes = order('left', 'node')

export const below = numbers.below
/** The number that no request has. */
export const least = constant('least', 'number')

export function atMost(k: Number, l: Number): Formula {
  return not(below(l, k))
}

/** (k, i) comes before (l, j): the smaller number, and among equal ones the smaller node. */
export function precedes(k: Number, i: Node, l: Number, j: Node): Formula {
  return or(below(k, l), and(equal(k, l), nodes.below(i, j)))
}

export const stampSymbols: readonly SymbolOf[] = [below, nodes.below, least].map(({ symbol }) => symbol)

export const stampAxioms: readonly Clause[] = [
  ...numbers.axioms,
  ...nodes.axioms,
  always('least is below all others', { k: 'number' }, ({ k }) => atMost(least(), k)),
]
