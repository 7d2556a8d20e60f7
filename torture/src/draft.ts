/** A round while it is drawn, and what faults are made of. Times are in leases: faults last for parts and multiples of one. */
import { get } from '@turnwise/core/bounds'
import { type Random, sample } from '@turnwise/core/random'
import { type Deed, MOST_WAIT, type Moment, type PlaceName, type Step, type Way } from './deeds.ts'

/** A round while it is drawn. Faults of one process follow each other, and so do those of one way of a link. */
export class Draft {
  readonly ids: readonly string[]
  readonly lasts: number
  readonly at: PlaceName | null
  readonly steps: DraftStep[] = []
  readonly #busy = new Map<string, { from: number; until: number }[]>()
  #reserved = { from: Number.POSITIVE_INFINITY, until: Number.NEGATIVE_INFINITY }
  #lostDisks = 0
  #faults = 0
  #fewestVoters: number

  constructor(ids: readonly string[], lasts: number, at: PlaceName | null = null) {
    this.ids = ids
    this.lasts = lasts
    this.at = at
    this.#fewestVoters = ids.length
  }

  /** A minority of the voters of this round may (R20). */
  get mayLoseDisk(): boolean {
    return 2 * (this.#lostDisks + 1) < this.#fewestVoters
  }

  /** How few may vote in this round: the disks that are lost in it are a minority of them too. */
  get fewestVoters(): number {
    return 2 * this.#lostDisks + 1
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
    if (deed.do === 'change-voters') this.#fewestVoters = Math.min(this.#fewestVoters, deed.voters.length)
    this.steps.push({ at, deed, part: `${this.#faults} ${subjectOf(deed)}` })
  }

  /** What is added from now on belongs to another fault. */
  nextFault(): void {
    this.#faults += 1
  }
}

interface DraftStep extends Step {
  /** Steps of one part belong together: what a fault does to one process or way, and what undoes it. */
  readonly part: string
}

function subjectOf(deed: Deed): string {
  if (deed.do === 'change-voters') return 'voters'
  if (deed.do === 'engine') return 'engine'
  return 'id' in deed ? deed.id : `${deed.from} to ${deed.to}`
}

export type Fault = (draft: Draft, random: Random) => void

/** So long before the start of a process its program begins to load. */
export const READY = 2

/** Killed, and there again before anybody can have missed it. */
export function backAtOnce(
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

export function within(id: string): Moment {
  return { inside: id, still: 0 }
}

/** Inside until its lease is nearly over, if it cannot be renewed. */
export function lasting(id: string): Moment {
  return { inside: id, still: 0.9 }
}

/** What the network does is drawn as often as what a router or a process does. */
const WAYS: readonly Way[] = [
  'stalled',
  'stalled',
  'refused',
  'half-open',
  'swallowed',
  'dropped',
  'dropped',
  'lossy',
]

export function cut(
  draft: Draft,
  random: Random,
  links: readonly { from: string; to: string }[],
  at: number = begin(draft, random),
  until: number = at + length(random),
  meets: Moment | null = null,
): void {
  // Whom this is to meet must not be heard at all.
  const how = pick(random, meets === null ? WAYS : WAYS.filter((way) => way !== 'lossy'))
  for (const { from, to } of links) {
    if (!draft.take(`${from} to ${to}`, at, until)) continue
    draft.add(at, { do: 'cut', from, to, how, meets })
    draft.add(until, { do: 'heal', from, to })
  }
}

export function begin({ lasts }: Draft, random: Random): number {
  return between(random, 0, 0.85 * lasts)
}

/** Early enough that what follows from it does so before the repair, though it may have to wait. */
export function early({ lasts }: Draft, random: Random): number {
  return between(random, READY, lasts - MOST_WAIT - 1)
}

/** Shorter than a lease, about as long, or long enough to be forgotten. */
export function length(random: Random): number {
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

export function pick<Item>(random: Random, items: readonly Item[]): Item {
  return get(items, random.below(items.length))
}

/** Two of them, in their order. */
export function pickTwo<Item>(random: Random, items: readonly Item[]): [Item, Item] {
  const [i = -1, j = -1] = sample(random, 2, items.length)
  return [get(items, i), get(items, j)]
}

export function drawOf(random: Random, faults: readonly (readonly [weight: number, fault: Fault])[]): Fault {
  const total = faults.reduce((sum, [weight]) => sum + weight, 0)
  let drawn = random.below(total)
  for (const [weight, fault] of faults) {
    if (drawn < weight) return fault
    drawn -= weight
  }
  throw new RangeError('weights')
}
