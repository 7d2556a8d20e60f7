import type { AnyAlgorithm, Message, NodeId } from '@turnwise/core/algorithm'
import { faultFrom } from '@turnwise/core/faults'
import { readOptions } from '@turnwise/core/options'
import { quorumsFrom } from '@turnwise/core/quorum/from-text'
import { randomStream } from '@turnwise/core/random'
import { arrange, type Wishes } from '@turnwise/core/setup'
import { type Topology, topologyFrom } from '@turnwise/core/topology'
import { TICKS_PER_UNIT, type TraceEvent } from '@turnwise/core/trace/trace'
import type { SimulationConfig } from '../src/engine.ts'
import { latencyFromFile, lawFrom, sameLatency } from '../src/latency.ts'
import { loadFrom, scriptFrom } from '../src/load.ts'
import { type Report, reportOf } from '../src/report.ts'
import { Simulation } from '../src/simulation.ts'

/** A run as it is written on the command line; what is left out is what the command line takes. */
export interface Run {
  readonly algorithm: AnyAlgorithm
  readonly nodes: number
  readonly seed?: number
  readonly entries?: number
  readonly warmup?: number
  /** A load, or the lines of a script. */
  readonly load?: string | readonly string[]
  readonly inside?: string
  /** A law, or what stands in a latency file. */
  readonly latency?: string | object
  readonly channels?: 'fifo' | 'unordered'
  readonly topology?: string | Topology
  readonly quorum?: string
  readonly faults?: readonly string[]
  readonly set?: readonly string[]
  /** What the command line does not offer. */
  readonly world?: Pick<Wishes<object>, 'entries' | 'home' | 'inside' | 'insideMode'>
}

export function configOf(run: Run): SimulationConfig {
  const { algorithm, nodes, seed = 1, load = 'light', latency = 'constant:1', topology, quorum } = run
  const { setup } = arrange(algorithm.facts, {
    nodes,
    options: readOptions(algorithm.options, run.set ?? []),
    ...(topology === undefined
      ? {}
      : {
          topology:
            typeof topology === 'string'
              ? topologyFrom(topology, nodes, randomStream(seed, 'topology'))
              : topology,
        }),
    ...(quorum === undefined ? {} : { quorums: quorumsFrom(quorum, nodes) }),
    ...run.world,
  })
  const parsedLoad =
    typeof load === 'string' ? loadFrom(load, nodes) : scriptFrom(load.join('\n'), nodes, 'script:test')
  return {
    algorithm,
    setup,
    seed,
    entries: run.entries ?? (typeof load === 'string' ? 20 : requestsIn(load)),
    warmup: run.warmup ?? 0,
    load: parsedLoad,
    inside: lawFrom(run.inside ?? 'constant:1'),
    latency: typeof latency === 'string' ? sameLatency(lawFrom(latency)) : latencyFromFile(latency, nodes),
    channels: run.channels ?? algorithm.facts.channels,
    faults: (run.faults ?? []).map((text) => faultFrom(text, nodes)),
  }
}

function requestsIn(script: readonly string[]): number {
  return script.filter((line) => / request /.test(line)).length
}

/** The command that replays a run whose parts all have a name on the command line. */
export function commandOf(run: Run): string {
  const { config, words } = { config: configOf(run), words: ['turnwise', 'simulate'] }
  words.push(config.algorithm.facts.name, '--nodes', String(run.nodes), '--seed', String(config.seed))
  words.push('--entries', String(config.entries), '--load', config.load.text, '--channels', config.channels)
  words.push('--latency', config.latency.text, '--inside', run.inside ?? 'constant:1')
  if (typeof run.topology === 'string') words.push('--topology', run.topology)
  if (run.quorum !== undefined) words.push('--quorum', run.quorum)
  for (const setting of run.set ?? []) words.push('--set', setting)
  for (const fault of run.faults ?? []) words.push('--fault', `'${fault}'`)
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
