import { describe, expect, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import { longestWait } from './simulation/stutter.ts'

const SEEDS = extent(1, 6, 20)

// A proposer that waits for 0.3 T only leaves out a node that stands still just then, and it comes back by one more change of view: the
// longest waits were 11 and 20 T.
describe('on a machine that does not let its nodes run all are served: views come to rest', () => {
  for (const [stand, most] of [
    [0.5, 8],
    [0.6, 12],
  ] as const) {
    test(`each stands still for up to ${stand} T again and again, seeds 1 to ${SEEDS}`, () => {
      for (let seed = 1; seed <= SEEDS; seed += 1) {
        const waited = longestWait({ seed, nodes: 7, least: 0, stand, between: 0.5, write: 0.1, killed: 0 })
        expect(waited, `seed ${seed}: the longest wait in T`).toBeLessThanOrEqual(most)
      }
    })
  }

  // If a process that goes on proposes before it has read its sockets (R8), and a proposer waits for 0.3 T only (R12), the longest
  // waits of 20 seeds are 6 to 57 T. Without the second wait alone they are 4 to 34 T, with both 4 to 12.2 T.
  test(`each runs for a moment every 0.3 T while two of five come back, seeds 1 to ${SEEDS}`, () => {
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const stutter = { seed, nodes: 5, least: 0.25, stand: 0.29, between: 0.02, write: 0.02, killed: 2 }
      expect(longestWait(stutter), `seed ${seed}: the longest wait in T`).toBeLessThanOrEqual(16)
    }
  })
})
