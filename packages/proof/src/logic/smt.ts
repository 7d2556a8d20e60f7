/** Formulas as SMT-LIB 2 text, which any prover of that language reads. */
import type { Clause, Model, Step } from '../model.ts'
import type { Formula, SymbolOf, Term, Variable } from './formula.ts'

/** How variables and symbols are called where a formula stands. */
interface Naming {
  readonly variables: ReadonlyMap<Variable, string>
  /** Those that have another name after a step. */
  readonly changed: ReadonlySet<SymbolOf>
}

const PLAIN: Naming = { variables: new Map(), changed: new Set() }

/** Declares the sorts and symbols of a model and asserts its axioms. */
export function preamble({ sorts, symbols, axioms }: Model): string {
  return [
    ...sorts.map((sort) => `(declare-sort ${sort} 0)`),
    ...symbols.map(
      ({ name, takes, gives }) => `(declare-fun ${name} (${takes.join(' ')}) ${gives ?? 'Bool'})`,
    ),
    ...axioms.map(asserted),
  ].join('\n')
}

export function asserted({ name, formula }: Clause): string {
  return `; ${name}\n(assert ${write(formula, PLAIN)})`
}

/** It is to be proved, so its opposite is asserted: what satisfies that is a counterexample. */
export function denied({ name, formula }: Clause): string {
  return `; not: ${name}\n(assert (not ${write(formula, PLAIN)}))`
}

/** A step: its parameters as constants, its guard, and a definition of each changed symbol after it. */
export function taken({ name, parameters, guard, updates }: Step): string {
  const variables = named(parameters, PLAIN)
  const at = { ...PLAIN, variables }
  return [
    `; step: ${name}`,
    ...parameters.map((parameter) => `(declare-const ${variables.get(parameter)} ${parameter.sort})`),
    `(assert ${write(guard, at)})`,
    ...updates.map(({ symbol, at: places, is }) => {
      const inside = { ...at, variables: named(places, at) }
      const list = places.map((place) => `(${inside.variables.get(place)} ${place.sort})`).join(' ')
      const body = isTerm(is) ? writeTerm(is, inside) : write(is, inside)
      return `(define-fun ${after(symbol)} (${list}) ${symbol.gives ?? 'Bool'} ${body})`
    }),
  ].join('\n')
}

/** The opposite of a clause in the state after a step. */
export function deniedAfter({ name, formula }: Clause, { updates }: Step): string {
  const changed = new Set(updates.map(({ symbol }) => symbol))
  return `; not afterwards: ${name}\n(assert (not ${write(formula, { ...PLAIN, changed })}))`
}

function after({ name }: SymbolOf): string {
  return `${name}-after`
}

/** Names for more variables, none of which is in use. */
function named(more: readonly Variable[], { variables }: Naming): ReadonlyMap<Variable, string> {
  const all = new Map(variables)
  const used = new Set(variables.values())
  for (const variable of more) {
    let name = `?${variable.name}`
    for (let copy = 2; used.has(name); copy += 1) name = `?${variable.name}.${copy}`
    used.add(name)
    all.set(variable, name)
  }
  return all
}

export function isTerm(part: Formula | Term): part is Term {
  return part.is === 'variable' || part.is === 'value' || part.is === 'if'
}

function write(formula: Formula, naming: Naming): string {
  switch (formula.is) {
    case 'holds':
      return applied(formula.symbol, formula.at, naming)
    case 'equal':
      return `(= ${writeTerm(formula.left, naming)} ${writeTerm(formula.right, naming)})`
    case 'not':
      return `(not ${write(formula.of, naming)})`
    case 'and':
    case 'or': {
      if (formula.of.length === 0) return formula.is === 'and' ? 'true' : 'false'
      return `(${formula.is} ${formula.of.map((part) => write(part, naming)).join(' ')})`
    }
    default: {
      const inside = { ...naming, variables: named(formula.variables, naming) }
      const list = formula.variables.map((each) => `(${inside.variables.get(each)} ${each.sort})`).join(' ')
      return `(${formula.is} (${list}) ${write(formula.of, inside)})`
    }
  }
}

function writeTerm(term: Term, naming: Naming): string {
  if (term.is === 'value') return applied(term.symbol, term.at, naming)
  if (term.is === 'if') {
    const { when, yes, no } = term
    return `(ite ${write(when, naming)} ${writeTerm(yes, naming)} ${writeTerm(no, naming)})`
  }
  const name = naming.variables.get(term)
  if (name === undefined) throw new Error(`the variable ${term.name} is used where it is not bound`)
  return name
}

function applied(symbol: SymbolOf, at: readonly Term[], naming: Naming): string {
  const name = naming.changed.has(symbol) ? after(symbol) : symbol.name
  return at.length === 0 ? name : `(${name} ${at.map((term) => writeTerm(term, naming)).join(' ')})`
}
