import type { Roster } from './record.ts'

/**
 * Where another thread acknowledges on this node's behalf: what it owes. `close` forbids it to acknowledge anybody whom
 * the record lacks, and only then reads what it owes them: by session key, until when on this node's clock.
 */
export interface Ledger {
  close(record: Roster): readonly (readonly [string, number])[]
}
