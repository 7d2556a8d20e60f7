import type { Roster } from './record.ts'

/**
 * The debts of another thread that acknowledges on this node's behalf. `close` first forbids it to acknowledge sessions that the
 * record lacks. Only then it reads what is owed to them: pairs of session key and end time on this node's clock.
 */
export interface Ledger {
  close(record: Roster): readonly (readonly [string, number])[]
}
