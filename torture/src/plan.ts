/**
 * What is done to the nodes, and when: a pure function of the seed. A run is a list of rounds. In each, faults come by a
 * time line; then all is repaired, and the next round begins when everyone is in one view again and has been served.
 *
 * The plan keeps to what the protocol promises. In a round at most a minority loses its state directory, and the next
 * does not begin before a view has taken the new disks in as voters (R20); where fewer vote for a while, a minority of those. An old copy of a directory counts as a lost one, and
 * nothing else is done while a node has it: until it is found out it votes. Everything else may come together: all
 * processes killed at once, no majority on either side of a cut, faults upon faults. Members that meet at a place have no disks
 * and no voters.
 */
import { randomStream } from '@turnwise/core/random'
import type { Deed, PlaceName, Step } from './deeds.ts'
import { between, Draft } from './draft.ts'
import { drawFault } from './repertoire.ts'
import type { Strike } from './service.ts'
import { drawSetPiece, type SetPiece } from './set-pieces.ts'

export interface Round {
  /** From 1. */
  readonly number: number
  readonly steps: readonly Step[]
  /** After so many milliseconds all that is still wrong is repaired at once. */
  readonly lasts: number
  readonly repairs: readonly Deed[]
  /** For how many milliseconds at least nothing is done after that. */
  readonly calm: number
  /** Of how many parts the schedule was drawn: each is what a fault does to one process or way, and what undoes it. */
  readonly parts?: number
  /** The one fault of a round that measures service, and to whom it is done. */
  readonly struck?: { readonly strike: Strike; readonly victim: string }
}

export interface PlanOptions {
  readonly seed: number
  readonly ids: readonly string[]
  /** In milliseconds: faults last for parts and multiples of it. */
  readonly leaseMs: number
  /** How long all rounds take together, if everyone is served in the calm. */
  readonly milliseconds: number
  /** With what every round begins; null if the seed draws whether and with what. */
  readonly beginWith?: SetPiece | null
  /** Where they meet; null if they are named. */
  readonly at?: PlaceName | null
  /** Only these parts of each round, from 1; null for all. */
  readonly parts?: readonly number[] | null
}

/** All times of a plan are in leases until they are written down. */
const ROUND = { least: 5, most: 10 }
const CALM = 3
const FAULTS = { least: 2, most: 7 }
/** How many rounds begin with something that is done to many at the same moment. */
const SET_PIECES = 0.5

export function plan(options: PlanOptions): Round[] {
  const { leaseMs, milliseconds } = options
  const rounds: Round[] = []
  let left = milliseconds / leaseMs
  do {
    const round = planRound(options, rounds.length + 1, Math.max(ROUND.least, left - CALM))
    rounds.push(round)
    left -= round.lasts / leaseMs + CALM
  } while (left >= ROUND.least + CALM)
  return rounds
}

function planRound(options: PlanOptions, number: number, longest: number): Round {
  const { seed, ids, leaseMs, beginWith = null, at = null, parts = null } = options
  const random = randomStream(seed, `round ${number}`)
  const lasts = Math.min(longest, between(random, ROUND.least, ROUND.most))
  const draft = new Draft(ids, lasts, at)
  const faults = FAULTS.least + random.below(FAULTS.most - FAULTS.least + 1)
  const setPieces = random.chance(SET_PIECES) || beginWith !== null ? 1 : 0
  for (let i = 0; i < faults; i += 1) {
    const fault = i < setPieces ? drawSetPiece(random, beginWith, at) : drawFault(random, at)
    draft.nextFault()
    fault(draft, random)
  }
  const names = [...new Set(draft.steps.map(({ part }) => part))]
  const steps = draft.steps.filter(({ part }) => parts === null || parts.includes(names.indexOf(part) + 1))
  const ms = (leases: number) => Math.round(leases * leaseMs)
  return {
    number,
    steps: steps
      .filter(({ at }) => at < lasts)
      .toSorted((a, b) => a.at - b.at)
      .map(({ at, deed }) => ({ at: ms(at), deed: inMilliseconds(deed, leaseMs) })),
    lasts: ms(lasts),
    repairs: repairsOf(steps, lasts),
    calm: ms(CALM),
    parts: names.length,
  }
}

/** What would have been repaired later is repaired then. Who is to vote is said last, to processes that run. */
function repairsOf(steps: readonly Step[], lasts: number): Deed[] {
  const isLast = ({ do: what }: Deed) => Number(what === 'change-voters')
  const left = steps.filter(({ at }) => at >= lasts).map(({ deed }) => deed)
  return left.toSorted((a, b) => isLast(a) - isLast(b))
}

function inMilliseconds(deed: Deed, leaseMs: number): Deed {
  if ('lasts' in deed) return { ...deed, lasts: Math.round(deed.lasts * leaseMs) }
  if (!('meets' in deed) || deed.meets === null) return deed
  const { inside, still, since = 0 } = deed.meets
  return {
    ...deed,
    meets: {
      inside,
      still: Math.round(still * leaseMs),
      ...(since > 0 && { since: Math.round(since * leaseMs) }),
    },
  }
}
