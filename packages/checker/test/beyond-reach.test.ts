import { algorithmNamed } from '@turnwise/algorithms/catalogue'
import { simulationConfig } from '@turnwise/simulator/configuration'
import { expect, test } from 'vitest'
import { Check } from '../src/check.ts'
import { FenceCheck } from '../src/fence-check.ts'
import { type Instance, NO_TROUBLE } from '../src/instance.ts'

/**
 * Nodes of Nishio, Li and Manning remember the last fence they heard of. With any number of requests one that never
 * asks falls behind for ever, so the search that follows fences has no end, and says so.
 */
// shows sanders-1987 3.1 Policy for Conflict Resolution
test('a clock that falls behind for ever cuts the search short; what holds for fewer requests is no proof', () => {
  const algorithm = algorithmNamed('nishio-li-manning')
  const instance: Instance = {
    algorithm,
    setup: simulationConfig(algorithm, { nodes: 2 }).setup,
    requests: null,
    channels: 'unordered',
    timing: 'bounded',
    budgets: NO_TROUBLE,
  }
  const check = new Check(instance, 100_000)
  while (!check.run(10_000));
  expect(check.result.complete).toBe(true)
  const fences = new FenceCheck(instance, 100_000)
  while (!fences.run(10_000));
  expect(fences.result).toMatchObject({
    holds: null,
    reason: expect.stringContaining('holds for 2 requests'),
  })
})
