import type { AnyAlgorithm } from '@turnwise/core/algorithm'
import { decimal, InvalidInput, invalid, wholeNumber } from '@turnwise/core/invalid-input'
import { highestPriority } from '@turnwise/core/priorities'
import type { Random } from '@turnwise/core/random'
import type { Load } from './load.ts'

/** How many of the requests have a priority; the others are ordinary. */
export interface PriorityShare {
  readonly priority: number
  readonly share: number
}

export const NO_PRIORITIES = 'none'

/**
 * Reads `PRIORITY=SHARE,…`, such as `5=0.2`. Refused unless the algorithm serves urgent requests first, and its option
 * allows urgency. Otherwise the shares would silently change nothing.
 */
export function prioritiesFrom(
  text: string,
  { algorithm, options, load }: { algorithm: AnyAlgorithm; options: object; load: Load },
): PriorityShare[] {
  if (text === NO_PRIORITIES) {
    if (isUrgent(load)) highestPriority(algorithm, options)
    return []
  }
  const most = highestPriority(algorithm, options)
  if (load.kind === 'script')
    throw new InvalidInput('a script gives each request its own priority, so no shares can be given')
  const shares = text.split(',').map((part) => priorityShare(part, most))
  const twice = shares.find(({ priority }, index) => shares.findIndex((s) => s.priority === priority) < index)
  if (twice !== undefined) throw new InvalidInput(`"${text}" names priority ${twice.priority} twice`)
  const sum = shares.reduce((total, { share }) => total + share, 0)
  // Sums of fractions may be off in the last digit.
  if (sum > 1 + 1e-9)
    throw new InvalidInput(`"${text}" is more than all requests: the shares add up to ${sum}`)
  return shares
}

/** Whether any request has a priority. */
export function isUrgent(load: Load): boolean {
  return load.kind === 'script' && load.lines.some(({ ask }) => ask.priority > 0)
}

function priorityShare(part: string, most: number | undefined): PriorityShare {
  const [, priority = '', share = ''] = /^([^=]+)=(.+)$/.exec(part) ?? []
  if (priority === '') throw invalid(part, 'of the form PRIORITY=SHARE')
  return {
    priority: wholeNumber(priority, 'a priority', 1, most),
    share: decimal(share, 'a share of requests', { min: 0, max: 1 }),
  }
}

/** Draws the priorities of one request after the other. */
export function priorityDrawer(shares: readonly PriorityShare[], random: Random): () => number {
  return () => {
    let left = random.fraction()
    for (const { priority, share } of shares) {
      left -= share
      if (left < 0) return priority
    }
    return 0
  }
}

export function writePriorities(shares: readonly PriorityShare[]): string {
  if (shares.length === 0) return NO_PRIORITIES
  return shares.map(({ priority, share }) => `${priority}=${share}`).join(',')
}
