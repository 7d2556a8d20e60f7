import { get } from '@turnwise/core/bounds'
import { TICKS_PER_UNIT } from '@turnwise/core/trace/trace'
import type { Recording } from './recording.ts'

/** What a run has cost up to a position. */
export interface Tally {
  readonly messages: number
  /** Or results of elections. */
  readonly entries: number
  /** Null before the first entry. */
  readonly perEntry: number | null
  /** From request to entry, in units of time, of those that have entered; null before the first. */
  readonly meanWait: number | null
}

export function tallyAt(recording: Recording, position: number): Tally {
  const messages = get(recording.sent, position)
  const entries = get(recording.entered, position)
  const waits = waitsOf(recording, position)
  const sum = waits.reduce((total, wait) => total + wait, 0)
  return {
    messages,
    entries,
    perEntry: entries === 0 ? null : messages / entries,
    meanWait: waits.length === 0 ? null : sum / waits.length / TICKS_PER_UNIT,
  }
}

/** In ticks. A wait that ended in a crash or a withdrawal led nowhere, and does not count. */
function waitsOf({ waits, stays, elected }: Recording, position: number): number[] {
  const name = (node: number, at: number) => `${node} ${at}`
  const fulfilled = new Set([
    ...stays.map(({ node, from }) => name(node, from)),
    ...elected.map((one) => name(one.node, one.position)),
  ])
  return waits.flatMap(({ node, fromAt, until, untilAt }) =>
    untilAt !== null && until <= position && fulfilled.has(name(node, until)) ? [untilAt - fromAt] : [],
  )
}
