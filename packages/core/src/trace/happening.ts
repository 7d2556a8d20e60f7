import type { Message, NodeId } from '../algorithm.ts'
import { get } from '../bounds.ts'
import type { Trace, TraceEvent } from './trace.ts'

/**
 * A recorded run as a person would tell it: one happening after another. A happening is one event (a call of a handler,
 * or something the world did) together with everything the handler did in answer. Everything that shows a run is built
 * on this walk, so that all pictures agree about what caused what.
 */
export interface Happening {
  /** In ticks. */
  readonly at: number
  /**
   * What occurred. It is a send, an entry or a result of an election only where the trace does not tell which
   * call of a handler it came from.
   */
  readonly cause: Exclude<TraceEvent, Because>
  /** What the handler did, in its order; and what befell the messages while they were sent. */
  readonly consequences: readonly Effect[]
  /** Why, as the algorithm says it. Empty where no handler ran, and where nobody recorded it. */
  readonly reasons: readonly Because[]
  /** The node whose handler ran, or to which it happened; null for what the network or a judge did. */
  readonly node: NodeId | null
  /** The nodes to point at: the node itself, both ends of a channel, all who break a rule. */
  readonly concerns: readonly NodeId[]
  /** The message it is about; null if it is about none, or about one whose send is not in the trace. */
  readonly transit: Transit | null
  /** Every node after this happening. Happenings share the list until the status of a node changes. */
  readonly statuses: readonly NodeStatus[]
}

/** What a handler does, and what the network does to a message that is being sent. */
export type Effect = Extract<TraceEvent, { is: 'send' | 'enter' | 'elected' | 'duplicate' | 'corrupt' }>

/** A reason that a handler gave. */
export type Because = Extract<TraceEvent, { is: 'because' }>

/** What a node is seen to be doing. A node that is paused or crashed does nothing, whatever it was doing. */
export type NodeStatus = 'idle' | 'waiting' | 'inside' | 'crashed' | 'paused' | 'absent'

/** One copy of a message, at the end of its way. */
export interface Transit {
  readonly id: number
  readonly from: NodeId
  /** Null for a broadcast as a whole. */
  readonly to: NodeId | null
  /** As it arrives, which is not as it was sent if it was corrupted. */
  readonly message: Message
  readonly corrupted: boolean
  /** In ticks. */
  readonly sentAt: number
  /** Whether this node has received it before: the network duplicated it. */
  readonly again: boolean
}

/** The happenings of a run in their order, found one by one: a long trace need not be held twice. */
export function* happenings({ header, events }: Trace): Generator<Happening, void> {
  const telling = startTelling(header.nodes, absentAtFirst(events))
  for (const event of events) yield* telling.hear(event)
  yield* telling.end()
}

/** Tells a run while it is recorded. */
export interface Telling {
  /** The happenings that are over with this event. Of the last one more may come until another begins. */
  hear(event: TraceEvent): readonly Happening[]
  /** There are no more events: what is left. */
  end(): readonly Happening[]
}

const NONE: readonly Happening[] = []

/** `absent`: the nodes that join later. A run that is not over need not show that yet. */
export function startTelling(nodes: number, absent: ReadonlySet<NodeId>): Telling {
  const post = openPost()
  const crowd = startCrowd(nodes, absent)
  let call: Draft | null = null
  let unfinished: Draft[] = []
  return {
    hear(event) {
      if (event.is === 'because') {
        if (call?.node === event.node && call.cause.at === event.at) call.reasons.push(event)
        return NONE
      }
      const transit = post.handle(event)
      if (call !== null && isConsequence(event, call)) {
        call.consequences.push(event)
        return NONE
      }
      const draft = { cause: event, consequences: [], reasons: [], transit, ...placeOf(event, transit) }
      if (WITHOUT_HANDLER.has(event.is)) {
        // The world acts between two effects of one handler too: a message can be lost as it is sent. So the
        // call stays open, and what the world did is told after it.
        unfinished.push(draft)
        return NONE
      }
      const finished = unfinished.map((over) => crowd.settle(over))
      unfinished = [draft]
      call = draft
      return finished
    },
    end: () => unfinished.map((over) => crowd.settle(over)),
  }
}

/** A happening of which more consequences may come. */
interface Draft extends Omit<Happening, 'at' | 'consequences' | 'reasons' | 'statuses'> {
  readonly consequences: Effect[]
  readonly reasons: Because[]
}

const WITHOUT_HANDLER: ReadonlySet<TraceEvent['is']> = new Set([
  'lose',
  'duplicate',
  'corrupt',
  'crash',
  'pause',
  'resume',
  'gone',
  'unseen',
  'cut',
  'heal',
  'violation',
])

