/** One lock that goes from process to process, beside a bare token that does. */
import { get } from '@turnwise/core/bounds'
import { drawCharts } from '@turnwise/lab/chart/draw-charts'
import type { Series } from '@turnwise/lab/chart/figure'
import { thousands } from './figures.ts'
import { bareRing, Fleet, fastestRound, type Passing, type Round, type Times } from './fleet.ts'
import type { Progress } from './progress.ts'
import { type Load, PATIENT, type Turns, WRITERS } from './talk.ts'

/** The rate is in hand-offs: turns of one process in a row are one. */
export interface HandOffs extends Passing {
  readonly algorithm: string
  readonly processes: number
  /** Of the bare token, in the same run. */
  readonly share: number
  /** Jain's index of how evenly turns fell: 1 if all had as many. */
  readonly fairness: number
  /** How long turns were waited for, in milliseconds. */
  readonly medianWait: number
  readonly p99Wait: number
  /** Messages of the algorithm for each hand-off. */
  readonly messages: number
}

export interface Comparison {
  readonly bare: ReadonlyMap<number, Passing>
  readonly measured: readonly HandOffs[]
}

const LOCK = 'invoices'
/** A bare ring is measured before every so many algorithms: machines change their mood. */
const BETWEEN = 3

/** The fastest of several bare rings is what is compared with. */
export async function compareHandOffs(
  algorithms: readonly string[],
  processes: readonly number[],
  times: Times,
  load: Load,
  progress: Progress,
): Promise<Comparison> {
  const bare = new Map<number, Passing>()
  const measured: HandOffs[] = []
  for (const count of processes) {
    const own: Omit<HandOffs, 'share'>[] = []
    for (const [i, algorithm] of algorithms.entries()) {
      if (i % BETWEEN === 0) {
        const measure = () => bareRing(count, times)
        const ring = await told(progress, `a bare token, ${count} processes`, measure)
        const known = bare.get(count) ?? ring
        bare.set(count, {
          ...(known.rate > ring.rate ? known : ring),
          cpu: Math.min(known.cpu, ring.cpu),
        })
      }
      const measure = () => handOffs(algorithm, count, times, load)
      own.push(await told(progress, `${algorithm}, ${count} processes`, measure))
    }
    const limit = bare.get(count)?.rate ?? Number.NaN
    measured.push(...own.map((each) => ({ ...each, share: each.rate / limit })))
  }
  return { bare, measured }
}

export async function told<Measured extends Round>(
  progress: Progress,
  what: string,
  measure: () => Promise<Measured>,
): Promise<Measured> {
  progress.begins(what)
  const measured = await measure()
  progress.ended(what, `${thousands(measured.rate)} hand-offs/s, ${measured.cpu.toFixed(1)} µs`)
  return measured
}

export async function handOffs(
  algorithm: string,
  processes: number,
  times: Times,
  load: Load = WRITERS,
): Promise<Omit<HandOffs, 'share'>> {
  return measured(algorithm, await Fleet.of(processes, { algorithm, lease: PATIENT }), processes, times, load)
}

/** Processes that take turns at one lock, from any of the lock services. */
export interface Takers {
  turns(names: readonly string[], times: Times, load?: Load): Promise<Turns[]>
  end(): Promise<void>
}

export async function measured(
  algorithm: string,
  takers: Takers,
  processes: number,
  times: Times,
  load: Load = WRITERS,
): Promise<Omit<HandOffs, 'share'>> {
  try {
    return await fastestRound(processes, () => oneRound(algorithm, takers, processes, times, load))
  } finally {
    await takers.end()
  }
}

