import type { NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { InvalidInput } from '@turnwise/core/invalid-input'
import type { TraceEvent, TraceHeader } from '@turnwise/core/trace/trace'
import type { Ahead } from '@turnwise/simulator/ahead'
import { ElectionSimulation } from '@turnwise/simulator/election-simulation'
import { absentAtFirst } from '@turnwise/simulator/membership-faults'
import { Simulation } from '@turnwise/simulator/simulation'
import { headerOf, traceHeader } from '@turnwise/simulator/trace-header'
import type { Hand } from './hand.ts'
import { withHands } from './recorded-words.ts'
import { sharedCopy } from './shared-copy.ts'
import type { RunSpec, WorldSpec } from './world-spec.ts'

/** A node's state from one event on. */
export interface StateChange {
  /** The event after which it holds; -1 for the beginning. */
  readonly event: number
  readonly node: NodeId
  /** Null: from here on it is not known, or there is none. */
  readonly state: object | null
}

/** What is known of a run before it begins. */
export interface PlayedHead {
  readonly header: TraceHeader
  /** The nodes that are dead when the world begins; the first events tell it too. */
  readonly dead: readonly NodeId[]
  /** The nodes that are absent when the world begins: they join later, or never. */
  readonly absent: readonly NodeId[]
  /** Of a record: nodes of which it tells nothing. */
  readonly untold: readonly NodeId[]
  /** Why the states of the nodes are not known; null if they are. */
  readonly noStates: string | null
}

/** What happened for a while, after all that earlier parts tell. */
export interface PlayedPart {
  readonly events: readonly TraceEvent[]
  /** For each event the number of steps that were done when it was recorded, itself included: where a hand can act. */
  readonly steps: readonly number[]
  readonly states: readonly StateChange[]
  /** Absent in a record, which does not tell it. */
  readonly ahead?: readonly AheadChange[]
}

/** What nodes have before them by themselves, from one event on. */
export interface AheadChange {
  /** The event after which it holds; -1 for the beginning. */
  readonly event: number
  readonly ahead: readonly Ahead[]
}

/** What is known of a run when it is over. */
export interface PlayedEnd {
  /** The hands that failed, with the reason. */
  readonly refused: readonly { readonly hand: Hand; readonly why: string }[]
  /** Whether it was broken off because it is too long to show. */
  readonly isCut: boolean
}

/** Everything that happened in a run, as plain data. */
export type Played = PlayedHead & PlayedPart & PlayedEnd

/** Longer runs are broken off; reasons do not count. */
export const MOST_EVENTS = 60_000

/** So many events without a request, an entry or an exit say all: what goes on circles for ever. */
const PATIENCE = 1_500

export function headOf(spec: RunSpec, world: WorldSpec, hands: readonly Hand[]): PlayedHead {
  const { setup, faults } = world.config
  const { load, inside } = spec
  const header =
    world.is === 'exclusion' ? traceHeader(world.config) : headerOf(world.config, { load, inside })
  return {
    header: withHands(header, hands),
    dead: setup.dead,
    absent: absentAtFirst(faults),
    untold: [],
    noStates: null,
  }
}

interface Playing {
  readonly most?: number
  readonly partOf: number
  /** Told the place of every event whose handler may run next. */
  readonly begins?: (event: number) => void
}

/** Plays a run in parts of about so many events: the first can be looked at while the rest is played. */
export function* playParts(
  world: WorldSpec,
  hands: readonly Hand[],
  { most = MOST_EVENTS, partOf, begins = () => {} }: Playing,
): Generator<PlayedPart, PlayedEnd> {
  const recorder = new Recorder(begins)
  const simulation = simulationOf(world, recorder)
  recorder.begin(simulation, world.config.setup.nodes)
  const refused: { hand: Hand; why: string }[] = []
  let next = 0
  for (let step = 0; ; step += 1) {
    while (next < hands.length && get(hands, next).after <= step) {
      recorder.steps = step
      recorder.quiet = 0
      const why = attempt(simulation, get(hands, next))
      if (why !== null) refused.push({ hand: get(hands, next), why })
      next += 1
    }
    recorder.lookAhead(simulation.hands.ahead())
    recorder.steps = step + 1
    if (recorder.count - recorder.reasons >= most || recorder.quiet > PATIENCE || simulation.step(1)) break
    recorder.settle()
    if (recorder.isLongerThan(partOf)) yield recorder.take()
  }
  for (const hand of hands.slice(next)) refused.push({ hand, why: 'the run had ended before' })
  recorder.settle()
  recorder.lookAhead(simulation.hands.ahead())
  yield recorder.take()
  return { refused, isCut: !simulation.isOver }
}

function simulationOf(world: WorldSpec, recorder: Recorder): Simulation | ElectionSimulation {
  const record = (event: TraceEvent) => recorder.record(event)
  return world.is === 'election'
    ? new ElectionSimulation({ ...world.config, record })
    : new Simulation({ ...world.config, record })
}

/** Null, or why it cannot be done: a run that was shared may have been changed since. */
function attempt(simulation: Simulation | ElectionSimulation, { act, at }: Hand): string | null {
  try {
    simulation.hands.act(act, at)
    return null
  } catch (error) {
    if (error instanceof InvalidInput) return error.message
    throw error
  }
}

/** What a handler does, or what befalls its messages: its own event came before. */
const EFFECTS: ReadonlySet<TraceEvent['is']> = new Set([
  'send',
  'enter',
  'elected',
  'lose',
  'duplicate',
  'corrupt',
  'violation',
  'because',
])

const OUTCOMES: ReadonlySet<TraceEvent['is']> = new Set(['request', 'enter', 'leave', 'elect', 'elected'])

/**
 * Keeps events and states. An event is recorded before its handler runs, so what a handler made of its state is looked at
 * when the next event comes, or the step is over.
 */
class Recorder {
  #part: ReturnType<typeof emptyPart> = emptyPart()
  /** The player counts it. */
  steps = 0
  /** Events in all. */
  count = 0
  /** How many of them are reasons. */
  reasons = 0
  /** Events since the last one that had an effect. */
  quiet = 0
  #simulation: { stateOf(node: NodeId): object } | null = null
  readonly #current: object[] = []
  #ahead: readonly Ahead[] = []
  #open: { event: number; node: NodeId } | null = null
  readonly #begins: (event: number) => void

  constructor(begins: (event: number) => void) {
    this.#begins = begins
  }

  begin(simulation: { stateOf(node: NodeId): object }, nodes: number): void {
    this.#simulation = simulation
    for (let node = 0; node < nodes; node += 1) this.#look(-1, node)
  }

  record(event: TraceEvent): void {
    if (!EFFECTS.has(event.is)) {
      this.settle()
      const node = 'node' in event ? event.node : null
      this.#open = node === null ? null : { event: this.count, node }
      this.#begins(this.count)
    }
    if (event.is === 'because') this.reasons += 1
    else this.quiet = OUTCOMES.has(event.is) ? 0 : this.quiet + 1
    this.count += 1
    this.#part.events.push(event)
    this.#part.steps.push(this.steps)
  }

  settle(): void {
    if (this.#open !== null) this.#look(this.#open.event, this.#open.node)
  }

  /** Keeps what nodes have before them, if that is news. */
  lookAhead(ahead: readonly Ahead[]): void {
    const isKnown =
      ahead.length === this.#ahead.length &&
      ahead.every((one, i) => JSON.stringify(one) === JSON.stringify(this.#ahead[i]))
    if (isKnown) return
    this.#ahead = ahead
    this.#part.ahead.push({ event: this.count - 1, ahead })
  }

  isLongerThan(events: number): boolean {
    return this.#part.events.length >= events
  }

  /** What was recorded since it was last taken. */
  take(): PlayedPart {
    const part = this.#part
    this.#part = emptyPart()
    return part
  }

  #look(event: number, node: NodeId): void {
    if (this.#simulation === null) return
    const old = this.#current[node]
    const state = sharedCopy(old, this.#simulation.stateOf(node))
    if (state === old) return
    this.#current[node] = state
    this.#part.states.push({ event, node, state })
  }
}

export function emptyPart(): {
  events: TraceEvent[]
  steps: number[]
  states: StateChange[]
  ahead: AheadChange[]
} {
  return { events: [], steps: [], states: [], ahead: [] }
}
