/**
 * The members of two algorithms that live at one node of `composed.ts`, and how their handlers run there unchanged: each has a number
 * and a setup of its own level, and what it sends is wrapped.
 */
import { type Here, impossible, type Message, type NodeId, receiver } from '@turnwise/core/algorithm'
import { readOptions } from '@turnwise/core/options'
import type { ReasonValue, ReasonValues } from '@turnwise/core/reason'
import { arrange, oncePerSetup, type Setup } from '@turnwise/core/setup'
import { evenZones, type Zones } from '@turnwise/core/zones'
import { type Composable, composableNamed, type LevelName, typeWithin } from './composable.ts'

export interface Options {
  inner: string
  outer: string
  zones: number
  localTurns: number
}

/**
 * A message of a level: its type has the name of the level before it, and its fields are beside these. Of outer messages it is clear
 * which members they are between.
 */
export interface Wrapped extends Message {
  /** The highest fence that the sender has heard of. */
  readonly known: number
  /** The most turns that the sender has heard of, where they are counted. */
  readonly turnsKnown?: number
  /** In an inner message: whether the coordinator sent it or is to hear it; null between two nodes. */
  readonly coordinator?: 'sends' | 'hears' | null
}

export interface Coordinator {
  /** Its state as a member of its zone. */
  inner: object
  /** Its state as a member among the coordinators. */
  outer: object
  /**
   * SHUT: it is inside the inner section. ASKING: it is, and waits for the outer one. OPEN: it is inside the outer one. RETURNING: it
   * is, and waits for the inner one. The other two are moments between: it has just got the outer one (LET IN), or the inner one (BACK).
   */
  stands: 'shut' | 'asking' | 'let in' | 'open' | 'returning' | 'back'
  /** Turns there were when its zone was let in; null where the zone is shut, and where nobody counts them. */
  since: number | null
}

export interface State {
  /** The node's own state in its zone. */
  member: object
  /** Of the first node of each zone; null at the others. */
  coordinator: Coordinator | null
  /** The highest fence this node has heard of. */
  fence: number
  /** The most turns, of all zones, that it has heard of; 0 where nobody counts them: then the budget is one turn. */
  turns: number
}

/** Members at one node: its own of the inner algorithm, and its coordinator's of both. */
export type Seat = 'member' | LevelName

/** One event at a node, until everything that follows from it there has happened. */
export interface Handling {
  readonly node: State
  readonly here: Here<Wrapped, Options>
  readonly plan: Plan
  readonly zone: number
  /** What a member sent to another at the same node. It needs no message, and is heard when the handler is done. */
  readonly mail: Letter[]
}

export interface Letter {
  readonly seat: Seat
  readonly from: number
  readonly message: Message
}

/** One algorithm among its members. */
interface Level {
  readonly text: Composable
  readonly setup: Setup
}

export interface Plan {
  readonly zones: Zones
  /** Member 0 of a zone is its coordinator, the others are its nodes in their order. */
  readonly inner: (zone: number) => Level
  /** The members are the zones' coordinators, by zone. */
  readonly outer: Level
}

export const planOf: (setup: Setup<Options>) => Plan = oncePerSetup((setup: Setup<Options>) => {
  const { nodes, options, inside, home } = setup
  const zones = evenZones(nodes, options.zones)
  const begins = inside[0]
  const opened = begins === undefined ? null : zones.of(begins)
  const levels = new Map<string, Level>()
  const ofZone: Level[] = []
  // Zones of one size share a level. It is looked up at every event, so each zone remembers its own.
  const inner = (zone: number): Level => {
    const remembered = ofZone[zone]
    if (remembered !== undefined) return remembered
    // A coordinator is inside at first, unless a node of its zone is.
    const first = begins === undefined || zone !== opened ? 0 : memberOf(zones, begins)
    const key = `${zones.size(zone)} ${first}`
    const level =
      levels.get(key) ?? levelOf(options.inner, zones.size(zone) + 1, { home: 0, inside: [first] })
    levels.set(key, level)
    ofZone[zone] = level
    return level
  }
  const outer = levelOf(options.outer, zones.count, {
    home: zones.of(home),
    inside: opened === null ? [] : [opened],
  })
  return { zones, inner, outer }
})

