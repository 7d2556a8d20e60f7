import type { AnyAlgorithm, NodeId } from '@turnwise/core/algorithm'
import type { TraceEvent } from '@turnwise/core/trace/trace'
import { type Envelope, Stage } from '@turnwise/simulator/stage'
import type { Instance } from '../src/instance.ts'

/** Plays the steps of a counterexample by hand, one after the other. */
export function replay(
  { algorithm, setup }: Pick<Instance, 'algorithm' | 'setup'>,
  trace: readonly TraceEvent[],
): Stage {
  const stage = new Stage(algorithm, setup)
  for (const event of trace) act(stage, event)
  return stage
}

const ASK = { mode: 'exclusive', priority: 0 } as const

/** What handlers do in answer they must do again by themselves. */
function act(stage: Stage, event: TraceEvent): void {
  switch (event.is) {
    case 'request':
      return stage.request(event.node, ASK)
    case 'leave':
      return stage.release(event.node)
    case 'withdraw':
      return stage.withdraw(event.node)
    case 'receive':
      return stage.deliver(letter(stage, event.id, event.node))
    case 'lose':
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
    case 'elect':
      return stage.elect(event.node)
    case 'send':
    case 'enter':
    case 'elected':
    case 'violation':
      return
    default:
      throw new Error(`the checker tells of no ${event.is}`)
  }
}

function letter({ underWay }: Stage, id: number, to: NodeId | null): Envelope {
  const found = underWay.find((envelope) => envelope.id === id && (to === null || envelope.to === to))
  if (found === undefined) throw new Error(`message ${id} is not under way`)
  return found
}

/** A run without its times and verdicts, to be compared with another. */
export function happened(events: readonly TraceEvent[]): object[] {
  return events.filter(({ is }) => is !== 'violation').map(({ at: _at, ...event }) => event)
}

/** How many tokens there are on a stage, held and under way. */
export function tokensOn({ states, underWay }: Stage, { tokens }: AnyAlgorithm): number {
  if (tokens === undefined) throw new Error('this algorithm has no tokens')
  const held = states.reduce((sum, state) => sum + tokens.held(state), 0)
  return underWay.reduce((sum, { message }) => sum + tokens.carried(message), held)
}
