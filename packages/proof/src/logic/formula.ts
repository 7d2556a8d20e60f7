/**
 * First-order formulas over sorts: what a model of an algorithm is written in. There are two readers. `smt.ts` writes a formula for a prover,
 * which decides it for any number of nodes; `finite.ts` evaluates it in a structure of a few nodes, such as a world of the checker.
 */

/** What quantifiers range over, by name: `node`, `number`, `quorum`. A sort has at least one element. */
export type SortName = string

/** A relation or a function over sorts, as a value. */
export interface SymbolOf {
  /** As it stands in formulas, and in what is printed. */
  readonly name: string
  /** The sorts of its arguments. */
  readonly takes: readonly SortName[]
  /** The sort of its value; null for a relation, which holds or not. */
  readonly gives: SortName | null
  /** Steps change what is `state`. An `order` is a strict total order of its sort; `rigid` is all else that no step changes. */
  readonly kind: 'state' | 'rigid' | 'order'
}

/** One variable. Two of the same name are different: the writer of a formula renames one. */
export interface Variable<Sort extends SortName = SortName> {
  readonly is: 'variable'
  readonly name: string
  readonly sort: Sort
}

export type Term<Sort extends SortName = SortName> =
  | Variable<Sort>
  | { readonly is: 'value'; readonly symbol: SymbolOf; readonly at: readonly Term[]; readonly sort: Sort }
  | {
      readonly is: 'if'
      readonly when: Formula
      readonly yes: Term<Sort>
      readonly no: Term<Sort>
      readonly sort: Sort
    }

export type Formula =
  | { readonly is: 'holds'; readonly symbol: SymbolOf; readonly at: readonly Term[] }
  | { readonly is: 'equal'; readonly left: Term; readonly right: Term }
  | { readonly is: 'not'; readonly of: Formula }
  | { readonly is: 'and' | 'or'; readonly of: readonly Formula[] }
  | { readonly is: 'forall' | 'exists'; readonly variables: readonly Variable[]; readonly of: Formula }

type Terms<Sorts extends readonly SortName[]> = { readonly [Index in keyof Sorts]: Term<Sorts[Index]> }

/** A relation is applied like a function: `asks(i)`. */
export interface Relation<Sorts extends readonly SortName[] = readonly SortName[]> {
  (...at: Terms<Sorts>): Formula
  readonly symbol: SymbolOf
}

/** As is a function: `ours(i)`. */
export interface Mapping<
  Sorts extends readonly SortName[] = readonly SortName[],
  Value extends SortName = SortName,
> {
  (...at: Terms<Sorts>): Term<Value>
  readonly symbol: SymbolOf
}

/** A relation that steps change. */
export function relation<const Sorts extends readonly SortName[]>(
  name: string,
  ...takes: Sorts
): Relation<Sorts> {
  return relationOf({ name, takes, gives: null, kind: 'state' })
}

/** A relation that no step changes. */
export function rigid<const Sorts extends readonly SortName[]>(
  name: string,
  ...takes: Sorts
): Relation<Sorts> {
  return relationOf({ name, takes, gives: null, kind: 'rigid' })
}

/** A strict total order of a sort. The axioms that say so are `order` of `model.ts`. */
export function ordering<const Sort extends SortName>(
  name: string,
  sort: Sort,
): Relation<readonly [Sort, Sort]> {
  return relationOf({ name, takes: [sort, sort], gives: null, kind: 'order' })
}

function relationOf<Sorts extends readonly SortName[]>(symbol: SymbolOf): Relation<Sorts> {
  return Object.assign((...at: Terms<Sorts>): Formula => ({ is: 'holds', symbol, at }), { symbol })
}

/** A function that steps change. */
export function mapping<const Sorts extends readonly SortName[], const Value extends SortName>(
  name: string,
  takes: Sorts,
  gives: Value,
): Mapping<Sorts, Value> {
  return mappingOf({ name, takes, gives, kind: 'state' }, gives)
}

/** An element that has a name, such as the node where the token lies at first. */
export function constant<const Value extends SortName>(name: string, sort: Value): Mapping<[], Value> {
  return mappingOf({ name, takes: [], gives: sort, kind: 'rigid' }, sort)
}

function mappingOf<Sorts extends readonly SortName[], Value extends SortName>(
  symbol: SymbolOf,
  sort: Value,
): Mapping<Sorts, Value> {
  return Object.assign((...at: Terms<Sorts>): Term<Value> => ({ is: 'value', symbol, at, sort }), { symbol })
}

export function equal<Sort extends SortName>(left: Term<Sort>, right: Term<Sort>): Formula {
  return { is: 'equal', left, right }
}

export function differ<Sort extends SortName>(left: Term<Sort>, right: Term<Sort>): Formula {
  return not(equal(left, right))
}

export function not(of: Formula): Formula {
  return { is: 'not', of }
}

export function and(...of: Formula[]): Formula {
  return { is: 'and', of }
}

export function or(...of: Formula[]): Formula {
  return { is: 'or', of }
}

/** No two of them hold. */
export function atMostOne(...of: readonly Formula[]): Formula {
  return and(...of.flatMap((part, index) => of.slice(index + 1).map((other) => not(and(part, other)))))
}

export function implies(premise: Formula, ...conclusions: Formula[]): Formula {
  return or(not(premise), and(...conclusions))
}

export function iff(left: Formula, right: Formula): Formula {
  return and(implies(left, right), implies(right, left))
}

/** The one term where the formula holds, else the other. */
export function either<Sort extends SortName>(when: Formula, yes: Term<Sort>, no: Term<Sort>): Term<Sort> {
  return { is: 'if', when, yes, no, sort: yes.sort }
}

/** The sorts of variables, by their names. */
export type Declared = Readonly<Record<string, SortName>>

type Bound<Names extends Declared> = { readonly [Name in keyof Names]: Variable<Names[Name]> }

/** Fresh variables, by their names. */
export function variables<const Names extends Declared>(names: Names): Bound<Names> {
  const entries = Object.entries(names).map(([name, sort]) => [name, { is: 'variable', name, sort }])
  return Object.fromEntries(entries) as Bound<Names>
}

export function forall<const Names extends Declared>(
  names: Names,
  of: (bound: Bound<Names>) => Formula,
): Formula {
  const bound = variables(names)
  return { is: 'forall', variables: Object.values(bound), of: of(bound) }
}

export function exists<const Names extends Declared>(
  names: Names,
  of: (bound: Bound<Names>) => Formula,
): Formula {
  const bound = variables(names)
  return { is: 'exists', variables: Object.values(bound), of: of(bound) }
}

/** Whether a variable occurs in a formula or term. */
export function speaksOf(part: Formula | Term, variable: Variable): boolean {
  switch (part.is) {
    case 'variable':
      return part === variable
    case 'value':
    case 'holds':
      return part.at.some((term) => speaksOf(term, variable))
    case 'if':
      return [part.when, part.yes, part.no].some((each) => speaksOf(each, variable))
    case 'equal':
      return speaksOf(part.left, variable) || speaksOf(part.right, variable)
    case 'and':
    case 'or':
      return part.of.some((each) => speaksOf(each, variable))
    default:
      return speaksOf(part.of, variable)
  }
}