function levelOf(name: string, nodes: number, begins: Pick<Setup, 'home' | 'inside'>): Level {
  const text = composableNamed(name)
  const { facts, options } = text.algorithm
  return { text, setup: arrange(facts, { nodes, options: readOptions(options, []), ...begins }).setup }
}

/** The number of a node among the members of its zone. */
export function memberOf(zones: Zones, node: NodeId): number {
  return node - zones.first(zones.of(node)) + 1
}

/** The node at which a member lives. */
function hostOf(zones: Zones, zone: number, seat: Seat, number: number): NodeId {
  if (seat === 'outer') return zones.first(number)
  return zones.first(zone) + Math.max(0, number - 1)
}

/** With a budget of one turn there is nothing to count. */
export function countsTurns({ options }: Setup<Options>): boolean {
  return options.localTurns > 1
}

/** The state of a node when the world begins. */
export function firstState(self: NodeId, setup: Setup<Options>): State {
  const { zones, inner, outer } = planOf(setup)
  const zone = zones.of(self)
  const { text, setup: within } = inner(zone)
  const isHost = zones.first(zone) === self
  return {
    member: text.algorithm.init(memberOf(zones, self), within),
    coordinator: isHost
      ? {
          inner: text.algorithm.init(0, within),
          outer: outer.text.algorithm.init(zone, outer.setup),
          ...(within.inside.includes(0)
            ? { stands: 'shut', since: null }
            : { stands: 'open', since: countsTurns(setup) ? 0 : null }),
        }
      : null,
    fence: 0,
    turns: 0,
  }
}

/** Whether the coordinator, which is inside at this level, sees that another waits there. */
export function someoneWaits({ node, plan, zone }: Handling, level: LevelName): boolean {
  const { text } = level === 'inner' ? plan.inner(zone) : plan.outer
  return text.waits(coordinatorAt(node)[level], level === 'inner' ? 0 : zone)
}

export function coordinatorAt({ coordinator }: State): Coordinator {
  return coordinator ?? impossible('this node has no coordinator')
}

/** Lets one of the members at this node act. */
export function act(
  handling: Handling,
  seat: Seat,
  handle: (algorithm: Composable['algorithm'], state: object, place: Here) => void,
): void {
  const { node, plan, zone } = handling
  const { text, setup } = seat === 'outer' ? plan.outer : plan.inner(zone)
  const state = seat === 'member' ? node.member : coordinatorAt(node)[seat]
  handle(text.algorithm, state, new Place(handling, seat, setup))
}

/** Where the rules of a level stand. Every event makes one, so its functions are methods: no closure is made that nobody calls. */
class Place implements Here {
  readonly self: number
  readonly setup: Setup
  because?: NonNullable<Here['because']>
  readonly #handling: Handling
  readonly #seat: Seat

