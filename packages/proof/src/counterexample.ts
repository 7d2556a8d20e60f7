/**
 * Why an obligation does not hold: a small state that has the invariant, and a step from it that breaks a clause. No run need lead to that state:
 * then it is the invariant that is too weak. The prover finds the state; the step is then taken in it by the other reader of formulas, and the
 * two must agree.
 */
import { get } from '@turnwise/core/bounds'
import { type Arguments, Finite, type Sizes, type Structure } from './logic/finite.ts'
import type { SortName, SymbolOf } from './logic/formula.ts'
import type { Model } from './model.ts'
import type { Obligation } from './obligations.ts'

export interface Counterexample {
  readonly finite: Finite
  readonly before: Structure
  /** The values of the step's parameters. */
  readonly with: Arguments
  /** Null where the clause fails without a step. */
  readonly after: Structure | null
}

const MOST_ELEMENTS = 4

/** From few elements to more. */
export function sizesToTry({ sorts }: Model): Sizes[] {
  let all: Sizes[] = [{}]
  for (const sort of sorts)
    all = all.flatMap((sizes) =>
      Array.from({ length: MOST_ELEMENTS }, (_, less) => ({ ...sizes, [sort]: less + 1 })),
    )
  const total = (sizes: Sizes) => Object.values(sizes).reduce((sum, size) => sum + size, 0)
  return all.toSorted((a, b) => total(a) - total(b))
}

/** Says that there are these elements and no others. */
export function bounded(sizes: Sizes): string {
  return Object.entries(sizes)
    .map(([sort, size]) => {
      const names = elements(sort, size)
      const isOne = names.map((name) => `(= x ${name})`).join(' ')
      return [
        ...names.map((name) => `(declare-const ${name} ${sort})`),
        ...(size > 1 ? [`(assert (distinct ${names.join(' ')}))`] : []),
        `(assert (forall ((x ${sort})) (or ${isOne})))`,
      ].join('\n')
    })
    .join('\n')
}

function elements(sort: SortName, size: number): string[] {
  return Array.from({ length: size }, (_, index) => `${sort}!${index}`)
}

/** Yes-or-no questions that together tell a whole structure and the parameters of the step. */
function questions(model: Model, sizes: Sizes, { step }: Obligation): string[] {
  const found = tables(model, sizes).map(({ symbol, at, value }) => {
    const places = at.map((element, index) => `${symbol.takes[index]}!${element}`)
    const applied = places.length === 0 ? symbol.name : `(${symbol.name} ${places.join(' ')})`
    return value === null ? applied : `(= ${applied} ${symbol.gives}!${value})`
  })
  const parameters = step?.parameters ?? []
  return [
    ...found,
    ...parameters.flatMap(({ name, sort }) =>
      elements(sort, sizes[sort] ?? 0).map((element) => `(= ?${name} ${element})`),
    ),
  ]
}

/** Every place of every table; for a function also every value. */
function tables(model: Model, sizes: Sizes) {
  return model.symbols.flatMap((symbol) => {
    const values = symbol.gives === null ? [null] : [...Array(sizes[symbol.gives]).keys()]
    return tuples(symbol, sizes).flatMap((at) => values.map((value) => ({ symbol, at, value })))
  })
}

export function tuples({ takes }: SymbolOf, sizes: Sizes): number[][] {
  let all: number[][] = [[]]
  for (const sort of takes)
    all = all.flatMap((at) => [...Array(sizes[sort]).keys()].map((last) => [...at, last]))
  return all
}

export function tellAll(model: Model, sizes: Sizes, obligation: Obligation): string {
  return `(get-value (${questions(model, sizes, obligation).join('\n')}))`
}

