import { algorithmNamed } from '@turnwise/algorithms/catalogue'
import { asNamedNow } from '@turnwise/algorithms/former-settings'
import { type AnyAlgorithm, type AnyProtocol, isElection } from '@turnwise/core/algorithm'
import { FAULT_FORMS, type Fault, faultFrom } from '@turnwise/core/faults'
import { InvalidInput, wholeNumber } from '@turnwise/core/invalid-input'
import { readOptions } from '@turnwise/core/options'
import { QUORUM_FORMS, quorumsFrom } from '@turnwise/core/quorum/quorum-from-text'
import type { Quorums } from '@turnwise/core/quorum/quorums'
import { randomStream } from '@turnwise/core/random'
import { arrange, defaultTogether, type Setup } from '@turnwise/core/setup'
import type { NamedStructure } from '@turnwise/core/structure/structure'
import { STRUCTURE_FORMS, structureFromText } from '@turnwise/core/structure/structure-from-text'
import { TOPOLOGY_FORMS, type Topology, topologyFrom } from '@turnwise/core/topology'
import { brokenAssumptions } from '@turnwise/simulator/broken-assumptions'
import {
  channelsFrom,
  checkWarmup,
  DEFAULT_ENTRIES,
  DEFAULT_NODES,
  defaultEntries,
  MOST_NODES,
  MOST_RESOURCES,
  readersFrom,
} from '@turnwise/simulator/configuration'
import { deadFrom } from '@turnwise/simulator/election-configuration'
import type { SimulationConfig, WorldConfig } from '@turnwise/simulator/engine'
import {
  LATENCY_FORMS,
  type Latency,
  latencyFrom,
  latencyFromFile,
  lawFrom,
  type Placing,
} from '@turnwise/simulator/latency'
import { type Load, loadFrom, scriptFrom } from '@turnwise/simulator/load'
import { checkMembership } from '@turnwise/simulator/membership-faults'
import { NO_PRIORITIES, prioritiesFrom } from '@turnwise/simulator/priority-shares'
import { takeFrom } from '@turnwise/simulator/taken-resources'
import { type Command, Option } from 'commander'
import { given, inFile, readJson, readText } from '../terminal/input.ts'
import { readGraph, readQuorums, readStructure } from './input-structures.ts'

/** What a world is made of, as it was written. */
export interface WorldOptions {
  readonly topology?: string
  readonly quorum?: string
  readonly structure?: string
  readonly k?: string
  readonly resources?: string
  readonly set: readonly string[]
}

/** The options of a run as commander hands them over: texts, as they were written. */
export interface RunOptions extends WorldOptions {
  readonly nodes?: string
  readonly entries?: string
  readonly warmup: string
  readonly inside: string
  readonly latency: string
  readonly channels?: string
  readonly fault: readonly string[]
  readonly readers: string
  readonly priorities: string
  readonly take?: string
  readonly seed: string
}

/** Collects an option that may be given several times. */
export function collect(value: string, before: readonly string[]): string[] {
  return [...before, value]
}

/** The options of everything that happens in a world. */
export function addWorldOptions(command: Command): Command {
  return command
    .option(
      '--topology <graph>',
      'complete, ring, line, star, tree[:ARITY], grid, random[:EDGES] or FILE.json (default: what the algorithm needs)',
    )
    .option(
      '--quorum <kind>',
      `${QUORUM_FORMS} or FILE.json (default: projective where there is a plane, else grid; majority below 4 nodes; k-majority, else disjoint, for k entries)`,
    )
    .option('--structure <kind>', `${STRUCTURE_FORMS} or FILE.json (default: maekawa)`)
    .option('--k <count>', 'how many may be inside together, if the algorithm has k entries (default: 2)')
    .option(
      '--resources <count>',
      'how many resources there are, if a request may be for several (default: 1)',
    )
    .option('--channels <kind>', 'fifo or unordered (default: what the algorithm needs)')
    .addOption(
      new Option('--set <name=value>', 'an option of the algorithm; may be repeated')
        .argParser(collect)
        .default([], 'none'),
    )
}

