import { arrange } from '@turnwise/core/setup'
import { simulationConfig } from '@turnwise/simulator/configuration'
import { Simulation } from '@turnwise/simulator/simulation'
import { describe, expect, test } from 'vitest'
import { modelFiles } from '../../../scripts/models.ts'
import { atLeast } from '../../../test/present.ts'
import { ricartAgrawala } from '../src/permission/ricart-agrawala.ts'
import { ricartAgrawalaModulo } from '../src/permission/ricart-agrawala-modulo.ts'
import { measured, SIZES } from './measured.ts'

/** What Ricart and Agrawala (1981) say of bounded sequence numbers in section 6.4. */

/** Everything that happens in a run but what numbers and fences say. */
function story(algorithm: typeof ricartAgrawala | typeof ricartAgrawalaModulo, seed: number): string[] {
  const config = simulationConfig(algorithm, {
    nodes: 4,
    load: 'closed:2',
    entries: 200,
    latency: 'exponential:1',
    channels: 'unordered',
    seed,
  })
  const told: string[] = []
  const record: typeof config.record = (event) => {
    // Each gives its own reasons.
    if (event.is === 'because') return
    const who = 'node' in event ? event.node : ''
    told.push(`${event.at} ${event.is} ${who} ${event.is === 'send' ? event.message.type : ''}`)
  }
  new Simulation({ ...config, record }).runToEnd()
  return told
}

// shows ricart-agrawala-1981 6.4 Bounding Sequence Numbers
test('every comparison comes out as without the modulus: the runs are the same', () => {
  for (let seed = 1; seed <= 10; seed += 1)
    expect(story(ricartAgrawalaModulo, seed)).toEqual(story(ricartAgrawala, seed))
})

describe('numbers from 0 to 2n-2 are enough', () => {
  test('however often the section is entered', () => {
    for (const nodes of [2, 3, 5, 8]) {
      const config = simulationConfig(ricartAgrawalaModulo, { nodes, load: 'heavy', entries: 20 * nodes })
      const numbers = new Set<number>()
      const record: typeof config.record = (event) => {
        if (event.is === 'send' && 'number' in event.message) numbers.add(event.message.number as number)
      }
      const { jury } = new Simulation({ ...config, record }).runToEnd()
      expect(jury.violations).toEqual([])
      expect([...numbers].toSorted((a, b) => a - b)).toEqual([...Array(2 * nodes - 1).keys()])
    }
  })

  test('2(n-1) messages all the same', () => {
    for (const nodes of SIZES) {
      const { messages } = measured('ricart-agrawala-modulo', { nodes, load: 'heavy', entries: 60 })
      expect(messages.total).toBe(60 * 2 * (nodes - 1))
    }
  })

  test('complete for runs of any length: as many states as without a modulus, times M', () => {
    const records = modelFiles().filter(({ algorithm }) => algorithm.startsWith('ricart-agrawala'))
    const anyLength = (name: string, nodes: number) =>
      records
        .find(({ algorithm }) => algorithm === name)
        ?.models.filter((model) => model.nodes === nodes && model.requests === 'any' && !model.channels)
        .map(
          ({ set, expected }) =>
            [Number(set?.[0]?.replace('modulus=', '') ?? 2 * nodes - 1), expected] as const,
        ) ?? []
    for (const nodes of [2, 3]) {
      const [[, unbounded]] = atLeast(1, anyLength('ricart-agrawala', nodes))
      const bounded = anyLength('ricart-agrawala-modulo', nodes)
      expect(bounded.length).toBe(2)
      for (const [M, record] of bounded) {
        expect(record?.states).toBe(M * (unbounded?.states ?? 0))
        expect(record?.maxOvertaking).toBe(unbounded?.maxOvertaking)
      }
    }
  })
})

test('a world may begin with a node inside: its number is the earliest', () => {
  const { setup } = arrange(ricartAgrawalaModulo.facts, { nodes: 3, options: { modulus: 0 }, inside: [1] })
  expect(ricartAgrawalaModulo.init(1, setup).ours).toBe(0)
  expect(ricartAgrawalaModulo.init(0, setup).ours).toBeNull()
})
