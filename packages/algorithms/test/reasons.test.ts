import { existsSync, readdirSync, readFileSync } from 'node:fs'
import {
  type AnyAlgorithm,
  type AnyElection,
  type AnyProtocol,
  ImpossibleError,
  isElection,
} from '@turnwise/core/algorithm'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { listOptions } from '@turnwise/core/options'
import { randomStream } from '@turnwise/core/random'
import { type RunWishes, simulationConfig } from '@turnwise/simulator/configuration'
import { electionConfig } from '@turnwise/simulator/election-configuration'
import { ElectionSimulation } from '@turnwise/simulator/election-simulation'
import { playScenario } from '@turnwise/simulator/scenario'
import { Simulation } from '@turnwise/simulator/simulation'
import { Stage } from '@turnwise/simulator/stage'
import { describe, expect, test } from 'vitest'
import { TROUBLES } from '../../../scripts/troubles.ts'
import { extent } from '../../../test/extent.ts'
import { catalogue, elections } from '../src/catalogue.ts'
import { type Call, overheard } from './overheard.ts'

/** Events of a run: a token that goes round for nobody goes round for ever. */
const ENOUGH = extent(250, 3_000)

function* worldsFor({ facts, options }: AnyAlgorithm): Generator<RunWishes> {
  const latency = facts.timing === 'bounded' ? 'uniform:0.1,2' : 'exponential:1'
  const base = { nodes: 5, entries: 25, latency, seed: 1 }
  for (const load of extent(['light', 'closed:2'], ['light', 'heavy', 'poisson:0.3', 'closed:2']))
    yield { ...base, load }
  yield { ...base, nodes: 1 }
  yield { ...base, nodes: 2, load: 'heavy' }
  yield { ...base, nodes: 7, load: 'poisson:1' }
  if (facts.topology === 'connected' || facts.topology === 'tree')
    for (const topology of ['line', 'star', 'random']) yield { ...base, topology, load: 'closed:5' }
  if (facts.sharedMode) yield { ...base, entries: 100, readers: 0.6, load: 'closed:1' }
  if (facts.resources) for (const resources of [2, 4]) yield { ...base, resources, load: 'closed:1' }
  if (facts.entries === 'k') for (const k of [2, 3]) yield { ...base, k, load: 'closed:1' }
  if (facts.structure) for (const structure of ['central:1', 'figure-2']) yield { ...base, structure }
  if (facts.quorums) for (const quorum of ['majority', 'tree']) yield { ...base, quorum, load: 'closed:1' }
  for (const [name, spec] of listOptions(options)) {
    const values = spec.kind === 'choice' ? spec.choices : spec.kind === 'flag' ? [!spec.default] : [2, 3]
    for (const value of values) yield { ...base, load: 'closed:1', set: [`${name}=${value}`] }
  }
  for (const kind of facts.faults) {
    for (const fault of TROUBLES[kind] ?? [])
      for (let seed = 1; seed <= extent(1, 8); seed += 1) yield { ...base, seed, load: 'closed:4', fault }
  }
}

/** A world that this algorithm does not take says so in an error. */
function unlessRefused(work: () => void): void {
  try {
    work()
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
  }
}

function simulate(algorithm: AnyAlgorithm): void {
  for (const wishes of worldsFor(algorithm))
    unlessRefused(() => new Simulation(simulationConfig(algorithm, wishes)).step(ENOUGH))
}

function hold(election: AnyElection): void {
  for (const nodes of [1, 2, 5])
    for (const initiators of ['one', 'all'])
      for (const fault of [
        [],
        ['crash:4@3'],
        ['crash:2@2', 'restart:2@30'],
        ['crash:3@2', 'restart:3@9,amnesia'],
      ])
        for (const dead of ['highest', 'none'])
          unlessRefused(() =>
            new ElectionSimulation(electionConfig(election, { nodes, initiators, fault, dead })).step(ENOUGH),
          )
}

/** Scenarios have what is rare in a random run. */
function playScenarios(protocol: AnyProtocol): void {
  const folder = new URL(`../scenarios/${protocol.facts.name}/`, import.meta.url)
  if (!existsSync(folder)) return
  for (const file of readdirSync(folder)) playScenario(readFileSync(new URL(file, folder), 'utf8'), protocol)
}

