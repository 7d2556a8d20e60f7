/** Roles of PostgreSQL that cannot write: the reason is told. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join as pathOf } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { LONG } from '../../../../test/cut-proxy.ts'
import { serverObstacle, startServer } from '../../../../test/servers.ts'
import { join } from '../../src/join.ts'
import { readPlace } from '../../src/register/place.ts'
import { pgClient } from '../pg.ts'

const obstacle = serverObstacle('postgresql')
if (obstacle !== null) console.log(`left out: roles of PostgreSQL; ${obstacle}`)

test.skipIf(obstacle !== null)(
  'a role that may only read is refused, and one whose writes fail is told why it cannot join',
  { timeout: 120_000 },
  async () => {
    const folder = mkdtempSync(pathOf(tmpdir(), 'tw-'))
    const server = await startServer('postgresql', folder)
    onTestFinished(async () => {
      await server.end()
      rmSync(folder, { recursive: true, force: true })
    })
    const urlOf = (user: string) => `postgres://${user}@127.0.0.1:${server.port}/postgres`
    const member = await join(urlOf('postgres'), { timeout: 60_000 })
    await member.leave()
    const own = pgClient({ connectionString: urlOf('postgres') })
    await own.connect()
    for (const user of ['reader', 'filtered']) {
      await own.query(`create role ${user} login`)
      await own.query(`grant select, insert, update, delete on turnwise_cells to ${user}`)
    }
    await own.query('alter role reader set default_transaction_read_only = on')
    await expect(readPlace(urlOf('reader')).open('mesh', LONG)).rejects.toThrow(
      'the role "reader" may only read, because default_transaction_read_only is on: alter role "reader" set default_transaction_read_only = off',
    )
    await own.query('alter table turnwise_cells enable row level security')
    await own.query('create policy reading on turnwise_cells for select using (true)')
    await expect(join(urlOf('filtered'), { lease: 1000, timeout: 3000 })).rejects.toThrow(
      'PostgreSQL: new row violates row-level security policy for table "turnwise_cells"',
    )
    await own.end()
  },
)
