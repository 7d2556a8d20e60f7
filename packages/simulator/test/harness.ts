import type { AnyAlgorithm, Message, NodeId } from '@turnwise/core/algorithm'
import { arrange, type Wishes } from '@turnwise/core/setup'
import { TICKS_PER_UNIT, type TraceEvent } from '@turnwise/core/trace/trace'
import { simulationConfig } from '../src/configuration.ts'
import type { SimulationConfig } from '../src/engine.ts'
import { latencyFromFile, writeLaw } from '../src/latency.ts'
import { scriptFrom } from '../src/load.ts'
import { type Report, reportOf } from '../src/report.ts'
import { Simulation } from '../src/simulation.ts'

/** A run as it is written on the command line; what is left out is as on the command line, with fewer entries. */
export interface Run {
  readonly algorithm: AnyAlgorithm
  readonly nodes: number
  readonly seed?: number
  readonly entries?: number
  readonly warmup?: number
  /** A load, or the lines of a script. */
  readonly load?: string | readonly string[]
  readonly readers?: number
  readonly inside?: string
  /** A law, or what stands in a latency file. */
  readonly latency?: string | object
  readonly channels?: 'fifo' | 'unordered'
  readonly topology?: string
  readonly quorum?: string
  readonly structure?: string
  readonly k?: number
  readonly resources?: number
  readonly take?: number
  readonly faults?: readonly string[]
  readonly set?: readonly string[]
  /** What the command line does not offer. */
  readonly world?: Pick<Wishes<object>, 'entries' | 'home' | 'inside' | 'insideMode'>
}

export function configOf({
  algorithm,
  world,
  load = 'light',
  latency,
  faults,
  ...wishes
}: Run): SimulationConfig {
  const { nodes } = wishes
  const config = simulationConfig(algorithm, {
    entries: typeof load === 'string' ? ENTRIES : requestsIn(load),
    ...wishes,
    load: typeof load === 'string' ? load : scriptFrom(load.join('\n'), nodes, 'script:test'),
    ...(latency === undefined
      ? {}
      : { latency: typeof latency === 'string' ? latency : latencyFromFile(latency, nodes) }),
    ...(faults === undefined ? {} : { fault: faults }),
  })
  if (world === undefined) return config
  const { options, topology, quorums, structure } = config.setup
  const wished = {
    nodes,
    options,
    topology,
    ...(quorums === null ? {} : { quorums }),
    ...(structure === null ? {} : { structure }),
    ...world,
  }
  return { ...config, setup: arrange(algorithm.facts, wished).setup }
}

const ENTRIES = 20

function requestsIn(script: readonly string[]): number {
  return script.filter((line) => / request /.test(line)).length
}

/** The command that replays a run whose parts all have a name on the command line. */
export function commandOf(run: Run): string {
  const { algorithm, seed, entries, load, channels, latency, inside } = configOf(run)
  const words = ['turnwise', 'simulate', algorithm.facts.name]
  const say = (option: string, value: string | number) => words.push(`--${option}`, String(value))
  say('nodes', run.nodes)
  say('seed', seed)
  say('entries', entries)
  say('load', load.text)
  say('channels', channels)
  say('latency', latency.text)
  say('inside', writeLaw(inside))
  if (run.readers !== undefined) say('readers', run.readers)
  if (run.topology !== undefined) say('topology', run.topology)
  if (run.quorum !== undefined) say('quorum', run.quorum)
  if (run.structure !== undefined) say('structure', run.structure)
  if (run.k !== undefined) say('k', run.k)
  if (run.resources !== undefined) say('resources', run.resources)
  if (run.take !== undefined) say('take', run.take)
  for (const setting of run.set ?? []) say('set', setting)
  for (const fault of run.faults ?? []) say('fault', `'${fault}'`)
  return words.join(' ')
}

export interface Played {
  readonly simulation: Simulation
  readonly report: Report
  readonly events: readonly TraceEvent[]
}

/** Runs to the end and keeps everything that happened. Messages are frozen: no handler may change one. */
export function play(run: Run): Played {
  const events: TraceEvent[] = []
  const record = (event: TraceEvent) => {
    if (event.is === 'send') freeze(event.message)
    events.push(event)
  }
  const simulation = new Simulation({ ...configOf(run), record }).runToEnd()
  return { simulation, report: reportOf(simulation), events }
}

export function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  for (const item of Object.values(value)) freeze(item)
}

type Kind = TraceEvent['is']
export type EventOf<K extends Kind> = TraceEvent & { readonly is: K }

/** The events of the given kinds. */
export function only<K extends Kind>(events: readonly TraceEvent[], ...kinds: K[]): EventOf<K>[] {
  return events.filter((event): event is EventOf<K> => kinds.some((kind) => kind === event.is))
}

/** When something happened, in units of time. */
export function unitsOf(event: TraceEvent | undefined): number {
  return event === undefined ? Number.NaN : event.at / TICKS_PER_UNIT
}

/** `[time in units, node]` of each event of a kind that happens at a node. */
export function timesOf(
  events: readonly TraceEvent[],
  kind: 'request' | 'enter' | 'leave' | 'withdraw' | 'receive' | 'lose' | 'timeout' | 'pause' | 'resume',
): [number, NodeId][] {
  return only(events, kind).map((event) => [unitsOf(event), event.node])
}

/** Who received which message when, as `[time in units, node, type]`. */
export function receipts(events: readonly TraceEvent[]): [number, NodeId, string][] {
  return only(events, 'receive').map((event) => [
    unitsOf(event),
    event.node,
    messageOf(events, event.id).type,
  ])
}

export function messageOf(events: readonly TraceEvent[], id: number): Message {
  const sent = only(events, 'send').find((event) => event.id === id)
  if (sent === undefined) throw new Error(`message ${id} was never sent`)
  return sent.message
}
