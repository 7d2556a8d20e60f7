/** Programs that hold and wait, all of them known at one moment: who of them can never go on. */
import type { Told } from '../src/protocol/circles.ts'
import type { SeatStanding } from '../src/protocol/messages.ts'
import { groupKey } from '../src/protocol/names.ts'

export type Mode = 'exclusive' | 'shared' | 'update'

interface Request {
  readonly id: number
  readonly actor: number
  readonly name: string
  mode: Mode
  readonly asked: number
  readonly holders: readonly string[]
  /** 0 while it waits. */
  fence: number
  /** The hold that it upgrades. */
  readonly upgrades?: Request
  /** Of the group: the names that it wants. */
  readonly resources?: readonly number[]
}

export const NODES = ['a', 'b', 'c']
const nodeOf = (actor: number) => NODES[Math.floor(actor / 2)]

export const GROUP = groupKey('G', ['r', 's', 't'])

/**
 * A seat that asked for names of the group. It registers when the control token comes by, waits for those of its names that
 * registered before, and cannot take its request back: if its caller has gone, it gives the names back when it has them.
 */
interface Stay {
  readonly request: Request
  readonly seat: number
  isRegistered: boolean
  hasCaller: boolean
}

/** The seats of the group, first all that have registered, in that order. */
class Stays {
  #all: Stay[] = []

  ask(request: Request): void {
    const first = Math.floor(request.actor / 2) * 100
    let seat = first
    // A seat is used again as soon as it is free.
    while (this.#all.some((stay) => stay.seat === seat)) seat += 1
    this.#all.push({ request, seat, isRegistered: false, hasCaller: true })
  }

  /** The control token comes to the seat of this actor, or to all. */
  register(actor?: number): void {
    const isMeant = (stay: Stay) => actor === undefined || stay.request.actor === actor
    for (const stay of this.#all) stay.isRegistered ||= isMeant(stay)
    this.#all = this.#all.toSorted((one, other) => Number(other.isRegistered) - Number(one.isRegistered))
    this.#giveBack()
  }

  /** The caller has released, or has given up. */
  leave(request: Request): void {
    for (const stay of this.#all) if (stay.request === request) stay.hasCaller = false
    this.#giveBack()
  }

  #giveBack(): void {
    const isOver = (stay: Stay) => !stay.hasCaller && stay.isRegistered && this.#before(stay).length === 0
    for (let over = this.#all.find(isOver); over !== undefined; over = this.#all.find(isOver)) {
      const gone = over
      this.#all = this.#all.filter((stay) => stay !== gone)
    }
  }

  mayEnter(request: Request): boolean {
    const stay = this.#of(request)
    return stay.isRegistered && this.#before(stay).length === 0
  }

  /** The callers that leave before this one enters, also through seats whose callers have gone. */
  callersBefore(request: Request): readonly Request[] {
    const found = new Set<Stay>()
    const look = (stay: Stay) => {
      for (const each of this.#before(stay)) {
        if (found.has(each)) continue
        found.add(each)
        look(each)
      }
    }
    look(this.#of(request))
    return [...found].flatMap((stay) => (stay.hasCaller ? stay.request : []))
  }

  tell(node: string): readonly SeatStanding[] {
    return this.#all.flatMap((stay) => {
      const { request, seat } = stay
      if (nodeOf(request.actor) !== node || request.fence > 0) return []
      const { id: caller, resources = [] } = request
      return { seat, caller, resources, behind: this.#nextAfter(stay) }
    })
  }

  /** Of each name the next that has registered for it. It has inquired here. */
  #nextAfter(stay: Stay): readonly number[] {
    if (!stay.isRegistered) return []
    const later = this.#all.slice(this.#all.indexOf(stay) + 1).filter(({ isRegistered }) => isRegistered)
    const next = (stay.request.resources ?? []).map((resource) =>
      later.find(({ request }) => request.resources?.includes(resource)),
    )
    return next.flatMap((each) => each?.seat ?? [])
  }

  #of(request: Request): Stay {
    const found = this.#all.find((stay) => stay.request === request)
    if (found === undefined) throw new Error('every request for the group has a seat')
    return found
  }

  #before(stay: Stay): readonly Stay[] {
    return this.#all
      .slice(0, this.#all.indexOf(stay))
      .filter(
        (each) =>
          each.isRegistered && each.request.resources?.some((one) => stay.request.resources?.includes(one)),
      )
  }
}

/** Actors that do one thing after another: each waits for at most one lock, and gives back the last it got. */
export class World {
  requests: Request[] = []
  readonly #stays = new Stays()
  #count = 0

