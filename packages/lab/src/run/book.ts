import type { Ask, Message, NodeId } from '@turnwise/core/algorithm'
import { get, increase } from '@turnwise/core/bounds'
import type { Happening } from '@turnwise/core/trace/happening'
import type { TraceEvent } from '@turnwise/core/trace/trace'
import { type Cut, type Elected, type Finding, type Letter, OPEN_EVERY, type Span } from './recording.ts'

type Lasting = 'stays' | 'waits' | 'pauses' | 'downs'

/** Writes down what begins and ends, one event after another. */
export class Book {
  readonly letters: Letter[] = []
  readonly open: Letter[][] = [[]]
  readonly lost: Letter[] = []
  readonly stays: Span[] = []
  readonly waits: Span[] = []
  readonly pauses: Span[] = []
  readonly downs: Span[] = []
  readonly cuts: Cut[] = []
  readonly violations: Finding[] = []
  readonly elected: Elected[] = []
  readonly types = new Set<string>()
  readonly sent = [0]
  readonly entered = [0]
  readonly #nodes: readonly NodeId[]
  readonly #underWay = new Set<Letter>()
  /** Copies of each message that are under way, oldest first. */
  readonly #byId = new Map<number, Letter[]>()
  readonly #sends = new Map<number, Extract<TraceEvent, { is: 'send' }>>()
  /** What each node is in the midst of. */
  readonly #current: Readonly<Record<Lasting, (Span | undefined)[]>> = {
    stays: [],
    waits: [],
    pauses: [],
    downs: [],
  }

  constructor(nodes: number) {
    this.#nodes = Array.from({ length: nodes }, (_, node) => node)
  }

  /** Notes one happening. It ends at this position, and is the last one so far. */
  enter({ cause, consequences }: Happening, position: number): void {
    this.sent.push(get(this.sent, position - 1))
    this.entered.push(get(this.entered, position - 1))
    this.#write(cause, position)
    for (const event of consequences) this.#write(event, position)
    if (position % OPEN_EVERY === 0) this.open.push([...this.#underWay])
  }

  #write(event: TraceEvent, position: number): void {
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
    increase(this.sent, position)
    this.types.add(event.message.type)
    this.#sends.set(event.id, event)
    if (event.to !== null) return this.#post(event, event.to, event.at, position, false)
    for (const to of this.#nodes) if (to !== event.from) this.#post(event, to, event.at, position, false)
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
    const letter = copies.find(({ to }) => to === node)
    // On an ordered medium a sender hears itself, which is no way to draw.
    if (letter === undefined) return
    copies.splice(copies.indexOf(letter), 1)
    if (copies.length === 0) this.#byId.delete(id)
    this.#underWay.delete(letter)
    letter.until = position
    letter.endsAt = at
    letter.ends = is === 'receive' ? 'received' : 'lost'
    if (is === 'lose') this.lost.push(letter)
  }

  #duplicate(id: number, at: number, position: number): void {
    const send = this.#sends.get(id)
    const copies = this.#byId.get(id) ?? []
    if (send === undefined || copies.length === 0) return
    this.#post(send, get(copies, copies.length - 1).to, at, position, true)
  }

  #corrupt(id: number, message: Message): void {
    for (const letter of this.#byId.get(id) ?? []) letter.message = message
  }

  /** What nodes do and what befalls them. */
  #live(event: TraceEvent, position: number): void {
    if (!('node' in event)) return
    const { node, at } = event
    const begin = (what: Lasting, { mode = 'exclusive', resources }: Partial<Ask> = {}) => {
      const span: Span = {
        node,
        mode,
        resources,
        from: position,
        fromAt: at,
        until: Number.POSITIVE_INFINITY,
        untilAt: null,
      }
      this[what].push(span)
      this.#current[what][node] = span
    }
    const end = (...all: Lasting[]) => {
      for (const what of all) {
        const span = this.#current[what][node]
        if (span === undefined) continue
        this.#current[what][node] = undefined
        span.until = position
        span.untilAt = at
      }
    }
    switch (event.is) {
      case 'request':
        return begin('waits', event)
      case 'elect':
        return begin('waits')
      case 'elected':
        this.elected.push({ node, coordinator: event.coordinator, position })
        if (this.#current.waits[node] !== undefined) increase(this.entered, position)
        return end('waits')
      case 'enter':
        increase(this.entered, position)
        end('waits', 'stays')
        return begin('stays', event)
      case 'downgrade':
        end('stays')
        return begin('stays', { mode: 'shared' })
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
