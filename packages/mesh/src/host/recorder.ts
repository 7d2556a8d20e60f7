/**
 * Records what one node saw of one lock, as a trace for `turnwise replay`, alone or merged with the recordings of other nodes. It
 * observes the protocol from outside: the state before and after an event, and the effects.
 *
 * It records callers (who waits and who is let in; of several that share, the first), the messages of the algorithm and of thefts
 * (each once, when a link takes it), the views, and the changes of the algorithm's variables. A tick is a microsecond of wall
 * time, so a unit is a second.
 */
import { readAlgorithmText } from '@turnwise/algorithms/former-settings'
import type { AnyAlgorithm, Mode } from '@turnwise/core/algorithm'
import { takeAskedWorld } from '@turnwise/core/asked-world'
import { get } from '@turnwise/core/bounds'
import {
  TRACE_VERSION,
  type TraceEvent,
  type TraceHeader,
  type UntimedEvent,
  type Variables,
  writeTraceLine,
} from '@turnwise/core/trace/trace'
import type { Effect, Event } from '../protocol/events.ts'
import { type Fence, fenceNumber, TURNS } from '../protocol/fence.ts'
import type { Message, Payload } from '../protocol/messages.ts'
import { nameOf } from '../protocol/names.ts'
import type { Id, Settings, ViewRecord } from '../protocol/record.ts'
import { algorithmFor, algorithmTextFor } from '../protocol/serving.ts'
import type { CallerId, Node } from '../protocol/state.ts'
import { ToldState } from './told-state.ts'

/** Microseconds since 1970 when the node's own clock shows `now`. */
export type WallTime = (now: number) => number

/** How far a link to a peer is recorded, in one view. */
interface Mark {
  readonly epoch: number
  out: number
  in: number
}

type LinkMessage = Extract<Message, { type: 'link' }>
/** The payloads of a link that concern a lock. */
type LockPayload = Extract<Payload, { kind: 'lock' | 'steal' | 'stolen' }>

/**
 * The nodes of a recording, where ids do not identify them. At a meeting place a node has another id in every session, and the
 * nodes that will come are not known.
 */
export interface Cast {
  readonly names: readonly string[]
  readonly nameOf: (id: Id) => string
}

export class Recorder {
  readonly #key: string
  readonly #wall: WallTime
  readonly #write: (text: string) => void
  readonly #header: TraceHeader
  /** The numbers of the nodes, in the order of their ids. */
  readonly #numbers: ReadonlyMap<string, number>
  readonly #nameOf: Cast['nameOf']
  readonly #self: number
  readonly #algorithm: AnyAlgorithm
  readonly #marks = new Map<Id, Mark>()
  /** The callers inside, from the first one on. */
  readonly #inside = new Map<CallerId, Mode>()
  readonly #state: ToldState
  /** The mode of the first waiting caller; null if none waits. */
  #waiting: Mode | null = null
  #hasJoined: boolean
  #hasView = false
  #deadline = Number.NEGATIVE_INFINITY
  /** The trace events of the present event. */
  #events: TraceEvent[] = []

  constructor(
    key: string,
    node: Node,
    now: number,
    wall: WallTime,
    write: (text: string) => void,
    cast: Cast = { names: node.config.peers, nameOf: (each) => each },
  ) {
    this.#key = key
    this.#wall = wall
    this.#write = write
    const { begun, config, id } = node
    const ids = cast.names.toSorted()
    this.#nameOf = cast.nameOf
    const settings = begun?.settings ?? config.settings
    const algorithm = algorithmFor(settings, key)
    const { facts } = algorithm
    this.#numbers = new Map(ids.map((each, i) => [each, i]))
    this.#self = ids.indexOf(cast.nameOf(id))
    this.#state = new ToldState(key, (each) => this.#numberOf(each))
    this.#algorithm = algorithm
    this.#hasJoined = begun !== null
    this.#header = {
      format: 'turnwise-trace',
      version: TRACE_VERSION,
      algorithm: facts.name,
      nodes: ids.length,
      seed: 0,
      entries: 1,
      settings: { lock: nameOf(key), ids: ids.join(', '), ...askedIn(settings, key), part: this.#self },
    }
    this.#write(writeTraceLine(this.#header))
    this.#beginAmid(node, now)
    this.#flush()
  }

