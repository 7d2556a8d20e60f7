/** Guards at real resources: who was stopped and goes on does not write. */
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { get } from '@turnwise/core/bounds'
import { Program } from '@turnwise/fleet/program'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { placeAt, type Server, serverObstacle, startServer } from '../../../../test/servers.ts'
import { FENCES_TABLE, guardPostgres, REDIS_WRITE, StaleFenceError } from '../../src/guards/guards.ts'
import { type Pool, pgPool } from '../pg.ts'

const WRITER = fileURLToPath(new URL('guarded-writer.mjs', import.meta.url))
const lockOf = (fence: bigint, mode = 'exclusive') => ({ name: 'account', mode, fence })
const HIGH = 2n ** 60n

const obstacle = serverObstacle('postgresql')
if (obstacle !== null) console.log(`left out: guards in PostgreSQL; ${obstacle}`)

describe.skipIf(obstacle !== null)('PostgreSQL', () => {
  let folder = ''
  let server: Server
  let pool: Pool
  const url = () => placeAt('postgresql', `127.0.0.1:${server.port}`)

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'tw-'))
    server = await startServer('postgresql', folder)
    pool = pgPool({ connectionString: url() })
    pool.on('error', () => {})
    // It listens before it answers.
    await vi.waitFor(() => pool.query(FENCES_TABLE), { timeout: 60_000 })
    await pool.query('create table account (owner text)')
    await pool.query("insert into account values ('nobody')")
  }, 180_000)

  afterAll(async () => {
    await pool?.end()
    await server?.end()
    rmSync(folder, { recursive: true, force: true })
  })

  async function write(fence: bigint): Promise<void> {
    const client = await pool.connect()
    try {
      await client.query('begin')
      await guardPostgres(client, lockOf(fence))
      await client.query('update account set owner = $1', [String(fence)])
      await client.query('commit')
    } catch (error) {
      await client.query('rollback')
      throw error
    } finally {
      client.release()
    }
  }

  async function owner(): Promise<unknown> {
    return get((await pool.query('select owner from account')).rows, 0)['owner']
  }

  test('a lower fence is refused, the same and a higher one are not, also beyond what a double holds', async () => {
    await write(HIGH)
    await write(HIGH)
    await expect(write(HIGH - 1n)).rejects.toThrow(StaleFenceError)
    expect(await owner()).toBe(String(HIGH))
    await write(HIGH + 1n)
    expect(await owner()).toBe(String(HIGH + 1n))
    await expect(write(HIGH)).rejects.toThrow(
      `fence ${HIGH} of "account" is stale: a later holder has written`,
    )
    await expect(guardPostgres(pool, lockOf(1n, 'shared'))).rejects.toThrow('only an exclusive lock guards')
  })

  test('of two transactions the one with the higher fence has the last word, in either order of commits', async () => {
    const base = HIGH + 10n
    for (let i = 0n; i < 20n; i += 2n) {
      const both = await Promise.allSettled([write(base + i), write(base + i + 1n)])
      expect(both[1].status).toBe('fulfilled')
      expect(await owner()).toBe(String(base + i + 1n))
    }
  })

  test('a guard outside a transaction guards nothing, and says so', async () => {
    const fence = HIGH + 100n
    await expect(guardPostgres(pool, lockOf(fence))).rejects.toThrow(
      'guardPostgres needs a client, got a pool: each statement of a pool is a transaction of its own',
    )
    const client = await pool.connect()
    try {
      await expect(guardPostgres(client, lockOf(fence))).rejects.toThrow(
        'guardPostgres was called outside a transaction',
      )
      // A program need not wait for the answer to its begin.
      const begun = client.query('begin')
      await guardPostgres(client, lockOf(fence))
      await begun
      await client.query('rollback')
    } finally {
      client.release()
    }
  })

  test('a process that is stopped while it holds the lock and goes on later does not write', async () => {
    await pool.query('delete from turnwise_fences')
    const directory = path.join(folder, 'locks')
    const writer = (...words: readonly string[]) => new Program([WRITER, directory, url(), ...words])
    const first = writer('first', 'stops')
    await first.says(/inside/)
    const second = writer('second')
    await second.says(/inside/)
    second.child.stdin?.write('go\n')
    await second.says(/written/)
    first.child.stdin?.write('go\n')
    first.kill('SIGCONT')
    await first.says(/StaleFenceError/)
    expect(await owner()).toBe('second')
    expect([await first.code, await second.code]).toEqual([0, 0])
  })
})

const noRedis = serverObstacle('redis')
if (noRedis !== null) console.log(`left out: a guard in Redis; ${noRedis}`)

describe.skipIf(noRedis !== null)('Redis', () => {
  let folder = ''
  let server: Server
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'tw-'))
    server = await startServer('redis', folder)
  })
  afterAll(async () => {
    await server?.end()
    rmSync(folder, { recursive: true, force: true })
  })

  /** One command, and the first line of its answer. */
  function ask(...words: readonly string[]): Promise<string> {
    const bulk = (text: string) => `$${Buffer.byteLength(text)}\r\n${text}\r\n`
    const socket = connect(server.port, '127.0.0.1')
    socket.write(`*${words.length}\r\n${words.map(bulk).join('')}`)
    return new Promise((resolve, reject) => {
      socket.on('error', reject)
      socket.on('data', (data) => {
        socket.destroy()
        resolve(String(data).trimEnd())
      })
    })
  }

  test('a lower fence is refused, also beyond what a double holds and with another number of digits', async () => {
    const write = (value: string, fence: bigint) =>
      ask('EVAL', REDIS_WRITE, '2', 'account', 'account:fence', value, String(fence))
    expect(await write('one', 9n)).toBe(':1')
    expect(await write('two', 10n)).toBe(':1')
    expect(await write('late', 9n)).toBe(':0')
    expect(await write('high', HIGH + 1n)).toBe(':1')
    expect(await write('late', HIGH)).toBe(':0')
    expect(await ask('GET', 'account')).toBe('$4\r\nhigh')
    expect(await write('same', HIGH + 1n)).toBe(':1')
  })
})
