/**
 * PostgreSQL as a register. A cell is a row of `turnwise_cells`. Every call is one statement in its own transaction, without
 * prepared statements and session settings, so a pooler may be in between. Versions come from one sequence, which begins at the
 * time when the table is made. So a table that was dropped and made again does not repeat them.
 *
 * Acknowledged writes must not be lost. So `synchronous_commit = off` is refused, and so is a standby, which lags behind. A
 * failover needs synchronous replication, and an old primary that no client reaches any more.
 */
import { InvalidInput } from '@turnwise/core/invalid-input'
import { complaintOf, failureOf, inTime, plain, untilAnswered } from './answers.ts'
import {
  type Cell,
  done,
  type OpenOptions,
  type Outcome,
  PATIENCE,
  REFUSED,
  type Register,
  type Sight,
  unknown,
  type Version,
} from './register.ts'

type Row = Readonly<Record<string, unknown>>

/** The part of a client that is used: a `Pool` of pg, or something like it. A single client must not be inside a transaction. */
export interface PostgresClient {
  query(text: string, values: unknown[]): Promise<{ readonly rows: readonly Row[] }>
}

interface Pool extends PostgresClient {
  /** pg reads this at every query. */
  readonly options: { max: number }
  on(event: 'error', heard: () => void): void
  end(): Promise<void>
}

interface Pg {
  readonly Pool: new (settings: object) => Pool
}

/** The statement that makes the table, for a role that may. */
export function tableStatement(now: number): string {
  return (
    'create table if not exists turnwise_cells (mesh text not null, cell text not null, value text not null, ' +
    `version bigint generated always as identity (start with ${Math.floor(now)}000000), ` +
    'primary key (mesh, cell)) with (fillfactor = 50)'
  )
}

const RIGHTS = 'select, insert, update, delete'

const STATE = `select pg_is_in_recovery() as standby, current_setting('synchronous_commit') as commit, current_user::text as role,
  t.made is not null as made, ${RIGHTS.split(', ')
    .map((right) => `coalesce(has_table_privilege(t.made, '${right}'), false)`)
    .join(' and ')} as allowed
  from (select to_regclass('turnwise_cells')::oid as made) t`

// At least one row, so that a standby says that it is one.
const READ = `select pg_is_in_recovery() as standby, c.cell, c.value, c.version::text as version
  from (select 1) one left join turnwise_cells c on c.mesh = $1::text and `

const MAKE = `insert into turnwise_cells (mesh, cell, value) values ($1::text, $2::text, $3::text)
  on conflict do nothing returning version::text as version`
const REPLACE = `update turnwise_cells set value = $4::text, version = default
  where mesh = $1::text and cell = $2::text and version = $3::bigint returning version::text as version`
const DELETE = `delete from turnwise_cells
  where mesh = $1::text and cell = $2::text and version = $3::bigint returning '' as version`

/** Error codes of PostgreSQL. */
const NOT_ALLOWED = '42501'
/** The server listens, but still starts. */
const STARTING = '57P03'
/** The messages of pg and `inTime` when there was no answer. */
const NO_ANSWER = /timeout|no answer within/i
/** Two processes made the table at the same time. */
const ALREADY_MADE = ['42P07', '42710', '23505']

/** `place` is a URL, which needs the package pg, or a client that the caller closes. */
export async function openPostgres(
  place: string | PostgresClient,
  mesh: string,
  { patience = PATIENCE, opening = patience }: OpenOptions = {},
): Promise<Register> {
  // Node's error would repeat the URL, with its password.
  if (typeof place === 'string' && !URL.canParse(place))
    throw new InvalidInput(
      'the URL of PostgreSQL cannot be read: it is postgres://user:password@host/database',
    )
  const shared = typeof place === 'string' ? await lineTo(place, patience) : null
  const client = shared?.pool ?? (place as PostgresClient)
  const secrets = typeof place === 'string' ? secretsOf(place) : []
  const ask = async (text: string, values: unknown[] = []) =>
    (await inTime(client.query(text, values), patience)).rows
  const end = async () => shared?.end()
  try {
    await (shared === null ? prepare(ask, opening) : prepareOnce(shared.line, () => prepare(ask, opening)))
  } catch (error) {
    await end().catch(() => {})
    if (error instanceof InvalidInput) throw error
    throw failureOf('PostgreSQL does not serve', error, secrets)
  }
  return new CellTable(mesh, ask, secrets, end)
}

