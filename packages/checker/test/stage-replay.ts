import type { AnyAlgorithm, NodeId } from '@turnwise/core/algorithm'
import { requestOf } from '@turnwise/core/resources'
import type { TraceEvent } from '@turnwise/core/trace/trace'
import { type Envelope, Stage } from '@turnwise/simulator/stage'
import type { Instance } from '../src/instance.ts'

/** Plays the steps of a counterexample by hand, one after the other. */
export function replay(
  { algorithm, setup }: Pick<Instance, 'algorithm' | 'setup'>,
  trace: readonly TraceEvent[],
): Stage {
  const stage = new Stage(algorithm, setup)
  const heard: Heard = new Map()
  for (const event of trace) act(stage, event, heard)
  return stage
}

/** How often each end of a channel has heard of it, as far as the run was played. */
type Heard = Map<string, number>

/** What handlers do in answer they must do again by themselves. */
function act(stage: Stage, event: TraceEvent, heard: Heard): void {
  switch (event.is) {
    case 'request':
      return stage.request(event.node, { priority: 0, ...requestOf(event) })
    case 'leave':
      return stage.release(event.node)
    case 'downgrade':
      return stage.downgrade(event.node)
    case 'upgrade':
      return stage.upgrade(event.node)
    case 'withdraw':
      return stage.withdraw(event.node)
    case 'receive':
      return stage.deliver(letter(stage, event.id, event.node))
    case 'lose':
      // What cannot be handed over comes back by itself.
      if (event.why !== 'drop') return stage.deliver(letter(stage, event.id, event.node))
      return stage.drop(letter(stage, event.id, event.node))
    case 'duplicate':
      return stage.duplicate(letter(stage, event.id, null))
    case 'timeout':
      return stage.timeout(event.node, event.timer)
    case 'proceed':
      return stage.proceed(event.node)
    case 'suspect':
      return stage.suspect(event.node, event.peer)
    case 'crash':
      return stage.crash(event.node)
    case 'restart':
      return stage.restart(event.node, event.memory)
    case 'join':
      return stage.add(event.node, event.sponsor)
    case 'depart':
      return stage.remove(event.node)
    case 'linked':
    case 'unlinked':
      return relink(stage, event, heard)
    case 'elect':
      return stage.elect(event.node)
    case 'send':
    case 'enter':
    case 'elected':
    case 'undelivered':
    case 'gone':
    case 'violation':
    case 'because':
      return
    default:
      throw new Error(`the checker tells of no ${event.is}`)
  }
}

/** The stage tells both ends in one go, and those of a node that has joined or is gone by itself. */
function relink(stage: Stage, event: Extract<TraceEvent, { is: 'linked' | 'unlinked' }>, heard: Heard): void {
  const { is, node, peer } = event
  const name = `${is} ${node} ${peer}`
  const before = heard.get(name) ?? 0
  heard.set(name, before + 1)
  const isIt = (told: TraceEvent) => told.is === is && told.node === node && told.peer === peer
  if (stage.events.filter(isIt).length > before) return
  if (is === 'linked') stage.link(node, peer)
  else stage.unlink(node, peer)
}

function letter({ underWay }: Stage, id: number, to: NodeId | null): Envelope {
  const found = underWay.find((envelope) => envelope.id === id && (to === null || envelope.to === to))
  if (found === undefined) throw new Error(`message ${id} is not under way`)
  return found
}

/**
 * A run without its times and verdicts, to be compared with another. What one handler does is at one time; a result of an
 * election among it is told last, for the checker does not keep in which order a handler sent and elected.
 */
export function happened(events: readonly TraceEvent[]): object[] {
  return events
    .filter(({ is }) => is !== 'violation')
    .toSorted((a, b) => a.at - b.at || rank(a) - rank(b))
    .map(({ at: _at, ...event }) => event)
}

/** The checker tells the reasons of a step before what was sent, and a result of an election after it. */
function rank({ is }: TraceEvent): number {
  return is === 'because' ? 0 : is === 'elected' ? 2 : 1
}

/** How many tokens there are on a stage, held and under way. */
export function tokensOn({ states, underWay }: Stage, { tokens }: AnyAlgorithm): number {
  if (tokens === undefined) throw new Error('this algorithm has no tokens')
  const held = states.reduce((sum, state) => sum + tokens.held(state), 0)
  return underWay.reduce((sum, { message }) => sum + tokens.carried(message), held)
}
