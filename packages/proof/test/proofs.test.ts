/** Every proof is one, and every broken model is refuted at the step and the clause that it names. */
import { beforeAll, describe, expect, test } from 'vitest'
import { isDue } from '../../../test/extent.ts'
import { brokenName, proofs } from '../src/proofs.ts'
import { prove, type Verdict } from '../src/prove.ts'
import type { ProverOf } from '../src/prover.ts'
import { loadZ3 } from '../src/z3.ts'

let z3: ProverOf
beforeAll(async () => {
  z3 = await loadZ3()
})

function told({ is, obligation: { step, clause } }: Verdict): string {
  return `${is}: ${step?.name} | ${clause.name}`
}

/** The first are proved by `npm test`, the others by `npm run test:long`. */
const due = proofs.filter((_, i) => isDue(i, 2, proofs.length))

describe.each(due.map((proof) => [proof.algorithm.facts.name, proof] as const))('%s', (_, proof) => {
  test('every clause holds at first, every step keeps it, and exclusion follows', () => {
    const verdicts = prove(proof.model, z3)
    expect(verdicts.filter(({ is }) => is !== 'proved').map(told)).toEqual([])
    const { invariant, steps, goals } = proof.model
    expect(verdicts).toHaveLength(invariant.length * (steps.length + 1) + goals.length)
    expect(goals.map(({ name }) => name.replace(/:.*/, ''))).toContain('exclusion')
  })

  test.each(proof.broken.map((broken) => [brokenName(proof, broken), broken] as const))(
    '%s is refuted',
    (_name, { model, breaks }) => {
      const verdicts = prove(model, z3, {
        only: ({ step, clause }) => step?.name === breaks.step && clause.name === breaks.clause,
      })
      expect(verdicts.map(told)).toEqual([`refuted: ${breaks.step} | ${breaks.clause}`])
      // The evaluator agreed with the prover, or decoding had thrown.
      expect(verdicts[0]?.counterexample).not.toBeNull()
    },
  )
})
