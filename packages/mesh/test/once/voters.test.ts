/** A job runs at most once for each fire time, whatever becomes of words, holders and voters; and the same runs catch every mistake. */
import { expect, test } from 'vitest'
import { extent } from '../../../../test/extent.ts'
import { brokenKeeping, underKeeping } from '../../broken/keeping.ts'
import { VotersWorld } from './voters-world.ts'

const STEPS = 1500

function twice(seed: number): boolean {
  return [...new VotersWorld(seed).run(STEPS).ran.values()].some((count) => count > 1)
}

test('no fire time has two runs, and most have one', () => {
  let runs = 0
  let unknown = 0
  for (let seed = 1; seed <= extent(150, 3000); seed += 1) {
    const world = new VotersWorld(seed).run(STEPS)
    expect(
      [...world.ran].filter(([, count]) => count > 1),
      `seed ${seed}`,
    ).toEqual([])
    runs += world.ran.size
    unknown += world.unknown
  }
  // The oracle has something to look at: jobs run, and some are not run because nobody can know.
  expect(runs).toBeGreaterThan(300)
  expect(unknown).toBeGreaterThan(10)
})

test.each(brokenKeeping)('$name is caught: $mistake', ({ change }) => {
  const seeds = Array.from({ length: 400 }, (_, i) => i + 1)
  expect(underKeeping(change, () => seeds.find(twice))).toBeDefined()
})
