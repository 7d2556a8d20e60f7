/** Every recorded model that a reduction can take: the same verdict as the full search, with no more states. */
import type { Instance } from '@turnwise/checker/instance'
import type { PropertyName } from '@turnwise/checker/property'
import { reducibleOf, whyIrreducible } from '@turnwise/checker/reducible'
import { Search } from '@turnwise/checker/search'
import { describe, expect, test } from 'vitest'
import { algorithmOf, commandFor, instanceOf, modelFiles } from '../../../scripts/models.ts'
import { extent, isDue, isLong } from '../../../test/extent.ts'

const isQuick = (states: number) => isDue(states, 50, 2_000, 60_000)
const MOST_STATES = extent(1_000, 5_000, 100_000)

function searched(instance: Instance): Search {
  const search = new Search(instance, { mostStates: MOST_STATES, edges: false, followFences: false })
  while (!search.run(MOST_STATES));
  return search
}

/** Whether one of the properties fails; both searches must say the same. A full search that grows too large shows nothing. */
function fails(instance: Instance, only: readonly PropertyName[]): boolean {
  const full = searched({ ...instance, only })
  if (full.cutShort) return false
  const reduced = searched({ ...instance, only, reduced: true })
  expect(reduced.failure === null, only.join()).toBe(full.failure === null)
  if (full.failure === null) expect(reduced.states).toBeLessThanOrEqual(full.states)
  return full.failure !== null
}

for (const file of modelFiles()) {
  const models = file.models
    .filter(
      ({ slow, expected, only, reduced }) =>
        slow !== true && only === undefined && reduced === undefined && isQuick(expected?.states ?? 0),
    )
    .map((model) => ({ model, instance: instanceOf(algorithmOf(file), model) }))
    .filter(({ instance }) => whyIrreducible(instance) === null)
  describe.runIf(models.length > 0)(file.algorithm, () => {
    for (const { model, instance } of models) {
      test(`${commandFor(file.algorithm, model)} --reduce`, () => {
        const kept = reducibleOf(instance.algorithm)
        const { expected } = model
        expect(fails(instance, kept)).toBe(kept.some((name) => name === expected?.fails))
        // In the long tests property by property, so that none hides behind another.
        if (isLong) for (const name of kept) fails(instance, [name])
      })
    }
  })
}
