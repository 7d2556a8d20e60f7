import { catalogue } from '@turnwise/algorithms/catalogue'
import { InvalidInput, wholeNumber } from '@turnwise/core/invalid-input'
import { simulationConfig } from '@turnwise/simulator/configuration'
import type { SimulationConfig } from '@turnwise/simulator/engine'
import type { Query } from '../../shell/address.ts'

/** What the room compares, as its address says it. */
export interface Comparison {
  readonly algorithms: readonly string[]
  readonly nodes: readonly number[]
  readonly loads: readonly string[]
  readonly latency: string
  readonly entries: number
  readonly seed: number
  /** Each point is measured with so many seeds, from `seed` on. */
  readonly repeats: number
}

/** One run of a comparison: plain data, so that it can be handed to a worker. */
export interface PlannedRun {
  readonly algorithm: string
  readonly nodes: number
  readonly load: string
  readonly latency: string
  readonly entries: number
  readonly seed: number
}

export const MOST_COMPARED_NODES = 1000
export const MOST_REPEATS = 30
const MOST_ENTRIES = 100_000

/** The default comparison: a permission, a quorum and two token algorithms. */
const FIRST = ['ricart-agrawala', 'maekawa', 'suzuki-kasami', 'naimi-trehel']

export const DEFAULTS = {
  algorithms: FIRST.join(','),
  nodes: '3,5,7,13,21',
  load: 'light,heavy',
  latency: 'constant:1',
  entries: '300',
  seed: '1',
  repeats: '5',
}

/** The comparison of an address. An error names what was given and what is allowed. */
export function readComparison(query: Query): Comparison {
  const said = { ...DEFAULTS, ...query }
  const algorithms = listOf(said.algorithms)
  const known = catalogue.map(({ facts }) => facts.name)
  for (const name of algorithms) {
    if (!known.includes(name)) throw new InvalidInput(`algorithms: "${name}" is not in the catalogue`)
  }
  const number = (name: string, text: string, most: number, least = 1): number => {
    try {
      return wholeNumber(text, `a number for ${name}`, least, most)
    } catch (error) {
      throw error instanceof InvalidInput ? new InvalidInput(`${name}: ${error.message}`) : error
    }
  }
  const nodes = listOf(said.nodes).map((text) => number('nodes', text, MOST_COMPARED_NODES))
  return {
    algorithms,
    nodes: nodes.toSorted((a, b) => a - b),
    loads: loadsOf(said.load),
    latency: said.latency,
    entries: number('entries', said.entries, MOST_ENTRIES),
    seed: number('seed', said.seed, Number.MAX_SAFE_INTEGER - MOST_REPEATS, 0),
    repeats: number('repeats', said.repeats, MOST_REPEATS),
  }
}

/** All runs, the small ones first, so that the figure grows from the left while it is measured. */
export function planOf({
  algorithms,
  nodes,
  loads,
  latency,
  entries,
  seed,
  repeats,
}: Comparison): PlannedRun[] {
  return nodes.flatMap((count) =>
    loads.flatMap((load) =>
      algorithms.flatMap((algorithm) =>
        Array.from({ length: repeats }, (_, nth) => ({
          algorithm,
          nodes: count,
          load,
          latency,
          entries,
          seed: seed + nth,
        })),
      ),
    ),
  )
}

export function configOf({ algorithm: name, ...wishes }: PlannedRun): SimulationConfig {
  const algorithm = catalogue.find(({ facts }) => facts.name === name)
  if (algorithm === undefined) throw new InvalidInput(`algorithms: "${name}" is not in the catalogue`)
  return simulationConfig(algorithm, wishes)
}

/** Names or numbers with commas or spaces between them, each once. */
export function listOf(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((part) => part !== ''))]
}

/** Loads are told apart by commas, and some have commas of their own: a part that begins with a digit goes on. */
function loadsOf(text: string): string[] {
  const loads: string[] = []
  for (const part of text.split(',').filter((one) => one !== '')) {
    if (/^[\d.]/.test(part) && loads.length > 0) loads[loads.length - 1] += `,${part}`
    else loads.push(part)
  }
  return [...new Set(loads)]
}
