import type { AnyAlgorithm } from '@turnwise/core/algorithm'
import { FAULT_FORMS, type Fault, faultFrom } from '@turnwise/core/faults'
import { InvalidInput, invalid, wholeNumber } from '@turnwise/core/invalid-input'
import { readOptions } from '@turnwise/core/options'
import { QUORUM_FORMS, quorumsFrom } from '@turnwise/core/quorum/from-text'
import type { Quorums } from '@turnwise/core/quorum/quorums'
import { randomStream } from '@turnwise/core/random'
import { arrange } from '@turnwise/core/setup'
import { type Topology, topologyFrom } from '@turnwise/core/topology'
import { brokenAssumptions } from '@turnwise/simulator/assumptions'
import type { SimulationConfig } from '@turnwise/simulator/engine'
import { type Latency, latencyFromFile, lawFrom, sameLatency } from '@turnwise/simulator/latency'
import { type Load, loadFrom, scriptFrom } from '@turnwise/simulator/load'
import { type Command, Option } from 'commander'
import { given, readGraph, readJson, readQuorums, readText } from './input.ts'

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
  const seed = given('--seed', () => wholeNumber(options.seed, 'a seed', 0))
  const file = graphFile(options.topology)
  const nodes = nodesFrom(nodesText, file)
  const topology = file ?? topologyOption(options.topology, nodes, seed)
  const quorums = quorumOption(options.quorum, nodes)
  const settings = given('--set', () => readOptions(algorithm.options, options.set))
  const wishes = {
    nodes,
    options: settings,
    ...(topology === undefined ? {} : { topology }),
    ...(quorums === undefined ? {} : { quorums }),
  }
  const { setup, notes } = given(quorums === undefined ? '--topology' : '--quorum', () =>
    arrange(algorithm.facts, wishes),
  )
  const load = loadOption(loadText, nodes)
  const entries = entriesFrom(options.entries, load)
  const warmup = given('--warmup', () => wholeNumber(options.warmup, 'a number of entries', 0))
  if (warmup >= entries)
    throw new InvalidInput(`--warmup: "${warmup}" leaves none of ${entries} entries to count`)
  const config: SimulationConfig = {
    algorithm,
    setup,
    seed,
    entries,
    warmup,
    load,
    inside: given('--inside', () => lawFrom(options.inside)),
    latency: latencyOption(options.latency, nodes),
    channels: channelsFrom(options.channels) ?? algorithm.facts.channels,
    faults: options.fault.map((text): Fault => given('--fault', () => faultFrom(text, nodes))),
  }
  const broken = brokenAssumptions(config)
  const warning = `warning: outside the assumptions of ${algorithm.facts.name}: ${broken.join('; ')}`
  return { config, notes: broken.length === 0 ? notes : [...notes, warning] }
}

function isFile(text: string): boolean {
  return text.endsWith('.json')
}

function graphFile(text: string | undefined): Topology | undefined {
  return text !== undefined && isFile(text) ? given('--topology', () => readGraph(text)) : undefined
}

/** A graph file knows how many nodes it has; saying something else is a mistake. */
function nodesFrom(text: string | undefined, file: Topology | undefined): number {
  const nodes =
    text === undefined
      ? undefined
      : given('--nodes', () => wholeNumber(text, 'a number of nodes', 1, MOST_NODES))
  if (nodes !== undefined && file !== undefined && nodes !== file.nodes) {
    throw new InvalidInput(`--nodes: "${nodes}" contradicts ${file.kind}, which has ${file.nodes} nodes`)
  }
  return nodes ?? file?.nodes ?? DEFAULT_NODES
}

function topologyOption(text: string | undefined, nodes: number, seed: number): Topology | undefined {
  if (text === undefined) return undefined
  return given('--topology', () => topologyFrom(text, nodes, randomStream(seed, 'topology')))
}

function quorumOption(text: string | undefined, nodes: number): Quorums | undefined {
  if (text === undefined) return undefined
  return given('--quorum', () => (isFile(text) ? readQuorums(text) : quorumsFrom(text, nodes)))
}

function latencyOption(text: string, nodes: number): Latency {
  return given('--latency', () => {
    if (!isFile(text)) return sameLatency(lawFrom(text))
    return given(text, () => latencyFromFile(readJson(text), nodes))
  })
}

function channelsFrom(text: string | undefined): 'fifo' | 'unordered' | undefined {
  if (text === undefined || text === 'fifo' || text === 'unordered') return text
  throw new InvalidInput(`--channels: ${invalid(text, 'one of fifo, unordered').message}`)
}

function loadOption(text: string, nodes: number): Load {
  return given('--load', () => {
    if (!text.startsWith('script:')) return loadFrom(text, nodes)
    const path = text.slice('script:'.length)
    return given(path, () => scriptFrom(readText(path), nodes, text))
  })
}

function entriesFrom(text: string | undefined, load: Load): number {
  if (text !== undefined) return given('--entries', () => wholeNumber(text, 'a number of entries', 1))
  return load.kind === 'script' ? load.lines.filter(({ does }) => does === 'request').length : DEFAULT_ENTRIES
}