export function addRunOptions(command: Command): Command {
  const faults = Object.values(FAULT_FORMS).map(({ form }) => form)
  return addWorldOptions(command)
    .option(
      '--entries <count>',
      `requests issued in all (default: ${DEFAULT_ENTRIES}, or those of the script)`,
    )
    .option('--warmup <count>', 'how many entries at the beginning are not counted', '0')
    .option(
      '--inside <law>',
      'how long a node stays inside: constant:D, uniform:LOW,HIGH, exponential:MEAN',
      'constant:1',
    )
    .option('--latency <law>', `${LATENCY_FORMS} or FILE.json`, 'constant:1')
    .addOption(
      new Option('--fault <fault>', `may be repeated: ${faults.join(', ')}`)
        .argParser(collect)
        .default([], 'none'),
    )
    .option('--readers <share>', 'the share of requests in shared mode, from 0 to 1', '0')
    .option(
      '--priorities <priority=share,…>',
      'the share of requests with each priority, such as 5=0.2; the algorithm must allow them, as with --set priority=5',
      NO_PRIORITIES,
    )
    .option('--take <count>', 'how many of the --resources each request takes, drawn at random (default: 2)')
    .option('--seed <number>', 'the random seed', '1')
}

/** What one run is made of, read from the options; `notes` are for the user, one line each. */
export interface PreparedRun {
  readonly config: SimulationConfig
  readonly notes: readonly string[]
}

export function prepareRun(
  asked: AnyAlgorithm,
  askedOptions: RunOptions,
  nodesText: string | undefined,
  loadText: string,
): PreparedRun {
  const { algorithm, options } = chosenBy(asked, askedOptions)
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
    readers: given('--readers', options.readers, () => readersFrom(options.readers, algorithm.facts, load)),
    priorities: given('--priorities', options.priorities, () =>
      prioritiesFrom(options.priorities, { algorithm, options: setup.options, load }),
    ),
    take: given('--take', options.take ?? '', () =>
      takeFrom(options.take, { facts: algorithm.facts, setup, load }),
    ),
    inside: given('--inside', options.inside, () => lawFrom(options.inside)),
    latency: latencyOption(options.latency, nodes),
    channels: channelsOption(options.channels) ?? algorithm.facts.channels,
    faults: faultsOption(options.fault, algorithm, setup),
  }
  return { config, notes: [...notes, ...misplacedZones(config), ...outsideAssumptions(config)] }
}

/** The faults of a run, also of an election. */
export function faultsOption(
  texts: readonly string[],
  algorithm: AnyProtocol,
  setup: Setup,
): readonly Fault[] {
  const faults = texts.map((text) => given('--fault', text, () => faultFrom(text, setup.nodes)))
  for (const fault of faults)
    given('--fault', fault.text, () => checkMembership(algorithm, setup, fault, faults))
  return faults
}

/** One line if the run breaks what the algorithm assumes. */
export function outsideAssumptions(config: WorldConfig): readonly string[] {
  const broken = brokenAssumptions(config)
  const { name } = config.algorithm.facts
  return broken.length === 0 ? [] : [`warning: outside the assumptions of ${name}: ${broken.join('; ')}`]
}

/** An algorithm with zones should have those of the latency: otherwise what it takes for near is far. */
function misplacedZones({ algorithm, setup, latency }: SimulationConfig): string[] {
  if (algorithm.facts.zones !== true || latency.between === undefined) return []
  const { count } = latency.between.zones
  const { zones } = setup.options as { readonly zones: number }
  return zones === count
    ? []
    : [`${algorithm.facts.name} has zones=${zones}, the latency ${count}: --set zones=${count}`]
}

/** The algorithm that the settings ask for, and the settings that are left. */
export function chosenBy<P extends AnyProtocol, Options extends WorldOptions>(
  asked: P,
  options: Options,
): { algorithm: P | AnyAlgorithm; options: Options } {
  const { facts } = asked
  const { name, settings: set } = asNamedNow({ name: facts.name, settings: options.set })
  return { algorithm: name === facts.name ? asked : algorithmNamed(name), options: { ...options, set } }
}

