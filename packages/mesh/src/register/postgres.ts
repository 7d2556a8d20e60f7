/**
 * PostgreSQL as a register. A cell is a row of `turnwise_cells`. Every call is one statement in its own transaction, without
 * prepared statements and session settings, so a pooler may be in between.
 *
 * One database has one such table, in whichever schema. Statements name the schema: the search path differs between roles, and in a
 * pooled connection it may be another program's. Two tables would be two meshes, and two holders.
 *
 * Versions come from one sequence, which begins at the
 * time when the table is made. So a table that was dropped and made again does not repeat them.
 *
 * Acknowledged writes must not be lost. So three things are refused: `synchronous_commit = off`, an unlogged table, and a standby,
 * which lags behind. A failover needs synchronous replication, and an old primary that no client reaches any more.
 */
import { InvalidInput } from '@turnwise/core/invalid-input'
import {
  type Cell,
  done,
  type OpenOptions,
  type Outcome,
  PATIENCE_MS,
  REFUSED,
  type Register,
  type Sight,
  unknown,
  type Version,
} from './register.ts'
import { complaintOf, failureOf, inTime, plain, untilAnswered } from './server-answers.ts'

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

/** The statement that makes the table in a schema, for a role that may. */
function tableStatement(schema: string, now: number): string {
  return (
    `create table if not exists ${schema}.turnwise_cells (mesh text not null, cell text not null, value text not null, ` +
    `version bigint generated always as identity (start with ${Math.floor(now)}000000), ` +
    'primary key (mesh, cell)) with (fillfactor = 50)'
  )
}

const RIGHTS = 'select, insert, update, delete'

/** Where the table is, or would be made: in the schema given, or else in any. Temporary tables are of one session. */
const STATE = `select pg_is_in_recovery() as standby, current_setting('synchronous_commit') as commit, current_user::text as role,
  current_setting('transaction_read_only') as reading,
  quote_ident(coalesce($1::text, current_schema()::text, 'public')) as here,
  count(t.oid)::int as tables, string_agg(quote_ident(t.nspname), ', ' order by t.nspname) as schemas,
  coalesce(bool_and(has_schema_privilege(t.nspname, 'usage') and ${RIGHTS.split(', ')
    .map((right) => `has_table_privilege(t.oid, '${right}')`)
    .join(' and ')}), false) as allowed, coalesce(bool_or(t.relpersistence = 'u'), false) as unlogged
  from (select 1) one left join (select c.oid, c.relpersistence, n.nspname from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relname = 'turnwise_cells' and c.relkind in ('r', 'p') and c.relpersistence <> 't'
    and n.nspname = coalesce($1::text, n.nspname)) t on true`

/**
 * True. The commit of the statement that asks for it waits for the disk, whatever another program has left behind in a pooled
 * connection. Otherwise a crash of the server could lose a change that was acknowledged, and give its version again.
 */
const KEPT = `set_config('synchronous_commit', coalesce(nullif(current_setting('synchronous_commit'), 'off'), 'on'), true) <> ''`

/** The statements for a table. */
function statementsFor(table: string) {
  return {
    // At least one row, so that a standby says that it is one.
    read: `select pg_is_in_recovery() as standby, c.cell, c.value, c.version::text as version
      from (select 1) one left join ${table} c on c.mesh = $1::text and `,
    make: `insert into ${table} (mesh, cell, value) select $1::text, $2::text, $3::text where ${KEPT}
      on conflict do nothing returning version::text as version`,
    replace: `update ${table} set value = $4::text, version = default
      where mesh = $1::text and cell = $2::text and version = $3::bigint and ${KEPT} returning version::text as version`,
    delete: `delete from ${table}
      where mesh = $1::text and cell = $2::text and version = $3::bigint and ${KEPT} returning '' as version`,
    meshes: `select mesh from ${table} where cell = 'view' order by mesh`,
  }
}

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
  { patience = PATIENCE_MS, opening = patience }: OpenOptions = {},
): Promise<Register> {
  // Node's error would repeat the URL, with its password.
  if (typeof place === 'string' && !URL.canParse(place))
    throw new InvalidInput(
      'the URL of PostgreSQL cannot be read: it is postgres://user:password@host/database',
    )
  const pooled = typeof place === 'string' ? await sharedPool(place, patience) : null
  const client = pooled?.pool ?? (place as PostgresClient)
  const secrets = typeof place === 'string' ? secretsOf(place) : []
  const schema = typeof place === 'string' ? schemaIn(place) : null
  const ask = async (text: string, values: unknown[] = []) =>
    (await inTime(client.query(text, values), patience)).rows
  const end = async () => pooled?.end()
  try {
    const prepared = () => prepare(ask, schema, opening)
    const table = await (pooled === null ? prepared() : prepareOnce(pooled.shared, prepared))
    return new CellTable(mesh, table, ask, secrets, end)
  } catch (error) {
    await end().catch(() => {})
    if (error instanceof InvalidInput) throw error
    throw failureOf('PostgreSQL does not serve', error, secrets)
  }
}

