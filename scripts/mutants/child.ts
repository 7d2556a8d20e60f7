/** A process that tries mutants, one after another. It ends itself if one of them does not end. */
import { readdirSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { catalogue, elections } from '@turnwise/algorithms/catalogue'
import type { Instance } from '@turnwise/checker/instance'
import { Search } from '@turnwise/checker/search'
import { type AnyProtocol, isElection } from '@turnwise/core/algorithm'
import { answerBy } from '@turnwise/fleet/program-answers'
import { type RunWishes, simulationConfig } from '@turnwise/simulator/configuration'
import { type ElectionWishes, electionConfig } from '@turnwise/simulator/election-configuration'
import { electionReport } from '@turnwise/simulator/election-report'
import { ElectionSimulation } from '@turnwise/simulator/election-simulation'
import { reportOf } from '@turnwise/simulator/report'
import { playScenario } from '@turnwise/simulator/scenario'
import { Simulation } from '@turnwise/simulator/simulation'
import { checkModel, commandFor, instanceOf, type Model, modelFiles } from '../models.ts'
import { TROUBLES } from '../troubles.ts'

/** A copy of the catalogue with one change, and the algorithms that it can concern. */
export interface Trial {
  readonly catalogue: string
  readonly algorithms: readonly string[]
  readonly mostStates: number
  /** Of processor time. A mutant that takes longer does not end. So a busy machine finds the same. */
  readonly seconds: number
}

/** Who noticed; null if nobody did. */
export type Noticed = string | null

const scenarios = new URL('../../packages/algorithms/scenarios/', import.meta.url)
const SEEDS = [1, 2, 3]
/** A run that needs more does not end. */
const MOST_EVENTS = 100_000

/** The thread of the trial is too busy to look at its own time. */
const WATCH = `
  const { parentPort } = require('node:worker_threads')
  const used = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1e6 }
  let end = Infinity
  parentPort.on('message', (seconds) => { end = used() + seconds })
  setInterval(() => { if (used() > end) process.kill(process.pid, 'SIGKILL') }, 500)
`
const watch = new Worker(WATCH, { eval: true, execArgv: [] })
watch.unref()

answerBy((trial: Trial) => {
  watch.postMessage(trial.seconds)
  return tried(trial)
})

async function tried({ catalogue: copy, algorithms, mostStates }: Trial): Promise<Noticed> {
  try {
    const changed = (await import(pathToFileURL(copy).href)) as {
      catalogue: readonly AnyProtocol[]
      elections: readonly AnyProtocol[]
    }
    const concerned = [...changed.catalogue, ...changed.elections].filter(({ facts }) =>
      algorithms.includes(facts.name),
    )
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

/** The judges of the simulator. What they say of the algorithm as it stands is nothing to notice. */
function byRun(algorithm: AnyProtocol): Noticed {
  const { name } = algorithm.facts
  for (const world of quietWorlds(name)) {
    if (outcome(() => isQuiet(algorithm, world)) !== true)
      return `run ${name} ${Object.entries(world)
        .flatMap(([option, value]) => [value].flat().map((each) => `--${option} ${each}`))
        .join(' ')}`
  }
  return null
}

type World = RunWishes & ElectionWishes

const originals: readonly AnyProtocol[] = [...catalogue, ...elections]
const known = new Map<string, readonly World[]>()

/** The worlds in which the algorithm itself pleases the judges; found once. */
function quietWorlds(name: string): readonly World[] {
  const original = originals.find(({ facts }) => facts.name === name)
  if (original === undefined) return []
  const found =
    known.get(name) ?? worldsFor(original).filter((world) => outcome(() => isQuiet(original, world)) === true)
  known.set(name, found)
  return found
}

/** With every load, and with each kind of trouble that the algorithm claims to survive. */
function worldsFor(protocol: AnyProtocol): World[] {
  const { facts } = protocol
  const latency = facts.timing === 'bounded' ? 'uniform:0.1,2' : 'exponential:1'
  const troubles = facts.faults.flatMap((kind) => TROUBLES[kind] ?? []).map((fault) => [...fault])
  if (isElection(protocol))
    return [[], ...troubles, ['crash:4@40']].flatMap((fault) =>
      ['0', 'one', 'all'].flatMap((initiators) => [5, 6].map((nodes) => ({ nodes, initiators, fault }))),
    )
  const calm = ['heavy', 'closed:2'].flatMap((load) =>
    SEEDS.map((seed) => ({ nodes: 4, load, entries: 60, seed, latency })),
  )
  const troubled = troubles.flatMap((fault) =>
    SEEDS.map((seed) => ({ nodes: 5, load: 'closed:4', entries: 25, seed, latency, fault })),
  )
  return [...calm, ...troubled]
}

function isQuiet(protocol: AnyProtocol, world: World): boolean {
  if (isElection(protocol)) {
    const simulation = new ElectionSimulation(electionConfig(protocol, world))
    simulation.step(MOST_EVENTS)
    const { violations, gaveUp, elected } = electionReport(simulation)
    return violations.length === 0 && !gaveUp && elected !== null
  }
  const simulation = new Simulation(simulationConfig(protocol, world))
  if (!simulation.step(MOST_EVENTS)) return false
  const { violations, gaveUp, unserved } = reportOf(simulation)
  return violations.length === 0 && !gaveUp && unserved === 0
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
      const instance = instanceOf(algorithm, model)
      if (outcome(() => statesIn(instance, model.expected?.states ?? 0)) !== model.expected?.states)
        return true
      return !isAsRecorded(algorithm, model, mostStatesOf(name, model))
    })
    return differs === undefined ? null : `model ${commandFor(name, differs)}`
  }
}

function isAsRecorded(algorithm: AnyProtocol, model: Model, mostStates?: number): boolean {
  const found = outcome(() => checkModel(instanceOf(algorithm, model), mostStates).expected)
  return JSON.stringify(found) === JSON.stringify(model.expected)
}

const enough = new Map<string, number | undefined>()

/** Fences make more states than a record tells, and those of a mutant may have no end. So none has ten times as many, if the algorithm itself has not. */
function mostStatesOf(name: string, model: Model): number | undefined {
  const key = commandFor(name, model)
  const original = originals.find(({ facts }) => facts.name === name)
  const most = 10 * (model.expected?.states ?? 0) + 1000
  if (!enough.has(key))
    enough.set(key, original !== undefined && isAsRecorded(original, model, most) ? most : undefined)
  return enough.get(key)
}

/** The number of states, or one above what is expected. Many a mutant has no end of them. */
function statesIn(instance: Instance, expected: number): number {
  const search = new Search(instance, { mostStates: expected + 1, edges: false, followFences: false })
  search.run(Number.POSITIVE_INFINITY)
  return search.states
}

/** What is thrown differs from everything that is expected. */
function outcome<Value>(ask: () => Value): Value | string {
  try {
    return ask()
  } catch (error) {
    return `threw ${String(error)}`
  }
}
