import { get } from '@turnwise/core/bounds'
import { TICKS_PER_UNIT } from '@turnwise/core/trace/trace'
import { countWhile } from './count-while.ts'
import { finishedAt } from './finished.ts'
import type { Recording } from './recording.ts'
import { spansBetween } from './spans.ts'

/** What a run has cost up to a position. */
export interface Tally {
  readonly messages: number
  /** Or results of elections. */
  readonly entries: number
  /** Of the requests that are over; null before the first entry. */
  readonly perEntry: number | null
  /** Whether that has messages of requests that still wait. */
  readonly hasWaiting: boolean
  /** From request to entry, in units of time, of those that have entered; null before the first. */
  readonly meanWait: number | null
}

/** What a run has cost, for any position: a lookup, since it is asked with every frame. */
export function tallyOf(recording: Recording): (position: number) => Tally {
  const waits = waitsOf(recording)
  return (position) => {
    const messages = get(recording.sent, position)
    const entries = get(recording.entered, position)
    const finished = finishedAt(recording, position)
    const over = countWhile(waits, ({ until }) => until <= position)
    return {
      messages,
      entries,
      perEntry: finished.entries === 0 ? null : finished.messages / finished.entries,
      hasWaiting: finished.entries > 0 && !finished.isCalm && isAwaited(recording, position),
      meanWait: over === 0 ? null : get(waits, over - 1).sum / over / TICKS_PER_UNIT,
    }
  }
}

function isAwaited({ waits }: Recording, position: number): boolean {
  return spansBetween(waits, position, position).length > 0
}

/** The waits that ended in an entry, in the order of their ends, each with the sum of all so far, in ticks. */
function waitsOf({ waits, stays, elected }: Recording): { readonly until: number; readonly sum: number }[] {
  const name = (node: number, at: number) => `${node} ${at}`
  // A wait that ended in a crash or a withdrawal led nowhere, and does not count.
  const fulfilled = new Set([
    ...stays.map(({ node, from }) => name(node, from)),
    ...elected.map((one) => name(one.node, one.position)),
  ])
  let sum = 0
  return waits
    .filter(({ node, until, untilAt }) => untilAt !== null && fulfilled.has(name(node, until)))
    .toSorted((a, b) => a.until - b.until)
    .map(({ until, untilAt, fromAt }) => {
      sum += (untilAt ?? fromAt) - fromAt
      return { until, sum }
    })
}
