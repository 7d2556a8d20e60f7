/**
 * A model of an algorithm for any number of nodes: what holds at first, the steps, and an invariant that every step keeps. Each clause of the
 * invariant and each step has a name, so that what fails can be named.
 */
import {
  and,
  type Declared,
  either,
  equal,
  exists,
  type Formula,
  forall,
  implies,
  type Mapping,
  not,
  or,
  ordering,
  type Relation,
  type SortName,
  type SymbolOf,
  type Term,
  type Variable,
  variables,
} from './logic/formula.ts'

export interface Model {
  /** The sorts, `node` among them. */
  readonly sorts: readonly SortName[]
  /** All that formulas speak of. */
  readonly symbols: readonly SymbolOf[]
  /** What is assumed of what never changes, such as that numbers are ordered. */
  readonly axioms: readonly Clause[]
  /**
   * What is assumed too, but only the goals need, such as that any two quorums have a node in common. "For all … there is" of nodes can make the prover
   * search for ever, so the questions about steps are better off without it.
   */
  readonly axiomsOfGoals?: readonly Clause[]
  /** What holds at first. */
  readonly first: readonly Clause[]
  readonly steps: readonly Step[]
  readonly invariant: readonly Clause[]
  /** What the invariant must imply. */
  readonly goals: readonly Clause[]
}

export interface Clause {
  /** In words, as it is printed. */
  readonly name: string
  readonly formula: Formula
}

/** What may happen, for all values of its parameters: where the guard holds, the state changes at once. */
export interface Step {
  readonly name: string
  readonly parameters: readonly Variable[]
  readonly guard: Formula
  readonly updates: readonly Update[]
}

/** What a relation or function is after a step, in terms of the state before it. What has no update stays as it is. */
export interface Update {
  readonly symbol: SymbolOf
  readonly at: readonly Variable[]
  /** A formula for a relation, a term for a function. */
  readonly is: Formula | Term
}

export function clause(name: string, formula: Formula): Clause {
  return { name, formula }
}

/** A clause about all elements: most are. */
export function always<const Names extends Declared>(
  name: string,
  names: Names,
  of: (bound: { readonly [Name in keyof Names]: Variable<Names[Name]> }) => Formula,
): Clause {
  return { name, formula: forall(names, of) }
}

export function step<const Names extends Declared>(
  name: string,
  names: Names,
  of: (bound: { readonly [Name in keyof Names]: Variable<Names[Name]> }) => {
    readonly when: readonly Formula[]
    readonly changes: readonly Update[]
  },
): Step {
  const bound = variables(names)
  const { when, changes } = of(bound)
  const changed = changes.map(({ symbol }) => symbol)
  const twice = changed.find((symbol, index) => symbol.kind !== 'state' || changed.indexOf(symbol) !== index)
  if (twice !== undefined) throw new Error(`${name} cannot change ${twice.name}, or changes it twice`)
  return { name, parameters: Object.values(bound), guard: and(...when), updates: changes }
}

type Variables<Sorts extends readonly SortName[]> = {
  readonly [Index in keyof Sorts]: Variable<Sorts[Index]>
}
type Terms<Sorts extends readonly SortName[]> = { readonly [Index in keyof Sorts]: Term<Sorts[Index]> }

function fresh<Sorts extends readonly SortName[]>({ takes }: SymbolOf): Variables<Sorts> {
  return takes.map((sort, index) => ({
    is: 'variable',
    name: `x${index}`,
    sort,
  })) as unknown as Variables<Sorts>
}

/** After the step the relation holds where the formula held before it. */
export function becomes<Sorts extends readonly SortName[]>(
  changed: Relation<Sorts>,
  of: (...at: Variables<Sorts>) => Formula,
): Update {
  const at = fresh<Sorts>(changed.symbol)
  return { symbol: changed.symbol, at, is: of(...at) }
}

/** The relation holds there too. */
export function add<Sorts extends readonly SortName[]>(
  changed: Relation<Sorts>,
  ...tuple: Terms<Sorts>
): Update {
  return becomes(changed, (...at) => or(changed(...at), same(at, tuple)))
}

