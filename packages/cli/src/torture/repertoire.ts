/** The faults of which a round is made. Times are in leases: faults last for parts and multiples of one. */
import { type Random, sample } from '@turnwise/core/random'
import type { Cut } from '../cluster/faults.ts'
import { type Deed, MOST_WAIT, type Moment, type Step } from './deeds.ts'

/** A round while it is drawn. Faults of one process follow each other, and so do those of one way of a link. */
export class Draft {
  readonly ids: readonly string[]
  readonly lasts: number
  readonly steps: Step[] = []
  readonly #busy = new Map<string, { from: number; until: number }[]>()
  #reserved = { from: Number.POSITIVE_INFINITY, until: Number.NEGATIVE_INFINITY }
  #lostDisks = 0

  constructor(ids: readonly string[], lasts: number) {
    this.ids = ids
    this.lasts = lasts
  }

  get mayLoseDisk(): boolean {
    return 2 * (this.#lostDisks + 1) < this.ids.length
  }

  /** Whether nothing else is done to it in that time; if so, that is taken. */
  take(what: string, from: number, until: number): boolean {
    const busy = this.#busy.get(what) ?? []
    if ([...busy, this.#reserved].some((other) => from <= other.until && other.from <= until)) return false
    this.#busy.set(what, [...busy, { from, until }])
    return true
  }

  /** From now on nothing more is drawn for that time. */
  reserve(from: number, until: number): void {
    this.#reserved = { from, until }
  }

  add(at: number, deed: Deed): void {
    if (deed.do === 'start' && !deed.keepsState) this.#lostDisks += 1
    this.steps.push({ at, deed })
  }
}

type Fault = (draft: Draft, random: Random) => void

/** With how often each is drawn. */
const REPERTOIRE: readonly (readonly [weight: number, fault: Fault])[] = [
  [4, (draft, random) => down(draft, random, pick(random, draft.ids), begin(draft, random))],
  [4, stopped],
  [2, lostDisk],
  [1, leaves],
  [1, killedWhileStopped],
  [2, (draft, random) => massacre(draft, random, 1 + Math.floor(draft.ids.length / 2))],
  [1, (draft, random) => massacre(draft, random, draft.ids.length)],
  [3, (draft, random) => cutOff(draft, random, 'from')],
  [3, (draft, random) => cutOff(draft, random, 'to')],
  [3, (draft, random) => cutOff(draft, random, 'both')],
  [4, (draft, random) => oneLink(draft, random)],
  [3, partition],
  [1, clone],
  [1, fullDisk],
  [2, blocked],
  [1, hoard],
]

/** What has to be done to many at the same moment comes first, before others are busy, and nothing else is done meanwhile. */
const SET_PIECES = {
  forgetful: [2, forgetful],
  'blank-proposer': [2, blankProposer],
  'old-copy': [1, oldCopy],
  estranged: [1, estranged],
} as const satisfies Record<string, readonly [weight: number, fault: Fault]>

export type SetPiece = keyof typeof SET_PIECES
export const SET_PIECE_NAMES = Object.keys(SET_PIECES) as readonly SetPiece[]

export function drawFault(random: Random): Fault {
  return drawOf(random, REPERTOIRE)
}

/** One of them, or the one that is asked for. */
export function drawSetPiece(random: Random, piece: SetPiece | null): Fault {
  return piece === null ? drawOf(random, Object.values(SET_PIECES)) : SET_PIECES[piece][1]
}

function drawOf(random: Random, faults: readonly (readonly [weight: number, fault: Fault])[]): Fault {
  const total = faults.reduce((sum, [weight]) => sum + weight, 0)
  let drawn = random.below(total)
  for (const [weight, fault] of faults) {
    if (drawn < weight) return fault
    drawn -= weight
  }
  throw new RangeError('weights')
}

function down(draft: Draft, random: Random, id: string, at: number): void {
  const meets = random.chance(0.5) ? within(id) : null
  if (random.chance(0.3)) return backAtOnce(draft, random, id, at, meets, true)
  const until = at + length(random)
  if (!draft.take(id, at, until)) return
  draft.add(at, { do: 'kill', id, meets })
  // Others do not know of it before, and owe it for longer from then on, until it is started again.
  const lease = random.chance(0.2) ? { lease: between(random, 1.2, 2) } : {}
  draft.add(until, { do: 'start', id, keepsState: true, ...lease })
}

/** Killed, and there again before anybody can have missed it. */
function backAtOnce(
  draft: Draft,
  random: Random,
  id: string,
  at: number,
  meets: Moment | null,
  keepsState: boolean,
): void {
  const ready = Math.max(0, at - READY)
  const until = at + between(random, 0, 0.1)
  if (!draft.take(id, ready, until)) return
  draft.add(ready, { do: 'stand-by', id })
  draft.add(at, { do: 'kill', id, meets })
  draft.add(until, { do: 'start', id, keepsState })
}

/** So long before the start of a process its program begins to load. */
const READY = 1

function within(id: string): Moment {
  return { inside: id, still: 0 }
}

/** Inside until its lease is nearly over, if it cannot be renewed. */
function lasting(id: string): Moment {
  return { inside: id, still: 0.9 }
}

function lostDisk(draft: Draft, random: Random): void {
  const id = pick(random, draft.ids)
  const at = begin(draft, random)
  const until = at + length(random)
  if (!draft.mayLoseDisk || !draft.take(id, at, until)) return
  draft.add(at, { do: 'kill', id, meets: random.chance(0.5) ? within(id) : null })
  draft.add(until, { do: 'start', id, keepsState: false })
}

function leaves(draft: Draft, random: Random): void {
  const id = pick(random, draft.ids)
  const at = begin(draft, random)
  const until = at + length(random)
  if (!draft.take(id, at, until)) return
  draft.add(at, { do: 'leave', id })
  draft.add(until, { do: 'start', id, keepsState: true })
}

/** While it is down somebody starts it with what another's disk has. */
function clone(draft: Draft, random: Random): void {
  const [i, j] = sample(random, 2, draft.ids.length)
  const id = draft.ids[i]
  const at = begin(draft, random)
  const ended = Math.min(at + 2, 0.99 * draft.lasts)
  if (!draft.take(id, at, ended)) return
  draft.add(at, { do: 'kill', id, meets: null })
  draft.add(at, { do: 'clone', id, of: draft.ids[j] })
  draft.add(ended, { do: 'kill', id, meets: null })
  draft.add(ended, { do: 'start', id, keepsState: true })
}

/** What it promises next cannot be written, so it stops. It has to promise soon: another is killed. */
function fullDisk(draft: Draft, random: Random): void {
  const [i, j] = sample(random, 2, draft.ids.length)
  const id = draft.ids[i]
  const at = early(draft, random)
  const killed = Math.min(at + between(random, 2, 4), 0.99 * draft.lasts)
  const until = killed + length(random)
  if (!draft.take(id, at, until)) return
  draft.add(at, { do: 'fill', id })
  draft.add(killed, { do: 'kill', id, meets: null })
  draft.add(until, { do: 'start', id, keepsState: true })
  down(draft, random, draft.ids[j], at + 0.1)
}

/** Its lease thread lives, and renews what its program cannot give back. */
function blocked(draft: Draft, random: Random): void {
  const id = pick(random, draft.ids)
  const at = begin(draft, random)
  const lasts = Math.min(length(random), draft.lasts - at)
  if (!draft.take(id, at, at + lasts)) return
  draft.add(at, { do: 'block', id, lasts })
}

/** Whatever is done to it while it holds them is done to a large table. */
function hoard(draft: Draft, random: Random): void {
  const id = pick(random, draft.ids)
  const at = begin(draft, random)
  if (!draft.take(id, at, at)) return
  draft.add(at, { do: 'hoard', id, lasts: draft.lasts - at })
}

function stopped(draft: Draft, random: Random): void {
  const id = pick(random, draft.ids)
  const at = begin(draft, random)
  const until = at + length(random)
  if (!draft.take(id, at, until)) return
  draft.add(at, { do: 'stop', id, meets: random.chance(0.7) ? within(id) : null })
  draft.add(until, { do: 'continue', id })
}

function killedWhileStopped(draft: Draft, random: Random): void {
  const id = pick(random, draft.ids)
  const at = begin(draft, random)
  // A kill is no repair: it comes before those.
  const killed = Math.min(at + length(random), 0.99 * draft.lasts)
  const until = killed + length(random)
  if (!draft.take(id, at, until)) return
  draft.add(at, { do: 'stop', id, meets: random.chance(0.7) ? within(id) : null })
  draft.add(killed, { do: 'kill', id, meets: null })
  draft.add(until, { do: 'start', id, keepsState: true })
}

function massacre(draft: Draft, random: Random, many: number): void {
  const at = begin(draft, random)
  for (const i of sample(random, many, draft.ids.length)) {
    down(draft, random, draft.ids[i], at + between(random, 0, 0.3))
  }
}

/** What it says is not heard, or it hears nothing, or both. */
function cutOff(draft: Draft, random: Random, side: 'from' | 'to' | 'both'): void {
  const id = pick(random, draft.ids)
  const others = draft.ids.filter((other) => other !== id)
  const out = side === 'to' ? [] : others.map((to) => ({ from: id, to }))
  const into = side === 'from' ? [] : others.map((from) => ({ from, to: id }))
  cut(draft, random, [...out, ...into])
}

function oneLink(draft: Draft, random: Random): void {
  const [i, j] = sample(random, 2, draft.ids.length)
  const ends = [draft.ids[i], draft.ids[j]]
  const [from, to] = random.chance(0.5) ? ends : ends.toReversed()
  cut(
    draft,
    random,
    random.chance(0.6)
      ? [{ from, to }]
      : [
          { from, to },
          { from: to, to: from },
        ],
  )
}

function partition(draft: Draft, random: Random): void {
  const { ids } = draft
  const chosen = sample(random, 1 + random.below(ids.length - 1), ids.length)
  const side = new Set(chosen.map((i) => ids[i]))
  const isOneWay = random.chance(0.2)
  const links = ids.flatMap((from) => ids.map((to) => ({ from, to })))
  cut(
    draft,
    random,
    links.filter(({ from, to }) => side.has(from) !== side.has(to) && (!isOneWay || side.has(from))),
  )
}

/**
 * One that is inside and the voter that proposes views do not hear each other, though everybody else hears both, for longer than
 * the voter owes it a lease. Then a view without it is decided while the others still owe it theirs.
 */
function estranged(draft: Draft, random: Random): void {
  const [proposer, ...others] = draft.ids
  const id = pick(random, others)
  const out = { from: id, to: proposer }
  const links = random.chance(0.5) ? [out] : [out, { from: proposer, to: id }]
  const at = early(draft, random)
  cut(draft, random, links, at, at + MOST_WAIT + between(random, 1.5, 3), { inside: id, still: 1.4 })
  draft.reserve(at, at + MOST_WAIT + 1.5)
}

/**
 * One that is inside is out of reach, and a majority of the others or all are killed and there again at once: whom they owe a
 * lease they know from their disks only, and they choose the next view before that lease is over.
 */
function forgetful(draft: Draft, random: Random): void {
  const id = pick(random, draft.ids)
  const others = draft.ids.filter((other) => other !== id)
  const at = early(draft, random)
  outOfReach(draft, random, id, at)
  const majority = 1 + Math.floor(draft.ids.length / 2)
  const many = majority + random.below(others.length - majority + 1)
  for (const i of sample(random, many, others.length))
    backAtOnce(draft, random, others[i], at, lasting(id), true)
  draft.reserve(at - READY, at + MOST_WAIT + 1)
}

/** The same, but only the voter that proposes views comes back, without its disk: it owes nobody, and the others do. */
function blankProposer(draft: Draft, random: Random): void {
  const [proposer, ...others] = draft.ids
  const id = pick(random, others)
  const at = early(draft, random)
  outOfReach(draft, random, id, at)
  backAtOnce(draft, random, proposer, at, lasting(id), false)
  draft.reserve(at - READY, at + MOST_WAIT + 1)
}

/**
 * Killed, copied and started; killed again, and the copy is put back, which has forgotten what it promised since. The others
 * know better, and are all there to say so; when it has been found out, or was not, its disk is lost.
 */
function oldCopy(draft: Draft, random: Random): void {
  const id = pick(random, draft.ids)
  const again = between(random, 1.5, 2.5)
  const found = again + between(random, 1, 2)
  if (!draft.mayLoseDisk || !draft.take(id, 0, found)) return
  draft.add(0, { do: 'kill', id, meets: null })
  draft.add(0, { do: 'copy', id })
  draft.add(0, { do: 'start', id, keepsState: true })
  draft.add(again, { do: 'kill', id, meets: null })
  draft.add(again, { do: 'put-back', id })
  draft.add(again, { do: 'start', id, keepsState: true })
  draft.add(found, { do: 'kill', id, meets: null })
  draft.add(found, { do: 'start', id, keepsState: false })
  draft.reserve(0, found)
}

/** Cut off or stopped when it is inside, until after its lease. */
function outOfReach(draft: Draft, random: Random, id: string, at: number): void {
  const until = at + MOST_WAIT + between(random, 1, 2)
  if (random.chance(0.7)) {
    const others = draft.ids.filter((other) => other !== id)
    const links = others.flatMap((other) => [
      { from: id, to: other },
      { from: other, to: id },
    ])
    return cut(draft, random, links, at, until, lasting(id))
  }
  if (!draft.take(id, at, until)) return
  draft.add(at, { do: 'stop', id, meets: lasting(id) })
  draft.add(until, { do: 'continue', id })
}

const CUTS: readonly Cut[] = ['stalled', 'stalled', 'refused', 'half-open']

function cut(
  draft: Draft,
  random: Random,
  links: readonly { from: string; to: string }[],
  at: number = begin(draft, random),
  until: number = at + length(random),
  meets: Moment | null = null,
): void {
  const how = pick(random, CUTS)
  for (const { from, to } of links) {
    if (!draft.take(`${from} to ${to}`, at, until)) continue
    draft.add(at, { do: 'cut', from, to, how, meets })
    draft.add(until, { do: 'heal', from, to })
  }
}

function begin({ lasts }: Draft, random: Random): number {
  return between(random, 0, 0.85 * lasts)
}

/** Early enough that what follows from it does so before the repair, though it may have to wait. */
function early({ lasts }: Draft, random: Random): number {
  return between(random, READY, lasts - MOST_WAIT - 1)
}

/** Shorter than a lease, about as long, or long enough to be forgotten. */
function length(random: Random): number {
  const [least, most] = pick(random, [
    [0.1, 0.8],
    [0.8, 1.6],
    [1.6, 5],
  ] as const)
  return between(random, least, most)
}

export function between(random: Random, least: number, most: number): number {
  return least + random.fraction() * (most - least)
}

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[random.below(items.length)]
}
