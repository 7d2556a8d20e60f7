import type { AnyAlgorithm, AnyProtocol, NodeId } from '@turnwise/core/algorithm'
import type { ProtocolFacts } from '@turnwise/core/facts'
import { faultFrom } from '@turnwise/core/faults'
import { decimal, InvalidInput, wholeNumber } from '@turnwise/core/invalid-input'
import { readOptions } from '@turnwise/core/options'
import { quorumsFrom } from '@turnwise/core/quorum/quorum-from-text'
import type { Quorums } from '@turnwise/core/quorum/quorums'
import { randomStream } from '@turnwise/core/random'
import { arrange, defaultTogether } from '@turnwise/core/setup'
import type { NamedStructure } from '@turnwise/core/structure/structure'
import { structureFromText } from '@turnwise/core/structure/structure-from-text'
import { type Topology, topologyFrom } from '@turnwise/core/topology'
import type { SimulationConfig } from './engine.ts'
import { type Latency, latencyFrom, lawFrom } from './latency.ts'
import { type Load, loadFrom } from './load.ts'
import { checkMembership } from './membership-faults.ts'
import { NO_PRIORITIES, prioritiesFrom } from './priority-shares.ts'
import { takeFrom } from './taken-resources.ts'

/**
 * The wishes for a run, in the words of the command line. The algorithm's needs decide the rest. The caller reads files
 * and passes their content.
 */
export interface RunWishes {
  readonly nodes?: number
  readonly entries?: number
  readonly warmup?: number
  readonly load?: string | Load
  readonly readers?: number
  readonly priorities?: string
  readonly inside?: string
  readonly topology?: string | Topology
  readonly quorum?: string | Quorums
  readonly structure?: string | NamedStructure
  /** How many may be inside together. */
  readonly k?: number
  /** How many resources there are, and how many of them each request takes. */
  readonly resources?: number
  readonly take?: number
  readonly latency?: string | Latency
  readonly channels?: string
  readonly fault?: readonly string[]
  readonly set?: readonly string[]
  readonly seed?: number
}

export const DEFAULT_NODES = 9
export const DEFAULT_ENTRIES = 1000
export const MOST_NODES = 10_000_000
/** Messages and states list them all. */
export const MOST_RESOURCES = 10_000

/** Reads all wishes. An error begins with the name of the wish. */
export function simulationConfig(algorithm: AnyAlgorithm, wishes: RunWishes = {}): SimulationConfig {
  const seed = whole('seed', wishes.seed ?? 1, 0)
  const nodes = whole('nodes', wishes.nodes ?? DEFAULT_NODES, 1, MOST_NODES)
  const load = about('load', () => read(wishes.load ?? 'light', (text) => loadFrom(text, nodes)))
  const setup = arrangeWorld(algorithm, wishes, nodes, seed)
  const { options } = setup
  const config: SimulationConfig = {
    algorithm,
    setup,
    seed,
    load,
    readers: about('readers', () => readersFrom(String(wishes.readers ?? 0), algorithm.facts, load)),
    priorities: about('priorities', () =>
      prioritiesFrom(wishes.priorities ?? NO_PRIORITIES, { algorithm, options, load }),
    ),
    take: about('take', () => takeFrom(wishes.take?.toString(), { facts: algorithm.facts, setup, load })),
    entries: whole('entries', wishes.entries ?? defaultEntries(load), 1),
    warmup: whole('warmup', wishes.warmup ?? 0, 0),
    inside: about('inside', () => lawFrom(wishes.inside ?? 'constant:1')),
    latency: about('latency', () => read(wishes.latency ?? 'constant:1', (text) => latencyFrom(text, nodes))),
    channels: about('channels', () => channelsFrom(wishes.channels ?? algorithm.facts.channels)),
    faults: (wishes.fault ?? []).map((text) => about('fault', () => faultFrom(text, nodes))),
  }
  about('warmup', () => checkWarmup(config))
  for (const fault of config.faults)
    about('fault', () => checkMembership(algorithm, config.setup, fault, config.faults))
  return config
}

