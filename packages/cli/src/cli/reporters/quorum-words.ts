/** How quorums, and the sets of agreements, are told. */
import type { NodeId } from '@turnwise/core/algorithm'
import type { Availability, Resilience } from '@turnwise/core/quorum/quorum-metrics'
import { counted, figure } from '../../terminal/terminal.ts'

/** Pairs of quorums are compared, so more than these take too long. */
export const MOST_COMPARED = 2000
/** So many quorums are printed; JSON has all that are listed. */
const MOST_PRINTED = 12

export interface Sizes {
  readonly min: number
  readonly max: number
  readonly mean: number
}

export function sizesOf(quorums: readonly (readonly NodeId[])[]): Sizes {
  const sizes = quorums.map(({ length }) => length)
  const sum = sizes.reduce((a, b) => a + b, 0)
  return {
    min: sizes.reduce((a, b) => Math.min(a, b)),
    max: sizes.reduce((a, b) => Math.max(a, b)),
    mean: sum / sizes.length,
  }
}

export function sizesText({ min, max, mean }: Sizes): string {
  return min === max ? figure(min) : `${min} to ${max}, mean ${figure(mean)}`
}

export function availabilityText({ value, low, high, exact }: Availability): string {
  const six = (share: number) => share.toFixed(6)
  // A number that is not 1 must not look like it.
  if (exact && value < 1 && value > 0.999_999_5) return 'more than 0.999999'
  return exact ? `${six(value)}, exact` : `${six(value)}, sampled: ${six(low)} to ${six(high)} with 99 %`
}

/** For other programs: a number where it is one, else null. */
export function exactResilience(resilience: Resilience | null): number | null {
  return resilience !== null && resilience.least === resilience.most ? resilience.least : null
}

export function resilienceText(resilience: Resilience | null): string {
  const exact = exactResilience(resilience)
  return resilience === null || exact !== null ? figure(exact) : `${resilience.least} to ${resilience.most}`
}

export function resilienceSentence({ least, most }: Resilience): string {
  if (least !== most) {
    const leave = `any ${least} failures leave a quorum, and ${most + 1} need not`
    return `between ${least} and ${most}: ${leave}; the search was cut short`
  }
  if (least === 0) return '0: one failure can leave no quorum'
  return `any ${least} ${least === 1 ? 'failure leaves' : 'failures leave'} a quorum`
}

export function listing(sets: readonly (readonly NodeId[])[] | null, name: string): string[] {
  if (sets === null) return [`too many ${name}s to list`]
  const shown = sets.slice(0, MOST_PRINTED).map((members) => `  ${braced(members)}`)
  const rest = sets.length - shown.length
  const count = `${counted(sets.length, name)}:`
  return [count, ...shown, ...(rest === 0 ? [] : [`  and ${figure(rest)} more`])]
}

export function braced(members: readonly NodeId[]): string {
  return `{${members.join(',')}}`
}
