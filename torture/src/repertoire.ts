/** The faults of which a round is made. Times are in leases: faults last for parts and multiples of one. */
import { get } from '@turnwise/core/bounds'
import { type Random, sample } from '@turnwise/core/random'
import { ENGINE, EVERYONE, type PlaceName } from './deeds.ts'
import {
  backAtOnce,
  begin,
  between,
  cut,
  type Draft,
  drawOf,
  early,
  type Fault,
  length,
  pick,
  pickTwo,
  within,
} from './draft.ts'

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
  [1, (draft, random) => unwritable(draft, random, 'fill')],
  [1, (draft, random) => unwritable(draft, random, 'protect')],
  [2, otherVoters],
  [2, blocked],
  [1, hoard],
]

/** At any place. */
const AT_PLACES: typeof REPERTOIRE = [
  [4, (draft, random) => down(draft, random, pick(random, draft.ids), begin(draft, random))],
  [4, stopped],
  [2, leaves],
  [1, killedWhileStopped],
  [2, (draft, random) => massacre(draft, random, 1 + Math.floor(draft.ids.length / 2))],
  [1, (draft, random) => massacre(draft, random, draft.ids.length)],
  [2, blocked],
  [1, hoard],
]

const AT_ENGINE: typeof REPERTOIRE = [
  ...AT_PLACES,
  [4, (draft, random) => engineAway(draft, random, 'kill')],
  [2, (draft, random) => engineAway(draft, random, 'stop')],
  [5, (draft, random) => withoutEngine(draft, random, 1)],
  [2, (draft, random) => withoutEngine(draft, random, 1 + Math.floor(draft.ids.length / 2))],
  [3, loses],
  [3, deaf],
]

const REPERTOIRES = { directory: AT_PLACES, postgres: AT_ENGINE, etcd: AT_ENGINE }

export function drawFault(random: Random, at: PlaceName | null): Fault {
  return drawOf(random, at === null ? REPERTOIRE : REPERTOIRES[at])
}

function down(draft: Draft, random: Random, id: string, at: number): void {
  const meets = random.chance(0.5) ? within(id) : null
  if (random.chance(0.3)) return backAtOnce(draft, random, id, at, meets, true)
  const until = at + length(random)
  if (!draft.take(id, at, until)) return
  draft.add(at, { do: 'kill', id, meets })
  // Others do not know of it before, and owe it for longer from then on, until it is started again.
  const lease = draft.at === null && random.chance(0.2) ? { leaseFactor: between(random, 1.2, 2) } : {}
  draft.add(until, { do: 'start', id, keepsState: true, ...lease })
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
  const [id, other] = pickTwo(random, draft.ids)
  const at = begin(draft, random)
  const ended = Math.min(at + 2, 0.99 * draft.lasts)
  if (!draft.take(id, at, ended)) return
  draft.add(at, { do: 'kill', id, meets: null })
  draft.add(at, { do: 'clone', id, of: other })
  draft.add(ended, { do: 'kill', id, meets: null })
  draft.add(ended, { do: 'start', id, keepsState: true })
}

/** What it promises next cannot be written, so it stops. It has to promise soon: another is killed. */
function unwritable(draft: Draft, random: Random, how: 'fill' | 'protect'): void {
  const [id, other] = pickTwo(random, draft.ids)
  const at = early(draft, random)
  const killed = Math.min(at + between(random, 2, 4), 0.99 * draft.lasts)
  const until = killed + length(random)
  if (!draft.take(id, at, until)) return
  draft.add(at, { do: how, id })
  draft.add(killed, { do: 'kill', id, meets: null })
  draft.add(until, { do: 'start', id, keepsState: true })
  down(draft, random, other, at + 0.1)
}

/** One of them wants others to vote, fewer than all; whatever else is done meets that change. Then all vote again. */
function otherVoters(draft: Draft, random: Random): void {
  const { ids, fewestVoters, lasts } = draft
  const id = pick(random, ids)
  const at = begin(draft, random)
  const spare = ids.length - fewestVoters
  if (spare <= 0 || !draft.take(`voters by ${id}`, at, lasts)) return
  const voters = sample(random, fewestVoters + random.below(spare), ids.length).map((i) => get(ids, i))
  draft.add(at, { do: 'change-voters', id, voters, meets: null })
  // By the same node: a later wish takes the place of one that is not granted yet (R23).
  draft.add(lasts, { do: 'change-voters', id, voters: ids, meets: null })
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
    down(draft, random, get(draft.ids, i), at + between(random, 0, 0.3))
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
  const [one, other] = pickTwo(random, draft.ids)
  const [from, to] = random.chance(0.5) ? [one, other] : [other, one]
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

/** For less than a lease nobody may notice; for longer everything is lost, and comes back. */
function engineAway(draft: Draft, random: Random, what: 'kill' | 'stop'): void {
  const at = begin(draft, random)
  const until = at + length(random)
  if (!draft.take(ENGINE, at, until)) return
  draft.add(at, { do: 'engine', what })
  draft.add(until, { do: 'engine', what: what === 'kill' ? 'start' : 'continue' })
}

/** So many do not reach the engine, and the others do. */
function withoutEngine(draft: Draft, random: Random, many: number): void {
  const chosen = sample(random, many, draft.ids.length)
  cut(
    draft,
    random,
    chosen.map((i) => ({ from: get(draft.ids, i), to: ENGINE })),
  )
}

/** It cannot know whether what it asked has happened. */
function loses(draft: Draft, random: Random): void {
  const id = pick(random, draft.ids)
  const at = begin(draft, random)
  if (!draft.take(id, at, at)) return
  draft.add(at, { do: 'lose', id, what: random.chance(0.5) ? 'question' : 'answer' })
}

/** It renews its lease, and the others, who cannot speak to it, have to seal its row. */
function deaf(draft: Draft, random: Random): void {
  const id = pick(random, draft.ids)
  const at = begin(draft, random)
  const meets = random.chance(0.5) ? within(id) : null
  cut(draft, random, [{ from: EVERYONE, to: id }], at, at + length(random), meets)
}
