/**
 * The fence of a grant: (epoch, counter). Epochs of chosen views are unique and durable, and no caller is let in under a lower
 * epoch once a higher one is chosen. So the counter starts again in every view and is never carried over.
 *
 * The counter is the algorithm's own number of the grant, times the turns that callers of one node may take under one unbroken
 * hold (R5). So a local hand-on needs no message of the algorithm, and its fence still lies below the next grant, even where the
 * algorithm's numbers are timestamps without gaps.
 */
export interface Fence {
  readonly epoch: number
  readonly counter: number
}

/** How many callers of one node may follow each other under one hold. Then other nodes have their turn. */
export const TURNS = 16

const COUNTER_BITS = 27

/**
 * The last epoch whose fences fit a signed 64-bit number. It has more than 32 bits, so no bitwise operator may touch an epoch.
 */
export const LAST_EPOCH = 2 ** (63 - COUNTER_BITS) - 1

export const LAST_COUNTER = 2 ** COUNTER_BITS - 1

/** The fence of a grant. Null if the counter of this view cannot go so far: then another view is needed. */
export function grantFence(epoch: number, grant: number): Fence | null {
  const counter = grant * TURNS
  return counter + TURNS - 1 > LAST_COUNTER ? null : { epoch, counter }
}

/** Whether half of the view's counters are spent. Then it is time for another view, in which counters start again. */
export function isNearlySpent({ counter }: Fence): boolean {
  return counter >= 2 ** (COUNTER_BITS - 1)
}

/** The fence of the next local turn, or null if there is none left under this hold. */
export function nextTurn({ epoch, counter }: Fence, turns: number = TURNS): Fence | null {
  return (counter % TURNS) + 1 >= Math.min(turns, TURNS) ? null : { epoch, counter: counter + 1 }
}

/** The fence as the number that a resource stores. It fits a signed 64-bit column. */
export function fenceNumber({ epoch, counter }: Fence): bigint {
  return (BigInt(epoch) << BigInt(COUNTER_BITS)) + BigInt(counter)
}

const EARLIER_COUNTER_BITS = 40

/**
 * Converts an epoch that an earlier version wrote. There a fence was epoch · 2^40 + counter. The result is the last epoch whose
 * fences begin within those of the earlier epoch, so every later view has fences above all of them. The order of epochs stays, as
 * R10 and R12 require. An epoch of 0, no promise, stays 0.
 */
export function epochOfEarlier(epoch: number): number {
  const each = 2 ** (EARLIER_COUNTER_BITS - COUNTER_BITS)
  return epoch === 0 ? 0 : epoch * each + each - 1
}