function isConsequence(event: TraceEvent, call: Draft): event is Effect {
  if (event.at !== call.cause.at) return false
  switch (event.is) {
    case 'send':
      return call.node === event.from
    case 'enter':
    case 'elected':
      return call.node === event.node
    case 'duplicate':
    case 'corrupt':
      return [call.cause, ...call.consequences].some((sent) => sent.is === 'send' && sent.id === event.id)
    default:
      return false
  }
}

function placeOf(event: Happening['cause'], transit: Transit | null): Pick<Happening, 'node' | 'concerns'> {
  switch (event.is) {
    case 'send':
      return { node: event.from, concerns: [event.from] }
    case 'undelivered': {
      // The sender is told, whichever end of the message the event names.
      const node = transit?.from ?? event.node
      return { node, concerns: [node] }
    }
    case 'lose':
      return { node: null, concerns: [event.node] }
    case 'duplicate':
    case 'corrupt':
      return { node: null, concerns: transit === null ? [] : [transit.from] }
    case 'cut':
    case 'heal':
      return { node: null, concerns: event.from === event.to ? [event.from] : [event.from, event.to] }
    case 'violation':
      return { node: null, concerns: event.nodes }
    default:
      return { node: event.node, concerns: [event.node] }
  }
}

/** Remembers what was sent, and tells which message an event is about. */
function openPost() {
  const letters = new Map<number, { transit: Transit; readonly receivers: Set<NodeId> }>()

  function handle(event: TraceEvent): Transit | null {
    if (!('id' in event)) return null
    if (event.is === 'send') {
      const { id, from, to, message, at } = event
      const transit = { id, from, to, message, corrupted: false, sentAt: at, again: false }
      letters.set(id, { transit, receivers: new Set() })
      return transit
    }
    const letter = letters.get(event.id)
    if (letter === undefined) return null
    const { transit, receivers } = letter
    switch (event.is) {
      case 'duplicate':
        return transit
      case 'corrupt':
        letter.transit = { ...transit, message: event.message, corrupted: true }
        return letter.transit
      case 'undelivered':
        return { ...transit, to: event.node === transit.from ? transit.to : event.node }
      default: {
        const again = receivers.has(event.node)
        if (event.is === 'receive') receivers.add(event.node)
        return { ...transit, to: event.node, again }
      }
    }
  }

  return { handle }
}

/** Who joins before it is seen to do anything else. */
export function absentAtFirst(events: readonly TraceEvent[]): Set<NodeId> {
  const here = new Set<NodeId>()
  const late = new Set<NodeId>()
  for (const event of events) {
    if (event.is === 'join' && !here.has(event.node)) late.add(event.node)
    if (event.is === 'join' || event.is === 'gone' || event.is === 'unseen') here.add(event.node)
  }
  return late
}

/** Follows what every node is doing. */
function startCrowd(nodes: number, late: ReadonlySet<NodeId>) {
  // What a node goes on with after a pause. A crash ends its caller too, so that nothing goes on after that.
  const doing = Array.from({ length: nodes }, (): NodeStatus => 'idle')
  let statuses: readonly NodeStatus[] = doing.map((status, node) => (late.has(node) ? 'absent' : status))
  /** The nodes whose election is open. */
  const electing = new Set<NodeId>()

  function show(node: NodeId, status: NodeStatus): void {
    if (statuses[node] !== status) statuses = statuses.with(node, status)
  }

  function begin(node: NodeId, what: NodeStatus): void {
    if (statuses[node] === doing[node]) show(node, what)
    doing[node] = what
  }

  function apply(event: TraceEvent): void {
    switch (event.is) {
      case 'elect':
        electing.add(event.node)
        return begin(event.node, 'waiting')
      case 'elected':
        // Nodes that wait for something else may learn of a coordinator too.
        return electing.delete(event.node) ? begin(event.node, 'idle') : undefined
      case 'request':
        return begin(event.node, 'waiting')
      case 'enter':
        return begin(event.node, 'inside')
      case 'leave':
      case 'withdraw':
        return begin(event.node, 'idle')
      case 'crash':
        return show(event.node, 'crashed')
      case 'gone':
      case 'unseen':
        return show(event.node, 'absent')
      case 'join':
      case 'restart':
        doing[event.node] = 'idle'
        return show(event.node, 'idle')
      case 'pause':
        return statuses[event.node] === 'crashed' ? undefined : show(event.node, 'paused')
      case 'resume':
        return statuses[event.node] === 'paused' ? show(event.node, get(doing, event.node)) : undefined
    }
  }

  return {
    settle(draft: Draft): Happening {
      apply(draft.cause)
      for (const event of draft.consequences) apply(event)
      return { ...draft, at: draft.cause.at, statuses }
    },
  }
}
