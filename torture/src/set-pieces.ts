/** What has to be done to many at the same moment. It comes first in a round, before others are busy, and nothing else is done meanwhile. */
import { get } from '@turnwise/core/bounds'
import { type Random, sample } from '@turnwise/core/random'
import { ENGINE, EVERYONE, MOST_WAIT, type PlaceName } from './deeds.ts'
import {
  backAtOnce,
  between,
  cut,
  type Draft,
  drawOf,
  early,
  type Fault,
  lasting,
  pick,
  pickTwo,
  READY,
} from './draft.ts'

const SET_PIECES = {
  forgetful: [2, forgetful],
  'blank-proposer': [2, blankProposer],
  'old-copy': [1, oldCopy],
  estranged: [1, estranged],
  'back-at-once': [1, killedAndBack],
  'new-voters': [1, newVoters],
  'half-begun': [1, halfBegun],
  'deaf-holder': [2, deafHolder],
} as const satisfies Record<string, readonly [weight: number, fault: Fault]>

export type SetPiece = keyof typeof SET_PIECES

/** At a place nobody votes, and links between two are not cut. At an engine a member hears nobody if its one relay is cut. */
const AT_ENGINES: readonly SetPiece[] = ['forgetful', 'back-at-once', 'deaf-holder']
const AT = { directory: AT_ENGINES.slice(0, 2), postgres: AT_ENGINES, etcd: AT_ENGINES }
const NAMED = (Object.keys(SET_PIECES) as SetPiece[]).filter((name) => name !== 'deaf-holder')

export function setPiecesAt(at: PlaceName | null): readonly SetPiece[] {
  return at === null ? NAMED : AT[at]
}

/** One of them, or the one that is asked for. */
export function drawSetPiece(random: Random, piece: SetPiece | null, at: PlaceName | null): Fault {
  if (piece !== null) return SET_PIECES[piece][1]
  return drawOf(
    random,
    setPiecesAt(at).map((name) => SET_PIECES[name]),
  )
}

/**
 * One that is inside hears nobody, though it renews its lease. The others seal its row, and let nobody in before its lease is over: it learns of the
 * seal when it renews the next time.
 */
function deafHolder(draft: Draft, random: Random): void {
  const id = pick(random, draft.ids)
  const at = early(draft, random)
  draft.add(at - READY, { do: 'linger', id, lasts: 2.5 })
  cut(draft, random, [{ from: EVERYONE, to: id }], at, at + MOST_WAIT + 2, { inside: id, still: 2 })
  draft.reserve(at - READY, at + MOST_WAIT + 2)
}

/**
 * One that is inside and the voter that proposes views do not hear each other, though everybody else hears both, for longer than
 * the voter owes it a lease. Then a view without it is decided while the others still owe it theirs.
 */
function estranged(draft: Draft, random: Random): void {
  const proposer = get(draft.ids, 0)
  const id = pick(random, draft.ids.slice(1))
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
    backAtOnce(draft, random, get(others, i), at, lasting(id), true)
  draft.reserve(at - READY, at + MOST_WAIT + 1)
}

/** The same, but only the voter that proposes views comes back, without its disk: it owes nobody, and the others do. */
function blankProposer(draft: Draft, random: Random): void {
  const proposer = get(draft.ids, 0)
  const id = pick(random, draft.ids.slice(1))
  const at = early(draft, random)
  outOfReach(draft, random, id, at)
  backAtOnce(draft, random, proposer, at, lasting(id), false)
  draft.reserve(at - READY, at + MOST_WAIT + 1)
}

/** Killed and there again before anybody missed it, while another is inside: what it knew of this view is gone. */
function killedAndBack(draft: Draft, random: Random): void {
  const [id, other] = pickTwo(random, draft.ids)
  const at = early(draft, random)
  backAtOnce(draft, random, id, at, lasting(other), true)
  draft.reserve(at - READY, at + MOST_WAIT + 1)
}

/**
 * One that is inside and the voter that proposes views do not hear each other, and from now on that voter alone is to vote. The
 * others, who vote no longer, go on prolonging the lease of the one inside.
 */
function newVoters(draft: Draft, random: Random): void {
  const proposer = get(draft.ids, 0)
  const id = pick(random, draft.ids.slice(1))
  const meets = { inside: id, still: 2 }
  const at = early(draft, random)
  if (!draft.take(`voters by ${proposer}`, 0, draft.lasts)) return
  draft.add(at - READY, { do: 'linger', id, lasts: 2.5 })
  cut(draft, random, bothWays(id, [proposer]), at, at + MOST_WAIT + 2, meets)
  draft.add(at, { do: 'change-voters', id: proposer, voters: [proposer], meets })
  draft.add(draft.lasts, { do: 'change-voters', id: proposer, voters: draft.ids, meets: null })
  draft.reserve(at - READY, at + MOST_WAIT + 2)
}

/**
 * One that is inside and those who are to vote do not hear each other for a lease before the change. So it does not begin the joint
 * view, and its lease rests on the old voters alone. A while later the broken links leave it out.
 */
function halfBegun(draft: Draft, random: Random): void {
  const { ids } = draft
  const proposer = get(ids, 0)
  const id = get(ids, 1)
  // A minority of those who vote now, so that the others still prolong its lease.
  const voters = ids.slice(ids.length - Math.floor((ids.length - 1) / 2))
  const at = READY
  if (!draft.take(`voters by ${proposer}`, 0, draft.lasts)) return
  draft.add(0, { do: 'linger', id, lasts: 3.5 })
  cut(draft, random, bothWays(id, voters), at, at + MOST_WAIT + 3, { inside: id, still: 3 })
  const meets = { inside: id, still: 1, since: 1.2 }
  draft.add(at + 1, { do: 'change-voters', id: proposer, voters, meets })
  draft.add(draft.lasts, { do: 'change-voters', id: proposer, voters: ids, meets: null })
  draft.reserve(0, at + MOST_WAIT + 3)
}

function bothWays(id: string, others: readonly string[]): { from: string; to: string }[] {
  return others.flatMap((other) => [
    { from: id, to: other },
    { from: other, to: id },
  ])
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

/** Cut off, from the others or from the engine, or stopped when it is inside, until after its lease. */
function outOfReach(draft: Draft, random: Random, id: string, at: number): void {
  const until = at + MOST_WAIT + between(random, 1, 2)
  if (random.chance(0.7) && draft.at !== 'directory') {
    const others = draft.ids.filter((other) => other !== id)
    const links = draft.at === null ? bothWays(id, others) : [{ from: id, to: ENGINE }]
    return cut(draft, random, links, at, until, lasting(id))
  }
  if (!draft.take(id, at, until)) return
  draft.add(at, { do: 'stop', id, meets: lasting(id) })
  draft.add(until, { do: 'continue', id })
}
