import { describe, expect, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import { LEASE } from './simulation/plan.ts'
import { takeover } from './simulation/takeover.ts'

const SEEDS = extent(5, 30, 60)

/** Half a second, where a lease is two. */
const MARGIN = LEASE / 4

describe('the holder is killed: the next waiter is inside within a lease and a quarter of one, at any node', () => {
  for (const nodes of [3, 5]) {
    for (let rank = 0; rank < nodes; rank += 1) {
      test(`rank ${rank} of ${nodes} voters, seeds 1 to ${SEEDS}`, () => {
        for (let seed = 1; seed <= SEEDS; seed += 1) {
          const took = takeover({ seed, nodes, rank })
          expect(took, `seed ${seed}`).not.toBeNull()
          expect(took, `seed ${seed}`).toBeLessThanOrEqual(LEASE + MARGIN)
          // Not while its lease ran: it may have been the last moment before a heartbeat.
          expect(took, `seed ${seed}`).toBeGreaterThan(LEASE / 2)
        }
      })
    }
  }
})