/** A pool, and how many registers use it or wait for it. */
interface Line {
  readonly pool: Promise<Pool>
  users: number
  /** While one register checks whether the server serves. */
  ready: Promise<void> | null
}

/** Of registers that are opened at once one checks for all, because many checks in sequence take long. */
async function prepareOnce(line: Line, prepared: () => Promise<void>): Promise<void> {
  line.ready ??= prepared().finally(() => {
    line.ready = null
  })
  await line.ready
}

/** How many members of one process share a connection, and the most connections of a process. */
const SHARE = 10
const MOST_CONNECTIONS = 4

/**
 * One pool per database, however many registers this process opens there: servers limit connections, and each member needs
 * little.
 */
const lines = new Map<string, Line>()

async function lineTo(
  url: string,
  patience: number,
): Promise<{ readonly line: Line; readonly pool: Pool; readonly end: () => Promise<void> }> {
  const key = `${patience} ${url}`
  const line = lines.get(key) ?? { pool: poolAt(url, patience), users: 0, ready: null }
  lines.set(key, line)
  // Counted before any await, otherwise the last other user could end the pool meanwhile.
  line.users += 1
  try {
    const pool = await line.pool
    pool.options.max = Math.min(MOST_CONNECTIONS, Math.ceil(line.users / SHARE))
    return { line, pool, end: () => hangUp(key, line) }
  } catch (error) {
    lines.delete(key)
    throw error
  }
}

async function hangUp(key: string, line: Line): Promise<void> {
  line.users -= 1
  if (line.users > 0) return
  lines.delete(key)
  await (await line.pool).end()
}

/** Reads cells and makes no table. Null if there is none. */
export async function lookIntoPostgres(
  url: string,
  mesh: string,
  { patience = PATIENCE }: OpenOptions = {},
): Promise<Sight | null> {
  const pool = await poolAt(url, patience)
  const secrets = secretsOf(url)
  const ask = async (text: string, values: unknown[] = []) =>
    (await inTime(pool.query(text, values), patience)).rows
  try {
    const [state] = await untilHeard(ask, STATE, performance.now() + patience)
    if (state?.['made'] === true) return new CellTable(mesh, ask, secrets, () => pool.end())
  } catch (error) {
    await pool.end().catch(() => {})
    throw failureOf('PostgreSQL does not serve', error, secrets)
  }
  await pool.end()
  return null
}

type Ask = (text: string, values?: unknown[]) => Promise<readonly Row[]>

async function poolAt(url: string, patience: number): Promise<Pool> {
  // In a variable, because a bundler would require a package that few programs need.
  const name = 'pg'
  let pg: Pg
  try {
    pg = ((await import(name)) as { readonly default: Pg }).default
  } catch (error) {
    throw new InvalidInput('PostgreSQL needs the package pg: npm install pg', { cause: error })
  }
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'turnwise',
    // One member needs no more, and many processes with several connections each would exhaust the server.
    max: 1,
    connectionTimeoutMillis: patience,
    query_timeout: patience,
    keepAlive: true,
    allowExitOnIdle: true,
  })
  // Errors of idle connections. The next query opens another one.
  pool.on('error', () => {})
  return pool
}

/** Passwords in all forms in which an error may repeat them. */
function secretsOf(url: string): string[] {
  const { password, searchParams } = new URL(url)
  const given = [password, searchParams.get('password') ?? '', searchParams.get('sslpassword') ?? '']
  return given.flatMap((secret) => [secret, plain(secret)])
}

async function prepare(once: Ask, opening: number): Promise<void> {
  const deadline = performance.now() + opening
  const ask: Ask = (text) => untilHeard(once, text, deadline)
  const [before] = await ask(STATE)
  requireKept(before)
  if (before?.['made'] !== true) await makeTable(ask, before)
  const [after] = await ask(STATE)
  if (after?.['allowed'] === true) return
  const grant = `grant ${RIGHTS} on turnwise_cells to ${quoted(after)}`
  throw new InvalidInput(`the role ${quoted(after)} may not use turnwise_cells. Its owner can run: ${grant}`)
}

