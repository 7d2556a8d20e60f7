import { asNamedNow } from '@turnwise/algorithms/former-settings'
import { isElection } from '@turnwise/core/algorithm'
import { type Hand, readHands, writeHands } from '../../run/hand.ts'
import { playable, type RunSpec } from '../../run/spec.ts'
import type { Query } from '../../shell/address.ts'

/** What the theatre shows, as its address says it. */
export interface Asked {
  readonly spec: RunSpec
  readonly hands: readonly Hand[]
  /** Null: from the beginning, playing. */
  readonly position: number | null
  /** The word for a record that is shown instead of a run. */
  readonly trace?: string | undefined
  /** Of a broken variant: the run that breaks its rule is looked for, and shown instead. */
  readonly isViolating?: boolean
  /** What is looked for in the run, as it was typed. */
  readonly find?: string | undefined
  /** The words for a second run that is shown beside it: see `beside.ts`. */
  readonly beside?: string | undefined
}

/**
 * Who asks in the example of Ricart and Agrawala's section 2.3, and in which order; their nodes 1, 2, 3 are 0, 1, 2 here.
 * With these delays a request overtakes a reply, as it does there.
 */
export const EXAMPLE = 'script:0 request 2; 1 request 1; 4 request 0'

export const FIRST: RunSpec = {
  algorithm: 'ricart-agrawala',
  nodes: 3,
  seed: 881,
  load: EXAMPLE,
  entries: 30,
  latency: 'uniform:0.5,8',
  inside: 'constant:2',
  fault: [],
  set: [],
}

/** Words that the address leaves out are those of the first run. */
export function readQuery(query: Query): Asked {
  const number = (name: string, otherwise: number) => {
    const value = Number(query[name])
    return query[name] === undefined || !Number.isFinite(value) ? otherwise : value
  }
  const list = (name: string) => (query[name] ?? '').split(' ').filter((word) => word !== '')
  const optional = (name: string) => (query[name] === undefined ? undefined : number(name, 0))
  const at = query['at']
  const { name: algorithm, settings: set } = asNamedNow({
    name: query['algorithm'] ?? FIRST.algorithm,
    settings: list('set'),
  })
  return {
    spec: {
      algorithm,
      nodes: number('nodes', FIRST.nodes),
      seed: number('seed', FIRST.seed),
      load: query['load'] ?? FIRST.load,
      entries: number('entries', FIRST.entries),
      latency: query['latency'] ?? FIRST.latency,
      inside: query['inside'] ?? FIRST.inside,
      channels: query['channels'],
      topology: query['topology'],
      quorum: query['quorum'],
      structure: query['structure'],
      k: optional('k'),
      resources: optional('resources'),
      take: optional('take'),
      readers: optional('readers'),
      priorities: query['priorities'],
      fault: list('fault'),
      set,
    },
    hands: readHands(query['hands'] ?? ''),
    position: at === undefined || !/^\d+$/.test(at) ? null : Number(at),
    trace: query['trace'],
    isViolating: query['violating'] === 'yes',
    find: query['find'],
    beside: query['beside'],
  }
}

export function writeQuery({ spec, hands, position, trace, isViolating, find, beside }: Asked): Query {
  const at = position === null ? undefined : String(position)
  if (trace !== undefined) return { trace, beside, find, at }
  const unlessFirst = (name: keyof RunSpec) =>
    spec[name] === FIRST[name] || spec[name] === undefined ? undefined : String(spec[name])
  return {
    algorithm: unlessFirst('algorithm'),
    nodes: unlessFirst('nodes'),
    seed: unlessFirst('seed'),
    load: unlessFirst('load'),
    entries: unlessFirst('entries'),
    latency: unlessFirst('latency'),
    inside: unlessFirst('inside'),
    channels: spec.channels,
    topology: spec.topology,
    quorum: spec.quorum,
    structure: spec.structure,
    k: spec.k === undefined ? undefined : String(spec.k),
    resources: spec.resources === undefined ? undefined : String(spec.resources),
    take: spec.take === undefined ? undefined : String(spec.take),
    readers: spec.readers === undefined ? undefined : String(spec.readers),
    priorities: spec.priorities,
    fault: spec.fault.join(' '),
    set: spec.set.join(' '),
    hands: writeHands(hands),
    violating: isViolating === true ? 'yes' : undefined,
    beside,
    find,
    at,
  }
}

/**
 * The same run for another algorithm: nodes, load and seed stay, so that the difference is the algorithm's. What it
 * cannot have (a topology, quorums, an order of channels) is left out and becomes what it needs.
 */
export function withAlgorithm(spec: RunSpec, algorithm: string): RunSpec {
  const found = playable.find((other) => other.facts.name === algorithm)
  const facts = found === undefined || isElection(found) ? undefined : found.facts
  return {
    ...spec,
    algorithm,
    channels: undefined,
    topology: facts?.topology === 'connected' || facts?.topology === 'tree' ? spec.topology : undefined,
    quorum: facts?.quorums === true && facts.entries === 1 ? spec.quorum : undefined,
    structure: facts?.structure === true ? spec.structure : undefined,
    k: facts?.entries === 'k' ? spec.k : undefined,
    resources: facts?.resources ? spec.resources : undefined,
    take: facts?.resources ? spec.take : undefined,
    readers: facts?.sharedMode === true ? spec.readers : undefined,
    priorities: undefined,
    set: [],
  }
}
