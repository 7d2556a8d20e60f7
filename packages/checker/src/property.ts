import { type AnyProtocol, isElection } from '@turnwise/core/algorithm'
import { invalid } from '@turnwise/core/invalid-input'
import { TRACE_VERSION, type Trace, type TraceEvent } from '@turnwise/core/trace/trace'
import { worldSettings } from '@turnwise/core/trace/world-settings'
import { keepsAllFences } from './given-fences.ts'
import type { Instance } from './instance.ts'
import { NoSuchRun, traceTo } from './path.ts'
import type { Search } from './search.ts'

/** What the checker decides. Names that begin with `sometimes` say that something can happen at all. */
export type PropertyName =
  | 'exclusion'
  | 'one-token'
  | 'no-deadlock'
  | 'rules'
  | 'can-enter'
  | 'no-starvation'
  | 'fences-rise'
  | 'one-coordinator'
  | 'agreement'
  | 'highest'
  | 'can-end'
  | 'always-ends'
  | 'sometimes-elects'
  | 'sometimes-enters'
  | 'sometimes-all-enter'
  | 'sometimes-compete'
  | 'sometimes-full'
  | 'sometimes-together'

/** Those that an algorithm promises. */
export function propertiesOf(algorithm: AnyProtocol): PropertyName[] {
  if (isElection(algorithm))
    return ['one-coordinator', 'agreement', 'highest', 'no-deadlock', 'can-end', 'always-ends']
  const tokens: PropertyName[] = algorithm.tokens === undefined ? [] : ['one-token']
  return ['exclusion', ...tokens, 'no-deadlock', 'can-enter', 'no-starvation', 'fences-rise']
}

/** Those that can be asked for alone: its own, and that no handler meets a case that its paper excludes. */
export function askableOf(algorithm: AnyProtocol): PropertyName[] {
  return [...propertiesOf(algorithm), 'rules']
}

export function propertyNamed(text: string, algorithm: AnyProtocol): PropertyName {
  const known = askableOf(algorithm)
  const found = known.find((name) => name === text)
  if (found === undefined) throw invalid(text, `one of ${known.join(', ')}`)
  return found
}

export function isAsked({ only }: Pick<Instance, 'only'>, name: PropertyName): boolean {
  return only === undefined || only.includes(name)
}

/** The result for a property. */
export interface PropertyResult {
  /** Such as `'exclusion'` or `'no-starvation'`. */
  readonly name: PropertyName
  /** Null if the search ended before it could be decided. */
  readonly holds: boolean | null
  /** Why it fails, or how far it was checked. */
  readonly reason: string | null
  /** A shortest run that shows the failure; with a reduced search, a short one. */
  readonly trace: readonly TraceEvent[] | null
  /** Where in the trace a part begins that repeats for ever. */
  readonly repeatsFrom: number | null
}

/** A property that holds, or that could not be decided (null). */
export function decided(
  name: PropertyName,
  holds: true | null,
  reason: string | null = null,
): PropertyResult {
  return { name, holds, reason, trace: null, repeatsFrom: null }
}

/** A property of whole runs, after a search that did not see everything. */
export function undecided(name: PropertyName, { leftOut, worlds }: Search): PropertyResult {
  if (leftOut === null) return decided(name, null)
  const { clock, room } = worlds.instance
  const ends = {
    rules: 'a handler breaks a rule',
    clock: `a clock would pass ${clock}`,
    room: `a channel would have more than ${messages(room)}`,
  }
  return decided(name, null, `some runs end where ${ends[leftOut]}`)
}

/** A property of single states, after such a search. If only a bound of the instance ended runs, all states within it were seen. */
export function undecidedInStates(name: PropertyName, search: Search): PropertyResult {
  const { leftOut, isComplete, worlds } = search
  if (leftOut === null || leftOut === 'rules' || !isComplete) return undecided(name, search)
  const { clock, room } = worlds.instance
  const within = [
    ...(clock === undefined ? [] : [`no clock passes ${clock}`]),
    ...(room === undefined ? [] : [`no channel has more than ${messages(room)}`]),
  ]
  return decided(name, null, `holds while ${within.join(' and ')}`)
}

function messages(count: number | undefined): string {
  return count === 1 ? '1 message' : `${count} messages`
}

/** A property that fails in a state, told by a shortest run to it. */
export function failed(name: PropertyName, search: Search, state: number, reason: string): PropertyResult {
  const trace = realTrace(() => traceTo(search, state))
  if (trace === null) return openWithGaps(name)
  const text = name === 'fences-rise' ? (staleFenceIn(trace, search.worlds.instance) ?? reason) : reason
  const end: TraceEvent = { at: trace.at(-1)?.at ?? 0, is: 'violation', judge: name, nodes: [], text }
  return { name, holds: false, reason: text, trace: [...trace, end], repeatsFrom: null }
}

/** Null if the run is one of worlds with gaps alone. */
function realTrace(trace: () => TraceEvent[]): TraceEvent[] | null {
  try {
    return trace()
  } catch (error) {
    if (error instanceof NoSuchRun) return null
    throw error
  }
}

/** With gaps there are more runs than in the algorithm, and one of those breaks the property. */
export function openWithGaps(name: PropertyName): PropertyResult {
  return decided(name, null, 'fails with these gaps, in a run that may not exist: try larger ones')
}

/** The fences of a world are shifted like its clocks; the run has the real ones. */
function staleFenceIn(trace: readonly TraceEvent[], { setup, algorithm }: Instance): string | null {
  // Where every fence is remembered no clock is shifted, and the reason has the real ones already.
  if (keepsAllFences({ setup, algorithm })) return null
  const entries = trace.filter((event) => event.is === 'enter')
  const last = entries.pop()
  const before = entries.findLast(({ fence, resources }) =>
    last?.resources === undefined || resources === undefined
      ? (Number(fence) - Number(last?.fence ?? 0)) % setup.entries === 0
      : Number(fence) >= Number(last.fence) && resources.some((each) => last.resources?.includes(each)),
  )
  if (last === undefined || before === undefined) return null
  return `node ${last.node} enters with fence ${last.fence} after fence ${before.fence}`
}

/** Whether a run against a property of single worlds is a shortest. Behind a settled message another may wait. */
export function isShortest({ reduced, settled, channels }: Instance): boolean {
  return reduced === undefined && (settled === undefined || channels === 'unordered')
}

/** The run that breaks a property, as a trace that can be shown, saved and replayed; null if nothing breaks it. */
export function counterexample(instance: Instance, { name, trace }: PropertyResult): Trace | null {
  if (trace === null) return null
  const { algorithm, setup, channels } = instance
  const header = {
    format: 'turnwise-trace',
    version: TRACE_VERSION,
    algorithm: algorithm.facts.name,
    nodes: setup.nodes,
    seed: 0,
    entries: setup.entries,
    settings: {
      found: `a ${isShortest(instance) ? 'shortest ' : ''}run against ${name}`,
      ...worldSettings(algorithm, setup, channels),
    },
  } as const
  return { header, events: trace }
}
