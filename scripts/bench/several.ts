/** Several names at once: in order, as `locks.request([...])` takes them, beside a group that has them. */
import { farFleet, longer } from './distance.ts'
import { thousands } from './figures.ts'
import { Fleet, fastestRounds, type Round, type Times } from './fleet.ts'
import type { Progress } from './progress.ts'
import { type Load, PATIENT, WAYS, type Way } from './talk.ts'

/** Out of so many names. */
export const FROM = 16
const NAMES = Array.from({ length: FROM }, (_, i) => `hall ${String(i).padStart(2, '0')}`)

/** Stays of all processes together, each with so many names. */
export interface SeveralMade extends Round {
  readonly way: Way
  readonly take: number
  /** Messages of the algorithm for each. */
  readonly messages: number
}

export async function several(
  algorithm: string,
  processes: number,
  callers: number,
  takes: readonly number[],
  given: Times,
  latency: string | null,
  progress: Progress,
): Promise<readonly SeveralMade[]> {
  const { fleet, end } = await fleetFor(latency, algorithm, processes)
  const times = latency === null ? given : longer(given)
  try {
    const made: SeveralMade[] = []
    for (const take of takes) {
      const what = `${take} of ${FROM} names`
      progress.begins(what)
      const rounds = WAYS.map(
        (way) => () => round(fleet, { callers, readers: 0, several: { take, way } }, times),
      )
      if (latency === null) made.push(...(await fastestRounds(processes, rounds)))
      else for (const each of rounds) made.push(await each())
      progress.ended(what, `${thousands(made.at(-1)?.rate ?? 0)} stays/s ${WAYS.at(-1)}`)
    }
    return made
  } finally {
    await end()
  }
}

async function fleetFor(latency: string | null, algorithm: string, processes: number) {
  if (latency !== null) return farFleet(latency, algorithm, processes, false)
  const fleet = await Fleet.of(processes, { algorithm, lease: PATIENT })
  return { fleet, end: () => fleet.end() }
}

type Several = Load & { readonly several: NonNullable<Load['several']> }

async function round(fleet: Fleet, load: Several, times: Times): Promise<SeveralMade> {
  const all = await fleet.turns(NAMES, times, load)
  const total = (of: (each: (typeof all)[number]) => number) => all.reduce((sum, each) => sum + of(each), 0)
  const turns = total((each) => each.turns)
  return {
    ...load.several,
    rate: (turns * 1000) / times.measured,
    cpu: total((each) => each.cpu) / turns,
    messages: total((each) => each.sent) / turns,
  }
}
