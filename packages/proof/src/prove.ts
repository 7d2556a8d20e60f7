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
  const declared = preamble(model)
  const verdicts: Verdict[] = []
  let given: string | null = null
  let prover: Prover | null = null
  for (const obligation of obligationsOf(model).filter(only)) {
    // What is given is read once for all clauses of a step: that takes longer than to decide one of them.
    if (prover === null || obligation.given !== given) {
      prover?.end()
      prover = proverOf(`${declared}\n${obligation.given}`)
      given = obligation.given
    }
    const decided = decide(prover, obligation, now)
    if (decided.is === 'proved') {
      verdicts.push({ ...decided, counterexample: null })
      continue
    }
    // A prover that has given up answers nothing more. There may still be a small state that decides.
    prover.end()
    prover = null
    const counterexample = smallest(model, proverOf, obligation)
    verdicts.push({ ...decided, is: counterexample === null ? decided.is : 'refuted', counterexample })
  }
  prover?.end()
  return verdicts
}

const ANSWERS: Readonly<Record<string, Verdict['is']>> = { unsat: 'proved', sat: 'refuted' }

/** Decides an obligation, where the prover has read what is given. */
function decide(prover: Prover, obligation: Obligation, now: () => number): Omit<Verdict, 'counterexample'> {
  const started = now()
  const answer = prover.tell(asked(obligation.denied)).trim()
  return { obligation, is: ANSWERS[answer] ?? 'unknown', milliseconds: now() - started }
}

function smallest(model: Model, proverOf: ProverOf, obligation: Obligation): Counterexample | null {
  const prover = proverOf([preamble(model), obligation.given, obligation.denied].join('\n'))
  for (const sizes of sizesToTry(model)) {
    const found = prover.tell(`(push)\n${bounded(sizes)}\n(check-sat)`).trim() === 'sat'
    const answer = found ? prover.tell(tellAll(model, sizes, obligation)) : ''
    prover.tell('(pop)')
    if (!found) continue
    prover.end()
    return decoded(model, sizes, obligation, answer)
  }
  prover.end()
  return null
}