/** The relation no longer holds there. */
export function remove<Sorts extends readonly SortName[]>(
  changed: Relation<Sorts>,
  ...tuple: Terms<Sorts>
): Update {
  return becomes(changed, (...at) => and(changed(...at), not(same(at, tuple))))
}

/** The function has that value there. */
export function set<Sorts extends readonly SortName[], Value extends SortName>(
  changed: Mapping<Sorts, Value>,
  tuple: Terms<Sorts>,
  value: Term<Value>,
): Update {
  const at = fresh<Sorts>(changed.symbol)
  return { symbol: changed.symbol, at, is: either(same(at, tuple), value, changed(...at)) }
}

function same(at: readonly Variable[], tuple: readonly Term[]): Formula {
  return and(...at.map((variable, index) => equal(variable, tuple[index] as Term)))
}

/** A strict total order of a sort, and the axioms that say so. */
export function order<const Sort extends SortName>(
  name: string,
  sort: Sort,
): { readonly below: Relation<readonly [Sort, Sort]>; readonly axioms: readonly Clause[] } {
  const below = ordering(name, sort)
  const axioms = [
    always(`${name} is irreflexive`, { a: sort }, ({ a }) => not(below(a, a))),
    always(`${name} is transitive`, { a: sort, b: sort, c: sort }, ({ a, b, c }) =>
      implies(and(below(a, b), below(b, c)), below(a, c)),
    ),
    always(`${name} is total`, { a: sort, b: sort }, ({ a, b }) => or(below(a, b), equal(a, b), below(b, a))),
  ]
  return { below, axioms }
}

/** Two nodes are never inside together: the goal of every proof. */
export function exclusion(inside: Relation<readonly ['node']>): Clause {
  return always('exclusion: at most one node is inside', { i: 'node', j: 'node' }, ({ i, j }) =>
    implies(and(inside(i), inside(j)), equal(i, j)),
  )
}

/** There is one token: a node holds it, or it is under way to a node. These are clauses of the invariant of every token algorithm. */
export function oneToken(
  holds: Relation<readonly ['node']>,
  underWay: Relation<readonly ['node']>,
): readonly Clause[] {
  return [
    always('at most one node holds the token', { i: 'node', j: 'node' }, ({ i, j }) =>
      implies(and(holds(i), holds(j)), equal(i, j)),
    ),
    always('a token that is held is not under way', { i: 'node', j: 'node' }, ({ i, j }) =>
      implies(holds(i), not(underWay(j))),
    ),
    always('the token is under way to at most one node', { i: 'node', j: 'node' }, ({ i, j }) =>
      implies(and(underWay(i), underWay(j)), equal(i, j)),
    ),
    clause(
      'the token is held or under way',
      exists({ i: 'node' }, ({ i }) => or(holds(i), underWay(i))),
    ),
  ]
}

/** What most token algorithms begin with. */
export function heldAtFirst(holds: Relation<readonly ['node']>): Clause {
  return clause(
    'one node holds the token',
    exists({ i: 'node' }, ({ i }) =>
      forall({ j: 'node' }, ({ j }) => and(holds(i), implies(holds(j), equal(i, j)))),
    ),
  )
}

/** The goal of every token algorithm beside exclusion. */
export function tokenGoal(holds: Relation<readonly ['node']>, underWay: Relation<readonly ['node']>): Clause {
  const parts = oneToken(holds, underWay).map(({ formula }) => formula)
  return clause('one token: it is never lost and never doubled', and(...parts))
}

/** Only who has the token is inside. */
export function insideHolds(inside: Relation<readonly ['node']>, holds: Relation<readonly ['node']>): Clause {
  return always('a node that is inside holds the token', { i: 'node' }, ({ i }) =>
    implies(inside(i), holds(i)),
  )
}

/** The same model with some of its steps replaced by others of the same names: a broken variant. */
export function withSteps(model: Model, ...others: readonly Step[]): Model {
  for (const { name } of others)
    if (!model.steps.some((step) => step.name === name)) throw new Error(`there is no step ${name}`)
  const steps = model.steps.map((step) => others.find(({ name }) => name === step.name) ?? step)
  return { ...model, steps }
}