/** Reads the answers, numbers the elements by the order of their sort, and takes the step. */
export function decoded(model: Model, sizes: Sizes, obligation: Obligation, answer: string): Counterexample {
  const truths = [...answer.matchAll(/\b(true|false)\s*\)/g)].map(([, word]) => word === 'true')
  const asked = questions(model, sizes, obligation)
  if (truths.length !== asked.length)
    throw new Error(`z3 answers ${truths.length} of ${asked.length} questions`)
  const places = tables(model, sizes)
  const ranks = ranksOf(model, sizes, (symbol, at) =>
    get(
      truths,
      places.findIndex((place) => place.symbol === symbol && place.at.every((x, i) => x === at[i])),
    ),
  )
  const rank = (sort: SortName, element: number) => ranks.get(sort)?.[element] ?? element
  const finite = new Finite(model, sizes)
  const before = finite.empty()
  places.forEach(({ symbol, at, value }, index) => {
    if (!get(truths, index)) return
    const to = at.map((element, i) => rank(get(symbol.takes, i), element))
    if (value === null) finite.add(symbol, to, before)
    else finite.set(symbol, to, rank(symbol.gives as SortName, value), before)
  })
  let next = places.length
  const given = (obligation.step?.parameters ?? []).map(({ sort }) => {
    const size = sizes[sort] ?? 0
    const chosen = truths.slice(next, next + size).indexOf(true)
    next += size
    return rank(sort, chosen)
  })
  return checked(finite, obligation, before, given)
}

/** What one reader takes for a counterexample must be one for the other. */
function checked(
  finite: Finite,
  { is, step, clause }: Obligation,
  before: Structure,
  given: Arguments,
): Counterexample {
  const { axioms, axiomsOfGoals = [], first, invariant } = finite.model
  const more = is === 'implied' ? axiomsOfGoals : []
  const assumed = [...axioms, ...more, ...(is === 'first' ? first : invariant)]
  const after = step === null ? null : finite.take(step, given, before)
  const isOne =
    finite.broken(assumed, before) === null &&
    (step === null || after !== null) &&
    !finite.holds(clause, after ?? before)
  if (!isOne) throw new Error(`the two readers of ${clause.name} disagree`)
  return { finite, before, with: given, after }
}

/** The places of elements in the order of their sort. */
function ranksOf(
  { symbols }: Model,
  sizes: Sizes,
  holds: (symbol: SymbolOf, at: readonly number[]) => boolean,
): ReadonlyMap<SortName, readonly number[]> {
  const ranks = new Map<SortName, readonly number[]>()
  for (const symbol of symbols.filter(({ kind }) => kind === 'order')) {
    const sort = get(symbol.takes, 0)
    const all = [...Array(sizes[sort]).keys()]
    ranks.set(
      sort,
      all.map((element) => all.filter((other) => holds(symbol, [other, element])).length),
    )
  }
  return ranks
}

/** A structure in words, a line for each table that is not empty. */
export function tellStructure(finite: Finite, structure: Structure, only?: ReadonlySet<SymbolOf>): string[] {
  return finite.model.symbols
    .filter((symbol) => symbol.kind !== 'order' && (only === undefined || only.has(symbol)))
    .map((symbol) => {
      const entries = tuples(symbol, finite.sizes).map((at) => ({
        at,
        value: finite.at(symbol, at, structure),
      }))
      if (symbol.takes.length === 0 && symbol.gives !== null) return `${symbol.name}: ${entries[0]?.value}`
      const told =
        symbol.gives === null
          ? entries.filter(({ value }) => value === 1).map(({ at }) => at.join(' '))
          : entries.map(({ at, value }) => `${at.join(' ')} → ${value}`)
      if (symbol.takes.length === 0) return `${symbol.name}: ${told.length === 0 ? 'no' : 'yes'}`
      return `${symbol.name}: ${told.length === 0 ? 'nowhere' : told.join(', ')}`
    })
}

/** The counterexample in words. */
export function tellCounterexample(
  { finite, before, with: given, after }: Counterexample,
  step: Obligation['step'],
): string[] {
  const sizes = Object.entries(finite.sizes).map(([sort, size]) => `${size} ${sort}${size === 1 ? '' : 's'}`)
  const values = (step?.parameters ?? []).map(({ name }, index) => `${name} = ${given[index]}`)
  const changed = new Set((step?.updates ?? []).map(({ symbol }) => symbol))
  return [
    `before (${sizes.join(', ')}):`,
    ...tellStructure(finite, before).map((line) => `  ${line}`),
    ...(after === null || step === null
      ? []
      : [
          `step ${step.name}, with ${values.join(', ')}; after it:`,
          ...tellStructure(finite, after, changed).map((line) => `  ${line}`),
        ]),
  ]
}
