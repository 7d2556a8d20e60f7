/** What must be shown of a model: a list of questions for a prover, each small. */
import { asserted, denied, deniedAfter, preamble, taken } from './logic/smt.ts'
import type { Clause, Model, Step } from './model.ts'

export interface Obligation {
  /** The step that must keep the clause; null where it must hold at first, or follow from the invariant. */
  readonly step: Step | null
  readonly clause: Clause
  readonly is: 'first' | 'kept' | 'implied'
  /** Asserts what is given: how it begins, or the invariant and the step. The same for all clauses of a step. */
  readonly given: string
  /** Asserts the opposite: to be unsatisfiable is to be proved. */
  readonly denied: string
}

/** Every clause holds at first, every step keeps every clause, and the invariant implies every goal. */
export function obligationsOf(model: Model): Obligation[] {
  const { first, invariant, steps, goals } = model
  const begins = first.map(asserted).join('\n')
  const assumed = invariant.map(asserted).join('\n')
  const atLast = [assumed, ...(model.axiomsOfGoals ?? []).map(asserted)].join('\n')
  return [
    ...invariant.map((clause) => {
      return { step: null, clause, is: 'first' as const, given: begins, denied: denied(clause) }
    }),
    ...steps.flatMap((step) => {
      const given = `${assumed}\n${taken(step)}`
      return invariant.map((clause) => {
        return { step, clause, is: 'kept' as const, given, denied: deniedAfter(clause, step) }
      })
    }),
    ...goals.map((clause) => {
      return { step: null, clause, is: 'implied' as const, given: atLast, denied: denied(clause) }
    }),
  ]
}

/** All questions as one text for a prover of SMT-LIB 2: it must answer `unsat` to each. */
export function scriptOf(model: Model): string {
  const questions = obligationsOf(model).map(({ given, denied: opposite }) => asked(`${given}\n${opposite}`))
  return [preamble(model), ...questions].join('\n')
}

/** One question, which leaves nothing behind. */
export function asked(text: string): string {
  return `(push)\n${text}\n(check-sat)\n(pop)`
}
