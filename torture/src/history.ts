/** What became of every request, from the log of the referee: pure, so that a log can be judged again. */
import type { Mode, ResourceId } from '@turnwise/core/algorithm'
import type { Beat, Entry } from './torture-messages.ts'

/** One request of one process, and the stay that it led to. */
export interface Request {
  readonly id: string
  readonly life: number
  readonly turn: number
  readonly name: string
  readonly mode: Mode
  /** How many may be inside together. */
  readonly permits: number
  /** Of a group: the names that it wants. */
  readonly resources?: readonly ResourceId[] | undefined
  readonly asked: number
  /** When it was let in; null if it was not, as far as was told. */
  from: number | null
  /** When it means to give back. */
  leaves: number
  fence: bigint
  /** Until when it validly held, as far as is known: never longer than it did. */
  until: number
  /** Until when its lease ran, as last heard. */
  leaseUntil: number
  /** It waits no more: let in, given up, or lost before it knew. */
  isSettled: boolean
  isOver: boolean
  /** How it was over: it gave the lock back, found that it had lost it, or that it was stolen, or neither. */
  end: 'released' | 'lost' | 'stolen' | null
}

/** One use of the register. */
export type Use = Extract<Entry, { is: 'reads' | 'writes' }>

/** One process of a node. */
export interface Life {
  readonly id: string
  readonly life: number
  /** When it was killed, told to go, or ended by itself; null while it runs. */
  ended: number | null
  beat: Beat | null
  /** What is wrong with its disk: it has to find that out. */
  disk: keyof typeof SYMPTOMS | null
}

/** How a process says that it will not go on with such a disk. */
const SYMPTOMS = {
  clone: /belongs to node/,
  'old-copy': /is an old copy/,
  full: /ENOSPC/,
  'read-only': /EROFS/,
} as const

export class History {
  readonly turns: Request[] = []
  /** In the order in which the register had them. */
  readonly uses: Use[] = []
  readonly troubles: { readonly at: number; readonly id: string; readonly text: string }[] = []
  /** The process of each node that was started last. */
  readonly lives = new Map<string, Life>()
  readonly epochs = new Set<number>()
  /** When each node was last stopped or killed. */
  readonly struck = new Map<string, number>()
  /** When each node was last let in, by node and name. */
  readonly entered = new Map<string, number>()
  givenUp = 0
  /** When a process that was not heard for too long was heard again: until then the machine did not let it run. */
  lastStall = Number.NEGATIVE_INFINITY
  readonly #tooLongMs: number
  readonly #open = new Map<string, Request>()
  readonly #byKey = new Map<string, Request>()

  /** Processes tell of themselves several times a second. To be silent for `tooLong` milliseconds is a stall. */
  constructor(tooLongMs = Number.POSITIVE_INFINITY) {
    this.#tooLongMs = tooLongMs
  }

  add(entry: Entry): void {
    switch (entry.is) {
      case 'begins':
        return this.#begins(entry)
      case 'joined':
        if (this.#lifeOf(entry)?.disk === 'clone')
          this.#trouble(entry, "joined with a copy of another's disk")
        return
      case 'ends':
        this.#trouble(entry, `ended by itself: ${entry.why}`)
        return this.#died(entry.id, entry.at)
      case 'does':
        // One that is told to go may do so at any moment from then on.
        if (entry.deed.do === 'kill' || entry.deed.do === 'leave') this.#died(entry.deed.id, entry.at)
        if (entry.deed.do === 'kill' || entry.deed.do === 'stop') this.struck.set(entry.deed.id, entry.at)
        if (entry.deed.do === 'fill') this.#spoils(entry.deed.id, 'full')
        if (entry.deed.do === 'protect') this.#spoils(entry.deed.id, 'read-only')
        return
      case 'stalled':
        return this.#stalled(entry.at)
      case 'trouble':
        return this.#trouble(entry, entry.text, ':')
      case 'reads':
      case 'writes':
        this.uses.push(entry)
        return
      case 'beats':
        return this.#beats(entry.id, entry.life, entry)
      case 'asks':
        return this.#asks(entry)
      case 'granted':
      case 'releases':
      case 'loses':
      case 'gives-up':
        return this.#goesOn(entry)
    }
  }

  #begins({ id, life, disk }: Extract<Entry, { is: 'begins' }>): void {
    this.lives.set(id, { id, life, ended: null, beat: null, disk: disk ?? null })
  }

