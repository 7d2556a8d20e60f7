import type { NodeId } from '@turnwise/core/algorithm'
import type { TraceEvent } from '@turnwise/core/trace/trace'
import { evenZones } from '@turnwise/core/zones'
import { type RunWishes, simulationConfig } from '@turnwise/simulator/configuration'
import { Simulation } from '@turnwise/simulator/simulation'
import { describe, expect, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import { algorithmNamed } from '../src/catalogue.ts'
import { INNER, messageFields, OUTER } from '../src/zones/composable.ts'
import type { State } from '../src/zones/composed.ts'

const PAIRS = INNER.flatMap((inner) => OUTER.map((outer) => [inner, outer] as const))

test('what a composition adds to a message is no field of a level', () => {
  const fields = (['inner', 'outer'] as const).flatMap((level) =>
    Object.values(messageFields(level)).flatMap((shapes) => Object.keys(shapes)),
  )
  for (const added of ['known', 'turnsKnown', 'coordinator']) expect(fields).not.toContain(added)
})

/** Runs, tells what happens, and what is so after every event. */
function run(
  wishes: RunWishes,
  record: (event: TraceEvent) => void,
  after?: (run: Simulation) => void,
): void {
  const config = simulationConfig(algorithmNamed('composed'), { latency: 'exponential:1', ...wishes })
  const simulation = new Simulation({ ...config, record })
  while (!simulation.step(1)) after?.(simulation)
  expect(simulation.jury.violations).toEqual([])
  expect(simulation.unserved).toBe(0)
}

/** The zones whose coordinator is inside the outer section, and not in the inner one. */
function open(simulation: Simulation): number[] {
  const { nodes, options } = simulation.config.setup
  const zones = evenZones(nodes, (options as { zones: number }).zones)
  return Array.from({ length: zones.count }, (_, zone) => zone).filter((zone) => {
    const { coordinator } = simulation.stateOf(zones.first(zone)) as State
    return coordinator?.stands === 'open' || coordinator?.stands === 'returning'
  })
}

describe.each(PAIRS)('%s within, %s between', (inner, outer) => {
  test('everyone is served, and only the coordinator of a node inside holds the outer section', () => {
    for (let seed = 1; seed <= extent(2, 6); seed += 1) {
      const nodes = 3 + (seed % 7)
      const zones = 1 + (seed % 4)
      const set = [`inner=${inner}`, `outer=${outer}`, `zones=${zones}`]
      const inside = new Set<NodeId>()
      const record = (event: TraceEvent) => {
        if (event.is === 'enter') inside.add(event.node)
        if (event.is === 'leave') inside.delete(event.node)
      }
      const wrong: string[] = []
      run(
        { nodes, entries: 30, load: seed % 2 === 0 ? 'heavy' : 'closed:3', seed, set },
        record,
        (simulation) => {
          const holders = open(simulation)
          const needed = [...inside].map((node) => evenZones(nodes, zones).of(node))
          if (holders.length > 1 || needed.some((zone) => !holders.includes(zone)))
            wrong.push(`inside in ${needed.join()}, open ${holders.join()}`)
        },
      )
      expect(wrong).toEqual([])
    }
  })

  test('while one zone alone asks, no message leaves it', () => {
    const strays: string[] = []
    const record = (event: TraceEvent) => {
      if (event.is === 'send' && (event.from > 2 || (event.to ?? 9) > 2)) strays.push(event.message.type)
    }
    const set = [`inner=${inner}`, `outer=${outer}`, 'zones=3']
    run({ nodes: 9, entries: 15, load: 'hot:1,1,1,0', set }, record)
    // Ricart and Agrawala ask everybody, once.
    expect(strays).toEqual(
      outer === 'ricart-agrawala' ? ['outer-request', 'outer-request', 'outer-reply', 'outer-reply'] : [],
    )
  })
})

test('a world may begin with a node inside: then its zone is open', () => {
  const algorithm = algorithmNamed('composed')
  for (const [inner, outer] of PAIRS) {
    const config = simulationConfig(algorithm, {
      nodes: 5,
      entries: 8,
      load: 'heavy',
      set: [`inner=${inner}`, `outer=${outer}`],
    })
    const simulation = new Simulation({ ...config, setup: { ...config.setup, inside: [4] } })
    expect(open(simulation)).toEqual([1])
    simulation.runToEnd()
    expect(simulation.jury.violations).toEqual([])
    expect(simulation.unserved).toBe(0)
  }
})

test('under load turns stay within a zone while they can', () => {
  const order: NodeId[] = []
  const zones = evenZones(9, 3)
  run({ nodes: 9, entries: 300, load: 'heavy', set: ['zones=3'] }, (event) => {
    if (event.is === 'enter') order.push(zones.of(event.node))
  })
  const crossings = order.filter((zone, i) => i > 0 && zone !== order[i - 1]).length
  // Each zone serves its line, of up to three, before it lets another in.
  expect(crossings).toBeLessThan(order.length / 2)
})
