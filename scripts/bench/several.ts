/** Several names at once: in order, as `locks.request([...])` takes them, beside a group that has them. */
import { latencyOption } from '../../packages/cli/dist/cli/run-options.js'
import { distanceBetween, roundRobin } from '../../packages/cli/dist/fleet/distance.js'
import { Wires } from '../../packages/cli/dist/fleet/wires.js'
import { Fleet, fastestRounds, idsOf, type Round, type Times } from './fleet.ts'
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
  times: Times,
  latency: string | null,
): Promise<readonly SeveralMade[]> {
  const wires = latency === null ? null : await wiresFor(processes, latency)
  const fleet = await Fleet.of(processes, { algorithm, lease: PATIENT }, wires)
  try {
    const made: SeveralMade[] = []
    for (const take of takes) {
      const rounds = WAYS.map(
        (way) => () => round(fleet, { callers, readers: 0, several: { take, way } }, times),
      )
      if (latency === null) made.push(...(await fastestRounds(processes, rounds)))
      else for (const each of rounds) made.push(await each())
    }
    return made
  } finally {
    await fleet.end()
    wires?.close()
  }
}

function wiresFor(processes: number, latency: string): Promise<Wires> {
  const ids = idsOf(processes)
  return Wires.between(ids, distanceBetween(ids, latencyOption(latency, processes, roundRobin), 1, false))
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
