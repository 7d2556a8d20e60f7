import { algorithmNamed } from '@turnwise/algorithms/catalogue'
import { get } from '@turnwise/core/bounds'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { randomStream } from '@turnwise/core/random'
import { describe, expect, test } from 'vitest'
import { simulationConfig } from '../src/configuration.ts'
import { Stage } from '../src/stage.ts'

const MODES = ['exclusive', 'shared', 'update'] as const

/** Callers that ask for any mode, give up, leave, share or upgrade at any moment; messages arrive in any order. */
function stroll(seed: number): Stage {
  const nodes = 2 + (seed % 4)
  const algorithm = algorithmNamed('token-queue')
  const stage = new Stage(algorithm, simulationConfig(algorithm, { nodes }).setup)
  const random = randomStream(seed, 'stroll')
  const modes: string[] = []
  const isUpgrading = (node: number) =>
    modes[node] === 'upgrading' && (stage.states[node] as { inside: string }).inside !== 'exclusive'
  const change = (node: number) => {
    const deed = random.below(3)
    if (deed === 0 && modes[node] === 'update') {
      modes[node] = 'upgrading'
      stage.upgrade(node)
    } else if (deed === 1 && modes[node] !== 'shared') {
      modes[node] = 'shared'
      stage.downgrade(node)
    } else stage.release(node)
  }
  const act = (node: number) => {
    const status = stage.statusOf(node)
    if (status === 'idle') {
      const mode = get(MODES, random.below(3))
      modes[node] = mode
      stage.request(node, { mode, priority: 0 })
    } else if (status === 'waiting' && random.below(3) === 0) stage.withdraw(node)
    else if (status === 'inside' && !isUpgrading(node)) change(node)
  }
  for (let step = 0; step < 300; step += 1) {
    const { underWay } = stage
    if (underWay.length > 0 && random.below(3) > 0)
      stage.deliver(get(underWay, random.below(underWay.length)))
    else act(random.below(nodes))
    for (let node = 0; node < nodes; node += 1) handOver(stage, node)
  }
  return stage
}

/** If it has something to proceed with. */
function handOver(stage: Stage, node: number): void {
  try {
    stage.proceed(node)
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
  }
}

describe('upgrades', () => {
  test('one that becomes exclusive has no other entry: what is counted of entries stays right', () => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const { events, jury } = stroll(seed)
      expect([seed, jury.violations]).toEqual([seed, []])
      const entries = events.filter(({ is }) => is === 'enter').length
      const upgrades = events.filter(
        (event, i) => event.is === 'enter' && event.mode === 'exclusive' && wasInside(events, i, event.node),
      ).length
      expect([seed, jury.entries]).toEqual([seed, entries - upgrades])
    }
  })
})

/** Whether the last that this node did before was to enter or to ask for an upgrade. */
function wasInside(events: Stage['events'], end: number, node: number): boolean {
  const last = events
    .slice(0, end)
    .findLast((event) => 'node' in event && event.node === node && ['request', 'upgrade'].includes(event.is))
  return last?.is === 'upgrade'
}
