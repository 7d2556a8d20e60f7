import type { AnyAlgorithm } from '@turnwise/core/algorithm'
import { FAULT_FORMS, type Fault, faultFrom } from '@turnwise/core/faults'
import { InvalidInput, invalid, wholeNumber } from '@turnwise/core/invalid-input'
import { readOptions } from '@turnwise/core/options'
import { QUORUM_FORMS, quorumsFrom } from '@turnwise/core/quorum/from-text'
import type { Quorums } from '@turnwise/core/quorum/quorums'
import { randomStream } from '@turnwise/core/random'
import { arrange, type Setup } from '@turnwise/core/setup'
import { TOPOLOGY_FORMS, type Topology, topologyFrom } from '@turnwise/core/topology'
import { brokenAssumptions } from '@turnwise/simulator/assumptions'
import type { SimulationConfig } from '@turnwise/simulator/engine'
import { LAW_FORMS, type Latency, latencyFromFile, lawFrom, sameLatency } from '@turnwise/simulator/latency'
import { type Load, loadFrom, scriptFrom } from '@turnwise/simulator/load'
import { type Command, Option } from 'commander'
import { given, inFile, readGraph, readJson, readQuorums, readText } from './input.ts'

/** The options of a run as commander hands them over: texts, as they were written. */
export interface RunOptions {
  readonly nodes?: string
  readonly entries?: string
  readonly warmup: string
  readonly inside: string
  readonly topology?: string
  readonly quorum?: string
  readonly latency: string
  readonly channels?: string
  readonly fault: readonly string[]
  readonly set: readonly string[]
  readonly seed: string
}

export const DEFAULT_NODES = 9
const DEFAULT_ENTRIES = 1000
const MOST_NODES = 10_000_000

/** Collects an option that may be given several times. */
export function collect(value: string, before: readonly string[]): string[] {
  return [...before, value]
}

export function addRunOptions(command: Command): Command {
  const faults = Object.values(FAULT_FORMS).map(({ form }) => form)
  return command
    .option(
      '--entries <count>',
      `requests issued in all (default: ${DEFAULT_ENTRIES}, or those of the script)`,
    )
    .option('--warmup <count>', 'entries at the beginning that are not counted', '0')
    .option(
      '--inside <law>',
      'how long a node stays inside: constant:D, uniform:LOW,HIGH, exponential:MEAN',
      'constant:1',
    )
    .option(
      '--topology <graph>',
      'complete, ring, line, star, tree[:ARITY], grid, random[:EDGES] or FILE.json (default: what the algorithm needs)',
    )
    .option(
      '--quorum <kind>',
      `${QUORUM_FORMS} or FILE.json (default: projective, else grid; majority below 4 nodes)`,
    )
    .option('--latency <law>', 'constant:D, uniform:LOW,HIGH, exponential:MEAN or FILE.json', 'constant:1')
    .option('--channels <kind>', 'fifo or unordered (default: what the algorithm needs)')
    .addOption(
      new Option('--fault <fault>', `may be repeated: ${faults.join(', ')}`)
        .argParser(collect)
        .default([], 'none'),
    )
    .addOption(
      new Option('--set <name=value>', 'an option of the algorithm; may be repeated')
        .argParser(collect)
        .default([], 'none'),
    )
    .option('--seed <number>', 'what all random draws depend on', '1')
}

/** What one run is made of, read from the options; `notes` are for the user, one line each. */
export interface PreparedRun {
  readonly config: SimulationConfig
  readonly notes: readonly string[]
}

export function prepareRun(
  algorithm: AnyAlgorithm,
  options: RunOptions,
  nodesText: string | undefined,
  loadText: string,
): PreparedRun {
  const seed = given('--seed', options.seed, () => wholeNumber(options.seed, 'a seed', 0))
  const { setup, notes } = worldFrom(algorithm, options, nodesText, seed)
  const { nodes } = setup
  const load = loadOption(loadText, nodes)
  const entries = entriesFrom(options.entries, load)
  const config: SimulationConfig = {
    algorithm,
    setup,
    seed,
    entries,
    warmup: warmupFrom(options.warmup, entries),
    load,
    inside: given('--inside', options.inside, () => lawFrom(options.inside)),
    latency: latencyOption(options.latency, nodes),
    channels: channelsFrom(options.channels) ?? algorithm.facts.channels,
    faults: options.fault.map((text): Fault => given('--fault', text, () => faultFrom(text, nodes))),
  }
  const broken = brokenAssumptions(config)
  const warning = `warning: outside the assumptions of ${algorithm.facts.name}: ${broken.join('; ')}`
  return { config, notes: broken.length === 0 ? notes : [...notes, warning] }
}