/** Repeats the question: the server may still be starting, or be busy with many members that come at once. */
function untilHeard(ask: Ask, text: string, deadline: number): Promise<readonly Row[]> {
  const mayServe = (error: unknown) => codeOf(error) === STARTING || NO_ANSWER.test(complaintOf(error))
  return untilAnswered(() => ask(text), deadline, mayServe)
}

function codeOf(error: unknown): string {
  return (error as { readonly code?: string }).code ?? ''
}

async function makeTable(ask: Ask, state: Row | undefined): Promise<void> {
  const statement = tableStatement(Date.now() / 1000)
  try {
    await ask(statement)
  } catch (error) {
    if (ALREADY_MADE.includes(codeOf(error))) return
    if (codeOf(error) !== NOT_ALLOWED) throw error
    const grant = `grant ${RIGHTS} on turnwise_cells to ${quoted(state)}`
    throw new InvalidInput(
      `the role ${quoted(state)} may not create a table. A role that may can run once: ${statement}; ${grant}`,
    )
  }
}

function quoted(state: Row | undefined): string {
  return `"${String(state?.['role']).replaceAll('"', '""')}"`
}

function requireKept(state: Row | undefined): void {
  if (state?.['standby'] === true)
    throw new InvalidInput('PostgreSQL is a standby, which lags behind: name the primary')
  if (state?.['commit'] !== 'off') return
  throw new InvalidInput(
    `PostgreSQL may lose what it acknowledged, because synchronous_commit is off: alter role ${quoted(state)} set synchronous_commit = on`,
  )
}

class CellTable implements Register, Sight {
  readonly #mesh: string
  readonly #ask: Ask
  readonly #secrets: readonly string[]
  readonly #end: () => Promise<void>
  #closed: Promise<void> | null = null

  constructor(mesh: string, ask: Ask, secrets: readonly string[], end: () => Promise<void>) {
    this.#mesh = mesh
    this.#ask = ask
    this.#secrets = secrets
    this.#end = end
  }

  async read(cell: string): Promise<Cell | null> {
    const cells = await this.#cells('c.cell = $2::text', cell)
    return cells.get(cell) ?? null
  }

  list(prefix: string): Promise<ReadonlyMap<string, Cell>> {
    return this.#cells('left(c.cell, length($2::text)) = $2::text', prefix)
  }

  async meshes(): Promise<readonly string[]> {
    const rows = await this.#ask("select mesh from turnwise_cells where cell = 'view' order by mesh")
    return rows.map(({ mesh }) => String(mesh))
  }

  async #cells(which: string, text: string): Promise<ReadonlyMap<string, Cell>> {
    const rows = await this.#ask(`${READ}${which}`, [this.#mesh, text]).catch((error: unknown) => {
      throw failureOf('PostgreSQL does not answer', error, this.#secrets)
    })
    if (rows[0]?.['standby'] !== false) throw new Error('PostgreSQL is a standby, which lags behind')
    const found = rows.filter((row) => typeof row['cell'] === 'string')
    return new Map(found.map(({ cell, value, version }) => [cell, { value, version }] as [string, Cell]))
  }

  async cas(cell: string, version: Version | null, value: string | null): Promise<Outcome> {
    // Such a version is not from this register, and PostgreSQL would reject it.
    if (version !== null && !/^\d{1,18}$/.test(version)) return REFUSED
    const [statement, ...values] =
      version === null ? [MAKE, value] : value === null ? [DELETE, version] : [REPLACE, version, value]
    if (version === null && value === null) return unknown('a cell that must be absent cannot be deleted')
    try {
      const [row] = await this.#ask(statement, [this.#mesh, cell, ...values])
      return row === undefined ? REFUSED : done(String(row['version']))
    } catch (error) {
      return unknown(`PostgreSQL: ${complaintOf(error, this.#secrets)}`)
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#end()
    return this.#closed
  }
}
