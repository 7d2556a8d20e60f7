/**
 * Guards at the resource. A holder can be stopped for longer than its lease, go on, and write. No lock can prevent that, but the
 * resource can: it remembers the highest fence that it has seen for each lock, and refuses a lower one.
 */

/** What a guard needs of a lock: `Lock` and `Held` have it. */
export interface Fenced {
  /** The name of the lock. */
  readonly name: string
  /** Its mode. A shared lock guards no write. */
  readonly mode: string
  /** Its fence. */
  readonly fence: bigint
}

/** What `guardPostgres` needs of a client of pg that is inside a transaction. */
export interface Transaction {
  /** Runs one statement. */
  query(text: string, values: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
}

/** The resource has seen a higher fence: a later holder was there. Nothing was written. */
export class StaleFenceError extends Error {
  override readonly name = 'StaleFenceError'
  readonly code = 'STALE_FENCE'
}

/** Makes the table that `guardPostgres` uses. Run it once, with your other migrations. */
export const FENCES_TABLE =
  'create table if not exists turnwise_fences (name text primary key, fence bigint not null)'

// The row stays locked until the transaction ends, so no other fence can come between this and what follows.
const RAISE = `insert into turnwise_fences as seen (name, fence) values ($1::text, $2::bigint)
  on conflict (name) do update set fence = excluded.fence where seen.fence <= excluded.fence returning 1`

/**
 * Call it first in a transaction. It throws StaleFenceError if a later holder of the lock has written, and otherwise keeps
 * earlier holders out. Roll the transaction back if it throws. Outside a transaction it would keep nobody out: with pg it throws
 * a TypeError then.
 */
export async function guardPostgres(client: Transaction, lock: Fenced): Promise<void> {
  requireExclusive(lock)
  if (isPool(client))
    throw new TypeError(
      'guardPostgres needs a client, got a pool: each statement of a pool is a transaction of its own',
    )
  const { rows } = await client.query(RAISE, [lock.name, String(lock.fence)])
  if (rows.length === 0) throw stale(lock)
  // Not before: the program need not have waited for the answer to its begin.
  if (isIdle(client))
    throw new TypeError(
      'guardPostgres was called outside a transaction: it guards what follows in the same one',
    )
}

/** Of pg. */
function isPool(client: Transaction): boolean {
  return 'totalCount' in client && 'idleCount' in client
}

/** Whether a client of pg has no transaction. Earlier versions of pg, and other clients, do not tell. */
function isIdle(client: Transaction & { getTransactionStatus?: () => unknown }): boolean {
  return client.getTransactionStatus?.() === 'I'
}

/**
 * A script for Redis that writes a value only if no later holder has written. It has two keys, the value's and the fence's, and two
 * arguments, the value and the fence. It returns 1, or 0 if the fence was stale. In a cluster both keys need the same hash tag.
 *
 * ```js
 * const isWritten = await redis.eval(REDIS_WRITE, 2, '{account/7}', '{account/7}:fence', value, String(lock.fence))
 * ```
 */
// Numbers in Lua are doubles, and a fence has up to 63 bits. So the texts are compared: first their lengths, then their
// characters.
export const REDIS_WRITE = `local seen, given = redis.call('get', KEYS[2]) or '', ARGV[2]
if #seen > #given or (#seen == #given and seen > given) then return 0 end
redis.call('set', KEYS[2], given)
redis.call('set', KEYS[1], ARGV[1])
return 1`

function requireExclusive({ name, mode }: Fenced): void {
  if (mode !== 'exclusive')
    throw new TypeError(`"${name}" is held in mode ${mode}: only an exclusive lock guards a write`)
}

function stale({ name, fence }: Fenced): StaleFenceError {
  return new StaleFenceError(`fence ${fence} of "${name}" is stale: a later holder has written`)
}
