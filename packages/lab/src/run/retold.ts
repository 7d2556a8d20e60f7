import { type AnyProtocol, type Here, isElection, type Message, type NodeId } from '@turnwise/core/algorithm'
import type { Setup } from '@turnwise/core/setup'
import type { Trace, TraceEvent } from '@turnwise/core/trace/trace'
import type { Played, StateChange } from './play.ts'
import { sharedCopy } from './shared-copy.ts'

/**
 * A run that was recorded elsewhere, such as a counterexample, with the states that it went through. A trace holds no
 * states, but what a node does depends on what happens to it alone: its rules are called again with the same events, and
 * what they send is in the trace already. Where a rule meets what it cannot have met, states are not told.
 */
export function retell(trace: Trace, protocol: AnyProtocol, setup: Setup): Played {
  return {
    header: trace.header,
    events: trace.events,
    // No step of a simulation is behind an event, so no hand can be laid on it.
    steps: trace.events.map(() => 0),
    states: statesOf(trace, protocol, setup),
    refused: [],
    isCut: false,
  }
}

function statesOf({ events }: Trace, protocol: AnyProtocol, setup: Setup): StateChange[] {
  const changes: StateChange[] = []
  const states = Array.from({ length: setup.nodes }, (_, node): object => protocol.init(node, setup))
  const told: object[] = []
  const look = (event: number, node: NodeId) => {
    const state = sharedCopy(told[node], states[node])
    if (state === told[node]) return
    told[node] = state
    changes.push({ event, node, state })
  }
  try {
    states.forEach((state, node) => {
      if (!setup.dead.includes(node) && !setup.absent.includes(node)) protocol.start?.(state, at(node, setup))
      look(-1, node)
    })
    const letters = new Map<number, { from: NodeId; message: Message }>()
    events.forEach((event, index) => {
      if (event.is === 'send') letters.set(event.id, event)
      if (event.is === 'corrupt') {
        const letter = letters.get(event.id)
        if (letter !== undefined) letters.set(event.id, { ...letter, message: event.message })
      }
      if (!('node' in event)) return
      const { node } = event
      const begins = event.is === 'join' || (event.is === 'restart' && !event.memory)
      if (begins) states[node] = protocol.init(node, setup)
      happen(event, protocol, states[node], at(node, setup), letters, events)
      look(index, node)
    })
    return changes
  } catch {
    // Recorded by another version of the rules: the run can be shown, its states cannot.
    return []
  }
}

/** What an event calls. What comes of a call, and what befalls messages, calls nothing. */
function happen(
  event: Extract<TraceEvent, { node: NodeId }>,
  protocol: AnyProtocol,
  state: object,
  here: Here,
  letters: ReadonlyMap<number, { from: NodeId; message: Message }>,
  events: readonly TraceEvent[],
): void {
  switch (event.is) {
    case 'request':
      if (!isElection(protocol)) protocol.request(state, here, { mode: event.mode, priority: 0 })
      return
    case 'elect':
      if (isElection(protocol)) protocol.elect(state, here)
      return
    case 'leave':
      if (!isElection(protocol)) protocol.release(state, here)
      return
    case 'withdraw':
      if (!isElection(protocol)) protocol.withdraw?.(state, here)
      return
    case 'receive': {
      const letter = letters.get(event.id)
      if (letter !== undefined)
        protocol.receive[letter.message.type](state, here, letter.message, letter.from)
      return
    }
    case 'undelivered': {
      const letter = letters.get(event.id)
      const lost = events.findLast((other) => other.is === 'lose' && other.id === event.id)
      if (letter !== undefined && lost?.is === 'lose')
        protocol.undelivered?.(state, here, lost.node, letter.message)
      return
    }
    case 'timeout':
      return protocol.timeout?.(state, here, event.timer)
    case 'proceed':
      return protocol.proceed?.(state, here, event.step)
    case 'suspect':
    case 'restore':
    case 'linked':
    case 'unlinked':
      return protocol[event.is]?.(state, here, event.peer)
    case 'restart':
      return protocol.restart?.(state, here, event.memory)
    case 'join':
      return protocol.join?.(state, here, event.sponsor)
    case 'depart':
      return protocol.leave?.(state, here)
  }
}

/** Whatever a rule wants done has been done: it is in the trace. */
function at(self: NodeId, setup: Setup): Here {
  const done = () => {}
  return {
    self,
    setup,
    send: done,
    sendToOthers: done,
    broadcast: done,
    enter: done,
    elected: done,
    setTimer: done,
    cancelTimer: done,
    proceed: done,
    random: () => {
      throw new Error('a draw is not in the trace')
    },
  }
}
