import type { AnyAlgorithm } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { readOptions } from '@turnwise/core/options'
import { quorumsFrom } from '@turnwise/core/quorum/quorum-from-text'
import { randomStream } from '@turnwise/core/random'
import { arrange, type Wishes } from '@turnwise/core/setup'
import { structureFromText } from '@turnwise/core/structure/structure-from-text'
import { topologyFrom } from '@turnwise/core/topology'
import type { TraceEvent } from '@turnwise/core/trace/trace'
import { instanceOf as instanceAsked } from '../src/asked-instance.ts'
import { Check, type CheckResult } from '../src/check.ts'
import { FenceCheck } from '../src/fence-check.ts'
import type { Budgets, Instance } from '../src/instance.ts'
import type { Local } from '../src/local.ts'
import type { Envelope } from '../src/parts.ts'
import type { PropertyName, PropertyResult } from '../src/property.ts'
import { Search } from '../src/search.ts'
import { absentFor } from '../src/surroundings.ts'

/** A small world; what is left out is what the algorithm needs, one request of each node, and no trouble. */
export interface SmallWorld {
  readonly nodes: number
  readonly requests?: number | 'any' | null
  readonly channels?: 'fifo' | 'unordered'
  readonly timing?: 'bounded' | 'any'
  readonly readers?: 'none' | 'some' | 'all'
  readonly downgrades?: boolean
  readonly updates?: boolean
  readonly resources?: number
  readonly sets?: string
  readonly topology?: string
  readonly quorum?: string
  readonly k?: number
  readonly structure?: string
  readonly set?: readonly string[]
  readonly memory?: 'kept' | 'lost' | 'either'
  readonly room?: number
  readonly gaps?: number
  readonly reduced?: boolean
  readonly settled?: boolean
  readonly only?: readonly PropertyName[]
  readonly budgets?: Partial<Budgets>
  readonly setup?: Pick<Wishes<object>, 'entries' | 'home' | 'inside' | 'absent' | 'dead'>
}

export function instanceOf(algorithm: AnyAlgorithm, world: SmallWorld): Instance<AnyAlgorithm> {
  const { facts } = algorithm
  const options = readOptions(algorithm.options, world.set ?? [], facts.name)
  const { nodes, topology, quorum, structure, k, resources } = world
  const { setup } = arrange(facts, {
    nodes,
    options,
    ...(topology === undefined
      ? {}
      : { topology: topologyFrom(topology, nodes, randomStream(1, 'topology')) }),
    ...(quorum === undefined ? {} : { quorums: quorumsFrom(quorum, nodes, k ?? world.setup?.entries) }),
    ...(structure === undefined ? {} : { structure: structureFromText(structure, nodes) }),
    ...(k === undefined ? {} : { entries: k }),
    ...(resources === undefined ? {} : { resources }),
    absent: absentFor(nodes, world.budgets?.joins ?? 0),
    ...world.setup,
  })
  const instance = instanceAsked(
    { algorithm, setup },
    {
      ...world,
      requests: world.requests === null ? 'any' : (world.requests ?? 1),
      timing: world.timing ?? facts.timing,
    },
    world.budgets,
  )
  return { ...instance, setup, memory: world.memory ?? 'either' }
}

const PLENTY = 2_000_000

/** A finished check, with what was explored. */
export interface Checked extends CheckResult {
  readonly check: Check
}

export function checked(algorithm: AnyAlgorithm, world: SmallWorld, mostStates = PLENTY): Checked {
  const check = new Check(instanceOf(algorithm, world), mostStates)
  while (!check.run(100_000));
  return { ...check.result, check }
}

export function fences(algorithm: AnyAlgorithm, world: SmallWorld, mostStates = PLENTY): PropertyResult {
  const check = new FenceCheck(instanceOf(algorithm, world), mostStates)
  while (!check.run(100_000));
  return check.result
}

export function searched(algorithm: AnyAlgorithm, world: SmallWorld, mostStates = PLENTY): Search {
  const search = new Search(instanceOf(algorithm, world), { mostStates, edges: true, followFences: false })
  while (!search.run(100_000));
  return search
}

/** The properties that fail, in the order in which they are told. */
export function failures({ properties }: CheckResult): PropertyName[] {
  return properties.filter(({ holds }) => holds === false).map(({ name }) => name)
}

/** The properties that the search did not decide. */
export function open({ properties }: CheckResult): PropertyName[] {
  return properties.filter(({ holds }) => holds === null).map(({ name }) => name)
}

export function propertyOf({ properties }: CheckResult, name: PropertyName): PropertyResult {
  const found = properties.find((property) => property.name === name)
  if (found === undefined) throw new Error(`no property is called ${name}`)
  return found
}

/** A world with its parts spelled out. */
export interface SpelledWorld {
  readonly state: number
  readonly locals: readonly Local[]
  readonly mail: readonly Envelope[]
}

/** Every world that was found. */
export function* worldsOf({ store, worlds }: Search): Generator<SpelledWorld, void> {
  const world = new Int32Array(2048)
  const { nodes } = worlds.instance.setup
  for (let state = 0; state < store.length; state += 1) {
    const size = store.read(state, world)
    yield {
      state,
      locals: Array.from({ length: nodes }, (_, node) => worlds.layout.localOf(world, node)),
      mail: Array.from(world.subarray(worlds.layout.header, size), (id) => get(worlds.parts.envelopes, id)),
    }
  }
}

/** What happened, apart from what handlers did in answer: one event for each step. */
const EFFECTS = new Set<TraceEvent['is']>(['send', 'enter', 'duplicate', 'violation', 'because'])

export function stepsOf({ trace }: PropertyResult): TraceEvent[] {
  if (trace === null) throw new Error('there is no run to look at')
  return trace.filter((event) => !EFFECTS.has(event.is))
}

/** The steps in words, such as `0 request`, `1 receive ask`, `0 timeout hop`. */
export function told(property: PropertyResult): string[] {
  const types = new Map(
    (property.trace ?? []).flatMap((event) => (event.is === 'send' ? [[event.id, event.message.type]] : [])),
  )
  return stepsOf(property).map((event) => {
    const node = 'node' in event ? `${event.node} ` : ''
    const detail =
      'id' in event
        ? ` ${types.get(event.id)}`
        : event.is === 'timeout'
          ? ` ${event.timer}`
          : 'peer' in event
            ? ` ${event.peer}`
            : ''
    return `${node}${event.is}${detail}`
  })
}