  constructor(handling: Handling, seat: Seat, setup: Setup) {
    const { here, plan, zone } = handling
    this.#handling = handling
    this.#seat = seat
    this.self = seat === 'outer' ? zone : seat === 'inner' ? 0 : memberOf(plan.zones, here.self)
    this.setup = setup
    const tell = here.because?.bind(here)
    if (tell === undefined) return
    const about = aboutSeat(handling, seat)
    this.because = (words, said = {}) => {
      const atHosts = valuesAtHosts(words, said, (number) => this.#host(number))
      tell(about.words + words, { ...about.values, ...atHosts })
    }
  }

  send(to: number, message: Message): void {
    const { here, mail } = this.#handling
    const seat = this.#seat
    const host = this.#host(to)
    if (seat === 'outer') here.send(host, wrapped(this.#handling, 'outer', message, null))
    else if (host === here.self) mail.push({ seat: to === 0 ? 'inner' : 'member', from: this.self, message })
    else
      here.send(
        host,
        wrapped(this.#handling, 'inner', message, seat === 'inner' ? 'sends' : to === 0 ? 'hears' : null),
      )
  }

  sendToOthers(message: Message): void {
    for (let to = 0; to < this.setup.nodes; to += 1) if (to !== this.self) this.send(to, message)
  }

  enter(): void {
    granted(this.#handling, this.#seat)
  }

  proceed(step: string): void {
    this.#handling.here.proceed(`${this.#seat}: ${step}`)
  }

  random(bound: number): number {
    return this.#handling.here.random(bound)
  }

  broadcast(): never {
    return impossible('a level of a composition broadcasts')
  }

  elected(): never {
    return impossible('a level of a composition elects')
  }

  setTimer(): never {
    return impossible('a level of a composition sets a timer')
  }

  cancelTimer(): never {
    return impossible('a level of a composition cancels a timer')
  }

  #host(number: number): NodeId {
    const { plan, zone } = this.#handling
    return hostOf(plan.zones, zone, this.#seat, number)
  }
}

/** A level grants the section to a member: a node enters, a coordinator goes on by its own rule when the handler is done. */
function granted({ node, here }: Handling, seat: Seat): void {
  if (seat === 'member') {
    node.fence += 1
    if (countsTurns(here.setup)) node.turns += 1
    here.enter(node.fence)
  } else coordinatorAt(node).stands = seat === 'outer' ? 'let in' : 'back'
}

/** Hears a message of a level, as the member whom it is for. */
export function hear(handling: Handling, { seat, from, message }: Letter): void {
  act(handling, seat, (algorithm, state, place) =>
    receiver(algorithm, message.type)(state, place, message, from),
  )
}

/** A message from another node, as the letter that it wraps. The fields that a composition adds stay in it: no message of a level has one of them. */
export function unwrapped(
  { plan }: Handling,
  level: LevelName,
  type: string,
  sent: Wrapped,
  from: NodeId,
): Letter {
  const message = retyped(sent, type)
  if (level === 'outer') return { seat: 'outer', from: plan.zones.of(from), message }
  return {
    seat: sent.coordinator === 'hears' ? 'inner' : 'member',
    from: sent.coordinator === 'sends' ? 0 : memberOf(plan.zones, from),
    message,
  }
}

function wrapped(
  { node, here }: Handling,
  level: LevelName,
  message: Message,
  coordinator: 'sends' | 'hears' | null,
): Wrapped {
  const told = retyped(message, typeWithin(level, message.type))
  told.known = node.fence
  if (countsTurns(here.setup)) told.turnsKnown = node.turns
  if (level === 'inner') told.coordinator = coordinator
  return told as Wrapped
}

/** The same message under another type. Every message is copied twice, and a spread with another type in it takes ten times as long. */
function retyped(message: Message, type: string): { type: string } & Partial<Mutable<Wrapped>> {
  const copy: Record<string, unknown> & { type: string } = { type }
  for (const field in message)
    if (field !== 'type') copy[field] = (message as unknown as Record<string, unknown>)[field]
  return copy
}

type Mutable<Value> = { -readonly [Field in keyof Value]: Value[Field] }

/** Whose reason it is. In a zone of one node the two members need no messages. */
function aboutSeat({ plan, zone }: Handling, seat: Seat) {
  if (seat === 'outer') return { words: 'between zones: ', values: {} }
  const isAlone = plan.zones.size(zone) === 1
  const whose = seat === 'inner' ? 'for the coordinator of ' : 'in '
  return { words: `${whose}zone {zone}${isAlone ? ', of one node' : ''}: `, values: { zone } }
}

/** Reasons name nodes as `node {name}` or in lists: members are told by the nodes at which they live. */
function valuesAtHosts(words: string, values: ReasonValues, host: (number: number) => NodeId): ReasonValues {
  const told: Record<string, ReasonValue> = {}
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'object') told[name] = value.map(host)
    else told[name] = typeof value === 'number' && words.includes(`node {${name}}`) ? host(value) : value
  }
  return told
}
