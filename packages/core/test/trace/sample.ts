import type { Message, NodeId } from '../../src/algorithm.ts'
import type { ReasonValues } from '../../src/reason.ts'
import { TICKS_PER_UNIT, TRACE_VERSION, type Trace, type TraceEvent } from '../../src/trace/trace.ts'

type WithoutTime<Event> = Event extends TraceEvent ? Omit<Event, 'at'> : never

/** An event without its time. */
export type Deed = WithoutTime<TraceEvent>

/** A trace from a timeline: a time in units, and what happens then. */
export function traceOf(nodes: number, ...timeline: [time: number, ...deeds: Deed[]][]): Trace {
  const events = timeline.flatMap(([time, ...deeds]) =>
    deeds.map((deed): TraceEvent => ({ at: Math.round(time * TICKS_PER_UNIT), ...deed })),
  )
  const header = {
    format: 'turnwise-trace',
    version: TRACE_VERSION,
    algorithm: 'ricart-agrawala',
    nodes,
    seed: 7,
    entries: 1,
    settings: {},
  } as const
  return { header, events }
}

export const request = (node: NodeId): Deed => ({ is: 'request', node, mode: 'exclusive' })
export const enter = (node: NodeId, fence: number): Deed => ({ is: 'enter', node, mode: 'exclusive', fence })
export const leave = (node: NodeId): Deed => ({ is: 'leave', node })
export const receive = (id: number, node: NodeId): Deed => ({ is: 'receive', id, node })
export const drop = (id: number, node: NodeId): Deed => ({ is: 'lose', id, node, why: 'drop' })
export const crash = (node: NodeId): Deed => ({ is: 'crash', node })

export function send(id: number, from: NodeId, to: NodeId | null, message: Message): Deed {
  return { is: 'send', id, from, to, message }
}

export function because(node: NodeId, words: string, values: ReasonValues = {}): Deed {
  return { is: 'because', node, words, values }
}

export function violation(text: string, ...nodes: NodeId[]): Deed {
  return { is: 'violation', judge: 'exclusion', nodes, text }
}

/** A request carries the time of its timestamp. */
export function requestAt(time: number): Message {
  const message = { type: 'request', time }
  return message
}

export const REPLY: Message = { type: 'reply' }

/** Node 2 asks, then node 0; 2 asked first, so 0 waits until 2 has left. */
export const SAMPLE = traceOf(
  3,
  [0, request(2), send(1, 2, 0, requestAt(1)), send(2, 2, 1, requestAt(1))],
  [0.5, request(0), send(3, 0, 1, requestAt(2)), send(4, 0, 2, requestAt(2))],
  [1, receive(1, 0), send(5, 0, 2, REPLY)],
  [1, receive(2, 1), send(6, 1, 2, REPLY)],
  [1.5, receive(3, 1), send(7, 1, 0, REPLY)],
  [1.5, receive(4, 2)],
  [2, receive(5, 2)],
  [2.25, receive(6, 2), enter(2, 5)],
  [2.5, receive(7, 0)],
  [3.25, leave(2), send(8, 2, 0, REPLY)],
  [4.25, receive(8, 0), enter(0, 6)],
  [5.25, leave(0)],
)

/** The rows of a diagram alone: what follows the head of the lanes. */
export function rows(diagram: string): string[] {
  const lines = diagram.trimEnd().split('\n')
  return lines.slice(lines.findIndex((line) => /^(<time>)? *time/.test(line)) + 1)
}
