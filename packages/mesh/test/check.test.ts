/** The quick part of the exhaustive exploration, of which `npm test` does the quickest; `npm run -s mesh:check` does the rest. */
import { describe, expect, test } from 'vitest'
import { isDue, isWhole } from '../../../test/extent.ts'
import { present } from '../../../test/present.ts'
import { broken, brokenRules } from '../broken/rules.ts'
import { BOUNDS, QUICK_WORLDS } from '../check/bounds.ts'
import { caught } from '../check/caught.ts'
import { type Explored, explore } from '../check/explore.ts'

const explored = new Map<string, Explored>()

function exploreOnce(name: string): Explored {
  const known = explored.get(name) ?? explore(present(BOUNDS[name]))
  explored.set(name, known)
  return known
}

/** Bounds with more worlds are left to `npm run test:long` or go with the rest, and what takes more steps to catch is left to `test:long`. */
const areDue = (worlds: number) => isDue(worlds, 1_000, 8_000, Number.POSITIVE_INFINITY)

describe('within these bounds every schedule keeps E, F and the lemmas', () => {
  for (const [name, worlds] of Object.entries(QUICK_WORLDS)) {
    if (!areDue(worlds)) continue
    test(name, () => {
      const { isComplete, violation, states } = exploreOnce(name)
      expect(violation).toBeNull()
      expect(isComplete).toBe(true)
      expect(states).toBe(worlds)
    })
  }

  if (isWhole)
    test('what they are about does happen', () => {
      const happened = (name: string) => [...exploreOnce(name).sometimes.keys()]
      expect(happened('locks-2-lean')).toEqual(
        expect.arrayContaining(['a hold is carried over a view', 'a member is left out while it holds']),
      )
      expect(happened('locks-1-thief')).toContain('a lock is stolen')
      expect(happened('ballots-3-lean')).toContain(
        'a view is chosen while the one before was begun by nobody',
      )
      expect(happened('locks-2-x-restart')).toEqual(
        expect.arrayContaining([
          'a proposer dies after INSTALL, before any accept',
          'a proposer dies after it was chosen, before BEGIN',
          'a proposer dies after some accepts',
          'a proposer dies before INSTALL',
        ]),
      )
    })
})

describe('a broken rule is caught, and by no shorter schedule', () => {
  for (const { rule, bounds, property, steps } of caught.filter((each) =>
    isDue(each.steps, 5, Number.POSITIVE_INFINITY),
  )) {
    test(`${rule} within ${bounds}`, () => {
      const { violation } = explore(present(BOUNDS[bounds]), broken(rule))
      expect(violation?.property).toBe(property)
      expect(violation?.steps, violation?.steps.join('\n')).toHaveLength(steps)
      // The schedule can be told step by step.
      expect(violation?.steps).not.toContain('?')
    })
  }
})

/**
 * Who looks alive is no part of a world; a node has one caller at a time; its locks fit any view, and its lease is always the same. It
 * asks for locks, and for no group. It has no stamp. All nodes were told the same voters. All are caught elsewhere.
 */
const BEYOND = [
  'home-by-suspicion',
  'releases-twice',
  'begins-unfit',
  'fades-at-once',
  'forgets-names-of-group',
  'stamps-late',
  'contested-first-view',
  'first-view-unmet',
]

test('every broken rule but eight is among them', () => {
  const missing = brokenRules
    .map(({ name }) => name)
    .filter((name) => caught.every(({ rule }) => rule !== name))
  expect(missing).toEqual(BEYOND)
})
