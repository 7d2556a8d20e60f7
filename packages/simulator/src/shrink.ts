/**
 * Shrinking: of a run in which a judge found a violation, a part in which the same judge finds one. First everything goes that did not happen before
 * the violation in Lamport's sense, then halves, quarters and so on down to single acts, for as long as the judge still objects. What is left is a run of
 * the same world: an act that is not possible any more is left out, too.
 */
import type { NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import type { Violation } from '@turnwise/core/judges/findings'
import { TICKS_PER_UNIT, type TraceEvent } from '@turnwise/core/trace/trace'
import { type Place, type Played, play, type ScheduledAct, scheduleOf, type World } from './schedule.ts'
import type { Stage } from './stage.ts'

/** A smaller run with the same failure. */
export interface Shrunk {
  /** Acts of the run up to its violation: requests, exits, deliveries, faults. */
  readonly from: number
  /** Acts of this one. */
  readonly to: number
  readonly events: readonly TraceEvent[]
  readonly violation: Violation
}

/** Acts that may be played in all: a long run is made as small as these allow. */
const BUDGET = 4_000_000

/** A run that goes on for so long after its last act is not stuck. */
const LAST_WORDS = 500

/** The smaller run with the first violation of this one, or why there is none. */
export function shrink(world: World, events: readonly TraceEvent[]): Shrunk | string {
  const judge = events.find((event) => event.is === 'violation')?.judge
  if (judge === undefined) return 'no judge objects'
  const acts = scheduleOf(events)
  if (typeof acts === 'string') return `a run with "${acts}" cannot be played again act by act`
  const trial = new Trial(world, acts, judge)
  const all = acts.map((_, place) => place)
  let kept = trial.failing(all)
  if (kept === null)
    return 'played again act by act, the run does not fail: it draws at random, or uses priorities'
  kept = trial.failing(causes(acts, kept.places, trial.violationIn(kept.stage)?.nodes ?? [])) ?? kept
  kept = halves(trial, kept)
  const violation = trial.violationIn(kept.stage) as Violation
  const timed = kept.stage.events.map((event) => ({ ...event, at: event.at * TICKS_PER_UNIT }))
  return { from: acts.length, to: kept.places.length, events: timed, violation }
}

/** Plays parts of a schedule, and knows which of them fail. */
class Trial {
  readonly #world: World
  readonly #acts: readonly ScheduledAct[]
  readonly #judge: string
  #played = 0

  constructor(world: World, acts: readonly ScheduledAct[], judge: string) {
    this.#world = world
    this.#acts = acts
    this.#judge = judge
  }

  get isOut(): boolean {
    return this.#played > BUDGET
  }

  violationIn(stage: Stage): Violation | undefined {
    return stage.jury.violations.find(({ judge }) => judge === this.#judge)
  }

  /** What of these acts was played until the judge objected; null if it did not. */
  failing(places: readonly Place[]): Played | null {
    this.#played += places.length + (this.#judge === 'progress' ? LAST_WORDS : 0)
    const played = play(this.#world, this.#acts, places, (stage) => this.violationIn(stage) !== undefined)
    if (this.#judge === 'progress') runOut(played.stage)
    return this.violationIn(played.stage) === undefined ? null : played
  }
}

/** Everything under way arrives, and everyone inside leaves: who waits then, waits for ever, unless a timer would help. */
function runOut(stage: Stage): void {
  for (let acts = 0; acts < LAST_WORDS; acts += 1) {
    const [next] = stage.underWay
    const inside = stage.states.findIndex((_, node) => stage.statusOf(node) === 'inside')
    if (next !== undefined) stage.deliver(next)
    else if (inside !== -1) stage.release(inside)
    else return endIfStuck(stage)
  }
}

function endIfStuck(stage: Stage): void {
  if (stage.states.some((_, node) => stage.agenda.isBusy(node))) return
  stage.jury.progress.ended(stage.events.at(-1)?.at ?? 0, 1)
}

/** The acts that the last one, and the last of each of these nodes, could have heard of. */
function causes(
  acts: readonly ScheduledAct[],
  places: readonly Place[],
  nodes: readonly NodeId[],
): readonly Place[] {
  const wanted = new Set<Place>()
  const nodesWanted = new Set(nodes)
  const last = places.at(-1)
  for (const place of places.toReversed()) {
    const act = get(acts, place)
    if (place !== last && !wanted.has(place) && !nodesWanted.has(act.node)) continue
    wanted.add(place)
    nodesWanted.add(act.node)
    if ('letter' in act) wanted.add(act.letter.by)
  }
  return places.filter((place) => wanted.has(place))
}

/** Leaves out a half, then the other, then quarters and so on, and again from the beginning for as long as single acts can be left out. */
function halves(trial: Trial, failing: Played): Played {
  let kept = failing
  let size = Math.ceil(kept.places.length / 2)
  for (;;) {
    const before = kept.places.length
    for (let end = before; end > 0 && !trial.isOut; end -= size) {
      const without = kept.places.toSpliced(Math.max(0, end - size), Math.min(size, end))
      kept = trial.failing(without) ?? kept
      end = Math.min(end, kept.places.length + size)
    }
    if (trial.isOut || (size === 1 && kept.places.length === before)) return kept
    size = Math.max(1, Math.floor(size / 2))
  }
}
