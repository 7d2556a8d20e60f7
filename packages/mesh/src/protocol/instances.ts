/**
 * Algorithm instances, one for each name in each view. The initial state is a pure function of the record and the name, so all
 * members agree on it without a message. An instance is made at first use: a local request, the first message for the name, or
 * the release of a table entry of this node. A member that holds the name in the table begins inside.
 *
 * The processes of the algorithm are the seats of the members: one each for a lock. A semaphore of k permits has k seats at every
 * member, because one member may hold all permits. A group has a few, so that callers of one member are inside together.
 */
import {
  type AnyAlgorithm,
  type Here,
  impossible,
  type LinePart,
  type Message,
} from '@turnwise/core/algorithm'
import { meansNumbers, worldOfView } from '@turnwise/core/asked-world'
import { get } from '@turnwise/core/bounds'
import { randomStream } from '@turnwise/core/random'
import { arrange, type Setup } from '@turnwise/core/setup'
import { sendOnLink } from './links.ts'
import type { SeatStanding } from './messages.ts'
import { isGroup, permitsOf, resourcesIn, seatsOf } from './names.ts'
import { type Holder, holdersOf, type Id, overlapping, type ViewRecord } from './record.ts'
import { rules } from './rules.ts'
import { algorithmFor, servingFor } from './serving.ts'
import type { Handling, Instance, LocalName, Node, Seat } from './state.ts'
import { zoneNumbers, zoneOfSeats } from './zones.ts'

/** The member with the highest rendezvous rank. It changes only if that member leaves or a newcomer ranks higher. */
export function home(name: string, ids: readonly Id[]): Id {
  let first = get(ids, 0)
  let highest = -1
  for (const id of ids) {
    const rank = randomStream(0, `${name}\n${id}`).below(0x1_0000_0000)
    if (rank > highest || (rank === highest && id < first)) first = id
    highest = Math.max(highest, rank)
  }
  return first
}

interface World {
  readonly algorithm: AnyAlgorithm
  readonly setup: Setup
  /** Members sorted by id, rotated so that home is first. Each has `seats` seats, numbered consecutively. */
  readonly ids: readonly Id[]
  readonly seats: number
}

/** Setups contain functions, so they are not part of the state. A record never changes, so each is made once. */
const worlds = new WeakMap<ViewRecord, Worlds>()

interface Worlds {
  readonly known: Map<string, World>
  /** An event asks for the same name several times, and finding the home of a name is slow. */
  last: { readonly name: string; readonly world: World } | null
}

function worldOf(record: ViewRecord, name: string): World {
  const own = worlds.get(record) ?? { known: new Map<string, World>(), last: null }
  if (own.last?.name === name) return own.last.world
  worlds.set(record, own)
  const { known } = own
  // The key: algorithm, seats, resources, home, and holders. A semaphore of one permit is not a lock.
  const served = `${algorithmFor(record.settings, name).facts.name} ${seatsOf(name)} ${resourcesIn(name)}`
  const free = `${served} ${home(
    name,
    record.members.map(({ id }) => id),
  )}`
  const holders = Object.hasOwn(record.table, name) ? record.table[name] : null
  const key =
    holders &&
    JSON.stringify([free, ...holders.map(({ id, seat, mode, resources }) => [id, seat, mode, resources])])
  const world = known.get(key ?? free) ?? makeWorld(record, name)
  known.set(key ?? free, world)
  own.last = { name, world }
  return world
}

function makeWorld({ members, settings, table }: ViewRecord, name: string): World {
  const seats = seatsOf(name)
  const { algorithm, options, asked } = servingFor(settings, name)
  const sorted = members.map(({ id }) => id).toSorted()
  const built = worldOfView(asked, algorithm.facts, sorted.length)
  const homeId = home(name, sorted)
  // A structure that numbers its nodes means the members in the order of their names, the same for every lock.
  const first = built !== null && meansNumbers(asked) ? 0 : sorted.indexOf(homeId)
  const ids = sorted.map((_, i) => get(sorted, (first + i) % sorted.length))
  const numberOf = ({ id, seat }: Holder) => ids.indexOf(id) * seats + seat
  const holders = holdersOf(table, name).toSorted((a, b) => numberOf(a) - numberOf(b))
  if (isGroup(name) && overlapping(holders).length > 0)
    impossible(`the table has two holders of one name of ${name}`)
  const updater = holders.find(({ mode }) => mode === 'update')
  const { setup } = arrange(algorithm.facts, {
    nodes: ids.length * seats,
    options,
    home: ids.indexOf(homeId) * seats,
    ...built,
    inside: holders.map(numberOf),
    insideMode: updater === undefined ? (holders[0]?.mode ?? 'exclusive') : 'shared',
    updating: updater === undefined ? null : numberOf(updater),
    ...(algorithm.facts.entries === 'k' && { entries: permitsOf(name) }),
    ...(isGroup(name) && {
      resources: resourcesIn(name),
      insideWith: holders.map(({ resources = [] }) => resources),
    }),
    zoneOfNode: zoneOfSeats(zoneNumbers({ members }, ids), seats),
  })
  return { algorithm, setup, ids, seats }
}

