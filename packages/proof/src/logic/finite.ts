/**
 * Formulas read in a finite structure: so many elements of each sort, numbered from 0, and a table of each relation and function.
 * A structure is one list of small numbers, so that it can be compared and kept by its text.
 */
import { get, outOfBounds } from '@turnwise/core/bounds'
import type { Clause, Model, Step } from '../model.ts'
import { type Formula, type SortName, type SymbolOf, speaksOf, type Term, type Variable } from './formula.ts'
import { isTerm } from './smt.ts'

/** All tables, one behind the other: 0 or 1 for a relation, the element for a function. */
export type Structure = Uint8Array

/** How many elements each sort has. */
export type Sizes = Readonly<Record<SortName, number>>

/** Values of a step's parameters, in their order. */
export type Arguments = readonly number[]

type Test = (in_: Structure) => boolean
type Value = (in_: Structure) => number

interface Table {
  readonly start: number
  readonly length: number
  /** The sizes of the sorts that it takes. */
  readonly sides: readonly number[]
}

/** The structures of one model with so many elements, and what holds in them. */
export class Finite {
  readonly model: Model
  readonly sizes: Sizes
  readonly #tables = new Map<SymbolOf, Table>()
  readonly #length: number
  /** The values of variables, each at its own place. */
  readonly #values: number[] = []
  readonly #places = new Map<Variable, number>()
  readonly #tests = new Map<Formula, Test>()
  readonly #steps: readonly CompiledStep[]

