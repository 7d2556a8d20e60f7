import type { AnyProtocol, NodeId } from '@turnwise/core/algorithm'
import { InvalidInput } from '@turnwise/core/invalid-input'
import type { TraceEvent, TraceHeader } from '@turnwise/core/trace/trace'
import { ElectionSimulation } from '@turnwise/simulator/election'
import { Simulation } from '@turnwise/simulator/simulation'
import { headerOf } from '@turnwise/simulator/trace-header'
import type { Hand } from './hand.ts'
import { sharedCopy } from './shared-copy.ts'
import { playable, type RunSpec, type WorldSpec, worldOf } from './spec.ts'

/** A node's state from one event on. */
export interface StateChange {
  /** The event after which it holds; -1 for the beginning. */
  readonly event: number
  readonly node: NodeId
  readonly state: object
}

/** Everything that happened in a run, as plain data that a worker can hand over. */
export interface Played {
  readonly header: TraceHeader
  readonly events: readonly TraceEvent[]
  /** For each event the number of steps that were done when it was recorded, itself included: where a hand can act. */
  readonly steps: readonly number[]
  readonly states: readonly StateChange[]
  /** Who is dead when the world begins; the events tell it too, first of all. */
  readonly dead: readonly NodeId[]
  /** The hands that could not do what they were to do, with the reason. */
  readonly refused: readonly { readonly hand: Hand; readonly why: string }[]
  /** Whether it was broken off because it is too long to show. */
  readonly isCut: boolean
}

/** Longer runs are broken off. */
export const MOST_EVENTS = 60_000

/** So many events without a request, an entry or an exit say all: what goes on circles for ever. */
const PATIENCE = 1_500

/** Plays a run to its end, with hands in it. The same words and hands play the same run. */
export function play(
  spec: RunSpec,
  hands: readonly Hand[],
  all: readonly AnyProtocol[] = playable,
  most = MOST_EVENTS,
): Played {
  const world = worldOf(spec, all)
  const recorder = new Recorder()
  const simulation = simulationOf(world, recorder)
  recorder.begin(simulation, world.config.setup.nodes)
  const refused: { hand: Hand; why: string }[] = []
  let next = 0
  for (let step = 0; ; step += 1) {
    while (next < hands.length && hands[next].after <= step) {
      recorder.steps = step
      const why = attempt(simulation, hands[next])
      if (why !== null) refused.push({ hand: hands[next], why })
      next += 1
    }
    recorder.steps = step + 1
    if (recorder.events.length >= most || recorder.quiet > PATIENCE || simulation.step(1)) break
    recorder.settle()
  }
  recorder.settle()
  return {
    header: headerOf(world.config, { load: spec.load, inside: spec.inside }),
    events: recorder.events,
    steps: recorder.stepOf,
    states: recorder.states,
    dead: world.config.setup.dead,
    refused,
    isCut: !simulation.isOver,
  }
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
])

const OUTCOMES: ReadonlySet<TraceEvent['is']> = new Set(['request', 'enter', 'leave', 'elect', 'elected'])

/**
 * Keeps events and states. An event is recorded before its handler runs, so what a handler made of its state is looked at
 * when the next event comes, or the step is over.
 */
class Recorder {
  readonly events: TraceEvent[] = []
  readonly stepOf: number[] = []
  readonly states: StateChange[] = []
  /** Counted by whoever plays. */
  steps = 0
  /** Events since something came of one. */
  quiet = 0
  #simulation: { stateOf(node: NodeId): object } | null = null
  readonly #current: object[] = []
  #open: { event: number; node: NodeId } | null = null

  begin(simulation: { stateOf(node: NodeId): object }, nodes: number): void {
    this.#simulation = simulation
    for (let node = 0; node < nodes; node += 1) this.#look(-1, node)
  }

  record(event: TraceEvent): void {
    if (!EFFECTS.has(event.is)) {
      this.settle()
      const node = 'node' in event ? event.node : null
      this.#open = node === null ? null : { event: this.events.length, node }
    }
    this.quiet = OUTCOMES.has(event.is) ? 0 : this.quiet + 1
    this.events.push(event)
    this.stepOf.push(this.steps)
  }

  settle(): void {
    if (this.#open !== null) this.#look(this.#open.event, this.#open.node)
  }

  #look(event: number, node: NodeId): void {
    if (this.#simulation === null) return
    const old = this.#current[node]
    const state = sharedCopy(old, this.#simulation.stateOf(node))
    if (state === old) return
    this.#current[node] = state
    this.states.push({ event, node, state })
  }
}
