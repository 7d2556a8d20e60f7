/**
 * etcd as a register: a cell is a key, and its version the revision at which it was last changed, which the whole cluster counts.
 * Every change is a transaction with a compare, every read linearizable, which is what etcd does if it is not told
 * otherwise. Its locks and leases are not used.
 */
import { complaintOf, failureOf, plain } from './answers.ts'
import { type EtcdAddress, EtcdGateway } from './etcd-gateway.ts'
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

export interface EtcdPlace extends EtcdAddress {
  /** All keys begin with it. */
  readonly prefix: string
}

interface KeyValue {
  readonly key: string
  readonly value?: string
  readonly mod_revision: string
}

const encoded = (text: string) => Buffer.from(text).toString('base64')
const decoded = (text: string) => Buffer.from(text, 'base64').toString()

export async function openEtcd(
  place: EtcdPlace,
  mesh: string,
  { patience = PATIENCE, opening = patience }: OpenOptions = {},
): Promise<Register & Sight> {
  await requireServing(place, mesh, opening)
  return cellsAt(place, mesh, patience)
}

/** With a patience of its own: a server may be busy with many who come at once. */
async function requireServing(place: EtcdPlace, mesh: string, opening: number): Promise<void> {
  const register = cellsAt(place, mesh, opening)
  try {
    await register.read('view')
  } finally {
    await register.close()
  }
}

function cellsAt(place: EtcdPlace, mesh: string, patience: number): EtcdCells {
  return new EtcdCells(new EtcdGateway(place, patience), place.prefix, mesh, place.password ?? '')
}

/** All keys that begin so. */
function allFrom(prefix: string): { readonly key: string; readonly range_end: string } {
  const key = Buffer.from(prefix)
  // The first key after them. A byte of UTF-8 is never 255.
  const end = Buffer.from(key)
  end[end.length - 1] = (end.at(-1) ?? 0) + 1
  return { key: key.toString('base64'), range_end: end.toString('base64') }
}

class EtcdCells implements Register, Sight {
  readonly #gateway: EtcdGateway
  /** Of all meshes there, and of this one. */
  readonly #place: string
  readonly #prefix: string
  readonly #secrets: readonly string[]

  constructor(gateway: EtcdGateway, place: string, mesh: string, password: string) {
    this.#gateway = gateway
    this.#place = `${place}/`
    this.#prefix = `${this.#place}${encodeURIComponent(mesh)}/`
    this.#secrets = [password]
  }

  async read(cell: string): Promise<Cell | null> {
    const cells = await this.#range({ key: encoded(this.#prefix + cell) })
    return cells.get(cell) ?? null
  }

  list(prefix: string): Promise<ReadonlyMap<string, Cell>> {
    return this.#range(allFrom(this.#prefix + prefix))
  }

  async meshes(): Promise<readonly string[]> {
    const keys = await this.#keys({ ...allFrom(this.#place), keys_only: true })
    const named = keys.map(({ key }) => decoded(key).slice(this.#place.length).split('/'))
    // Below a prefix there may be more than cells of meshes.
    const found = named.flatMap(([mesh = '', ...cell]) => (cell.join('/') === 'view' ? [plain(mesh)] : []))
    return [...new Set(found)]
  }

  async #range(which: object): Promise<ReadonlyMap<string, Cell>> {
    return new Map(
      (await this.#keys(which)).map(({ key, value = '', mod_revision: version }) => [
        decoded(key).slice(this.#prefix.length),
        { value: decoded(value), version },
      ]),
    )
  }

  async #keys(which: object): Promise<readonly KeyValue[]> {
    try {
      return (await this.#gateway.read<{ kvs?: KeyValue[] }>('kv/range', which)).kvs ?? []
    } catch (error) {
      throw failureOf('etcd does not answer', error, this.#secrets)
    }
  }

  async cas(cell: string, version: Version | null, value: string | null): Promise<Outcome> {
    // Not of this register, and no number that etcd would take. Revision 0 is that of a key that is absent.
    if (version !== null && !/^[1-9]\d{0,17}$/.test(version)) return REFUSED
    const key = encoded(this.#prefix + cell)
    const compare = [{ key, target: 'MOD', result: 'EQUAL', mod_revision: version ?? '0' }]
    const change =
      value === null ? { request_delete_range: { key } } : { request_put: { key, value: encoded(value) } }
    try {
      const answer = await this.#gateway.write<{ succeeded?: boolean; header: { revision: string } }>(
        'kv/txn',
        { compare, success: [change] },
      )
      if (answer.succeeded !== true) return REFUSED
      return done(value === null ? '' : answer.header.revision)
    } catch (error) {
      return unknown(`etcd: ${complaintOf(error, this.#secrets)}`)
    }
  }

  async close(): Promise<void> {
    this.#gateway.close()
  }
}
