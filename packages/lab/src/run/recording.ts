import type { Message, Mode, NodeId } from '@turnwise/core/algorithm'
import { type Happening, happenings } from '@turnwise/core/trace/happening'
import type { TraceEvent, TraceHeader } from '@turnwise/core/trace/trace'
import { countWhile } from './count-while.ts'
import type { Played, StateChange } from './play.ts'

/**
 * A run as the page keeps it. Positions count happenings: at position p the first p have happened. All that is shown of a
 * moment is looked up here, so that going back is as quick as going on.
 */
export interface Recording {
  readonly header: TraceHeader
  readonly events: readonly TraceEvent[]
  readonly happenings: readonly Happening[]
  /** For each event the position at which it has happened. */
  readonly positionOf: Int32Array
  /** For each event after how many steps of the run it was recorded. */
  readonly eventSteps: readonly number[]
  /** For each happening after how many steps of the run a hand acts that acts when it has happened. */
  readonly steps: readonly number[]
  /** Every copy of every message, in the order in which they were sent. */
  readonly letters: readonly Letter[]
  /** Letters under way at every position that is a multiple of `OPEN_EVERY`. */
  readonly open: readonly (readonly Letter[])[]
  readonly stays: readonly Span[]
  readonly waits: readonly Span[]
  readonly pauses: readonly Span[]
  readonly downs: readonly Span[]
  readonly cuts: readonly Cut[]
  readonly violations: readonly Finding[]
  /** Per position, from 0 on: what was sent and how often somebody entered, or an election had its first result. */
  readonly sent: Int32Array
  readonly entered: Int32Array
  /** Per node its states, each from a position on; empty where states are not known. */
  readonly states: readonly (readonly { readonly from: number; readonly state: object }[])[]
  /** Types of messages in the order in which they were first sent. */
  readonly types: readonly string[]
  /** Who is dead when the world begins. */
  readonly dead: readonly NodeId[]
  readonly isCut: boolean
}

/** One copy of a message. */
export interface Letter {
  readonly id: number
  readonly from: NodeId
  readonly to: NodeId
  readonly message: Message
  readonly sentAt: number
  /** The position from which it is under way. */
  readonly since: number
  /** The position from which it is not any more; infinite if that is not in the run. */
  until: number
  /** When that is, in ticks, if it is known. */
  endsAt: number | null
  ends: 'received' | 'lost' | null
  readonly isCopy: boolean
}

/** Something that a node does for a while, from one position to another. */
export interface Span {
  readonly node: NodeId
  readonly mode: Mode
  readonly from: number
  readonly fromAt: number
  until: number
  untilAt: number | null
}

interface Cut {
  readonly from: NodeId
  readonly to: NodeId
  readonly since: number
  until: number
}

export interface Finding {
  readonly judge: string
  readonly nodes: readonly NodeId[]
  readonly text: string
  readonly position: number
}

export const OPEN_EVERY = 128

export function record(played: Played): Recording {
  const { header, events } = played
  const all = [...happenings({ header, events })]
  const indexOf = new Map(events.map((event, index) => [event, index]))
  const causes = all.map(({ cause }) => indexOf.get(cause) ?? 0)
  const positionOf = new Int32Array(events.length)
  const book = new Book(header.nodes, all.length)
  all.forEach((happening, index) => {
    for (const event of [happening.cause, ...happening.consequences]) book.write(event, index + 1)
    book.close(index + 1)
    for (const event of [happening.cause, ...happening.consequences])
      positionOf[indexOf.get(event) ?? 0] = index + 1
  })
  const { letters, open, stays, waits, pauses, downs, cuts, violations, sent, entered, types } = book
  return {
    header,
    events,
    happenings: all,
    positionOf,
    eventSteps: played.steps,
    steps: causes.map((cause) => played.steps[cause] ?? 0),
    letters,
    open,
    stays,
    waits,
    pauses,
    downs,
    cuts,
    violations,
    sent,
    entered,
    types: [...types],
    states: statesByNode(played.states, causes, header.nodes),
    dead: played.dead,
    isCut: played.isCut,
  }
}

/** An event's state holds from the happening on to which the event belongs. */
function statesByNode(changes: readonly StateChange[], causes: readonly number[], nodes: number) {
  const lists = Array.from({ length: nodes }, (): { from: number; state: object }[] => [])
  for (const { event, node, state } of changes) {
    const from = event === -1 ? 0 : countWhile(causes, (cause) => cause < event) + 1
    lists[node].push({ from, state })
  }
  return lists
}

/** Writes down what begins and ends, one event after another. */
class Book {
  readonly letters: Letter[] = []
  readonly open: Letter[][] = [[]]
  readonly stays: Span[] = []
  readonly waits: Span[] = []
  readonly pauses: Span[] = []
  readonly downs: Span[] = []
  readonly cuts: Cut[] = []
  readonly violations: Finding[] = []
  readonly types = new Set<string>()
  readonly sent: Int32Array
  readonly entered: Int32Array
  readonly #nodes: number
  readonly #underWay = new Set<Letter>()
  /** Copies of each message that are under way, oldest first. */
  readonly #byId = new Map<number, Letter[]>()
  readonly #sends = new Map<number, Extract<TraceEvent, { is: 'send' }>>()
  readonly #current = new Map<string, Span>()

