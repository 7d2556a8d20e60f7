/** How a node leaves: at once, or when its callers have finished. */
import { readTime, requireKnown } from './options.ts'

/** The options of `leave`. */
export interface LeaveOptions {
  /** A voter first stops voting, which needs a majority. This waits until there is one. Default false. */
  readonly forGood?: boolean
  /**
   * Let callers of this node finish what they hold, and leave then. Waiting callers and new requests are rejected at once.
   * Default false: all locks are lost.
   */
  readonly drain?: boolean
  /** With `drain`: milliseconds after which the node leaves in any case. Default: no limit. */
  readonly timeout?: number
}

const OPTIONS: readonly (keyof LeaveOptions)[] = ['forGood', 'drain', 'timeout']

export function readLeave(options: LeaveOptions): {
  readonly forGood: boolean
  readonly drain: boolean
  readonly timeout: number | undefined
} {
  requireKnown(options, OPTIONS, 'leave')
  const timeout = readTime('timeout', options.timeout)
  if (timeout !== undefined && options.drain !== true) throw new TypeError('leave: timeout needs drain: true')
  return { forGood: options.forGood === true, drain: options.drain === true, timeout }
}

/** Resolves with the outcome, or after so many milliseconds. */
export async function within(outcome: Promise<void>, timeout: number | undefined): Promise<void> {
  if (timeout === undefined) return outcome
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeout)
  })
  await Promise.race([outcome, late])
  clearTimeout(timer)
}