export async function oneRound(
  algorithm: string,
  takers: Takers,
  processes: number,
  times: Times,
  load: Load = WRITERS,
): Promise<Omit<HandOffs, 'share'>> {
  const all = await takers.turns([LOCK], times, load)
  const changes = changesOfHands(all)
  const waits = all.flatMap((each) => each.waits).toSorted((a, b) => a - b)
  const total = (of: (turns: Turns) => number) => all.reduce((sum, each) => sum + of(each), 0)
  return {
    algorithm,
    processes,
    rate: (changes * 1000) / times.measured,
    fairness: jain(all.map(({ turns }) => turns)),
    medianWait: quantile(waits, 0.5),
    p99Wait: quantile(waits, 0.99),
    messages: total(({ sent }) => sent) / changes,
    cpu: total(({ cpu }) => cpu) / changes,
    sleeps: total(({ sleeps }) => sleeps) / changes,
  }
}

/** In the order of fences, which is that of the turns: how often the next one is of another process, or of another of what `of` tells apart. */
export function changesOfHands(all: readonly Turns[], of = (process: number) => process): number {
  const turns = all.flatMap(({ fences }, process) => fences.map((fence) => ({ fence, process })))
  turns.sort((a, b) => a.fence - b.fence)
  let changes = 0
  for (let i = 1; i < turns.length; i += 1) {
    if (get(turns, i).fence === get(turns, i - 1).fence)
      throw new Error(`fence ${get(turns, i).fence} was given twice`)
    if (of(get(turns, i).process) !== of(get(turns, i - 1).process)) changes += 1
  }
  return changes
}

/** The smallest of them that this share does not exceed. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

/** R. Jain, D. Chiu and W. Hawe, "A Quantitative Measure of Fairness and Discrimination", DEC-TR-301, 1984. */
function jain(shares: readonly number[]): number {
  const sum = shares.reduce((total, share) => total + share, 0)
  const squares = shares.reduce((total, share) => total + share ** 2, 0)
  return squares === 0 ? 0 : sum ** 2 / (shares.length * squares)
}

/** By the smallest of its shares, so that the first does well with any number of processes. */
export function ranked({ measured }: Comparison): { algorithm: string; rows: HandOffs[] }[] {
  const names = [...new Set(measured.map(({ algorithm }) => algorithm))]
  const all = names.map((algorithm) => ({
    algorithm,
    rows: measured.filter((row) => row.algorithm === algorithm),
  }))
  const least = ({ rows }: { rows: HandOffs[] }) => Math.min(...rows.map(({ share }) => share))
  return all.toSorted((a, b) => least(b) - least(a))
}

const DRAWN = 7
export const BARE = 'a bare TCP token'

/** The best, and the default: more lines than that say nothing. */
export function chartOf(comparison: Comparison, byDefault: string, subtitle: string): string {
  const bare = [...comparison.bare].map(([processes, { rate }]) => ({ name: BARE, processes, rate }))
  const shown = ranked(comparison)
    .filter(({ algorithm }, i) => i < DRAWN || algorithm === byDefault)
    .flatMap(({ algorithm, rows }) => {
      const name = algorithm === byDefault ? `${algorithm} (default)` : algorithm
      return rows.map(({ processes, rate }) => ({ name, processes, rate }))
    })
  return drawRates([...bare, ...shown], subtitle)
}

export interface Rate {
  readonly name: string
  readonly processes: number
  readonly rate: number
}

/** A line for each name, over the numbers of processes. */
export function drawRates(rates: readonly Rate[], subtitle: string): string {
  const counts = [...new Set(rates.map(({ processes }) => processes))]
  const names = [...new Set(rates.map(({ name }) => name))]
  const series = names.map((name, colourIndex): Series => {
    const points = counts.map((count, x) => {
      const found = rates.find((each) => each.name === name && each.processes === count)
      return { x, y: found?.rate ?? Number.NaN }
    })
    return { name, colourIndex, points }
  })
  const axes = { xLabel: 'processes', yLabel: 'hand-offs a second', xTicks: counts.map(String) }
  return drawCharts({
    title: 'One lock between processes',
    subtitle,
    panels: [{ title: 'Hand-offs', ...axes, series }],
  })
}