/** Topology and quorums fit the algorithm or are refused, each under its own name. */
export function worldFrom(
  algorithm: AnyProtocol,
  { topology: graph, quorum, structure: relation, k, resources, set }: WorldOptions,
  nodesText: string | undefined,
  seed: number,
  { dead = 'none', mostNodes = MOST_NODES }: { readonly dead?: string; readonly mostNodes?: number } = {},
): { setup: Setup; notes: readonly string[] } {
  const { facts, options: specs } = algorithm
  const graphFile = isFile(graph) ? given('--topology', graph, () => readGraph(graph)) : undefined
  const quorumFile = isFile(quorum) ? given('--quorum', quorum, () => readQuorums(quorum)) : undefined
  const relationFile = isFile(relation)
    ? given('--structure', relation, () => readStructure(relation))
    : undefined
  const nodes = nodesFrom(nodesText, graphFile ?? quorumFile ?? relationFile, mostNodes)
  const topology = graphFile ?? topologyOption(graph, nodes, seed)
  const entries = insideTogether(algorithm, k, nodes)
  const quorums = quorumFile ?? quorumOption(quorum, nodes, entries ?? defaultTogether(facts, nodes))
  const structure = relationFile ?? structureOption(relation, nodes)
  const options = given('--set', set.join(' '), () => readOptions(specs, set, facts.name))
  const onGraph = {
    nodes,
    options,
    dead: given('--dead', dead, () => deadFrom(dead, nodes)),
    ...(topology === undefined ? {} : { topology }),
    ...(entries === undefined ? {} : { entries }),
    ...(resources === undefined ? {} : { resources: resourcesOption(algorithm, resources) }),
  }
  const world = given('--topology', graph ?? '', () => arrange(facts, onGraph))
  const asking = quorums === undefined ? onGraph : { ...onGraph, quorums }
  const askingWorld =
    quorums === undefined ? world : given('--quorum', quorum ?? '', () => arrange(facts, asking))
  if (structure === undefined) return askingWorld
  return given('--structure', relation ?? '', () => arrange(facts, { ...asking, structure }))
}

function isFile(text: string | undefined): text is string {
  return text?.endsWith('.json') ?? false
}

/** A file knows how many nodes it is for; saying something else is a mistake. */
function nodesFrom(
  text: string | undefined,
  file: Topology | Quorums | NamedStructure | undefined,
  most: number,
): number {
  if (file !== undefined && file.nodes > most)
    throw new InvalidInput(`${file.kind} has ${file.nodes} nodes: at most ${most} are allowed`)
  if (text === undefined) return file?.nodes ?? DEFAULT_NODES
  const nodes = given('--nodes', text, () => wholeNumber(text, 'a number of nodes', 1, most))
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

function insideTogether(algorithm: AnyProtocol, k: string | undefined, nodes: number): number | undefined {
  if (k === undefined) return undefined
  const { name } = algorithm.facts
  if (isElection(algorithm)) throw new InvalidInput(`--k: ${name} is an election, so there is no k`)
  if (algorithm.facts.entries === 1)
    throw new InvalidInput(`--k: ${name} lets one in at a time, so there is no k`)
  return given('--k', k, () => wholeNumber(k, 'a number of nodes inside together', 1, nodes))
}

function resourcesOption({ facts }: AnyProtocol, text: string): number {
  const resources = given('--resources', text, () =>
    wholeNumber(text, 'a number of resources', 1, MOST_RESOURCES),
  )
  if (resources === 1 || 'resources' in facts) return resources
  throw new InvalidInput(
    `--resources: ${facts.name} serves one lock: see ordered-resources, bouabdallah-laforest`,
  )
}

function quorumOption(text: string | undefined, nodes: number, entries: number): Quorums | undefined {
  if (text === undefined) return undefined
  return given('--quorum', text, () => orFile(QUORUM_FORMS, () => quorumsFrom(text, nodes, entries)))
}

function structureOption(text: string | undefined, nodes: number): NamedStructure | undefined {
  if (text === undefined) return undefined
  return given('--structure', text, () => orFile(STRUCTURE_FORMS, () => structureFromText(text, nodes)))
}

export function latencyOption(text: string, nodes: number, placing?: Placing): Latency {
  return given('--latency', text, () => {
    if (!isFile(text)) return orFile(LATENCY_FORMS, () => latencyFrom(text, nodes, placing))
    const content = readJson(text)
    return { ...inFile(text, () => latencyFromFile(content, nodes, placing)), text }
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

function loadOption(text: string, nodes: number): Load {
  const [, path] = /^script:(.+)$/s.exec(text) ?? []
  if (path === undefined) return given('--load', text, () => loadFrom(text, nodes))
  return given('--load', path, () => {
    const script = readText(path)
    return inFile(path, () => scriptFrom(script, nodes, text))
  })
}

export function channelsOption(text: string | undefined): 'fifo' | 'unordered' | undefined {
  return text === undefined ? undefined : given('--channels', text, () => channelsFrom(text))
}

function entriesFrom(text: string | undefined, load: Load): number {
  if (text !== undefined) return given('--entries', text, () => wholeNumber(text, 'a number of entries', 1))
  return defaultEntries(load)
}

function warmupFrom(text: string, entries: number): number {
  return given('--warmup', text, () => {
    const warmup = wholeNumber(text, 'a number of entries', 0)
    checkWarmup({ warmup, entries })
    return warmup
  })
}
