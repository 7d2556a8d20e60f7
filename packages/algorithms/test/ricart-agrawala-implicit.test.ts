import { type RunWishes, simulationConfig } from '@turnwise/simulator/configuration'
import { scriptFrom } from '@turnwise/simulator/load'
import { Simulation } from '@turnwise/simulator/simulation'
import { describe, expect, test } from 'vitest'
import { checkModel, instanceOf } from '../../../scripts/models.ts'
import { extent } from '../../../test/extent.ts'
import { ricartAgrawalaImplicit } from '../src/permission/ricart-agrawala-implicit.ts'
import { measured, SIZES } from './measured.ts'

/** What Ricart and Agrawala (1981) say of implicit replies in section 6.1, and of broadcasting in 6.2. */

const NAME = 'ricart-agrawala-implicit'
/** Every law of delays below 3.5, half of the default T. */
const BOUNDED = ['constant:1', 'constant:3.4', 'uniform:0,3', 'uniform:2,3.4']

describe('between n-1 and 3(n-1) messages', () => {
  // shows ricart-agrawala-1981 6.1 Implicit Reply
  test('n-1 where nobody competes: requests only', () => {
    for (const nodes of SIZES) {
      const { messages } = measured(NAME, { nodes, load: 'light', entries: 30 })
      expect(messages.byType).toEqual({ request: 30 * (nodes - 1) })
    }
  })

  // shows ricart-agrawala-1981 6.1 Implicit Reply
  test('3(n-1) for every entry that all others defer: under heavy load all but the first of each node', () => {
    for (const nodes of SIZES.filter((size) => size <= 20)) {
      const entries = 6 * nodes
      const { messages } = measured(NAME, { nodes, load: 'heavy', entries })
      // The first requests have equal numbers: of each two nodes one defers.
      const deferrals = (entries - nodes) * (nodes - 1) + (nodes * (nodes - 1)) / 2
      expect(messages.byType).toEqual({
        request: entries * (nodes - 1),
        deferred: deferrals,
        reply: deferrals,
      })
    }
  })

  test('whatever the load: n-1 requests, and a DEFERRED and a REPLY for each deferral', () => {
    for (const latency of BOUNDED) {
      for (const load of ['poisson:0.1', 'closed:5', 'hot:5,1']) {
        const { messages } = measured(NAME, { nodes: 6, load, latency, entries: 80, channels: 'unordered' })
        const { request = 0, deferred = 0, reply = 0 } = messages.byType
        expect(request).toBe(80 * 5)
        expect(reply).toBe(deferred)
        expect(messages.total).toBeLessThanOrEqual(80 * 15)
      }
    }
  })
})

describe('with broadcasts', () => {
  const set = ['broadcast=true']

  // shows ricart-agrawala-1981 6.2 Broadcast Messages
  test('the count is as low as one', () => {
    for (const nodes of SIZES) {
      const { messages } = measured(NAME, { nodes, load: 'light', entries: 30, set })
      expect(messages.perEntry).toBe(1)
    }
  })

  test('at most n+1: a request, n-1 times DEFERRED, and one REPLY for all', () => {
    for (const nodes of SIZES.filter((size) => size <= 20)) {
      const entries = 6 * nodes
      const { messages } = measured(NAME, { nodes, load: 'heavy', entries, set })
      expect(messages.byType['request']).toBe(entries)
      expect(messages.byType['deferred']).toBe((entries - nodes) * (nodes - 1) + (nodes * (nodes - 1)) / 2)
      // The last node to leave has deferred no reply.
      expect(messages.byType['reply']).toBe(entries - 1)
    }
  })
})

describe('the price is time', () => {
  // shows ricart-agrawala-1981 6.1 Implicit Reply
  test('a node that meets nobody waits for T, not for one round trip', () => {
    for (const T of [7, 12, 50]) {
      const { responseTime } = measured(NAME, { nodes: 5, load: 'light', entries: 20, set: [`T=${T}`] })
      expect(responseTime).toEqual({ mean: T, p50: T, p99: T, max: T })
    }
  })

  test('once all others have deferred and replied, nothing is left to wait for', () => {
    // Node 0 enters at 7 and leaves at 8; node 1, which asked at 5 and would have to wait until 12, enters at 9.
    const script = scriptFrom('0 request 0\n5 request 1', 2, 'script')
    expect(measured(NAME, { nodes: 2, load: script }).responseTime).toMatchObject({ p50: 4, max: 7 })
  })
})

describe('all rests on the bound', () => {
  function violationsWith(wishes: RunWishes): string[] {
    const config = simulationConfig(ricartAgrawalaImplicit, {
      nodes: 5,
      load: 'closed:3',
      entries: 200,
      seed: 3,
      ...wishes,
    })
    return new Simulation(config).runToEnd().jury.violations.map(({ judge }) => judge)
  }

  test('within it nothing goes wrong, whatever the seed', () => {
    for (let seed = 1; seed <= extent(5, 20); seed += 1) {
      for (const latency of BOUNDED) {
        for (const broadcast of [false, true])
          expect(violationsWith({ seed, latency, set: [`broadcast=${broadcast}`] })).toEqual([])
      }
    }
  })

  test('a delay that exceeds it lets two in', () => {
    expect(violationsWith({ fault: ['spike:0.3,20'] })).toContain('exclusion')
    expect(violationsWith({ latency: 'uniform:0,3', set: ['T=3'] })).toContain('exclusion')
  })

  test('so does a request that is lost: silence is all that is heard of it', () => {
    const judges = Array.from({ length: 20 }, (_, seed) => violationsWith({ fault: ['drop:0.05'], seed }))
    expect(judges.flat()).toContain('exclusion')
  })

  test('the checker says so too: where time-outs fire at any moment, T after both asked is too early', () => {
    const found = (timing: 'any' | 'bounded') =>
      checkModel(instanceOf(ricartAgrawalaImplicit, { nodes: 2, requests: 1, timing })).expected.fails
    expect(found('any')).toBe('exclusion')
    expect(found('bounded')).toBeUndefined()
  })
})
