/** For how long a lock serves nobody after a fault: rounds of one fault each, and what the log tells of them. */
import { get } from '@turnwise/core/bounds'
import { type Random, randomStream, sample } from '@turnwise/core/random'
import { type Deed, MOST_WAIT, type Moment, type Step } from './deeds.ts'
import { between, pick, READY } from './draft.ts'
import type { Request } from './history.ts'
import type { PlanOptions, Round } from './plan.ts'
import type { Lock } from './torture-messages.ts'

/** What is done to the node that is inside, and to others at the same moment. */
export const STRIKES = {
  stop: 'the holder is stopped',
  kill: 'the holder is killed',
  majority: 'a majority is killed, the holder among it',
  'majority-ready': 'the same, and their next processes stand by',
  'stop-and-kill': 'the holder is stopped, a majority of all is killed of the others',
  'stop-and-kill-ready': 'the same, and their next processes stand by',
} as const
export type Strike = keyof typeof STRIKES

/** Milliseconds from the fault until another process was let in where the victim was inside alone. */
export interface Gap {
  readonly strike: Strike
  readonly name: string
  readonly milliseconds: number
}

/** One name, at which somebody is always inside alone: each round has a victim. */
export const SERVICE_LOCKS: readonly Lock[] = [
  { name: 'orders', callers: 2, shared: 0, steals: 0, permits: 1, burst: 1 },
]

/** The victim means to stay for so many leases yet, so that it is still inside when it is struck. */
const STILL = 0.1

/** In leases: when it strikes, when the last is well again, and how long nothing is done then. */
const AT = READY + 0.1
const WELL = AT + MOST_WAIT + 2
const CALM = 2
/** Killed processes are started after so many leases; loading the program comes on top. */
const DOWN = { least: 0.2, most: 1 }

/** Each fault in its turn, for as long as there is time. */
export function planService({ seed, ids, leaseMs, milliseconds }: PlanOptions): Round[] {
  const strikes = Object.keys(STRIKES) as Strike[]
  const count = Math.max(strikes.length, Math.floor(milliseconds / leaseMs / (WELL + CALM)))
  return Array.from({ length: count }, (_, i) => {
    const random = randomStream(seed, `service ${i + 1}`)
    const strike = get(strikes, i % strikes.length)
    const victim = pick(random, ids)
    const steps = stepsOf(strike, victim, ids, random, STILL * leaseMs).map(({ at, deed }) => ({
      at: at * leaseMs,
      deed,
    }))
    return {
      number: i + 1,
      steps: steps.filter(({ deed }) => deed.do !== 'continue').toSorted((a, b) => a.at - b.at),
      lasts: WELL * leaseMs,
      repairs: steps.filter(({ deed }) => deed.do === 'continue').map(({ deed }) => deed),
      calm: CALM * leaseMs,
      struck: { strike, victim },
    }
  })
}

function stepsOf(
  strike: Strike,
  victim: string,
  ids: readonly string[],
  random: Random,
  still: number,
): Step[] {
  const meets: Moment = { inside: victim, still }
  const others = ids.filter((id) => id !== victim)
  const majority = 1 + Math.floor(ids.length / 2)
  const isReady = strike.endsWith('-ready')
  const killed = (many: number) =>
    sample(random, many, others.length).flatMap((i) => downUp(get(others, i), meets, isReady, random))
  const stopped: Step[] = [
    { at: AT, deed: { do: 'stop', id: victim, meets } },
    { at: WELL, deed: { do: 'continue', id: victim } },
  ]
  if (strike === 'stop') return stopped
  if (strike.startsWith('stop-and-kill')) return [...stopped, ...killed(majority)]
  const first = downUp(victim, meets, isReady, random)
  // It comes last: once it is killed it is inside no more, and others would wait for that in vain.
  return strike === 'kill' ? first : [...killed(majority - 1), ...first]
}

function downUp(id: string, meets: Moment, isReady: boolean, random: Random): Step[] {
  const ready: Deed = { do: 'stand-by', id }
  return [
    ...(isReady ? [{ at: AT - READY, deed: ready }] : []),
    { at: AT, deed: { do: 'kill', id, meets } },
    { at: AT + between(random, DOWN.least, DOWN.most), deed: { do: 'start', id, keepsState: true } },
  ]
}

/** `at`: when it was stopped or killed. Where it shared, others may have been inside with it. */
export function gapsAfter(
  turns: readonly Request[],
  { strike, victim }: { readonly strike: Strike; readonly victim: string },
  at: number,
): Gap[] {
  const wasInside = ({ id, from, until, mode, permits, resources }: Request) =>
    id === victim &&
    from !== null &&
    from <= at &&
    until >= at &&
    mode === 'exclusive' &&
    permits === 1 &&
    resources === undefined
  return turns.filter(wasInside).flatMap(({ name, life }) => {
    const next = turns.flatMap(({ name: of, id, life: its, from }) => {
      const isVictim = id === victim && its === life
      return of === name && !isVictim && from !== null && from > at ? [from] : []
    })
    return next.length === 0 ? [] : [{ strike, name, milliseconds: Math.min(...next) - at }]
  })
}

/** Median and maximum of each fault, in leases, in the order of the faults. */
export function summaryOf(
  gaps: readonly Gap[],
  leaseMs: number,
): { readonly strike: Strike; readonly count: number; readonly median: number; readonly most: number }[] {
  return (Object.keys(STRIKES) as Strike[]).flatMap((strike) => {
    const leases = gaps.filter((gap) => gap.strike === strike).map((gap) => gap.milliseconds / leaseMs)
    if (leases.length === 0) return []
    const ordered = leases.toSorted((a, b) => a - b)
    const median = get(ordered, Math.floor((ordered.length - 1) / 2))
    return [{ strike, count: ordered.length, median, most: get(ordered, ordered.length - 1) }]
  })
}