/** Topology and quorums fit the algorithm or are refused, each under its own name. */
function worldFrom(
  { facts, options: specs }: AnyAlgorithm,
  { topology: graph, quorum, set }: RunOptions,
  nodesText: string | undefined,
  seed: number,
): { setup: Setup; notes: readonly string[] } {
  const graphFile = isFile(graph) ? given('--topology', graph, () => readGraph(graph)) : undefined
  const quorumFile = isFile(quorum) ? given('--quorum', quorum, () => readQuorums(quorum)) : undefined
  const nodes = nodesFrom(nodesText, graphFile ?? quorumFile)
  const topology = graphFile ?? topologyOption(graph, nodes, seed)
  const quorums = quorumFile ?? quorumOption(quorum, nodes)
  const options = given('--set', set.join(' '), () => readOptions(specs, set))
  const onGraph = { nodes, options, ...(topology === undefined ? {} : { topology }) }
  const world = given('--topology', graph ?? '', () => arrange(facts, onGraph))
  if (quorums === undefined) return world
  return given('--quorum', quorum ?? '', () => arrange(facts, { ...onGraph, quorums }))
}

function isFile(text: string | undefined): text is string {
  return text?.endsWith('.json') ?? false
}

/** A file knows how many nodes it is for; saying something else is a mistake. */
function nodesFrom(text: string | undefined, file: Topology | Quorums | undefined): number {
  if (text === undefined) return file?.nodes ?? DEFAULT_NODES
  const nodes = given('--nodes', text, () => wholeNumber(text, 'a number of nodes', 1, MOST_NODES))
  if (file !== undefined && nodes !== file.nodes) {
    throw new InvalidInput(`--nodes: "${nodes}" contradicts ${file.kind}, which has ${file.nodes} nodes`)
  }
  return nodes
}

function topologyOption(text: string | undefined, nodes: number, seed: number): Topology | undefined {
  if (text === undefined) return undefined
  const random = randomStream(seed, 'topology')
  return given('--topology', text, () => orFile(TOPOLOGY_FORMS, () => topologyFrom(text, nodes, random)))
}

function quorumOption(text: string | undefined, nodes: number): Quorums | undefined {
  if (text === undefined) return undefined
  return given('--quorum', text, () => orFile(QUORUM_FORMS, () => quorumsFrom(text, nodes)))
}

function latencyOption(text: string, nodes: number): Latency {
  return given('--latency', text, () => {
    if (!isFile(text)) return orFile(LAW_FORMS, () => sameLatency(lawFrom(text)))
    const content = readJson(text)
    return { ...inFile(text, () => latencyFromFile(content, nodes)), text }
  })
}

/** Where a complaint ends with the forms that are allowed, a file is one more. */
function orFile<Value>(forms: string, read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof InvalidInput && error.message.endsWith(forms))) throw error
    throw new InvalidInput(`${error.message}, FILE.json`, { cause: error })
  }
}

function channelsFrom(text: string | undefined): 'fifo' | 'unordered' | undefined {
  if (text === undefined || text === 'fifo' || text === 'unordered') return text
  throw new InvalidInput(`--channels: ${invalid(text, 'one of fifo, unordered').message}`)
}

function loadOption(text: string, nodes: number): Load {
  const [, path] = /^script:(.+)$/s.exec(text) ?? []
  if (path === undefined) return given('--load', text, () => loadFrom(text, nodes))
  return given('--load', path, () => {
    const script = readText(path)
    return inFile(path, () => {
      const load = scriptFrom(script, nodes, text)
      if (requestsIn(load) === 0) throw new InvalidInput('the script asks for nothing')
      return load
    })
  })
}

/** How many requests a script makes; any other load makes as many as are wanted. */
function requestsIn(load: Load): number | undefined {
  return load.kind === 'script' ? load.lines.filter(({ does }) => does === 'request').length : undefined
}

function entriesFrom(text: string | undefined, load: Load): number {
  if (text !== undefined) return given('--entries', text, () => wholeNumber(text, 'a number of entries', 1))
  return requestsIn(load) ?? DEFAULT_ENTRIES
}

function warmupFrom(text: string, entries: number): number {
  const warmup = given('--warmup', text, () => wholeNumber(text, 'a number of entries', 0))
  if (warmup < entries) return warmup
  throw new InvalidInput(`--warmup: "${warmup}" leaves none of ${entries} entries to count`)
}
