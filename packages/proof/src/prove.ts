/** Asks a prover all that must be shown of a model. */
import { bounded, type Counterexample, decoded, sizesToTry, tellAll } from './counterexample.ts'
import { preamble } from './logic/smt.ts'
import type { Model } from './model.ts'
import { asked, type Obligation, obligationsOf } from './obligations.ts'
import type { Prover, ProverOf } from './prover.ts'

/** What became of an obligation. What the prover could not decide is not proved. */
export interface Verdict {
  readonly obligation: Obligation
  readonly is: 'proved' | 'refuted' | 'unknown'
  readonly milliseconds: number
  /** Null where it is proved, or no small one was found. */
  readonly counterexample: Counterexample | null
}

/** What a caller may add: its clock, to time each question, and which obligations it wants decided if not all. */
export interface Proving {
  /** Milliseconds since some moment. */
  readonly now?: () => number
  readonly only?: (obligation: Obligation) => boolean
}

/** Decides the obligations of a model, one after the other. */
export function prove(
  model: Model,
  proverOf: ProverOf,
  { now = () => 0, only = () => true }: Proving = {},
): Verdict[] {
  const prover = proverOf(preamble(model))
  const verdicts: Verdict[] = []
  try {
    let given: string | null = null
    for (const obligation of obligationsOf(model).filter(only)) {
      // What is given is read once for all clauses of a step: that takes longer than to decide one of them.
      if (obligation.given !== given)
        prover.tell(`${given === null ? '' : '(pop)'}(push)\n${obligation.given}`)
      given = obligation.given
      verdicts.push(decide(prover, model, obligation, now))
    }
    return verdicts
  } finally {
    prover.end()
  }
}

const ANSWERS: Readonly<Record<string, Verdict['is']>> = { unsat: 'proved', sat: 'refuted' }

/** Decides an obligation, where the prover has read what is given. */
function decide(prover: Prover, model: Model, obligation: Obligation, now: () => number): Verdict {
  const started = now()
  const answer = prover.tell(asked(obligation.denied)).trim()
  const milliseconds = now() - started
  const is = ANSWERS[answer] ?? 'unknown'
  // Where the prover gives up, there may still be a small state that decides.
  const counterexample = is === 'proved' ? null : smallest(prover, model, obligation)
  return { obligation, is: counterexample === null ? is : 'refuted', milliseconds, counterexample }
}

function smallest(prover: Prover, model: Model, obligation: Obligation): Counterexample | null {
  for (const sizes of sizesToTry(model)) {
    const text = `(push)\n${obligation.denied}\n${bounded(sizes)}\n(check-sat)`
    const found = prover.tell(text).trim() === 'sat'
    const answer = found ? prover.tell(tellAll(model, sizes, obligation)) : ''
    prover.tell('(pop)')
    if (found) return decoded(model, sizes, obligation, answer)
  }
  return null
}
