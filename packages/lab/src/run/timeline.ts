import { get } from '@turnwise/core/bounds'
import type { Happening } from '@turnwise/core/trace/happening'
import { countWhile } from './count-while.ts'
import type { Recording } from './recording.ts'

/** What is needed of a run to play it, step by step. */
export type Timeline = Pick<Recording, 'happenings' | 'entered' | 'isWhole'>

/** Two runs as one: a step is the next event of the one that is earlier, or of both if they are at the same time. */
export interface CommonTimeline extends Timeline, Pick<Recording, 'isCut' | 'stays'> {
  /** For each position of the whole the positions of both runs. */
  readonly places: readonly (readonly [number, number])[]
  /** The first position at which this run has come so far. */
  positionOf(run: 0 | 1, position: number): number
}

/** Two runs on one axis of time. What one run has of a time of which the other may have more to tell waits for it. */
export function commonTimeline(first: Recording, second: Recording): CommonTimeline {
  const runs = [first, second] as const
  const known = Math.min(
    ...runs.map(({ isWhole, happenings }) => (isWhole ? Infinity : (happenings.at(-1)?.at ?? -1))),
  )
  const happenings: Happening[] = []
  const places: [number, number][] = [[0, 0]]
  const entered = [0]
  let [one, two] = [0, 0]
  for (;;) {
    const [left, right] = [first.happenings[one], second.happenings[two]]
    const at = Math.min(left?.at ?? Infinity, right?.at ?? Infinity)
    if (at === Infinity || at >= known) break
    const next = [left, right].filter((happening) => happening?.at === at)
    if (left?.at === at) one += 1
    if (right?.at === at) two += 1
    happenings.push(get(next, 0) as Happening)
    places.push([one, two])
    entered.push(get(first.entered, one) + get(second.entered, two))
  }
  const positionOf = (run: 0 | 1, position: number) => countWhile(places, (place) => place[run] < position)
  const stays = runs.flatMap((run, which) =>
    run.stays.map((stay) => ({
      ...stay,
      from: positionOf(which === 0 ? 0 : 1, stay.from),
      until: Number.isFinite(stay.until) ? positionOf(which === 0 ? 0 : 1, stay.until) : stay.until,
    })),
  )
  const isWhole = runs.every((run) => run.isWhole)
  return { happenings, entered, isWhole, isCut: runs.some(({ isCut }) => isCut), stays, places, positionOf }
}
