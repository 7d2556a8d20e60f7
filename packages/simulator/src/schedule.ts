/**
 * A recorded run as a list of acts that can be played again, all of them or some. A message is known by the act that sent it: what act 12
 * sent first is the same message whatever was left out before, as long as act 12 still sends one.
 */
import { type AnyAlgorithm, type Ask, ImpossibleError, type NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { InvalidInput } from '@turnwise/core/invalid-input'
import type { Setup } from '@turnwise/core/setup'
import type { TraceEvent } from '@turnwise/core/trace/trace'
import { type Envelope, Stage } from './stage.ts'

/** Where an act stands in its schedule. What nodes send when the world begins was sent by act -1. */
export type Place = number

export interface Letter {
  /** The act that sent it. */
  readonly by: Place
  /** How many others that act had sent before. */
  readonly ordinal: number
}

/** `node` is where it happens: the receiver of a message. */
export type ScheduledAct =
  | { readonly does: 'request'; readonly node: NodeId; readonly ask: Ask }
  | {
      readonly does: 'release' | 'withdraw' | 'downgrade' | 'upgrade' | 'crash' | 'proceed'
      readonly node: NodeId
    }
  | { readonly does: 'restart'; readonly node: NodeId; readonly memory: boolean }
  | { readonly does: 'timeout'; readonly node: NodeId; readonly timer: string }
  | { readonly does: 'suspect' | 'restore'; readonly node: NodeId; readonly peer: NodeId }
  | { readonly does: 'deliver' | 'drop' | 'duplicate'; readonly node: NodeId; readonly letter: Letter }

/** Where a schedule is played. */
export interface World {
  readonly algorithm: AnyAlgorithm
  readonly setup: Setup
  readonly channels: 'fifo' | 'unordered'
}

/** Each message of a run: who sent it, and to whom, unless it was a broadcast. */
type Letters = Map<number, { readonly letter: Letter; readonly to: NodeId | null }>

/** The acts of a run up to its first violation; or the first event that no act stands for, such as a change of the members. */
export function scheduleOf(events: readonly TraceEvent[]): ScheduledAct[] | TraceEvent['is'] {
  const acts: ScheduledAct[] = []
  const letters: Letters = new Map()
  // A message may be lost or doubled while it is sent: then the event stands among the other sends of the same act.
  let caller: Place = -1
  let sent = 0
  for (const event of events) {
    if (event.is === 'violation') break
    if (NO_ACTS.has(event.is)) continue
    if (event.is === 'send') {
      letters.set(event.id, { letter: { by: caller, ordinal: sent }, to: event.to })
      sent += 1
      continue
    }
    const act = actOf(event, letters)
    if (act === null) return event.is
    acts.push(act)
    if (event.is === 'lose' || event.is === 'duplicate') continue
    caller = acts.length - 1
    sent = 0
  }
  return acts
}

/** What an act did, and what only holds messages up. */
const NO_ACTS: ReadonlySet<TraceEvent['is']> = new Set(['enter', 'because', 'pause', 'resume', 'cut', 'heal'])

function actOf(event: TraceEvent, letters: Letters): ScheduledAct | null {
  switch (event.is) {
    case 'request': {
      const { node, mode, resources } = event
      return { does: 'request', node, ask: { mode, priority: 0, ...(resources && { resources }) } }
    }
    case 'leave':
      return { does: 'release', node: event.node }
    case 'withdraw':
    case 'downgrade':
    case 'upgrade':
    case 'crash':
    case 'proceed':
      return { does: event.is, node: event.node }
    case 'restart':
      return { does: 'restart', node: event.node, memory: event.memory }
    case 'timeout':
      return { does: 'timeout', node: event.node, timer: event.timer }
    case 'suspect':
    case 'restore':
      return { does: event.is, node: event.node, peer: event.peer }
    case 'receive':
      return withLetter('deliver', event.id, event.node, letters)
    case 'lose':
      // A node that is down loses what is delivered to it.
      return withLetter(event.why === 'crash' ? 'deliver' : 'drop', event.id, event.node, letters)
    case 'duplicate':
      return withLetter('duplicate', event.id, letters.get(event.id)?.to ?? null, letters)
    default:
      return null
  }
}

function withLetter(
  does: 'deliver' | 'drop' | 'duplicate',
  id: number,
  node: NodeId | null,
  letters: Letters,
): ScheduledAct | null {
  const sent = letters.get(id)
  return sent === undefined || node === null ? null : { does, node, letter: sent.letter }
}

/** What was played. */
export interface Played {
  /** The acts that were possible. */
  readonly places: readonly Place[]
  readonly stage: Stage
}

/** Plays the acts at these places, as far as they are possible, until `isOver`. Messages keep their order where the world demands it. */
export function play(
  world: World,
  acts: readonly ScheduledAct[],
  places: readonly Place[],
  isOver: (stage: Stage) => boolean,
): Played {
  const stage = new Stage(world.algorithm, world.setup)
  /** What each act sent, by its number on this stage. */
  const sent = new Map<Place, readonly number[]>()
  const played: Place[] = []
  let seen = 0
  const note = (place: Place) => {
    const ids = stage.events.slice(seen).flatMap((event) => (event.is === 'send' ? event.id : []))
    seen = stage.events.length
    sent.set(place, ids)
  }
  const find: Find = ({ by, ordinal }, to) => {
    const id = sent.get(by)?.[ordinal]
    return stage.underWay.find((each) => each.id === id && each.to === to) ?? null
  }
  note(-1)
  for (const place of places) {
    if (isOver(stage)) break
    if (!perform(world, stage, get(acts, place), find)) continue
    played.push(place)
    note(place)
  }
  return { places: played, stage }
}

/** One copy of a message that is under way. */
type Find = (letter: Letter, to: NodeId) => Envelope | null

/** Whether another message has to arrive first. */
function isBehind({ algorithm, channels }: World, { underWay }: Stage, { id, from, to }: Envelope): boolean {
  const isOrdered = algorithm.facts.medium === 'ordered broadcast'
  if (channels === 'unordered' && !isOrdered) return false
  return underWay.find((each) => each.to === to && (isOrdered || each.from === from))?.id !== id
}

/** Whether it was possible. */
function perform(world: World, stage: Stage, act: ScheduledAct, find: Find): boolean {
  try {
    if (!('letter' in act)) {
      actAt(stage, act)
      return true
    }
    const envelope = find(act.letter, act.node)
    if (envelope === null || (act.does === 'deliver' && isBehind(world, stage, envelope))) return false
    stage[act.does](envelope)
    return true
  } catch (error) {
    if (error instanceof InvalidInput) return false
    if (!(error instanceof ImpossibleError)) throw error
    stage.jury.rules.add(0, [act.node], `node ${act.node} stops: ${error.message}`)
    return true
  }
}

function actAt(stage: Stage, act: Exclude<ScheduledAct, { letter: Letter }>): void {
  const { node } = act
  switch (act.does) {
    case 'request':
      return stage.request(node, act.ask)
    case 'restart':
      return stage.restart(node, act.memory)
    case 'timeout':
      return stage.timeout(node, act.timer)
    case 'suspect':
    case 'restore':
      if (stage.statusOf(node) === 'crashed') throw new InvalidInput(`node ${node} is down`)
      return stage[act.does](node, act.peer)
    default:
      return stage[act.does](node)
  }
}