  constructor(nodes: number, length: number) {
    this.#nodes = nodes
    this.sent = new Int32Array(length + 1)
    this.entered = new Int32Array(length + 1)
  }

  /** What has happened up to this position is written. */
  close(position: number): void {
    if (position % OPEN_EVERY === 0) this.open.push([...this.#underWay])
    if (position + 1 < this.sent.length) {
      this.sent[position + 1] = this.sent[position]
      this.entered[position + 1] = this.entered[position]
    }
  }

  write(event: TraceEvent, position: number): void {
    switch (event.is) {
      case 'send':
        return this.#send(event, position)
      case 'receive':
      case 'lose':
        return this.#end(event, position)
      case 'duplicate':
        return this.#duplicate(event.id, event.at, position)
      case 'corrupt':
        return this.#corrupt(event.id, event.message)
      case 'cut':
        this.cuts.push({ from: event.from, to: event.to, since: position, until: Number.POSITIVE_INFINITY })
        return
      case 'heal': {
        const cut = this.cuts.findLast(({ from, to }) => from === event.from && to === event.to)
        if (cut !== undefined) cut.until = position
        return
      }
      case 'violation':
        this.violations.push({ judge: event.judge, nodes: event.nodes, text: event.text, position })
        return
      default:
        return this.#live(event, position)
    }
  }

  #send(event: Extract<TraceEvent, { is: 'send' }>, position: number): void {
    this.sent[position] += 1
    this.types.add(event.message.type)
    this.#sends.set(event.id, event)
    const everybody = Array.from({ length: this.#nodes }, (_, node) => node)
    const receivers = event.to === null ? everybody.filter((node) => node !== event.from) : [event.to]
    for (const to of receivers) this.#post(event, to, event.at, position, false)
  }

  #post(
    { id, from, message }: Extract<TraceEvent, { is: 'send' }>,
    to: NodeId,
    sentAt: number,
    since: number,
    isCopy: boolean,
  ): void {
    const until = Number.POSITIVE_INFINITY
    const letter: Letter = { id, from, to, message, sentAt, since, until, endsAt: null, ends: null, isCopy }
    this.letters.push(letter)
    this.#underWay.add(letter)
    const copies = this.#byId.get(id)
    if (copies === undefined) this.#byId.set(id, [letter])
    else copies.push(letter)
  }

  #end({ is, id, node, at }: Extract<TraceEvent, { is: 'receive' | 'lose' }>, position: number): void {
    const copies = this.#byId.get(id) ?? []
    const index = copies.findIndex(({ to }) => to === node)
    // On an ordered medium a sender hears itself, which is no way to draw.
    if (index === -1) return
    const [letter] = copies.splice(index, 1)
    if (copies.length === 0) this.#byId.delete(id)
    this.#underWay.delete(letter)
    letter.until = position
    letter.endsAt = at
    letter.ends = is === 'receive' ? 'received' : 'lost'
  }

  #duplicate(id: number, at: number, position: number): void {
    const send = this.#sends.get(id)
    const copies = this.#byId.get(id) ?? []
    if (send === undefined || copies.length === 0) return
    this.#post(send, copies[copies.length - 1].to, at, position, true)
  }

  #corrupt(id: number, message: Message): void {
    for (const letter of this.#byId.get(id) ?? []) Object.assign(letter, { message })
  }

  /** What nodes do and what befalls them. */
  #live(event: TraceEvent, position: number): void {
    if (!('node' in event)) return
    const { node, at } = event
    const begin = (what: 'stays' | 'waits' | 'pauses' | 'downs', mode: Mode = 'exclusive') => {
      const span: Span = {
        node,
        mode,
        from: position,
        fromAt: at,
        until: Number.POSITIVE_INFINITY,
        untilAt: null,
      }
      this[what].push(span)
      this.#current.set(`${what} ${node}`, span)
    }
    const end = (...all: ('stays' | 'waits' | 'pauses' | 'downs')[]) => {
      for (const what of all) {
        const span = this.#current.get(`${what} ${node}`)
        if (span === undefined) continue
        this.#current.delete(`${what} ${node}`)
        span.until = position
        span.untilAt = at
      }
    }
    switch (event.is) {
      case 'request':
        return begin('waits', event.mode)
      case 'elect':
        return begin('waits')
      case 'elected':
        if (this.#current.has(`waits ${node}`)) this.entered[position] += 1
        return end('waits')
      case 'enter':
        this.entered[position] += 1
        end('waits')
        return begin('stays', event.mode)
      case 'leave':
      case 'withdraw':
        return end('stays', 'waits')
      case 'crash':
        end('stays', 'waits', 'pauses')
        return begin('downs')
      case 'restart':
      case 'join':
        return end('downs', 'stays', 'waits')
      case 'pause':
        return begin('pauses')
      case 'resume':
        return end('pauses')
      case 'gone':
      case 'unseen':
        end('stays', 'waits', 'pauses', 'downs')
        return begin('downs')
    }
  }
}
