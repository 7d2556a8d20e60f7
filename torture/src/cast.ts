/** Who takes turns, and at what. */
import type { Lock } from './torture-messages.ts'

export const IDS = 'a b c d e f g h i'.split(' ')
/**
 * Only alone; mostly shared; a bit of both, and now and then stolen; two permits; some of four names. Two callers of one node also wait
 * for each other.
 */
export const LOCKS: readonly Lock[] = [
  { name: 'orders', callers: 2, shared: 0, steals: 0, permits: 1, burst: 1 },
  { name: 'catalogue', callers: 1, shared: 70, steals: 0, permits: 1, burst: 1 },
  { name: 'invoices', callers: 1, shared: 15, steals: 25, permits: 1, burst: 1 },
  { name: 'printers', callers: 1, shared: 0, steals: 0, permits: 2, burst: 1 },
  {
    name: 'halls',
    callers: 2,
    shared: 0,
    steals: 0,
    permits: 1,
    group: ['east', 'north', 'south', 'west'],
    burst: 1,
  },
  { name: 'archive', callers: 1, shared: 0, steals: 0, permits: 1, burst: 15 },
]