function worldFor(handling: Handling, record: ViewRecord, name: string): World {
  const world = worldOf(rules.startsFrom(record), name)
  const { ids, setup } = world
  const first = rules.home(handling, name, ids, setup.home)
  return first === setup.home ? world : { ...world, setup: { ...setup, home: first } }
}

/** The algorithm that serves a name in a view, its setup, and the members in the order in which it numbers them. */
export function servedIn(record: ViewRecord, name: string): Pick<World, 'algorithm' | 'setup' | 'ids'> {
  return worldOf(rules.startsFrom(record), name)
}

/** The members of a view, in the order in which the algorithm of this name numbers them. */
export function processesOf(record: ViewRecord, name: string): readonly Id[] {
  return worldOf(record, name).ids
}

export function localName(node: Node, name: string): LocalName {
  node.used.add(name)
  const known = node.names.get(name)
  if (known !== undefined) return known
  // Not by `push`, here and for other lists of a name: a list that grows from nothing takes room for seventeen.
  const seats = Array.from({ length: seatsOf(name) }, newSeat)
  const local: LocalName = { waiting: [], seats }
  wakeName(node, name, local)
  node.names.set(name, local)
  return local
}

function newSeat(): Seat {
  return { instance: null, holds: [], joinUntil: Number.NEGATIVE_INFINITY }
}

/** The initial state of a seat in the view that this node has begun. */
export function initialState(handling: Handling, name: string, seat: number): object {
  const { node } = handling
  if (node.begun === null) return impossible(`${node.id} has no view to serve ${name} in`)
  const { algorithm, setup, ids, seats } = worldFor(handling, node.begun, name)
  return algorithm.init(ids.indexOf(node.id) * seats + seat, setup)
}

/** The instance of a seat in the view that this node has begun. */
export function openInstance(handling: Handling, name: string, local: LocalName, seat: Seat): Instance {
  const { node } = handling
  if (seat.instance !== null) return seat.instance
  if (node.begun === null) return impossible(`${node.id} has no view to serve ${name} in`)
  const { algorithm, setup, ids, seats } = worldFor(handling, node.begun, name)
  const self = ids.indexOf(node.id) * seats + local.seats.indexOf(seat)
  const phase = setup.inside.includes(self) ? 'inside' : 'idle'
  const mode = self === setup.updating ? 'update' : setup.insideMode
  seat.instance = { state: algorithm.init(self, setup), phase, mode, grant: null }
  return seat.instance
}

/** A seat in the table has been inside since the view began, even if its instance was not opened. Null for other seats. */
export function heldByTable(handling: Handling, name: string, local: LocalName, seat: Seat): Instance | null {
  const { id, begun } = handling.node
  const holders = begun === null ? [] : holdersOf(begun.table, name)
  const isOwn = holders.some((holder) => holder.id === id && local.seats[holder.seat] === seat)
  return isOwn ? openInstance(handling, name, local, seat) : null
}

/** The `Here` of one instance's handlers, made once for it. */
class Place implements Here {
  /** The event being handled; null between events, because there are as many places as names. */
  handling: Handling | null = null
  readonly self: number
  readonly setup: Setup
  readonly algorithm: AnyAlgorithm
  readonly steps: string[] = []
  readonly #name: string
  readonly instance: Instance
  readonly #seat: number
  readonly #ids: readonly Id[]
  readonly #seats: number

  constructor(handling: Handling, name: string, instance: Instance, seat: number) {
    const { algorithm, setup, ids, seats } = worldFor(handling, handling.node.begun as ViewRecord, name)
    this.self = ids.indexOf(handling.node.id) * seats + seat
    this.setup = setup
    this.algorithm = algorithm
    this.#name = name
    this.instance = instance
    this.#seat = seat
    this.#ids = ids
    this.#seats = seats
  }

