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
import { get } from '@turnwise/core/bounds'
import { randomStream } from '@turnwise/core/random'
import type { Setup } from '@turnwise/core/setup'
import { DERIVED } from './derived.ts'
import { sendOnLink } from './links.ts'
import type { SeatStanding } from './messages.ts'
import { seatsOf } from './names.ts'
import { holdersOf, type Id } from './record.ts'
import { rules } from './rules.ts'
import type { Handling, Instance, LocalName, Node, Seat } from './state.ts'
import { type World, worldsOf } from './view-worlds.ts'

/** The world of a name in the view that this node has begun. */
function worldFor(handling: Handling, name: string): World {
  const world = worldsOf(handling.node).of(name)
  const { ids, setup } = world
  const first = rules.home(handling, name, ids, setup.home)
  return first === setup.home
    ? world
    : { ...world, setup: { ...setup, home: first }, initialTexts: new Map() }
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
  const { algorithm, setup, ids, seats } = worldFor(handling, name)
  return algorithm.init(ids.indexOf(handling.node.id) * seats + seat, setup)
}

/** The instance of a seat in the view that this node has begun. */
export function openInstance(handling: Handling, name: string, local: LocalName, seat: Seat): Instance {
  if (seat.instance !== null) return seat.instance
  const { algorithm, setup, ids, seats } = worldFor(handling, name)
  const self = ids.indexOf(handling.node.id) * seats + local.seats.indexOf(seat)
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

/** The `Here` of one instance's handlers, made once for it: an instance lives in one view. */
export class Place implements Here {
  /** The event being handled; null between events, because there are as many places as names. */
  handling: Handling | null = null
  readonly self: number
  readonly setup: Setup
  readonly algorithm: AnyAlgorithm
  readonly steps: string[] = []
  readonly world: World
  readonly #name: string
  readonly instance: Instance
  readonly #seat: number

  constructor(handling: Handling, name: string, instance: Instance, seat: number) {
    const world = worldFor(handling, name)
    this.self = world.ids.indexOf(handling.node.id) * world.seats + seat
    this.setup = world.setup
    this.algorithm = world.algorithm
    this.world = world
    this.#name = name
    this.instance = instance
    this.#seat = seat
  }

  get #present(): Handling {
    return this.handling ?? impossible(`no event is handled for ${this.#name}`)
  }

  /** The process number of a member's seat. */
  numberOf(id: Id, seat: number): number {
    return this.world.ids.indexOf(id) * this.world.seats + seat
  }

  send(to: number, message: Message): void {
    const { ids, seats } = this.world
    const id = get(ids, Math.floor(to / seats))
    const payload = {
      kind: 'lock',
      name: this.#name,
      from: this.#seat,
      to: to % seats,
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

/** The initial state of an instance as text. Each tick asks for those of many names. */
export function initialText(handling: Handling, name: string, local: LocalName, seat: Seat): string {
  const { world, self } = placeOf(handling, name, local, seat)
  const { algorithm, setup, initialTexts } = world
  const text = initialTexts.get(self) ?? JSON.stringify(algorithm.init(self, setup))
  initialTexts.set(self, text)
  return text
}

/** What an instance knows of the line. Undefined if its algorithm knows none, or the instance has not run. */
export function lineIn(instance: Instance): LinePart | undefined {
  const place = instance[DERIVED]
  return place?.algorithm.line?.at(instance.state, place.self, place.setup)
}

/** The number of a waiting process, and of those that are behind it. Undefined if it has not run. */
export function waitIn(instance: Instance): Pick<SeatStanding, 'seat' | 'behind'> | undefined {
  const place = instance[DERIVED]
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
  instance[DERIVED] ??= new Place(handling, name, instance, local.seats.indexOf(seat))
  return instance[DERIVED]
}

export function runSteps(instance: Instance): void {
  const place = instance[DERIVED]
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
