import type { NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { type Happening, startTelling, type Telling } from '@turnwise/core/trace/happening'
import type { TraceEvent } from '@turnwise/core/trace/trace'
import type { Ahead } from '@turnwise/simulator/ahead'
import { Book } from './book.ts'
import type { AheadChange, Played, PlayedEnd, PlayedHead, PlayedPart, StateChange } from './play.ts'
import type { Recording } from './recording.ts'
import { ViewBook } from './views.ts'

/** Makes a recording of a run that comes in parts. */
export class RecordingBuilder {
  readonly #head: PlayedHead
  readonly #telling: Telling
  readonly #book: Book
  readonly #events: TraceEvent[] = []
  readonly #happenings: Happening[] = []
  readonly #eventSteps: number[] = []
  readonly #steps: number[] = []
  readonly #positionOf: number[] = []
  /** The numbers of events that belong to no happening yet. */
  readonly #open = new Map<TraceEvent, number>()
  readonly #states: { readonly from: number; readonly state: object | null }[][]
  readonly #ahead: { readonly from: number; readonly ahead: readonly Ahead[] }[] = []
  readonly #views = new ViewBook()
  /** Changes that came with the last happening, which may not be over. */
  #waiting: readonly StateChange[] = []
  #waitingAhead: readonly AheadChange[] = []
  #end: PlayedEnd | null = null

  constructor(head: PlayedHead) {
    this.#head = head
    const { nodes } = head.header
    this.#telling = startTelling(nodes, new Set<NodeId>(head.absent))
    this.#book = new Book(nodes)
    this.#states = Array.from({ length: nodes }, () => [])
  }

  add({ events, steps, states, ahead = [] }: PlayedPart): void {
    for (const [i, event] of events.entries()) {
      this.#open.set(event, this.#events.length)
      this.#events.push(event)
      this.#eventSteps.push(get(steps, i))
      for (const happening of this.#telling.hear(event)) this.#settle(happening)
    }
    this.#place(states)
    this.#placeAhead(ahead)
  }

  end(end: PlayedEnd): void {
    for (const happening of this.#telling.end()) this.#settle(happening)
    this.#place([])
    this.#placeAhead([])
    this.#end = end
  }

  /** The run as far as it has come. Later ones have the same lists, grown: what is recorded once does not move. */
  recording(): Recording {
    const book = this.#book
    return {
      header: this.#head.header,
      events: this.#events,
      happenings: this.#happenings,
      positionOf: this.#positionOf,
      eventSteps: this.#eventSteps,
      steps: this.#steps,
      letters: book.letters,
      open: book.open,
      lost: book.lost,
      stays: book.stays,
      waits: book.waits,
      pauses: book.pauses,
      downs: book.downs,
      cuts: book.cuts,
      violations: book.violations,
      elected: book.elected,
      sent: book.sent,
      entered: book.entered,
      types: [...book.types],
      states: this.#states,
      ahead: this.#ahead,
      noStates: this.#head.noStates,
      views: this.#views.moments,
      untold: this.#head.untold,
      dead: this.#head.dead,
      absent: this.#head.absent,
      isCut: this.#end?.isCut ?? true,
      isWhole: this.#end !== null,
    }
  }

  #settle(happening: Happening): void {
    const position = this.#happenings.push(happening)
    const cause = this.#number(happening.cause, position)
    for (const event of happening.consequences) this.#number(event, position)
    for (const event of happening.reasons) this.#number(event, position)
    this.#steps.push(get(this.#eventSteps, cause))
    this.#book.enter(happening, position)
    this.#views.enter(happening, position)
  }

  #number(event: TraceEvent, position: number): number {
    const number = this.#open.get(event) ?? 0
    this.#open.delete(event)
    this.#positionOf[number] = position
    return number
  }

  /** An event's state holds from the happening on to which the event belongs. */
  #place(states: readonly StateChange[]): void {
    const all = [...this.#waiting, ...states]
    const isPlaced = ({ event }: StateChange) => event === -1 || this.#positionOf[event] !== undefined
    for (const change of all) {
      if (!isPlaced(change)) continue
      const { event, node, state } = change
      get(this.#states, node).push({ from: event === -1 ? 0 : get(this.#positionOf, event), state })
    }
    this.#waiting = all.filter((change) => !isPlaced(change))
  }

  #placeAhead(changes: readonly AheadChange[]): void {
    const all = [...this.#waitingAhead, ...changes]
    const known = all.findIndex(({ event }) => event !== -1 && this.#positionOf[event] === undefined)
    for (const { event, ahead } of known < 0 ? all : all.slice(0, known))
      this.#ahead.push({ from: event === -1 ? 0 : get(this.#positionOf, event), ahead })
    this.#waitingAhead = known < 0 ? [] : all.slice(known)
  }
}

/** The recording of a run that is there as a whole. */
export function record(played: Played): Recording {
  const builder = new RecordingBuilder(played)
  builder.add(played)
  builder.end(played)
  return builder.recording()
}
