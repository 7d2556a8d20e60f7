/**
 * etcd as a register. A cell is a key, and its version is the revision of its last change, which is unique in the cluster. Every
 * write is a transaction with a compare, and every read is linearizable, which is etcd's default. The locks and leases of etcd
 * are not used.
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
  /** All keys begin with this prefix. */
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

/** Uses its own time limit, because the server may be busy with many members that come at once. */
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

/** The range of all keys with this prefix. */
function allFrom(prefix: string): { readonly key: string; readonly range_end: string } {
  const key = Buffer.from(prefix)
  // The first key after the range. A byte of UTF-8 is never 255.
  const end = Buffer.from(key)
  end[end.length - 1] = (end.at(-1) ?? 0) + 1
  return { key: key.toString('base64'), range_end: end.toString('base64') }
}

class EtcdCells implements Register, Sight {
  readonly #gateway: EtcdGateway
  /** The prefix of all meshes there, and that of this mesh. */
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
    // The prefix may also contain keys that do not belong to meshes.
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
    // Such a version is not from this register, and etcd would reject it. Revision 0 means an absent key.
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