  #lifeOf({ id, life }: Pick<Life, 'id' | 'life'>): Life | null {
    const of = this.lives.get(id)
    return of?.life === life ? of : null
  }

  #spoils(id: string, disk: 'full' | 'read-only'): void {
    const of = this.lives.get(id)
    if (of !== undefined) of.disk = disk
  }

  /** It is none if the process says what is wrong with its disk. */
  #trouble(of: { at: number; id: string; life: number }, text: string, mark = ''): void {
    const disk = this.#lifeOf(of)?.disk ?? null
    if (disk !== null && SYMPTOMS[disk].test(text)) return
    this.troubles.push({ at: of.at, id: of.id, text: `${of.id}${mark} ${text}` })
  }

  turnOf({ id, life, turn }: Pick<Request, 'id' | 'life' | 'turn'>): Request | undefined {
    return this.#byKey.get(`${id} ${life} ${turn}`)
  }

  /** Requests of processes that run, and that were neither let in nor gave up. */
  get waiting(): readonly Request[] {
    return [...this.#open.values()].filter(({ isSettled }) => !isSettled)
  }

  #stalled(until: number): void {
    this.lastStall = Math.max(this.lastStall, until)
  }

  /** Whether a process of this node has been inside anywhere since the one time, and means to be at the other, as far as was told. */
  isInside(id: string, since: number, until: number): boolean {
    for (const turn of this.#open.values()) {
      if (turn.id === id && turn.from !== null && turn.from <= since && turn.leaves >= until) return true
    }
    return false
  }

  #asks({ id, life, turn, name, mode, at, permits = 1, resources }: Extract<Entry, { is: 'asks' }>): void {
    const asked: Request = {
      id,
      life,
      turn,
      name,
      mode,
      permits,
      resources,
      asked: at,
      from: null,
      leaves: Number.NEGATIVE_INFINITY,
      fence: 0n,
      until: Number.POSITIVE_INFINITY,
      leaseUntil: Number.NEGATIVE_INFINITY,
      isSettled: false,
      isOver: false,
      end: null,
    }
    const key = `${id} ${life} ${turn}`
    this.turns.push(asked)
    this.#byKey.set(key, asked)
    const of = this.lives.get(id)
    // Killed before this was heard: it waits no more.
    if (of?.life === life && of.ended === null) this.#open.set(key, asked)
    else this.#over(asked, of?.life === life ? (of.ended ?? at) : at)
  }

  #goesOn(entry: Extract<Entry, { is: 'granted' | 'releases' | 'loses' | 'gives-up' }>): void {
    const turn = this.turnOf(entry)
    if (turn === undefined) return
    const { at } = entry
    turn.isSettled = true
    if (entry.is === 'granted') {
      turn.from = at
      turn.leaves = at + entry.stays
      turn.fence = BigInt(entry.fence)
      turn.leaseUntil = Math.max(turn.leaseUntil, entry.until)
      this.entered.set(`${turn.id} ${turn.name}`, at)
      return
    }
    if (entry.is === 'gives-up') this.givenUp += 1
    else if (entry.is === 'releases') turn.end = 'released'
    else turn.end = entry.why === 'stolen' ? 'stolen' : 'lost'
    this.#over(turn, at)
    this.#open.delete(`${turn.id} ${turn.life} ${turn.turn}`)
  }

  /** A node that found out late that it had lost the lock held no longer than its lease; `stayOf` sees to that. */
  #over(turn: Request, at: number): void {
    turn.isOver = true
    turn.until = Math.min(turn.until, at)
  }

  #beats(id: string, life: number, beat: Beat): void {
    const of = this.lives.get(id)
    if (of?.life === life) {
      if (of.beat !== null && beat.at - of.beat.at > this.#tooLongMs) this.#stalled(beat.at)
      of.beat = beat
    }
    if (beat.epoch !== null) this.epochs.add(beat.epoch)
    for (const { turn, until } of beat.holds) {
      const held = this.turnOf({ id, life, turn })
      if (held !== undefined) held.leaseUntil = Math.max(held.leaseUntil, until)
    }
  }

  #died(id: string, at: number): void {
    const of = this.lives.get(id)
    if (of === undefined || of.ended !== null) return
    of.ended = at
    for (const [key, turn] of this.#open) {
      if (turn.id !== id || turn.life !== of.life) continue
      this.#over(turn, at)
      this.#open.delete(key)
    }
  }
}

export interface Stay {
  readonly turn: Request
  readonly from: number
  readonly until: number
}

/** When it was inside with a valid lease; null if it never was, or knew of it only when its lease was over. */
export function stayOf(turn: Request): Stay | null {
  const { from, until, leaseUntil } = turn
  const end = Math.min(until, leaseUntil)
  return from === null || end <= from ? null : { turn, from, until: end }
}
