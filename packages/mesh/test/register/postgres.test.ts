import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { get } from '@turnwise/core/bounds'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cutProxy, LONG } from '../../../../test/cut-proxy.ts'
import { extent, LONG as FAR, isWhole } from '../../../../test/extent.ts'
import { type Server, serverObstacle, startServer } from '../../../../test/servers.ts'
import { registerContract } from '../../src/register/contract.ts'
import { readPlace } from '../../src/register/place.ts'
import { openPostgres, type PostgresClient } from '../../src/register/postgres.ts'
import type { Register } from '../../src/register/register.ts'
import { type Pool, pgPool } from '../pg.ts'
import { Load } from './load.ts'

const obstacle = serverObstacle('postgresql')
if (obstacle !== null) console.log(`left out: PostgreSQL as a register; ${obstacle}`)

describe.skipIf(obstacle !== null)('PostgreSQL', () => {
  let folder = ''
  let server: Server
  let admin: Pool
  const opened: Register[] = []

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tw-'))
    server = await startServer('postgresql', folder)
    admin = pgPool({ connectionString: urlOf({}) })
    admin.on('error', () => {})
    await up()
  })

  afterAll(async () => {
    await Promise.all(opened.map((register) => register.close()))
    await admin?.end()
    await server?.end()
    rmSync(folder, { recursive: true, force: true })
  })

  /** It listens before it answers. */
  async function up(): Promise<void> {
    const isUp = () => run('select 1').then(Boolean, () => false)
    while (!(await isUp())) await new Promise((resolve) => void setTimeout(resolve, 20))
  }

  const run = (statement: string) => admin.query(statement, [])

  function urlOf({ user = 'postgres', database = 'postgres', port = server.port }): string {
    return `postgres://${user}@127.0.0.1:${port}/${database}`
  }

  async function open(where: Parameters<typeof urlOf>[0] = {}, mesh = 'mesh'): Promise<Register> {
    const register = await readPlace(urlOf(where)).open(mesh, LONG)
    opened.push(register)
    return register
  }

  /** A database in which nothing was made. */
  async function fresh(): Promise<string> {
    const database = `d${opened.length}_${process.hrtime.bigint()}`
    await run(`create database ${database}`)
    return database
  }

  registerContract((mesh) => open({}, mesh), { test, rounds: isWhole ? 100 : 10 })

  describe('through a client that the caller passes', () => {
    registerContract((mesh) => openPostgres(admin, mesh, LONG), { test, rounds: 5 })
  })

  const noPooler = obstacle ?? serverObstacle('pgbouncer')
  if (obstacle === null && noPooler !== null) console.log(`left out: a pooler before PostgreSQL; ${noPooler}`)
  describe.skipIf(noPooler !== null)('through a pooler in transaction mode', () => {
    let pooler: Server
    beforeAll(async () => {
      pooler = await startServer('pgbouncer', folder, { port: `${server.port}` })
    })
    afterAll(() => pooler?.end())
    registerContract((mesh) => open({ port: pooler.port }, mesh), { test, rounds: isWhole ? 50 : 5 })

    test('that is killed and started again under load, and stands still, it keeps all', FAR, async () => {
      const writers = await Promise.all(
        Array.from({ length: 3 }, () => open({ port: pooler.port }, 'pooled')),
      )
      const load = await Load.begin(writers)
      for (let round = 0; round < 3; round += 1) {
        await load.goesOn()
        await pooler.end()
        await expect(get(writers, 0).read('view')).rejects.toThrow('PostgreSQL does not answer')
        await pooler.restart()
        await load.goesOn()
        pooler.stop()
        pooler.continue()
      }
      await load.goesOn()
      await load.end()
    })
  })

  test('many that open it at once in a fresh database make one table', async () => {
    const database = await fresh()
    const all = await Promise.all(Array.from({ length: 8 }, () => open({ database })))
    await get(all, 0).cas('view', null, '1')
    for (const register of all) expect(await register.read('view')).toMatchObject({ value: '1' })
  })

  test('registers of one process share one connection, and it ends with the last of them', async () => {
    const database = await fresh()
    const own = pgPool({ connectionString: urlOf({ database }) })
    const asked = `select count(*)::int as n from pg_stat_activity where application_name = 'turnwise' and datname = '${database}'`
    const connections = async () => get((await own.query(asked, [])).rows, 0)['n']
    const all = await Promise.all(Array.from({ length: 10 }, (_, i) => open({ database }, `mesh-${i}`)))
    await Promise.all(all.map((register) => register.cas('view', null, '1')))
    expect(await connections()).toBe(1)
    await Promise.all(all.slice(1).map((register) => register.close()))
    expect(await get(all, 0).read('view')).toMatchObject({ value: '1' })
    await get(all, 0).close()
    await expect.poll(connections).toBe(0)
    await own.end()
  })

  test('a server that answers late when it is opened is waited for', async () => {
    let asked = 0
    const late: PostgresClient = {
      query(text, values) {
        asked += 1
        return asked > 2 ? admin.query(text, values) : new Promise(() => {})
      },
    }
    const register = await openPostgres(late, 'late', { patience: 50, opening: 60_000 })
    await register.close()
    asked = 0
    await expect(openPostgres(late, 'late', { patience: 50 })).rejects.toThrow('no answer within 50 ms')
  })

  test('a table that is dropped and made again repeats no version', async () => {
    const database = await fresh()
    const own = pgPool({ connectionString: urlOf({ database }) })
    const one = await open({ database })
    const first = await one.cas('view', null, '1')
    await own.query('drop table turnwise_cells', [])
    expect(await one.cas('view', null, '1')).toMatchObject({ kind: 'unknown' })
    await expect(one.read('view')).rejects.toThrow('PostgreSQL does not answer: relation')
    // It begins at the second in which it is made.
    const start = Date.now()
    await expect.poll(() => Math.floor(Date.now() / 1000) > Math.floor(start / 1000)).toBe(true)
    const two = await open({ database })
    const second = await two.cas('view', null, '1')
    expect(second).toMatchObject({ kind: 'done' })
    expect(second).not.toEqual(first)
    await own.end()
  })

  test('a server that listens and still starts is waited for', async () => {
    let asked = 0
    const starting = {
      async query(text: string, values: unknown[]) {
        asked += 1
        if (asked > 2) return admin.query(text, values)
        throw Object.assign(new Error('the database system is starting up'), { code: '57P03' })
      },
    }
    const register = await openPostgres(starting, 'starting', LONG)
    expect(await register.read('view')).toBeNull()
    asked = Number.NEGATIVE_INFINITY
    const inVain = openPostgres(starting, 'starting', { patience: 1 })
    await expect(inVain).rejects.toThrow('PostgreSQL does not serve: the database system is starting up')
  })

  test('one that is opened while the last other is closed does not get a connection that ends', async () => {
    const url = urlOf({ database: await fresh() })
    const first = await openPostgres(url, 'tests', LONG)
    const [second] = await Promise.all([openPostgres(url, 'tests', LONG), first.close()])
    opened.push(second)
    expect(await second.read('view')).toBeNull()
  })

  test('a role that may not create is given the statement, and it serves', async () => {
    const database = await fresh()
    const own = pgPool({ connectionString: urlOf({ database }) })
    await own.query('create role "a ""limited"" one" login', [])
    await own.query('revoke create on schema public from public', [])
    const where = { database, user: encodeURIComponent('a "limited" one') }
    const refused = await refusal(open(where))
    expect(refused).toMatch(
      /^InvalidInput: the role "a ""limited"" one" may not create a table. A role that may can run once: create table .*; grant .*$/,
    )
    const [, statements] = /can run once: (.*)$/.exec(refused) as unknown as [string, string]
    const [create, ...grants] = statements.split('; ') as [string, ...string[]]
    await own.query(create, [])
    await expect(open(where)).rejects.toThrow(
      `the role "a ""limited"" one" may not use public.turnwise_cells. Its owner can run: ${grants.join('; ')}`,
    )
    for (const grant of grants) await own.query(grant, [])
    const register = await open(where)
    const made = await register.cas('view', null, '1')
    expect(made).toMatchObject({ kind: 'done' })
    if (made.kind === 'done')
      expect(await register.cas('view', made.version, '2')).toMatchObject({ kind: 'done' })
    await own.end()
  })

  describe('roles that look into different schemas', () => {
    const pools: Pool[] = []
    afterAll(() => Promise.all(pools.map((each) => each.end())))

    /** With one connection, whose settings stay. */
    function pool(database: string): Pool {
      const made = pgPool({ connectionString: urlOf({ database }), max: 1 })
      pools.push(made)
      return made
    }

    /** Two roles. Each makes its tables in a schema of its own, as the default search path says. */
    async function twoRoles(): Promise<{ own: Pool; database: string; users: [string, string] }> {
      const database = await fresh()
      const own = pool(database)
      const users: [string, string] = [`${database}_a`, `${database}_b`]
      for (const user of users) {
        await own.query(`create role ${user} login superuser`, [])
        await own.query(`create schema authorization ${user}`, [])
      }
      return { own, database, users }
    }

    test('meet in one table, also if a search path is left behind in a pooled connection', async () => {
      const { database, users } = await twoRoles()
      const registers = [await open({ database, user: users[0] }), await open({ database, user: users[1] })]
      expect(await get(registers, 0).cas('view', null, '1')).toMatchObject({ kind: 'done' })
      expect(await get(registers, 1).read('view')).toMatchObject({ value: '1' })
      const single = pool(database)
      const register = await openPostgres(single, 'mesh', LONG)
      await single.query('set search_path to nothing', [])
      expect(await register.read('view')).toMatchObject({ value: '1' })
    })

    test('two tables are refused, unless the URL says which', async () => {
      const { own, database, users } = await twoRoles()
      await open({ database, user: users[0] })
      await own.query(
        `create table ${users[1]}.turnwise_cells (like ${users[0]}.turnwise_cells including all)`,
        [],
      )
      for (const user of users)
        await expect(open({ database, user })).rejects.toThrow(
          `the database has a table turnwise_cells in each of the schemas ${users.join(', ')}: drop all but one, or add ?schema=NAME to the URL in all processes`,
        )
      const there = `${urlOf({ database })}?schema=${users[1]}`
      const register = await readPlace(there).open('mesh', LONG)
      opened.push(register)
      await register.cas('view', null, 'there')
      expect((await own.query(`select value from ${users[1]}.turnwise_cells`, [])).rows).toEqual([
        { value: 'there' },
      ])
    })
  })

  test('synchronous_commit = off is refused', async () => {
    await run('create role careless login superuser')
    await run('alter role careless set synchronous_commit = off')
    await expect(open({ user: 'careless' })).rejects.toThrow(
      'PostgreSQL may lose what it acknowledged, because synchronous_commit is off: alter role "careless" set synchronous_commit = on',
    )
  })

  test('nothing is lost in a crash if another program leaves it off in a pooled connection', async () => {
    const single = pgPool({ connectionString: urlOf({}), max: 1 })
    single.on('error', () => {})
    const register = await openPostgres(single, 'careless', LONG)
    for (const value of ['1', '2', null]) {
      await single.query('set synchronous_commit = off', [])
      const before = await register.read('view')
      expect(await register.cas('view', before?.version ?? null, value)).toMatchObject({ kind: 'done' })
      await server.end()
      await server.restart().then(up)
      expect((await register.read('view'))?.value ?? null).toBe(value)
    }
    await single.end()
  })

  test('an unlogged table is refused', async () => {
    const database = await fresh()
    await open({ database })
    const own = pgPool({ connectionString: urlOf({ database }) })
    await own.query('alter table turnwise_cells set unlogged', [])
    await expect(open({ database })).rejects.toThrow(
      'PostgreSQL may lose what it acknowledged, because public.turnwise_cells is unlogged and empty after a crash: alter table public.turnwise_cells set logged',
    )
    await own.query('alter table turnwise_cells set logged', [])
    await own.end()
    expect(await (await open({ database })).read('view')).toBeNull()
  })

  test('a standby is refused, when it is opened and when it has become one', async () => {
    let isStandby = true
    const client: PostgresClient = {
      async query(text, values) {
        const { rows } = await admin.query(text, values)
        return { rows: rows.map((row) => ('standby' in row ? { ...row, standby: isStandby } : row)) }
      },
    }
    await expect(openPostgres(client, 'mesh', LONG)).rejects.toThrow(
      'PostgreSQL is a standby, which lags behind: name the primary',
    )
    isStandby = false
    const register = await openPostgres(client, 'mesh', LONG)
    isStandby = true
    await expect(register.read('none')).rejects.toThrow('a standby')
    await expect(register.list('none')).rejects.toThrow('a standby')
  })

  test('no password is told', async () => {
    const { port } = server
    const place = `postgres://postgres:hun%20ter2@127.0.0.1:${port}/none`
    expect(await refusal(openPostgres(place, 'mesh', LONG))).toBe(
      'Error: PostgreSQL does not serve: database "none" does not exist',
    )
    expect(readPlace(place).name).toBe(`postgres://postgres@127.0.0.1:${port}/none`)
  })

  describe('a connection that is cut', () => {
    test.each(['question', 'answer'] as const)('in the middle of the %s leaves it unknown', async (what) => {
      const proxy = await cutProxy(server.port)
      const sure = await open({}, `cut-${what}`)
      const register = await open({ port: proxy.port }, `cut-${what}`)
      const made = await register.cas('view', null, '"before"')
      expect(made).toMatchObject({ kind: 'done' })
      proxy.cutNext(what)
      const cell = await sure.read('view')
      const outcome = await register.cas('view', cell?.version ?? null, '"after"')
      expect(outcome).toMatchObject({ kind: 'unknown', why: expect.stringContaining('PostgreSQL: ') })
      const value = what === 'question' ? '"before"' : '"after"'
      await expect.poll(async () => (await sure.read('view'))?.value).toBe(value)
      expect(await register.read('view')).toMatchObject({ value })
      await register.close()
      await proxy.close()
    })
  })

  test('killed and started again under load, it keeps all that it acknowledged', async () => {
    const writers = await Promise.all(Array.from({ length: 3 }, () => open({}, 'load')))
    const load = await Load.begin(writers)
    for (let round = 0; round < extent(1, 2, 10); round += 1) {
      await load.goesOn()
      await server.end()
      await expect(get(writers, 0).read('view')).rejects.toThrow('PostgreSQL does not answer')
      await server.restart()
      await up()
    }
    await load.goesOn()
    await load.end()
  })

  test('a synchronous standby that is promoted under load has all that was acknowledged', FAR, async () => {
    const standby = await startServer('standby', folder, { port: `${server.port}` })
    const atStandby = pgPool({ connectionString: urlOf({ port: standby.port }) })
    atStandby.on('error', () => {})
    try {
      await run("alter system set synchronous_standby_names = '*'")
      await run('select pg_reload_conf()')
      const state = () => run('select sync_state as state from pg_stat_replication')
      await expect.poll(async () => (await state()).rows, { timeout: 60_000 }).toEqual([{ state: 'sync' }])
      await expect(open({ port: standby.port }, 'failover')).rejects.toThrow('PostgreSQL is a standby')
      const writers = await Promise.all(Array.from({ length: 3 }, () => open({}, 'failover')))
      const load = await Load.begin(writers)
      await load.goesOn()
      const before = await get(writers, 0).read('view')
      await load.goesOn()
      await server.end()
      await atStandby.query('select pg_promote()', [])
      const after = await open({ port: standby.port }, 'failover')
      await load.end(after)
      // No version comes again.
      const now = await after.read('view')
      expect(await after.cas('view', before?.version ?? null, '"old"')).toEqual({ kind: 'refused' })
      const next = await after.cas('view', now?.version ?? null, '"next"')
      expect(Number(next.kind === 'done' && next.version)).toBeGreaterThan(Number(now?.version))
    } finally {
      await atStandby.end()
      await standby.end()
    }
  })
})

/** What is said where it cannot be opened. */
function refusal(opening: Promise<Register>): Promise<string> {
  return opening.then(
    () => 'opened',
    (error: Error) => `${error.name}: ${error.message}`,
  )
}
