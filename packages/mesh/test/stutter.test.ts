import { describe, expect, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import { longestWait } from './simulation/stutter.ts'

const SEEDS = extent(1, 6, 20)

// A proposer that waits for 0.3 T only leaves out a node that stands still just then, and it comes back by one more change of view: the
// longest waits were 11 and 20 T.
describe('on a machine that does not let seven nodes run all are served: views come to rest', () => {
  for (const [stand, most] of [
    [0.5, 8],
    [0.6, 12],
  ] as const) {
    test(`each stands still for up to ${stand} T again and again, seeds 1 to ${SEEDS}`, () => {
      for (let seed = 1; seed <= SEEDS; seed += 1) {
        const waited = longestWait({ seed, nodes: 7, stand, between: 0.5, write: 0.1 })
        expect(waited, `seed ${seed}: the longest wait in T`).toBeLessThanOrEqual(most)
      }
    })
  }
})