  constructor(model: Model, sizes: Sizes) {
    this.model = model
    this.sizes = sizes
    let length = 0
    for (const symbol of model.symbols) {
      const sides = symbol.takes.map((sort) => this.#sizeOf(sort))
      const size = sides.reduce((product, side) => product * side, 1)
      this.#tables.set(symbol, { start: length, length: size, sides })
      length += size
    }
    this.#length = length
    this.#steps = model.steps.map((step) => this.#compiled(step))
  }

  /** A structure in which no relation holds but orders, which are those of the numbers, and every function gives element 0. */
  empty(): Structure {
    const structure = new Uint8Array(this.#length)
    for (const [{ kind }, { start, sides }] of this.#tables) {
      const [side = 0] = kind === 'order' ? sides : []
      for (let place = 0; place < side * side; place += 1)
        if (Math.floor(place / side) < place % side) structure[start + place] = 1
    }
    return structure
  }

  /** Writes that a relation holds there. */
  add(symbol: SymbolOf, at: readonly number[], into: Structure): void {
    into[this.#place(symbol, at)] = 1
  }

  /** Writes what a function gives there. */
  set(symbol: SymbolOf, at: readonly number[], value: number, into: Structure): void {
    if (symbol.gives === null || value < 0 || value >= this.#sizeOf(symbol.gives))
      throw new Error(`${symbol.name} cannot be ${value}: ${symbol.gives} has too few elements`)
    into[this.#place(symbol, at)] = value
  }

  /** What stands in a table: 0 or 1 for a relation, the element for a function. */
  at(symbol: SymbolOf, at: readonly number[], structure: Structure): number {
    return structure[this.#place(symbol, at)] ?? outOfBounds()
  }

  holds({ formula }: Pick<Clause, 'formula'>, structure: Structure): boolean {
    let test = this.#tests.get(formula)
    if (test === undefined) {
      test = this.#test(formula)
      this.#tests.set(formula, test)
    }
    return test(structure)
  }

  /** The first clause that does not hold, or null. */
  broken(clauses: readonly Clause[], structure: Structure): Clause | null {
    return clauses.find((each) => !this.holds(each, structure)) ?? null
  }

  /** Calls `visit` for every step that can be taken, for all values of its parameters. */
  steps(structure: Structure, visit: (step: Step, with_: Arguments, next: Structure) => void): void {
    for (const { step, guards, apply } of this.#steps) {
      const from = (index: number): void => {
        if (!get(guards, index).every((guard) => guard(structure))) return
        const parameter = step.parameters[index]
        if (parameter === undefined) return visit(step, this.#given(step), apply(structure))
        const place = this.#placeOf(parameter)
        for (let value = 0; value < this.#sizeOf(parameter.sort); value += 1) {
          this.#values[place] = value
          from(index + 1)
        }
      }
      from(0)
    }
  }

  /** What a step does, or null where its guard does not hold. */
  take(taken: Step, with_: Arguments, structure: Structure): Structure | null {
    const { step, guards, apply } = this.#steps.find((each) => each.step === taken) ?? outOfBounds()
    step.parameters.forEach((parameter, index) => {
      this.#values[this.#placeOf(parameter)] = get(with_, index)
    })
    return guards.flat().every((guard) => guard(structure)) ? apply(structure) : null
  }

  #given({ parameters }: Step): Arguments {
    return parameters.map((parameter) => get(this.#values, this.#placeOf(parameter)))
  }

  #sizeOf(sort: SortName): number {
    const size = this.sizes[sort]
    if (size === undefined || size < 1 || size > 255)
      throw new Error(`the sort ${sort} needs 1 to 255 elements`)
    return size
  }

  #place(symbol: SymbolOf, at: readonly number[]): number {
    const { start, sides } = this.#tables.get(symbol) ?? outOfBounds()
    let place = 0
    sides.forEach((side, index) => {
      const element = get(at, index)
      if (element < 0 || element >= side)
        throw new Error(`${symbol.name} at ${at.join(', ')}: ${symbol.takes[index]} has ${side} elements`)
      place = place * side + element
    })
    return start + place
  }

  #placeOf(variable: Variable): number {
    let place = this.#places.get(variable)
    if (place === undefined) {
      place = this.#values.push(0) - 1
      this.#places.set(variable, place)
    }
    return place
  }

  #forEach(variables: readonly Variable[], visit: () => void): void {
    const places = variables.map((variable) => this.#placeOf(variable))
    const sizes = variables.map(({ sort }) => this.#sizeOf(sort))
    const from = (index: number): void => {
      if (index === places.length) return visit()
      const size = get(sizes, index)
      for (let value = 0; value < size; value += 1) {
        this.#values[get(places, index)] = value
        from(index + 1)
      }
    }
    from(0)
  }

  #compiled(step: Step): CompiledStep {
    const updates = step.updates.map(({ symbol, at, is }) => {
      const { start } = this.#tables.get(symbol) ?? outOfBounds()
      const test = isTerm(is) ? null : this.#test(is)
      const value = isTerm(is) ? this.#value(is) : (in_: Structure) => (test?.(in_) === true ? 1 : 0)
      return { start, at, value }
    })
    const apply = (structure: Structure) => {
      const next = structure.slice()
      for (const { start, at, value } of updates) {
        let place = start
        this.#forEach(at, () => {
          next[place] = value(structure)
          place += 1
        })
      }
      return next
    }
    return { step, guards: this.#guards(step), apply }
  }

  #guards({ parameters, guard }: Step): Test[][] {
    const guards: Test[][] = [[], ...parameters.map(() => [])]
    for (const part of guard.is === 'and' ? guard.of : [guard]) {
      const last = parameters.findLastIndex((parameter) => speaksOf(part, parameter))
      get(guards, last + 1).push(this.#test(part))
    }
    return guards
  }

  #test(formula: Formula): Test {
    switch (formula.is) {
      case 'holds': {
        const place = this.#lookup(formula.symbol, formula.at)
        return (in_) => in_[place(in_)] === 1
      }
      case 'equal': {
        const left = this.#value(formula.left)
        const right = this.#value(formula.right)
        return (in_) => left(in_) === right(in_)
      }
      case 'not': {
        const of = this.#test(formula.of)
        return (in_) => !of(in_)
      }
      case 'and': {
        const parts = formula.of.map((part) => this.#test(part))
        return (in_) => parts.every((part) => part(in_))
      }
      case 'or': {
        const parts = formula.of.map((part) => this.#test(part))
        return (in_) => parts.some((part) => part(in_))
      }
      default:
        return this.#quantified(formula.variables, this.#test(formula.of), formula.is === 'forall')
    }
  }

  /** Looks for the value that decides: one that makes it false for all, one that makes it true for some. */
  #quantified(variables: readonly Variable[], of: Test, forAll: boolean): Test {
    const places = variables.map((variable) => this.#placeOf(variable))
    const sizes = variables.map(({ sort }) => this.#sizeOf(sort))
    const values = this.#values
    const decided = (in_: Structure, index: number): boolean => {
      if (index === places.length) return of(in_) !== forAll
      const place = get(places, index)
      const size = get(sizes, index)
      for (let value = 0; value < size; value += 1) {
        values[place] = value
        if (decided(in_, index + 1)) return true
      }
      return false
    }
    return (in_) => decided(in_, 0) !== forAll
  }

  #value(term: Term): Value {
    if (term.is === 'variable') {
      const place = this.#placeOf(term)
      const values = this.#values
      return () => values[place] ?? outOfBounds()
    }
    if (term.is === 'value') {
      const place = this.#lookup(term.symbol, term.at)
      return (in_) => in_[place(in_)] ?? outOfBounds()
    }
    const when = this.#test(term.when)
    const yes = this.#value(term.yes)
    const no = this.#value(term.no)
    return (in_) => (when(in_) ? yes(in_) : no(in_))
  }

  #lookup(symbol: SymbolOf, at: readonly Term[]): Value {
    const { start, sides } = this.#tables.get(symbol) ?? outOfBounds()
    const parts = at.map((term, index) => ({ value: this.#value(term), side: get(sides, index) }))
    return (in_) => {
      let place = 0
      for (const { value, side } of parts) place = place * side + value(in_)
      return start + place
    }
  }
}

interface CompiledStep {
  readonly step: Step
  /** The parts of the guard: first those that need no parameter, then those that need the first and no other, and so on. */
  readonly guards: readonly (readonly Test[])[]
  readonly apply: (structure: Structure) => Structure
}

/** Structures are the same if their texts are. */
export function textOf(structure: Structure): string {
  return String.fromCharCode.apply(null, structure as unknown as number[])
}