/** Callers that give up or share from now on, at any moment. */
function stroll(algorithm: AnyAlgorithm, seed: number): void {
  const nodes = 4
  const stage = new Stage(algorithm, simulationConfig(algorithm, { nodes }).setup)
  const random = randomStream(seed, 'stroll')
  const act = (node: number) => {
    const mode = (['exclusive', 'shared'] as const)[random.below(2)]
    const isShared = algorithm.facts.sharedMode
    switch (stage.statusOf(node)) {
      case 'idle':
        return stage.request(node, { mode: (isShared ? mode : undefined) ?? 'exclusive', priority: 0 })
      case 'waiting':
        return algorithm.withdraw === undefined ? undefined : stage.withdraw(node)
      case 'inside': {
        return random.below(2) === 0 ? stage.release(node) : stage.downgrade(node)
      }
    }
  }
  for (let step = 0; step < 400; step += 1) {
    const next = stage.underWay.at(0)
    unlessRefused(() => {
      if (next !== undefined && random.below(3) > 0) stage.deliver(next)
      else act(random.below(nodes))
    })
    // A step follows at once.
    for (let node = 0; node < nodes; node += 1) unlessRefused(() => stage.proceed(node))
  }
}

/** All calls of handlers in many runs. */
function callsOf(protocol: AnyProtocol): Call[] {
  const calls: Call[] = []
  const hear = (call: Call) => void calls.push(call)
  playScenarios(overheard(protocol, hear))
  if (isElection(protocol)) hold(overheard(protocol, hear))
  else {
    simulate(overheard(protocol, hear))
    if (['withdraw', 'downgrade'].some((handler) => handler in protocol))
      for (let seed = 1; seed <= extent(2, 4); seed += 1) {
        try {
          stroll(overheard(protocol, hear), seed)
        } catch (error) {
          // Where a stroll leaves what the algorithm assumes, it ends.
          if (!(error instanceof ImpossibleError)) throw error
        }
      }
  }
  return calls
}

const ALL = [...catalogue, ...elections]

describe.each(ALL.map((protocol) => [protocol.facts.name, protocol] as const))('%s', (name, protocol) => {
  const source = new URL(`../src/${protocol.facts.family}/${name}.ts`, import.meta.url)
  let heard: Call[] = []

  test('says why whenever it does anything, in other words where it does something else', () => {
    const calls = callsOf(protocol)
    heard = calls
    const unique = (list: readonly string[]) => [...new Set(list)]
    const silent = calls.filter(({ didAnything, words }) => didAnything && words.length === 0)
    expect(unique(silent.map(({ handler, effects }) => [handler, ...effects].join(' ')))).toEqual([])
    expect(unique(calls.flatMap(({ strays }) => strays))).toEqual([])
    const effectsOf = new Map<string, Set<string>>()
    for (const { handler, words, effects } of calls) {
      const said = `${handler}: ${words.join(' | ')}`
      effectsOf.set(said, (effectsOf.get(said) ?? new Set()).add(effects.join(' ') || 'nothing'))
    }
    expect([...effectsOf].filter(([, effects]) => effects.size > 1)).toEqual([])
  })

  test('no two places of its text say the same', () => {
    const files = filesBehind(source).map(wordsIn)
    const isRepeated = (words: string) => files.flat().filter((other) => other === words).length > 1
    // A file of which nothing is heard lends this algorithm a function, not its rules.
    const all = new Set(heard.flatMap(({ words }) => words))
    const speaks = (file: string[]) => file.some((words) => all.has(words) && !isRepeated(words))
    const said = files.filter(speaks).flat()
    expect(said.length).toBeGreaterThan(0)
    expect(said.filter((words, i) => said.indexOf(words) !== i)).toEqual([])
  })
})

/** A file and all those of the algorithms that it uses. */
function filesBehind(file: URL, known = new Set<string>()): string[] {
  if (known.has(file.href)) return []
  known.add(file.href)
  const text = readFileSync(file, 'utf8')
  const imported = Array.from(text.matchAll(/from '(\.[^']+)'/g), ([, path = '']) => new URL(path, file))
  return [text, ...imported.flatMap((other) => filesBehind(other, known))]
}

/** What a text says at each place, which must be a literal: then the words tell the place. */
function wordsIn(text: string): string[] {
  const calls = text.match(/because\?\.\(/g) ?? []
  const literals = [...text.matchAll(/because\?\.\(\s*(?:'((?:[^'\\]|\\.)*)'|"([^"]*)")/g)]
  expect(literals.length).toBe(calls.length)
  return literals.map(([, single, double]) => single ?? double ?? '')
}