/** The share of requests that ask to share; above 0 only if the algorithm has a shared mode. */
export function readersFrom(text: string, facts: ProtocolFacts, load?: Load): number {
  const readers = decimal(text, 'a share of requests that read', { min: 0, max: 1 })
  if (readers > 0 && !('sharedMode' in facts && facts.sharedMode === true))
    throw new InvalidInput(`${facts.name} has no shared mode, so no request can read`)
  if (readers > 0 && load?.kind === 'script') throw new InvalidInput('a script says itself who shares')
  return readers
}

/** Something must be left to count. */
export function checkWarmup({ warmup, entries }: Pick<SimulationConfig, 'warmup' | 'entries'>): void {
  if (warmup >= entries) throw new InvalidInput(`"${warmup}" leaves none of ${entries} entries to count`)
}

/** The world of a run, from what was asked of it. */
export function arrangeWorld(
  algorithm: AnyProtocol,
  {
    topology,
    quorum,
    structure,
    k,
    resources,
    set = [],
  }: Pick<RunWishes, 'topology' | 'quorum' | 'structure' | 'k' | 'resources' | 'set'>,
  nodes: number,
  seed: number,
  dead: readonly NodeId[] = [],
) {
  const { facts } = algorithm
  if (quorum !== undefined && !facts.quorums) {
    throw new InvalidInput(`quorum: ${facts.name} asks no quorums, so there is nothing to choose`)
  }
  if (k !== undefined && !('entries' in facts && facts.entries === 'k')) {
    throw new InvalidInput(`k: ${facts.name} lets one in at a time, so there is no k`)
  }
  const entries = k === undefined ? defaultTogether(facts, nodes) : whole('k', k, 1, nodes)
  const options = about('set', () => readOptions(algorithm.options, set, facts.name))
  const quorums =
    quorum === undefined
      ? undefined
      : about('quorum', () => read(quorum, (text) => quorumsFrom(text, nodes, entries)))
  if (quorums !== undefined && quorums.nodes !== nodes) {
    throw new InvalidInput(`quorum: ${quorums.kind} is for ${quorums.nodes} nodes, the run has ${nodes}`)
  }
  const known =
    structure === undefined
      ? undefined
      : about('structure', () => read(structure, (text) => structureFromText(text, nodes)))
  return about('topology', () => {
    const graph =
      topology === undefined
        ? undefined
        : read(topology, (text) => topologyFrom(text, nodes, randomStream(seed, 'topology')))
    return arrange(facts, {
      nodes,
      options,
      dead,
      entries,
      ...(resources === undefined ? {} : { resources: whole('resources', resources, 1, MOST_RESOURCES) }),
      ...(graph === undefined ? {} : { topology: graph }),
      ...(quorums === undefined ? {} : { quorums }),
      ...(known === undefined ? {} : { structure: known }),
    }).setup
  })
}

/** A script says how many requests it makes; any other load makes as many as are wanted. */
export function defaultEntries(load: Load): number {
  if (load.kind !== 'script') return DEFAULT_ENTRIES
  return load.lines.filter(({ does }) => does === 'request').length
}

export function channelsFrom(text: string): 'fifo' | 'unordered' {
  if (text === 'fifo' || text === 'unordered') return text
  throw new InvalidInput(`"${text}" is not one of fifo, unordered`)
}

export function read<Value extends object>(given: string | Value, parse: (text: string) => Value): Value {
  return typeof given === 'string' ? parse(given) : given
}

export function whole(what: string, value: number, min: number, max?: number): number {
  return about(what, () => wholeNumber(String(value), `a number for ${what}`, min, max))
}

/** Puts the name of the wish in front of an error. */
export function about<Value>(what: string, make: () => Value): Value {
  try {
    return make()
  } catch (error) {
    if (error instanceof InvalidInput) throw new InvalidInput(`${what}: ${error.message}`, { cause: error })
    throw error
  }
}
