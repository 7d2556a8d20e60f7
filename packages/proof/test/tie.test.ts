/** The text that runs does what the models say: in every world the invariant holds, and every step is one of the model, or none. */
import { gallery } from '@turnwise/algorithms/broken/gallery'
import { describe, expect, test } from 'vitest'
import { isDue, isWhole } from '../../../test/extent.ts'
import { brokenName, proofs } from '../src/proofs.ts'
import { tie } from '../src/tie.ts'

/** The first are tied by `npm test`, the others by `npm run test:long`. */
const due = proofs.filter((_, i) => isDue(i, 2, proofs.length))

describe.each(due.map((proof) => [proof.algorithm.facts.name, proof] as const))('%s', (_, proof) => {
  test('every step of the handlers is a step of the model', () => {
    const ties = proof.tied.map((tied) => tie(proof, tied))
    expect(ties.map(({ violation }) => violation)).toEqual(ties.map(() => null))
    // A model with a step that the text never takes would be a model of something else.
    const taken = new Set(ties.flatMap((each) => [...each.taken]))
    expect(proof.model.steps.map(({ name }) => name).filter((name) => !taken.has(name))).toEqual([])
    expect(Math.max(...proof.tied.map(({ nodes }) => nodes))).toBeGreaterThan(2)
  })
})

test.runIf(isWhole)('so it is in larger worlds', () => {
  for (const proof of proofs)
    for (const tied of proof.further ?? []) expect(tie(proof, tied).violation).toBeNull()
})

test('a text with another rule is not tied', () => {
  const found = due.flatMap((proof) =>
    proof.broken.flatMap((broken) => {
      const variant = gallery.find(({ algorithm }) => algorithm.facts.name === brokenName(proof, broken))
      return variant === undefined ? [] : [{ proof, algorithm: variant.algorithm }]
    }),
  )
  expect(found.length).toBeGreaterThan(0)
  for (const { proof, algorithm } of found) {
    const ties = proof.tied.map((tied) => tie(proof, tied, algorithm))
    expect(
      ties.some(({ violation }) => violation !== null),
      algorithm.facts.name,
    ).toBe(true)
  }
})