/** `?schema=` of the URL. */
function schemaIn(url: string): string | null {
  return new URL(url).searchParams.get('schema')
}

/** A pool, and how many registers use it or wait for it. */
interface SharedPool {
  readonly pool: Promise<Pool>
  users: number
  /** The table, while one register checks whether the server serves. */
  ready: Promise<string> | null
}

/** Of registers that are opened at once one checks for all, because many checks in sequence take long. */
function prepareOnce(shared: SharedPool, prepared: () => Promise<string>): Promise<string> {
  shared.ready ??= prepared().finally(() => {
    shared.ready = null
  })
  return shared.ready
}

/** How many members of one process share a connection, and the most connections of a process. */
const SHARE = 10
const MOST_CONNECTIONS = 4

/**
 * One pool per database, however many registers this process opens there: servers limit connections, and each member needs
 * little.
 */
const pools = new Map<string, SharedPool>()

async function sharedPool(
  url: string,
  patienceMs: number,
): Promise<{ readonly shared: SharedPool; readonly pool: Pool; readonly end: () => Promise<void> }> {
  const key = `${patienceMs} ${url}`
  const shared = pools.get(key) ?? { pool: poolAt(url, patienceMs), users: 0, ready: null }
  pools.set(key, shared)
  // Counted before any await, otherwise the last other user could end the pool meanwhile.
  shared.users += 1
  try {
    const pool = await shared.pool
    pool.options.max = Math.min(MOST_CONNECTIONS, Math.ceil(shared.users / SHARE))
    return { shared, pool, end: () => hangUp(key, shared) }
  } catch (error) {
    pools.delete(key)
    throw error
  }
}

async function hangUp(key: string, shared: SharedPool): Promise<void> {
  shared.users -= 1
  if (shared.users > 0) return
  pools.delete(key)
  await (await shared.pool).end()
}

/** Reads cells and makes no table. Null if there is none. */
export async function lookIntoPostgres(
  url: string,
  mesh: string,
  { patience = PATIENCE_MS }: OpenOptions = {},
): Promise<Sight | null> {
  const pool = await poolAt(url, patience)
  const secrets = secretsOf(url)
  const ask = async (text: string, values: unknown[] = []) =>
    (await inTime(pool.query(text, values), patience)).rows
  try {
    const [state] = await untilHeard(() => ask(STATE, [schemaIn(url)]), performance.now() + patience)
    const table = tableIn(state)
    if (table !== null) return new CellTable(mesh, table, ask, secrets, () => pool.end())
  } catch (error) {
    await pool.end().catch(() => {})
    if (error instanceof InvalidInput) throw error
    throw failureOf('PostgreSQL does not serve', error, secrets)
  }
  await pool.end()
  return null
}

type Ask = (text: string, values?: unknown[]) => Promise<readonly Row[]>

