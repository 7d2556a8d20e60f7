/**
 * What is done to the nodes, and when: a pure function of the seed. A run is a list of rounds. In each, faults come by a
 * time line; then all is repaired, and the next round begins when everyone is in one view again and has been served.
 *
 * The plan keeps to what the protocol promises. In a round at most a minority loses its state directory, and the next
 * does not begin before a view has taken the new disks in as voters (R20). Everything else may come together: all
 * processes killed at once, no majority on either side of a cut, faults upon faults.
 */
import { type Random, randomStream, sample } from '@turnwise/core/random'
import type { Cut } from '../cluster/faults.ts'

export type Deed =
  /** SIGKILL. `inside`: as soon as it holds a lock, though no later than a lease from then. */
  | { readonly do: 'kill'; readonly id: string; readonly inside: boolean }
  /** SIGTERM: it leaves the mesh in good order, and ends. */
  | { readonly do: 'leave'; readonly id: string }
  /** SIGSTOP and SIGCONT. */
  | { readonly do: 'stop'; readonly id: string; readonly inside: boolean }
  | { readonly do: 'continue'; readonly id: string }
  /** Starts it again, with its state directory or without. */
  | { readonly do: 'start'; readonly id: string; readonly keepsState: boolean }
  /** One way of a link. */
  | { readonly do: 'cut'; readonly from: string; readonly to: string; readonly how: Cut }
  | { readonly do: 'heal'; readonly from: string; readonly to: string }

export interface Step {
  /** Milliseconds since the round began. */
  readonly at: number
  readonly deed: Deed
}

export interface Round {
  /** From 1. */
  readonly number: number
  readonly steps: readonly Step[]
  /** When all that is still wrong is repaired at once. */
  readonly lasts: number
  readonly repairs: readonly Deed[]
  /** For how long at least nothing is done after that. */
  readonly calm: number
}

export interface PlanOptions {
  readonly seed: number
  readonly ids: readonly string[]
  /** In milliseconds: faults last for parts and multiples of it. */
  readonly lease: number
  /** How long all rounds take together, if everyone is served in the calm. */
  readonly milliseconds: number
}

/** All times of a plan are in leases until they are written down. */
const ROUND = { least: 5, most: 10 }
const CALM = 3
const FAULTS = { least: 2, most: 7 }

export function plan(options: PlanOptions): Round[] {
  const { lease, milliseconds } = options
  const rounds: Round[] = []
  let left = milliseconds / lease
  do {
    const round = planRound(options, rounds.length + 1, Math.max(ROUND.least, left - CALM))
    rounds.push(round)
    left -= round.lasts / lease + CALM
  } while (left >= ROUND.least + CALM)
  return rounds
}

function planRound({ seed, ids, lease }: PlanOptions, number: number, longest: number): Round {
  const random = randomStream(seed, `round ${number}`)
  const lasts = Math.min(longest, between(random, ROUND.least, ROUND.most))
  const draft = new Draft(ids, lasts)
  const faults = FAULTS.least + random.below(FAULTS.most - FAULTS.least + 1)
  for (let i = 0; i < faults; i += 1) drawFault(random)(draft, random)
  const ms = (leases: number) => Math.round(leases * lease)
  return {
    number,
    steps: draft.steps
      .filter(({ at }) => at < lasts)
      .toSorted((a, b) => a.at - b.at)
      .map(({ at, deed }) => ({ at: ms(at), deed })),
    lasts: ms(lasts),
    // What would have been repaired later is repaired then.
    repairs: draft.steps.filter(({ at }) => at >= lasts).map(({ deed }) => deed),
    calm: ms(CALM),
  }
}

/** A round while it is drawn. Faults of one process follow each other, and so do those of one way of a link. */
class Draft {
  readonly ids: readonly string[]
  readonly lasts: number
  readonly steps: Step[] = []
  readonly #busy = new Map<string, { from: number; until: number }[]>()
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
    if (busy.some((other) => from <= other.until && other.from <= until)) return false
    this.#busy.set(what, [...busy, { from, until }])
    return true
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
]

function drawFault(random: Random): Fault {
  const total = REPERTOIRE.reduce((sum, [weight]) => sum + weight, 0)
  let drawn = random.below(total)
  for (const [weight, fault] of REPERTOIRE) {
    if (drawn < weight) return fault
    drawn -= weight
  }
  throw new RangeError('weights')
}

function down(draft: Draft, random: Random, id: string, at: number): void {
  const until = at + (random.chance(0.3) ? between(random, 0, 0.1) : length(random))
  if (!draft.take(id, at, until)) return
  draft.add(at, { do: 'kill', id, inside: random.chance(0.5) })
  draft.add(until, { do: 'start', id, keepsState: true })
}

function lostDisk(draft: Draft, random: Random): void {
  const id = pick(random, draft.ids)
  const at = begin(draft, random)
  const until = at + length(random)
  if (!draft.mayLoseDisk || !draft.take(id, at, until)) return
  draft.add(at, { do: 'kill', id, inside: random.chance(0.5) })
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

function stopped(draft: Draft, random: Random): void {
  const id = pick(random, draft.ids)
  const at = begin(draft, random)
  const until = at + length(random)
  if (!draft.take(id, at, until)) return
  draft.add(at, { do: 'stop', id, inside: random.chance(0.7) })
  draft.add(until, { do: 'continue', id })
}

function killedWhileStopped(draft: Draft, random: Random): void {
  const id = pick(random, draft.ids)
  const at = begin(draft, random)
  // A kill is no repair: it comes before those.
  const killed = Math.min(at + length(random), 0.99 * draft.lasts)
  const until = killed + length(random)
  if (!draft.take(id, at, until)) return
  draft.add(at, { do: 'stop', id, inside: random.chance(0.7) })
  draft.add(killed, { do: 'kill', id, inside: false })
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

const CUTS: readonly Cut[] = ['stalled', 'stalled', 'refused', 'half-open']

function cut(draft: Draft, random: Random, links: readonly { from: string; to: string }[]): void {
  const at = begin(draft, random)
  const until = at + length(random)
  const how = pick(random, CUTS)
  for (const { from, to } of links) {
    if (!draft.take(`${from} to ${to}`, at, until)) continue
    draft.add(at, { do: 'cut', from, to, how })
    draft.add(until, { do: 'heal', from, to })
  }
}

function begin({ lasts }: Draft, random: Random): number {
  return between(random, 0, 0.85 * lasts)
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

function between(random: Random, least: number, most: number): number {
  return least + random.fraction() * (most - least)
}

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[random.below(items.length)]
}
