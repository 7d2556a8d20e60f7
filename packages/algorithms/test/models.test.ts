import { describe, expect, test } from 'vitest'
import { algorithmOf, checkModel, commandFor, instanceOf, modelFiles } from '../../../scripts/models.ts'
import { isDue } from '../../../test/extent.ts'
import { brokenElections, gallery } from '../broken/gallery.ts'
import { innocentNames, innocents } from '../innocent/innocents.ts'
import { catalogue, elections } from '../src/catalogue.ts'

/** Larger models are left to `npm run test:long`, and the largest to `npm run check:all`. */
const isQuick = (states: number) => isDue(states, 400, 8_000, 60_000)

/**
 * Every quick model is checked again and must give exactly its record: states, transitions, depth, verdict and
 * extremes. `npm run check:all -- --update` writes the records.
 */
for (const file of modelFiles()) {
  const models = file.models.filter(({ slow, expected }) => slow !== true && isQuick(expected?.states ?? 0))
  describe.runIf(models.length > 0)(file.algorithm, () => {
    for (const model of models) {
      test(commandFor(file.algorithm, model), () => {
        expect(checkModel(instanceOf(algorithmOf(file), model)).expected).toEqual(model.expected)
      })
    }
  })
}

test('every algorithm and every variant, broken or innocent, has a model', () => {
  const names = [
    ...[...catalogue, ...elections].map(({ facts }) => facts.name),
    ...[...gallery, ...brokenElections].map(({ algorithm }) => algorithm.facts.name),
    ...innocentNames,
  ]
  expect(
    modelFiles()
      .map(({ algorithm }) => algorithm)
      .toSorted(),
  ).toEqual(names.toSorted())
})

// shows helary-plouzeau-raynal-1988 5.1 Mutual exclusion (Theorem 1)
// shows claim singhal-dynamic-order
test('algorithms hold at three nodes; what is known to fail and broken variants fail by the property they name', () => {
  for (const { algorithm, models } of modelFiles()) {
    const variant = [...gallery, ...brokenElections].find(
      (broken) => broken.algorithm.facts.name === algorithm,
    )
    const known = catalogue.find(({ facts }) => facts.name === algorithm)?.facts.knownToFail
    const property = variant?.fails ?? known?.property
    if (innocentNames.has(algorithm)) continue
    if (property === undefined) {
      const held = models.filter(({ nodes, expected }) => nodes === 3 && expected?.fails === undefined)
      expect(held.length, algorithm).toBeGreaterThan(0)
    } else {
      expect(
        models.map(({ expected }) => expected?.fails),
        algorithm,
      ).toContain(property)
    }
  }
})

test('what was suspected and turned out innocent fails in no model', () => {
  for (const { name, algorithm } of innocents) {
    const { models = [] } = modelFiles().find((file) => file.algorithm === algorithm.facts.name) ?? {}
    expect(models.length, name).toBeGreaterThan(0)
    expect(
      models.map(({ expected }) => expected?.fails),
      name,
    ).toEqual(models.map(() => undefined))
  }
})