  get #present(): Handling {
    return this.handling ?? impossible(`no event is handled for ${this.#name}`)
  }

  /** The process number of a member's seat. */
  numberOf(id: Id, seat: number): number {
    return this.#ids.indexOf(id) * this.#seats + seat
  }

  send(to: number, message: Message): void {
    const id = get(this.#ids, Math.floor(to / this.#seats))
    const payload = {
      kind: 'lock',
      name: this.#name,
      from: this.#seat,
      to: to % this.#seats,
      message,
    } as const
    const handling = this.#present
    const { node, between } = handling
    if (id === node.id) between.push({ epoch: node.begun?.epoch ?? 0, payload })
    else sendOnLink(handling, id, payload)
  }

  sendToOthers(message: Message): void {
    for (let to = 0; to < this.setup.nodes; to += 1) if (to !== this.self) this.send(to, message)
  }

  enter(grant: number): void {
    this.instance.phase = 'inside'
    this.instance.grant = grant
  }

  proceed(step: string): void {
    this.steps.push(step)
  }

  broadcast(): never {
    return impossible('a mesh has no broadcast medium')
  }

  elected(): never {
    return impossible('a lock holds no election')
  }

  setTimer(): never {
    return impossible('instances in a mesh have no timers')
  }

  cancelTimer(): void {}

  /** For choices that only spread load. Each number depends on the state alone, so that a copy of the state draws the same. */
  random(bound: number): number {
    const draw = this.instance.draws ?? 0
    this.instance.draws = draw + 1
    const chance = randomStream(this.#present.node.begun?.epoch ?? 0, `${this.#name}\n${this.self}\n${draw}`)
    return chance.below(bound)
  }
}

/** Not part of the state: a copy of an instance gets its own. An instance lives in one view. */
const places = new WeakMap<Instance, Place>()

/** The initial state of an instance as text. It is cached: few setups serve all names, and each tick asks for many names. */
export function initialText(handling: Handling, name: string, local: LocalName, seat: Seat): string {
  const { algorithm, setup, self } = placeOf(handling, name, local, seat)
  const known = initialTexts.get(setup) ?? new Map<number, string>()
  initialTexts.set(setup, known)
  const text = known.get(self) ?? JSON.stringify(algorithm.init(self, setup))
  known.set(self, text)
  return text
}

const initialTexts = new WeakMap<Setup, Map<number, string>>()

/** What an instance knows of the line. Undefined if its algorithm knows none, or the instance has not run. */
export function lineIn(instance: Instance): LinePart | undefined {
  const place = places.get(instance)
  return place?.algorithm.line?.at(instance.state, place.self, place.setup)
}

/** The number of a waiting process, and of those that are behind it. Undefined if it has not run. */
export function waitIn(instance: Instance): Pick<SeatStanding, 'seat' | 'behind'> | undefined {
  const place = places.get(instance)
  if (place === undefined) return undefined
  return { seat: place.self, behind: place.algorithm.behind?.(instance.state) ?? [] }
}

type Handler = (algorithm: AnyAlgorithm, state: object, place: Place) => void

/** Runs one handler of the algorithm, then the steps that it asked for with `proceed`. */
export function runInstance(
  handling: Handling,
  name: string,
  local: LocalName,
  seat: Seat,
  handler: Handler,
): void {
  finish(call(handling, name, local, seat, handler))
}

/** Runs one handler alone. Its `proceed` steps wait for `runSteps`, or for the next handler. */
export function callInstance(
  handling: Handling,
  name: string,
  local: LocalName,
  seat: Seat,
  handler: Handler,
): Instance {
  return call(handling, name, local, seat, handler).instance
}

function call(handling: Handling, name: string, local: LocalName, seat: Seat, handler: Handler): Place {
  const place = placeOf(handling, name, local, seat)
  place.handling = handling
  handler(place.algorithm, place.instance.state, place)
  return place
}

function placeOf(handling: Handling, name: string, local: LocalName, seat: Seat): Place {
  const instance = openInstance(handling, name, local, seat)
  const known = places.get(instance)
  if (known !== undefined) return known
  const place = new Place(handling, name, instance, local.seats.indexOf(seat))
  places.set(instance, place)
  return place
}

export function runSteps(instance: Instance): void {
  const place = places.get(instance)
  if (place !== undefined) finish(place)
}

function finish(place: Place): void {
  while (place.steps.length > 0) {
    place.algorithm.proceed?.(place.instance.state, place, place.steps.shift() as string)
  }
  place.handling = null
}

/** A name is used again. Its instances get their states back. */
export function wakeName(node: Node, name: string, local: LocalName): void {
  const text = node.resting.get(name)
  if (text === undefined) return
  node.resting.delete(name)
  const states = JSON.parse(text) as (object | null)[]
  local.seats.forEach((seat: Seat, i) => {
    const state = states[i] ?? null
    if (state !== null) seat.instance = idle(state)
  })
}

function idle(state: object): Instance {
  return { state, phase: 'idle', mode: 'exclusive', grant: null }
}
