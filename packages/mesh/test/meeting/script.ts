/**
 * Nodes that meet at a register, driven by hand: messages arrive at once or not at all, the register answers at once or as the script
 * says, and time passes when the script says so.
 */
import { get } from '@turnwise/core/bounds'
import '../../check/texts.ts'
import { present } from '../../../../test/present.ts'
import { SOUND_MEETING, underMeeting } from '../../broken/meeting.ts'
import { dictionary } from '../../src/protocol/dictionary.ts'
import type { Effect, Event } from '../../src/protocol/events.ts'
import {
  type Answer,
  type Call,
  type Cell,
  type Row,
  readRow,
  readView,
  rowOf,
  VIEW,
  type View,
} from '../../src/protocol/meeting/cells.ts'
import type { MeetingRules } from '../../src/protocol/meeting/meeting-rules.ts'
import type { Meeting } from '../../src/protocol/meeting/meeting-state.ts'
import type { Message, MessageOf } from '../../src/protocol/messages.ts'
import { handle, startMeeting } from '../../src/protocol/node.ts'
import type { Settings } from '../../src/protocol/record.ts'
import type { Hold, Node } from '../../src/protocol/state.ts'
import { exclusion } from '../simulation/judge.ts'
import { LEASE } from '../simulation/plan.ts'

export { LEASE }

/** What becomes of a call: `lost` is not done, `unsure` is, and neither is answered; `later` waits for the script. */
export type Fate = 'now' | 'later' | 'lost' | 'unsure'

export interface Options {
  readonly settings?: Partial<Settings>
  readonly life?: string
  readonly waitsOut?: boolean
  readonly seconds?: number
}

/** Of messages and answers that one event leads to, in no time: with more there is no end of them. */
const MOST_STEPS = 2000

export class MeetingScript {
  now = 0
  passes: (from: string, to: string, message: Message) => boolean = () => true
  fate: (id: string, call: Call) => Fate = () => 'now'
  readonly cells = new Map<string, Cell>()
  /** By the name of the process; the session is the id of the node. */
  readonly nodes = dictionary<Node>()
  readonly effects: { readonly id: string; readonly at: number; readonly effect: Effect }[] = []
  readonly sent: { readonly from: string; readonly to: string; readonly message: Message }[] = []
  readonly calls: { readonly id: string; readonly at: number; readonly call: Call }[] = []
  readonly held: HeldCall[] = []
  readonly #rules: MeetingRules
  readonly #queue: (() => void)[] = []
  #versions = 0
  #isBusy = false

  constructor(rules: MeetingRules = SOUND_MEETING) {
    this.#rules = rules
  }

  /** A process starts, as session `a1` for `a`. */
  add(name: string, { settings, life = '', waitsOut = false, seconds = 1000 }: Options = {}): void {
    const config = {
      peers: [`${name}1`],
      voters: [],
      settings: { algorithm: 'central-coordinator', lease: LEASE, drift: 0, ...settings },
      roundTrip: 4,
    }
    const options = { address: `at ${name}1`, life, waitsOut, seconds }
    this.nodes[name] = startMeeting(`${name}1`, config, options, this.now)
    this.do(name, { kind: 'tick' })
  }

  /** Nothing arrives at it any more. Its row stays. */
  kill(name: string): void {
    delete this.nodes[name]
  }

  /** M9: the host gives it another session. */
  renew(name: string, session: string): void {
    this.do(name, { kind: 'session', session, address: `at ${session}` })
  }

  do(name: string, event: Event): void {
    this.#queue.push(() => this.#handle(name, event))
    if (this.#isBusy) return
    this.#isBusy = true
    try {
      let steps = 0
      for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
        next()
        steps += 1
        if (steps > MOST_STEPS) throw new Error(`${name} is never done with ${event.kind}`)
      }
    } finally {
      this.#queue.length = 0
      this.#isBusy = false
    }
  }

  #handle(name: string, event: Event): void {
    const node = this.nodes[name]
    if (node === undefined) return
    const session = node.id
    const effects = underMeeting(this.#rules, () => handle(node, event, this.now))
    for (const effect of effects) this.#perform(name, session, effect)
  }

