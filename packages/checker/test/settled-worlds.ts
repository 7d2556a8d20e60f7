/** Full searches beside those in which settled messages are received at once. */
import type { AnyAlgorithm } from '@turnwise/core/algorithm'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { check } from '../src/index.ts'
import type { PropertyName } from '../src/property.ts'
import type { Search } from '../src/search.ts'
import { MOST_NUMBERS } from '../src/world-layout.ts'
import { checked, fences, type SmallWorld } from './harness.ts'

/** The worlds of a full search after their settled receipts, and the steps between different ones, in the numbers of a settled search. */
export function quotient(full: Search, settled: Search): { worlds: Set<number>; steps: Set<string> } {
  const world = new Int32Array(MOST_NUMBERS)
  const adopted = new Int32Array(MOST_NUMBERS)
  const numbers = Array.from({ length: full.states }, (_, state) => {
    const size = settled.worlds.adopt(full.worlds, world, full.store.read(state, world), adopted)
    return settled.store.find(adopted, size)
  })
  return { worlds: new Set(numbers), steps: stepsBetween(full, (state) => numbers[state] ?? -1) }
}

export function stepsBetween({ edges, states }: Search, number: (state: number) => number): Set<string> {
  const steps = new Set<string>()
  if (edges === null) throw new Error('the steps were not kept')
  for (let state = 0; state < states; state += 1)
    for (let edge = edges.from(state); edge < edges.to(state); edge += 1) {
      const [from, to] = [number(state), number(edges.target(edge))]
      if (from !== to) steps.add(`${from} ${to} sends ${edges.messages(edge)}, enters ${edges.entered(edge)}`)
    }
  return steps
}

export function verdicts(algorithm: AnyAlgorithm, world: SmallWorld) {
  const { properties, extremes } = checked(algorithm, world)
  const { holds } = fences(algorithm, world)
  return { properties: properties.map((each) => [each.name, each.holds]), extremes, fences: holds }
}

/** Whether a property fails; null if the search is refused. */
export function fails(
  algorithm: AnyAlgorithm,
  world: Pick<SmallWorld, 'nodes' | 'settled'>,
  name: PropertyName,
): boolean | null {
  try {
    return check(algorithm, { ...world, requests: 1, only: [name] }).failure !== null
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return null
  }
}
