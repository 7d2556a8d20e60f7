/** Takes a lock, waits for a word, and then writes, even if the lock was lost meanwhile. */

import { guardPostgres } from '@turnwise/mesh/guards/guards'
import { join } from '@turnwise/mesh/join'
import pg from 'pg'

const [directory, url, owner, stops] = process.argv.slice(2)
const client = new pg.Client(url)
await client.connect()
const mesh = await join(directory, { lease: 1000, keepAlive: true })
const lock = await mesh.locks.acquire('account', { waitForQuorum: true })
console.log('inside')
// By itself, and so not in the middle of a write to the directory: there it would keep all others out (docs/registers.md).
if (stops) process.kill(process.pid, 'SIGSTOP')
await new Promise((resolve) => process.stdin.once('data', resolve))
try {
  await client.query('begin')
  await guardPostgres(client, lock)
  await client.query('update account set owner = $1', [owner])
  await client.query('commit')
  console.log('written')
} catch (error) {
  await client.query('rollback')
  console.log(error.name)
}
process.exit()
