/** A process that tries mutants, one after another: whoever started it ends it if one of them does not end. */
import { readdirSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { AnyProtocol } from '@turnwise/core/algorithm'
import { isElection } from '@turnwise/core/algorithm'
import { simulationConfig } from '@turnwise/simulator/configuration'
import { reportOf } from '@turnwise/simulator/report'
import { playScenario } from '@turnwise/simulator/scenario'
import { Simulation } from '@turnwise/simulator/simulation'
import { checkModel, commandFor, instanceOf, modelFiles } from '../models.ts'

/** A copy of the catalogue with one change, and the algorithms that it can concern. */
export interface Trial {
  readonly catalogue: string
  readonly algorithms: readonly string[]
  readonly mostStates: number
}

/** Who noticed; null if nobody did. */
export type Noticed = string | null

const scenarios = new URL('../../packages/algorithms/scenarios/', import.meta.url)
const SEEDS = [1, 2, 3]

process.on('message', (trial: Trial) => {
  void tried(trial).then((noticed) => process.send?.({ noticed }))
})

async function tried({ catalogue, algorithms, mostStates }: Trial): Promise<Noticed> {
  try {
    const { catalogue: all, elections } = (await import(pathToFileURL(catalogue).href)) as {
      catalogue: readonly AnyProtocol[]
      elections: readonly AnyProtocol[]
    }
    const concerned = [...all, ...elections].filter(({ facts }) => algorithms.includes(facts.name))
    for (const find of [byScenario, byRun, byModel(mostStates)]) {
      for (const algorithm of concerned) {
        const noticed = find(algorithm)
        if (noticed !== null) return noticed
      }
    }
    return null
  } catch (error) {
    return `it does not load: ${error instanceof Error ? error.message : String(error)}`
  }
}

function byScenario(algorithm: AnyProtocol): Noticed {
  const folder = new URL(`${algorithm.facts.name}/`, scenarios)
  for (const file of readdirSync(folder)) {
    const text = readFileSync(new URL(file, folder), 'utf8')
    if (outcome(() => playScenario(text, algorithm)) !== text)
      return `scenario ${algorithm.facts.name}/${file}`
  }
  return null
}

/** The judges of the simulator, with every load. */
function byRun(algorithm: AnyProtocol): Noticed {
  if (isElection(algorithm)) return null
  for (const load of ['heavy', 'closed:2']) {
    for (const seed of SEEDS) {
      const found = outcome(() => {
        const config = simulationConfig(algorithm, {
          nodes: 4,
          load,
          entries: 60,
          seed,
          latency: 'exponential:1',
        })
        return reportOf(new Simulation(config).runToEnd()).violations.length === 0
      })
      if (found !== true) return `run ${algorithm.facts.name} --nodes 4 --load ${load} --seed ${seed}`
    }
  }
  return null
}

/** The records of the models that `npm test` and `npm run test:long` check again. */
function byModel(mostStates: number): (algorithm: AnyProtocol) => Noticed {
  return (algorithm) => {
    const { name } = algorithm.facts
    const models = modelFiles()
      .filter((file) => file.algorithm === name)
      .flatMap((file) => file.models)
      .filter(({ slow, expected }) => slow !== true && (expected?.states ?? 0) <= mostStates)
      .toSorted((a, b) => (a.expected?.states ?? 0) - (b.expected?.states ?? 0))
    const differs = models.find((model) => {
      const found = outcome(() => checkModel(instanceOf(algorithm, model)).expected)
      return JSON.stringify(found) !== JSON.stringify(model.expected)
    })
    return differs === undefined ? null : `model ${commandFor(name, differs)}`
  }
}

/** What is thrown differs from everything that is expected. */
function outcome<Value>(ask: () => Value): Value | string {
  try {
    return ask()
  } catch (error) {
    return `threw ${String(error)}`
  }
}
