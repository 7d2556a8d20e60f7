import { asNamedNow } from '@turnwise/algorithms/former-settings'
import { type AnyProtocol, isElection, type NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { judgeTrace } from '@turnwise/core/judges/of-trace'
import { absentAtFirst } from '@turnwise/core/trace/happening'
import { mergeParts } from '@turnwise/core/trace/merge'
import {
  isPart,
  TICKS_PER_UNIT,
  type Trace,
  type TraceHeader,
  writeTraceLine,
} from '@turnwise/core/trace/trace'
import { headerOf } from '@turnwise/simulator/trace-header'
import type { Played } from './play.ts'
import type { Recording } from './recording.ts'
import { retrace } from './retrace.ts'
import { MOST_NODES_SHOWN, playable, protocolNamed, type RunSpec, type WorldSpec } from './spec.ts'
import { toldStates } from './told.ts'
import { recordedWorld, worldFor } from './world-spec.ts'

/** An opened record, as a run that can be shown. No hand can act in it. Plain data: a worker hands it over. */
export interface Opened {
  readonly spec: RunSpec
  readonly played: Played
  /** What is missing or was mended, a sentence each. */
  readonly notes: readonly string[]
}

/** One file is a run, or several are the parts of one that nodes recorded. */
export function oneTrace(traces: readonly Trace[]): {
  readonly trace: Trace
  readonly notes: readonly string[]
} {
  if (traces.length === 1 && !isPart(get(traces, 0).header)) return { trace: get(traces, 0), notes: [] }
  return mergeParts(traces)
}

export function traceText({ header, events }: Trace): string {
  return [header, ...events].map(writeTraceLine).join('')
}

/** Shows a record; `all` are the algorithms that it may be of, broken ones included. */
export function openTrace(
  { trace, notes }: { readonly trace: Trace; readonly notes: readonly string[] },
  all: readonly AnyProtocol[],
): Opened {
  const { header } = trace
  if (header.nodes > MOST_NODES_SHOWN)
    throw new InvalidInput(`nodes: at most ${MOST_NODES_SHOWN} can be drawn`)
  const judged = trace.events.some(({ is }) => is === 'violation') ? trace : judgeTrace(trace).trace
  const spec = specOf(trace, protocolNamed(header.algorithm, all))
  const { states, noStates } = statesOf(judged, worldIn(spec, all))
  const untold = untoldIn(trace)
  const played: Played = {
    header,
    events: judged.events,
    steps: judged.events.map((_, index) => index + 1),
    states,
    dead: [],
    absent: [...absentAtFirst(judged.events), ...untold],
    untold,
    noStates,
    refused: [],
    // A record may end at any moment: a node that waits then need not wait in vain.
    isCut: !('found' in header.settings),
  }
  return { spec, played, notes }
}

/** A mesh records the states of its nodes. Of other runs they are found again, since the handlers are the same. */
function statesOf(trace: Trace, { config }: WorldSpec): Pick<Played, 'states' | 'noStates'> {
  const told = toldStates(trace.events)
  if (told !== null) return { states: told, noStates: null }
  if (isOfMesh(trace))
    return { states: [], noStates: 'The nodes that recorded this did not record their variables.' }
  const { algorithm, setup } = config
  const states = retrace(trace, algorithm, { ...setup, entries: trace.header.entries })
  const noStates = 'The rules of this version do not match the events of this record.'
  return states === null ? { states: [], noStates } : { states, noStates: null }
}

function isOfMesh({ header }: Trace): boolean {
  return 'ids' in header.settings
}

/** Nodes of a mesh without a part. Each part tells at least when it ends. */
function untoldIn(trace: Trace): NodeId[] {
  if (!isOfMesh(trace)) return []
  const told = new Set(
    trace.events.flatMap((event) => ('node' in event && event.is !== 'lose' ? [event.node] : [])),
  )
  return Array.from({ length: trace.header.nodes }, (_, node) => node).filter((node) => !told.has(node))
}

/** What the header says of the world; it is written for people, so what cannot be read is left out. */
function specOf({ header }: Trace, protocol: AnyProtocol): RunSpec {
  const { settings, nodes, seed, entries } = header
  const text = (name: string) => (typeof settings[name] === 'string' ? settings[name] : undefined)
  const named = asNamedNow({ name: header.algorithm, settings: text('set')?.split(' ') ?? [] })
  const spec = {
    algorithm: named.name,
    nodes,
    seed,
    load: isElection(protocol) ? 'one' : 'hands',
    entries: 1,
    latency: 'constant:1',
    inside: 'constant:1',
    ...(entries > 1 ? { k: entries } : {}),
    resources: typeof settings['resources'] === 'number' ? settings['resources'] : 1,
    fault: [],
    set: named.settings,
  }
  const usual = usualWords(spec, protocol)
  const own = WORLDLY.flatMap((name) => (text(name) === usual[name] ? [] : [[name, text(name)]]))
  return { ...spec, ...Object.fromEntries(own) }
}

const WORLDLY = ['channels', 'topology', 'quorum', 'structure'] as const

/** What a header says of a world that asks for nothing of its own: nobody has to read that it is as usual. */
function usualWords(spec: RunSpec, protocol: AnyProtocol): TraceHeader['settings'] {
  try {
    return headerOf(worldFor(spec, protocol).config, {}).settings
  } catch (error) {
    if (error instanceof InvalidInput) return {}
    throw error
  }
}

export function worldIn(spec: RunSpec, all: readonly AnyProtocol[] = playable): WorldSpec {
  return recordedWorld(spec, protocolNamed(spec.algorithm, all))
}

/**
 * Where a record is to be looked at first: at what it shows to be wrong, or at its end, while its nodes are still seen.
 * Parts that are read while they are written end within moments of each other.
 */
export function firstLook({ violations, happenings }: Pick<Recording, 'violations' | 'happenings'>): number {
  const end = happenings.at(-1)?.at ?? 0
  const first = happenings.findIndex(({ cause, at }) => cause.is === 'unseen' && end - at < TICKS_PER_UNIT)
  return violations[0]?.position ?? (first < 0 ? happenings.length : first)
}