  #numberOf(id: Id): number | undefined {
    return this.#numbers.get(this.#nameOf(id))
  }

  /** Records the state at the beginning of the recording. */
  #beginAmid(node: Node, now: number): void {
    if (node.begun === null) return
    const at = this.#wall(now)
    this.#view(at, node.begun, this.#state.begin(node, now, true))
    for (const [peer, { nextOut, nextIn }] of Object.entries(node.links)) {
      this.#marks.set(peer, { epoch: node.begun.epoch, out: nextOut - 1, in: nextIn - 1 })
    }
    for (const hold of node.names.get(this.#key)?.seats[0]?.holds ?? []) this.#enter(at, hold)
    this.#askIfWaiting(at, node)
  }

  before({ deadline }: Node): void {
    this.#deadline = deadline
  }

  after(event: Event, effects: readonly Effect[], node: Node, now: number): void {
    const at = this.#wall(now)
    // R6 comes before the event. A lapsed hold ended at the deadline, however late the node noticed.
    for (const effect of effects) {
      if (effect.kind === 'lost' && effect.why === 'lapsed') {
        this.#lost(effect, this.#wall(Math.min(now, Number.isFinite(this.#deadline) ? this.#deadline : now)))
      } else if (effect.kind === 'begun') this.#view(at, effect.record, this.#state.begin(node, now, false))
    }
    if (event.kind === 'receive' && event.message.type === 'link')
      this.#receive(at, event.from, event.message, node)
    if (event.kind === 'release' && event.name === this.#key) this.#out(at, event.caller)
    if ('caller' in event && event.name === this.#key && this.#inside.has(event.caller))
      this.#change(at, event)
    this.#askIfWaiting(at, node)
    for (const effect of effects) this.#effect(at, effect)
    this.#askIfWaiting(at, node)
    if (this.#waiting !== null && waitingMode(node, this.#key) === null) this.#withdraw(at)
    if (this.#concerns(event, effects)) this.#tellState(at, node)
    this.#flush()
  }

  /** The recording ends, but the node runs on. */
  end(now: number): void {
    this.#add(this.#wall(now), { is: 'unseen', node: this.#self })
    this.#flush()
  }

  #effect(at: number, effect: Effect): void {
    switch (effect.kind) {
      case 'send':
        if (effect.message.type === 'link') this.#send(at, effect.to, effect.message)
        return
      case 'grant':
        if (effect.name === this.#key) this.#enter(at, effect)
        return
      case 'upgraded':
        if (effect.name === this.#key) this.#alone(at, effect)
        return
      case 'lost':
        return this.#lost(effect, at)
      case 'left':
      case 'stale-state':
        return this.#add(at, { is: 'gone', node: this.#self })
    }
  }

  /** Whether an event can have called the algorithm. Many events concern other locks or the protocol itself. */
  #concerns(event: Event, effects: readonly Effect[]): boolean {
    if ('name' in event && event.name === this.#key) return true
    if (event.kind === 'receive' && event.message.type === 'link' && this.#isAbout(event.message.payload))
      return true
    return effects.some((effect) => {
      if (effect.kind === 'send')
        return effect.message.type === 'link' && this.#isAbout(effect.message.payload)
      return (
        effect.kind === 'begun' ||
        effect.kind === 'persist' ||
        ('name' in effect && effect.name === this.#key)
      )
    })
  }

  /** Adds the changed variables to the last trace event of this moment, or to an event of their own. */
  #tellState(at: number, node: Node): void {
    if (this.#hasView && node.begun === null && !this.#events.some(({ is }) => is === 'gone')) {
      // R7: the node was left out of a view, and has no instance until it is in one again.
      this.#hasView = false
      this.#state.end()
      this.#add(at, { is: 'proceed', node: this.#self, step: 'no view', state: null })
    }
    const state = this.#state.changes(node)
    if (state === null) return
    if (this.#events.at(-1)?.at !== at)
      this.#add(at, { is: 'proceed', node: this.#self, step: 'giving back' })
    const last = this.#events.length - 1
    const event = get(this.#events, last)
    this.#events[last] = { ...event, state: { ...event.state, ...state } }
  }

  #view(at: number, { epoch, members }: ViewRecord, variables: Variables): void {
    if (!this.#hasJoined) this.#add(at, { is: 'join', node: this.#self, sponsor: null })
    this.#hasJoined = true
    const ids = members.map(({ id }) => this.#nameOf(id)).toSorted()
    this.#hasView = true
    const step = `view ${epoch} of ${ids.join(', ')}`
    this.#add(at, { is: 'proceed', node: this.#self, step, ...variables })
  }

  #askIfWaiting(at: number, node: Node): void {
    const mode = waitingMode(node, this.#key)
    if (mode === null || this.#inside.size > 0 || mode === this.#waiting) return
    // The first caller gave up, and the next one wants another mode: the request is withdrawn and made again.
    if (this.#waiting !== null && this.#modeFor(mode) !== this.#modeFor(this.#waiting)) this.#withdraw(at)
    if (this.#waiting === null) this.#ask(at, mode)
    this.#waiting = mode
  }

  #ask(at: number, mode: Mode): void {
    this.#waiting = mode
    this.#add(at, { is: 'request', node: this.#self, mode: this.#modeFor(mode) })
  }

  #withdraw(at: number): void {
    this.#waiting = null
    this.#add(at, { is: 'withdraw', node: this.#self })
  }

  #enter(at: number, { caller, mode, fence }: { caller: CallerId; mode: Mode; fence: Fence }): void {
    const isFirst = this.#inside.size === 0
    this.#inside.set(caller, mode)
    if (!isFirst) return
    // A caller that follows under the same hold (R5) did not request. Any other requested, and was let in at once.
    if (this.#waiting === null && fence.counter % TURNS === 0) this.#ask(at, mode)
    this.#waiting = null
    this.#add(at, { is: 'enter', node: this.#self, mode: this.#modeFor(mode), fence: written(fence) })
  }

  #change(at: number, { kind, caller }: Event & { caller: CallerId }): void {
    if (kind === 'downgrade') this.#shares(at, caller)
    if ((kind === 'upgrade' || kind === 'desist') && this.#modeFor('update') === 'update')
      this.#add(at, { is: kind, node: this.#self })
  }

  /** This caller only reads from now on. */
  #shares(at: number, caller: CallerId): void {
    if (this.#inside.get(caller) === 'shared') return
    this.#inside.set(caller, 'shared')
    if (this.#algorithm.downgrade !== undefined) this.#add(at, { is: 'downgrade', node: this.#self })
  }

  #alone(at: number, { caller, fence }: Extract<Effect, { kind: 'upgraded' }>): void {
    this.#inside.set(caller, 'exclusive')
    if (this.#modeFor('update') !== 'update') return
    this.#add(at, { is: 'enter', node: this.#self, mode: 'exclusive', fence: written(fence) })
  }

  #lost({ name, caller }: Extract<Effect, { kind: 'lost' }>, at: number): void {
    if (name === this.#key) this.#out(at, caller)
  }

  #out(at: number, caller: CallerId): void {
    if (this.#inside.size > 1 && this.#inside.has(caller)) this.#shares(at, caller)
    if (!this.#inside.delete(caller) || this.#inside.size > 0) return
    this.#add(at, { is: 'leave', node: this.#self })
  }

  /** The node can share with others only where the algorithm can. */
  #modeFor(mode: Mode): Mode {
    if (mode === 'update') return this.#algorithm.upgrade === undefined ? 'exclusive' : mode
    return this.#algorithm.facts.sharedMode ? mode : 'exclusive'
  }

  #send(at: number, to: Id, { epoch, seq, payload }: LinkMessage): void {
    if (!this.#isAbout(payload)) return
    const mark = this.#markOf(to, epoch)
    const number = this.#numberOf(to)
    if (seq <= mark.out || number === undefined) return
    mark.out = seq
    const message =
      payload.kind === 'lock'
        ? this.#state.renamed(payload.message, this.#self, number)
        : { type: payload.kind }
    const id = this.#messageId(epoch, this.#self, number, seq)
    this.#add(at, { is: 'send', id, from: this.#self, to: number, message })
  }

  #receive(at: number, from: Id, { epoch, seq, payload }: LinkMessage, { begun, links }: Node): void {
    if (!this.#isAbout(payload) || begun?.epoch !== epoch) return
    const mark = this.#markOf(from, epoch)
    const number = this.#numberOf(from)
    if (seq <= mark.in || seq >= (links[from]?.nextIn ?? 1) || number === undefined) return
    mark.in = seq
    const id = this.#messageId(epoch, number, this.#self, seq)
    this.#add(at, { is: 'receive', id, node: this.#self })
  }

  #isAbout(payload: Payload): payload is LockPayload {
    const { kind } = payload
    return (kind === 'lock' || kind === 'steal' || kind === 'stolen') && payload.name === this.#key
  }

  #markOf(peer: Id, epoch: number): Mark {
    const known = this.#marks.get(peer)
    if (known?.epoch === epoch) return known
    const mark = { epoch, out: 0, in: 0 }
    this.#marks.set(peer, mark)
    return mark
  }

  /**
   * Both ends compute the same id without a message. It fits a number: 32 bits for the number on the link, the rest for the
   * link and its view. View numbers repeat after 200,000 views for three nodes, and after 32 for 256 nodes.
   */
  #messageId(epoch: number, from: number, to: number, seq: number): number {
    const { nodes } = this.#header
    const views = Math.max(1, Math.floor(2 ** 21 / nodes ** 2))
    return (((epoch % views) * nodes + from) * nodes + to) * 2 ** 32 + (seq % 2 ** 32)
  }

  #add(at: number, event: UntimedEvent): void {
    this.#events.push({ at, ...event })
  }

  #flush(): void {
    if (this.#events.length === 0) return
    const lines = this.#events.map(writeTraceLine).join('')
    this.#events = []
    this.#write(lines)
  }
}

/** The options of the algorithm: settings as for `--set`, and the chosen graph, quorums or structure. */
function askedIn(settings: Settings, key: string): Record<string, string> {
  const { asked, settings: set } = takeAskedWorld(readAlgorithmText(algorithmTextFor(settings, key)).settings)
  return set.length === 0 ? asked : { ...asked, set: set.join(' ') }
}

/** As a number if that keeps all digits. */
function written(fence: Fence): number | string {
  const number = fenceNumber(fence)
  return number <= Number.MAX_SAFE_INTEGER ? Number(number) : String(number)
}

/** The mode of the first waiting caller, if no caller of this node is inside; null otherwise. */
function waitingMode({ names }: Node, key: string): Mode | null {
  const local = names.get(key)
  if (local === undefined || get(local.seats, 0).holds.length > 0) return null
  return local.waiting[0]?.mode ?? null
}