async function poolAt(url: string, patienceMs: number): Promise<Pool> {
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
    connectionTimeoutMillis: patienceMs,
    query_timeout: patienceMs,
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

/** Returns the table that serves, with its schema. */
async function prepare(once: Ask, schema: string | null, opening: number): Promise<string> {
  const deadline = performance.now() + opening
  const ask: Ask = (text, values) => untilHeard(() => once(text, values), deadline)
  const [before] = await ask(STATE, [schema])
  requireKept(before)
  if (tableIn(before) === null) await makeTable(ask, before)
  const [after] = await ask(STATE, [schema])
  const table = tableIn(after)
  if (after?.['unlogged'] === true)
    throw new InvalidInput(
      `PostgreSQL may lose what it acknowledged, because ${table} is unlogged and empty after a crash: alter table ${table} set logged`,
    )
  if (table !== null && after?.['allowed'] === true) return table
  throw new InvalidInput(
    `the role ${quoted(after)} may not use ${table}. Its owner can run: ${grantsFor(String(after?.['schemas']), after)}`,
  )
}

/** Null if there is none. Members in two tables would not know of each other. */
function tableIn(state: Row | undefined): string | null {
  if (state?.['tables'] === 0) return null
  if (state?.['tables'] === 1) return `${String(state['schemas'])}.turnwise_cells`
  throw new InvalidInput(
    `the database has a table turnwise_cells in each of the schemas ${String(state?.['schemas'])}: drop all but one, or add ?schema=NAME to the URL in all processes`,
  )
}

function grantsFor(schema: string, state: Row | undefined): string {
  const role = quoted(state)
  return `grant usage on schema ${schema} to ${role}; grant ${RIGHTS} on ${schema}.turnwise_cells to ${role}`
}

/** Repeats the question: the server may still be starting, or be busy with many members that come at once. */
function untilHeard(ask: () => Promise<readonly Row[]>, deadline: number): Promise<readonly Row[]> {
  const mayServe = (error: unknown) => codeOf(error) === STARTING || NO_ANSWER.test(complaintOf(error))
  return untilAnswered(ask, deadline, mayServe)
}

function codeOf(error: unknown): string {
  return (error as { readonly code?: string }).code ?? ''
}

async function makeTable(ask: Ask, state: Row | undefined): Promise<void> {
  const schema = String(state?.['here'])
  const statement = tableStatement(schema, Date.now() / 1000)
  try {
    await ask(statement)
  } catch (error) {
    if (ALREADY_MADE.includes(codeOf(error))) return
    if (codeOf(error) !== NOT_ALLOWED) throw error
    throw new InvalidInput(
      `the role ${quoted(state)} may not create a table. A role that may can run once: ${statement}; ${grantsFor(schema, state)}`,
    )
  }
}

function quoted(state: Row | undefined): string {
  return `"${String(state?.['role']).replaceAll('"', '""')}"`
}

function requireKept(state: Row | undefined): void {
  if (state?.['standby'] === true)
    throw new InvalidInput('PostgreSQL is a standby, which lags behind: name the primary')
  if (state?.['reading'] === 'on')
    throw new InvalidInput(
      `the role ${quoted(state)} may only read, because default_transaction_read_only is on: alter role ${quoted(state)} set default_transaction_read_only = off`,
    )
  if (state?.['commit'] !== 'off') return
  throw new InvalidInput(
    `PostgreSQL may lose what it acknowledged, because synchronous_commit is off: alter role ${quoted(state)} set synchronous_commit = on`,
  )
}

class CellTable implements Register, Sight {
  readonly #mesh: string
  readonly #statements: ReturnType<typeof statementsFor>
  readonly #ask: Ask
  readonly #secrets: readonly string[]
  readonly #end: () => Promise<void>
  #closed: Promise<void> | null = null

  constructor(mesh: string, table: string, ask: Ask, secrets: readonly string[], end: () => Promise<void>) {
    this.#mesh = mesh
    this.#statements = statementsFor(table)
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
    const rows = await this.#ask(this.#statements.meshes)
    return rows.map(({ mesh }) => String(mesh))
  }

  async #cells(which: string, text: string): Promise<ReadonlyMap<string, Cell>> {
    const rows = await this.#ask(`${this.#statements.read}${which}`, [this.#mesh, text]).catch(
      (error: unknown) => {
        throw failureOf('PostgreSQL does not answer', error, this.#secrets)
      },
    )
    if (rows[0]?.['standby'] !== false) throw new Error('PostgreSQL is a standby, which lags behind')
    const found = rows.filter((row) => typeof row['cell'] === 'string')
    return new Map(found.map(({ cell, value, version }) => [cell, { value, version }] as [string, Cell]))
  }

  async cas(cell: string, version: Version | null, value: string | null): Promise<Outcome> {
    // Such a version is not from this register, and PostgreSQL would reject it.
    if (version !== null && !/^\d{1,18}$/.test(version)) return REFUSED
    const { make, replace, delete: drop } = this.#statements
    const [statement, ...values] =
      version === null ? [make, value] : value === null ? [drop, version] : [replace, version, value]
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