  ask(actor: number, name: string, mode: Mode, isNamed: boolean, asked: number): void {
    if (this.waitOf(actor) !== undefined) return
    this.requests.push(this.#requestOf(actor, name, mode, isNamed, asked))
    this.#grant()
  }

  #requestOf(
    actor: number,
    name: string,
    mode: Mode,
    isNamed: boolean,
    asked: number,
    resources?: readonly number[],
  ): Request {
    this.#count += 1
    const own = isNamed ? `=${actor}` : `#${this.#count}`
    const around = this.holdsOf(actor).map(({ holders }) => holders.at(-1) as string)
    const holders = [...around.filter((sign) => sign !== own), own]
    return { id: this.#count, actor, name, mode, asked, holders, fence: 0, ...(resources && { resources }) }
  }

  /** Asks for names of the group: at least one. */
  take(actor: number, resources: readonly number[], isNamed: boolean, asked: number, isLate: boolean): void {
    if (this.waitOf(actor) !== undefined || resources.length === 0) return
    const request = this.#requestOf(actor, GROUP, 'exclusive', isNamed, asked, resources)
    this.#stays.ask(request)
    if (!isLate) this.#stays.register(actor)
    this.requests.push(request)
    this.#grant()
  }

  /** The control token comes to the seat of this actor, or to all. */
  register(actor?: number): void {
    this.#stays.register(actor)
    this.#grant()
  }

  /** The last lock that it got waits to be exclusive. Nobody is told what is held inside an upgrade, so it is none of an earlier lock. */
  upgrade(actor: number, asked: number): void {
    const hold = this.holdsOf(actor).at(-1)
    if (hold?.mode !== 'update' || this.waitOf(actor) !== undefined) return
    // Its own time tells it from an earlier try.
    this.#count += 1
    const time = asked + this.#count / 1000
    this.requests.push({ ...hold, mode: 'exclusive', asked: time, fence: 0, upgrades: hold })
    this.#grant()
  }

  end(actor: number): void {
    if (this.waitOf(actor) !== undefined) return
    const last = this.holdsOf(actor).at(-1)
    this.#drop(last)
  }

  giveUp(actor: number): void {
    const wait = this.waitOf(actor)
    this.#drop(wait)
  }

  #drop(gone: Request | undefined): void {
    this.requests = this.requests.filter((request) => request !== gone)
    if (gone?.resources !== undefined) this.#stays.leave(gone)
    this.#grant()
  }

  #grant(): void {
    for (const request of this.requests) {
      if (request.fence > 0 || this.blockers(request).length > 0 || this.#isBehindWriter(request)) continue
      if (this.ahead(request).length > 0) continue
      if (request.resources !== undefined && !this.#stays.mayEnter(request)) continue
      this.#count += 1
      request.fence = this.#count
      if (request.upgrades === undefined) continue
      request.upgrades.mode = 'exclusive'
      request.upgrades.fence = request.fence
      this.requests = this.requests.filter((each) => each !== request)
    }
  }

  /** Callers of the same node that must get in before, and an upgrade there. */
  ahead(request: Request): readonly Request[] {
    if (request.resources !== undefined) return this.#stays.callersBefore(request)
    if (request.upgrades !== undefined) return []
    const at = this.requests.indexOf(request)
    return this.requests.filter(
      ({ actor, name, fence, upgrades }, index) =>
        fence === 0 &&
        name === request.name &&
        nodeOf(actor) === nodeOf(request.actor) &&
        (index < at || upgrades !== undefined),
    )
  }

  /** Between nodes nobody is certain that a reader waits for this, so it is no edge. */
  #isBehindWriter({ id, name, upgrades }: Request): boolean {
    if (upgrades !== undefined) return false
    return this.requests.some(
      (each) =>
        each.fence === 0 &&
        each.id < id &&
        each.name === name &&
        each.mode === 'exclusive' &&
        each.resources === undefined,
    )
  }

  waitOf(actor: number): Request | undefined {
    return this.requests.find((each) => each.actor === actor && each.fence === 0)
  }

  holdsOf(actor: number): readonly Request[] {
    return this.requests.filter((each) => each.actor === actor && each.fence > 0)
  }

  blockers({ name, mode, upgrades, resources }: Request): readonly Request[] {
    const clash = (held: Request) =>
      resources?.some((each) => held.resources?.includes(each)) ??
      [held.mode, mode].filter((each) => each !== 'shared').length >
        (held.mode === 'exclusive' || mode === 'exclusive' ? 0 : 1)
    return this.requests.filter(
      (each) => each.fence > 0 && each.name === name && each !== upgrades && clash(each),
    )
  }

  /** Takes away callers that can go on, again and again: those who are left never can. */
  stuck(): ReadonlySet<number> {
    const left = new Set(this.requests.map(({ actor }) => actor))
    const canGoOn = (actor: number) => {
      const wait = this.waitOf(actor)
      if (wait === undefined) return true
      return [...this.blockers(wait), ...this.ahead(wait)].every((each) => !left.has(each.actor))
    }
    for (let before = -1; before !== left.size; ) {
      before = left.size
      for (const actor of left) if (canGoOn(actor)) left.delete(actor)
    }
    return left
  }

  tell(node: string): Told {
    const here = this.requests.filter(({ actor }) => nodeOf(actor) === node)
    return {
      id: node,
      names: [
        ...here.map(({ id, name, mode, asked, holders, fence, resources = [] }) => {
          const caller = { mode, age: 0, about: { id, asked, info: null, holders }, resources }
          return fence > 0
            ? { name, held: [{ ...caller, fence: { epoch: 1, counter: fence } }], pending: [] }
            : { name, held: [], pending: [caller] }
        }),
        { name: GROUP, held: [], pending: [], seats: this.#stays.tell(node) },
      ],
    }
  }
}
