import { describe, expect, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import { FAULTS, withoutService } from './simulation/service.ts'

const SEEDS = extent(4, 12)

describe('a lock serves again within two and a half leases of virtual time, whatever is stopped or killed', () => {
  for (const fault of FAULTS) {
    test(`${fault}, seven nodes that stand still for up to 0.3 leases, seeds 0 to ${SEEDS - 1}`, () => {
      for (let seed = 0; seed < SEEDS; seed += 1) {
        const command = `npm run mesh:service -- --fault '${fault}' --seed ${seed}`
        expect(withoutService({ seed, nodes: 7, fault, stand: 0.3 }), command).toBeLessThanOrEqual(2.5)
      }
    })
  }
})
