/** The checker says what no run can do; the simulator does what it can. Neither may contradict the other. */
import { lamport } from '@turnwise/algorithms/permission/lamport'
import { ricartAgrawala } from '@turnwise/algorithms/permission/ricart-agrawala'
import { maekawa } from '@turnwise/algorithms/quorum/maekawa'
import { raymond } from '@turnwise/algorithms/token/raymond'
import { suzukiKasami } from '@turnwise/algorithms/token/suzuki-kasami'
import type { AnyAlgorithm } from '@turnwise/core/algorithm'
import type { TraceEvent } from '@turnwise/core/trace/trace'
import { simulationConfig } from '@turnwise/simulator/configuration'
import { reportOf } from '@turnwise/simulator/report'
import { Simulation } from '@turnwise/simulator/simulation'
import { describe, expect, test } from 'vitest'
import { checked, type SmallWorld } from './harness.ts'

const SEEDS = 60

/** How often at most somebody was passed by others between its request and its entry. */
function overtakingIn(events: readonly TraceEvent[]): number {
  const passed = new Map<number, number>()
  let most = 0
  for (const event of events) {
    if (event.is === 'request') passed.set(event.node, 0)
    if (event.is !== 'enter') continue
    passed.delete(event.node)
    for (const [node, times] of passed) {
      passed.set(node, times + 1)
      most = Math.max(most, times + 1)
    }
  }
  return most
}

/** Random runs of the world: the extremes of what they did. */
function runs(algorithm: AnyAlgorithm, { nodes, channels }: SmallWorld) {
  let overtaking = 0
  const perEntry: number[] = []
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const events: TraceEvent[] = []
    // Now and then a message takes very long: that is how requests are overtaken.
    const config = simulationConfig(algorithm, {
      nodes,
      seed,
      entries: 40,
      load: seed % 2 === 0 ? 'heavy' : 'closed:1',
      inside: 'constant:0.1',
      latency: 'exponential:1',
      fault: ['spike:0.1,30'],
      channels: channels ?? algorithm.facts.channels,
    })
    const simulation = new Simulation({ ...config, record: (event) => void events.push(event) }).runToEnd()
    const { violations, messages } = reportOf(simulation)
    expect(violations, `seed ${seed}`).toEqual([])
    overtaking = Math.max(overtaking, overtakingIn(events))
    perEntry.push(messages.perEntry ?? Number.NaN)
  }
  return { overtaking, perEntry }
}

describe('no run does what the checker says no run does', () => {
  test.each<SmallWorld & { algorithm: AnyAlgorithm }>([
    { algorithm: ricartAgrawala, nodes: 2, channels: 'unordered' },
    { algorithm: ricartAgrawala, nodes: 3, channels: 'unordered' },
    { algorithm: ricartAgrawala, nodes: 3, channels: 'fifo' },
    { algorithm: lamport, nodes: 2, channels: 'fifo' },
    { algorithm: raymond, nodes: 3, channels: 'unordered' },
    { algorithm: suzukiKasami, nodes: 2, channels: 'unordered' },
    { algorithm: maekawa, nodes: 2, channels: 'fifo' },
  ])('$algorithm.facts.name, $nodes nodes, $channels', ({ algorithm, ...world }) => {
    const { complete, extremes } = checked(algorithm, { ...world, requests: null })
    expect(complete).toBe(true)
    const { overtaking, perEntry } = runs(algorithm, world)
    expect(overtaking).toBeLessThanOrEqual(extremes?.maxOvertaking ?? Number.POSITIVE_INFINITY)
    expect(Math.min(...perEntry)).toBeGreaterThanOrEqual(extremes?.messagesPerEntry?.min ?? Number.NaN)
    expect(Math.max(...perEntry)).toBeLessThanOrEqual(extremes?.messagesPerEntry?.max ?? Number.NaN)
  })

  test('and what it says some run does, some run does', () => {
    const fifo = runs(ricartAgrawala, { nodes: 3, channels: 'fifo' })
    expect(fifo.overtaking).toBe(4)
    expect(runs(ricartAgrawala, { nodes: 2 }).overtaking).toBe(2)
  })
})
