/**
 * The fence of a grant: (epoch, counter). Epochs of chosen views are unique and durable, and nobody is let in under a
 * lower epoch once a higher one is chosen, so the counter starts again in every view and is never carried over.
 *
 * The counter is the algorithm's own number of the grant, times the turns that callers of one node may take under one
 * unbroken hold (R5). So a local hand-on needs no word of the algorithm, and its fence still lies below the next grant,
 * also where the algorithm's numbers are timestamps that leave no gap.
 */
export interface Fence {
  readonly epoch: number
  readonly counter: number
}

/** Callers of one node that follow each other under one hold; then the others have their turn. */
export const TURNS = 16

const COUNTER_BITS = 27

/** Beyond it fences do not fit a signed 64-bit number. It has more than 32 bits, so no bitwise operator may touch an epoch. */
export const LAST_EPOCH = 2 ** (63 - COUNTER_BITS) - 1

export const LAST_COUNTER = 2 ** COUNTER_BITS - 1

/** The fence of a grant; null if the view cannot count so far, and another one has to. */
export function grantFence(epoch: number, grant: number): Fence | null {
  const counter = grant * TURNS
  return counter + TURNS - 1 > LAST_COUNTER ? null : { epoch, counter }
}

/** Half of what a view can count: time for another one, in which counters begin again. */
export function isNearlySpent({ counter }: Fence): boolean {
  return counter >= 2 ** (COUNTER_BITS - 1)
}

/** The fence of the next local turn, or null if there is none left under this hold. */
export function nextTurn({ epoch, counter }: Fence, turns: number = TURNS): Fence | null {
  return (counter % TURNS) + 1 >= Math.min(turns, TURNS) ? null : { epoch, counter: counter + 1 }
}

/** A number for the resource: it fits a signed 64-bit column. */
export function fenceNumber({ epoch, counter }: Fence): bigint {
  return (BigInt(epoch) << BigInt(COUNTER_BITS)) + BigInt(counter)
}

const EARLIER_COUNTER_BITS = 40

/**
 * The epoch of today for one of a state that an earlier version wrote, whose fences were epoch · 2^40 + counter: the last one whose
 * fences begin within those of the earlier epoch. So every view from now on has fences above all that the earlier one gave. The
 * order of epochs stays, and with it all that rests on it (R10, R12); no promise stays none.
 */
export function epochOfEarlier(epoch: number): number {
  const each = 2 ** (EARLIER_COUNTER_BITS - COUNTER_BITS)
  return epoch === 0 ? 0 : epoch * each + each - 1
}
