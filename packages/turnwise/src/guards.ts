/**
 * Guards at the resource: it remembers the highest fence that it has seen of each lock, and refuses a lower one.
 *
 * ```js
 * import { guardPostgres } from 'turnwise/guards'
 *
 * await mesh.locks.request('account/7', async (lock) => {
 *   await client.query('begin')
 *   await guardPostgres(client, lock)
 *   await client.query('update accounts set cents = cents - 5 where id = 7')
 *   await client.query('commit')
 * })
 * ```
 */
export {
  FENCES_TABLE,
  type Fenced,
  guardPostgres,
  REDIS_WRITE,
  StaleFenceError,
  type Transaction,
} from '@turnwise/mesh/guards/guards'