  #perform(name: string, session: string, effect: Effect): void {
    if (effect.kind === 'call') return this.#call(name, effect.ticket, effect.call)
    if (effect.kind !== 'send') return void this.effects.push({ id: name, at: this.now, effect })
    const { to, message } = effect
    this.sent.push({ from: session, to, message })
    if (this.passes(session, to, message)) this.receive(to, session, message)
  }

  /** A connection names the session that it is for. */
  receive(to: string, from: string, message: Message): void {
    const [name] = Object.entries(this.nodes).find(([, { id }]) => id === to) ?? []
    if (name !== undefined) this.do(name, { kind: 'receive', from, message })
  }

  #call(id: string, ticket: number, call: Call): void {
    this.calls.push({ id, at: this.now, call })
    const held = new HeldCall(this, id, ticket, call)
    switch (this.fate(id, call)) {
      case 'now':
        return held.finish()
      case 'later':
        return void this.held.push(held)
      case 'unsure':
        held.reach()
        return held.loseAnswer()
      case 'lost':
        return held.loseAnswer()
    }
  }

  /** At the register, by whomever. */
  ask(call: Call): Answer {
    if (call.do === 'read') return { kind: 'cell', cell: this.cells.get(call.cell) ?? null }
    if (call.do === 'list')
      return {
        kind: 'cells',
        cells: new Map([...this.cells].filter(([cell]) => cell.startsWith(call.prefix))),
      }
    const { cell, version, value } = call
    if ((this.cells.get(cell)?.version ?? null) !== version) return { kind: 'refused' }
    this.#versions += 1
    if (value === null) this.cells.delete(cell)
    else this.cells.set(cell, { value, version: String(this.#versions) })
    return { kind: 'done', version: String(this.#versions) }
  }

  /** What is under way at the register for a node; there must be one such call. */
  under(id: string, what: Call['do'], cell?: string): HeldCall {
    const index = this.held.findIndex(
      (each) =>
        each.id === id &&
        each.call.do === what &&
        (cell === undefined || ('cell' in each.call && each.call.cell === cell)),
    )
    if (index < 0) throw new Error(`${id} has no ${what} under way`)
    return get(this.held.splice(index, 1), 0)
  }

  /** A cell written by hand, whatever it holds. */
  scribble(cell: string, value: string | null): void {
    this.ask({ do: 'cas', cell, version: this.cells.get(cell)?.version ?? null, value })
  }

  /** So many rounds of ticks, one after another and a tenth of a lease apart. */
  pass(rounds: number, ...names: string[]): void {
    for (let round = 0; round < rounds; round += 1) {
      this.now += LEASE / 10
      for (const name of names.length > 0 ? names : Object.keys(this.nodes)) this.do(name, { kind: 'tick' })
    }
  }

  request(name: string, lock: string): void {
    this.do(name, {
      kind: 'request',
      name: lock,
      caller: name,
      mode: 'exclusive',
      priority: 0,
      steals: false,
    })
  }

  release(name: string, lock: string): void {
    this.do(name, { kind: 'release', name: lock, caller: name })
  }

  /** Of a process that runs. */
  node(name: string): Node {
    return present(this.nodes[name])
  }

  meeting(name: string): Meeting {
    return this.node(name).meeting as Meeting
  }

  holds(name: string, lock: string): readonly Hold[] {
    return (
      this.node(name)
        .names.get(lock)
        ?.seats.flatMap(({ holds }) => holds) ?? []
    )
  }

  row(session: string): Row | null {
    const cell = this.cells.get(rowOf(session))
    return cell === undefined ? null : readRow(cell)
  }

  get view(): View | null {
    const cell = this.cells.get(VIEW)
    return cell === undefined ? null : readView(cell)
  }

  /** The members of the view at the register. */
  get members(): string[] {
    return this.view?.members.map(({ id }) => id) ?? []
  }

  /** The epoch each node has begun. */
  get begun(): Record<string, number | null> {
    return Object.fromEntries(Object.entries(this.nodes).map(([id, { begun }]) => [id, begun?.epoch ?? null]))
  }

  of<Kind extends Effect['kind']>(name: string, kind: Kind): Extract<Effect, { kind: Kind }>[] {
    return this.effects.flatMap(({ id, effect }) =>
      id === name && effect.kind === kind ? [effect as Extract<Effect, { kind: Kind }>] : [],
    )
  }

  /** What a session has sent of one type. */
  said<Type extends Message['type']>(from: string, type: Type): { to: string; message: MessageOf<Type> }[] {
    return this.sent.flatMap((each) =>
      each.from === from && each.message.type === type
        ? [{ to: each.to, message: each.message as MessageOf<Type> }]
        : [],
    )
  }

  /** Calls of a node, as `cas view`; from the first that `since` names. */
  asked(name: string, since = 0): string[] {
    return this.calls
      .slice(since)
      .flatMap(({ id, call }) =>
        id === name ? [`${call.do} ${'cell' in call ? call.cell : call.prefix}`] : [],
      )
  }

  get twoHolders(): string | null {
    const running = Object.values(this.nodes).map((node) => ({ node, clock: this.now }))
    return exclusion(
      running,
      Object.values(this.nodes).flatMap(({ names }) => [...names.keys()]),
    )
  }
}

/** A call that is under way: the script says when it reaches the register, and when its answer comes. */
export class HeldCall {
  readonly id: string
  readonly call: Call
  readonly #script: MeetingScript
  readonly #ticket: number
  #answer: Answer | null = null

  constructor(script: MeetingScript, id: string, ticket: number, call: Call) {
    this.#script = script
    this.id = id
    this.call = call
    this.#ticket = ticket
  }

  reach(): this {
    this.#answer = this.#script.ask(this.call)
    return this
  }

  /** Its answer comes. */
  finish(): void {
    if (this.#answer === null) this.reach()
    this.#tell(this.#answer as Answer)
  }

  /** Nobody waits for it any longer. */
  loseAnswer(): void {
    const why = 'no answer'
    this.#tell(this.call.do === 'cas' ? { kind: 'unknown', why } : { kind: 'failed', why })
  }

  #tell(answer: Answer): void {
    this.#script.do(this.id, { kind: 'answered', ticket: this.#ticket, answer })
  }
}
