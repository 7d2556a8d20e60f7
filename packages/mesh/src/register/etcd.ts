/**
 * etcd as a register. A cell is a key, and its version is the revision of its last change, which is unique in the cluster. Every
 * write is a transaction with a compare, and every read is linearizable, which is etcd's default. The locks and leases of etcd
 * are not used.
 */
import { InvalidInput } from '@turnwise/core/invalid-input'
import { ROWS } from '../protocol/meeting/cells.ts'
import { type EtcdAddress, EtcdCalls } from './etcd-calls.ts'
import { requireServing } from './etcd-cluster.ts'
import { casRequest, changeIn, type Keys, type KeyValue, keysIn, rangeRequest } from './etcd-messages.ts'
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
import { complaintOf, failureOf, plain } from './server-answers.ts'

export interface EtcdPlace extends EtcdAddress {
  /** All keys begin with this prefix. */
  readonly prefix: string
}

export async function openEtcd(
  place: EtcdPlace,
  mesh: string,
  { patience = PATIENCE_MS, opening = patience }: OpenOptions = {},
): Promise<Register & Sight> {
  requireApart(place, mesh)
  const view = Buffer.from(`${prefixOf(place, mesh)}view`)
  await requireServing(place, { key: view, keysOnly: true }, opening)
  return new EtcdCells(new EtcdCalls(place, patience), place, mesh)
}

/** A mesh takes all keys below its `rows/` for rows of its own, and removes them in time. */
function requireApart({ prefix }: EtcdPlace, mesh: string): void {
  const parts = [...prefix.split('/'), mesh]
  // The first part is of a prefix, and the second may be the name of another mesh.
  const rows = parts.findIndex((part, at) => at > 1 && `${part}/` === ROWS)
  if (rows < 0) return
  const [above, other] = [parts.slice(0, rows - 1).join('/'), plain(parts[rows - 1] ?? '')]
  throw new InvalidInput(
    `etcd would take keys of the mesh "${mesh}" at the prefix "${prefix}" for rows of the mesh "${other}" at the prefix "${above}": choose another name or prefix`,
  )
}

/** Of all keys of a mesh. */
function prefixOf({ prefix }: EtcdPlace, mesh: string): string {
  return `${prefix}/${encodeURIComponent(mesh)}/`
}

/** All keys with this prefix. */
function allFrom(prefix: string): Keys {
  const key = Buffer.from(prefix)
  // The first key after the range. A byte of UTF-8 is never 255.
  const end = Buffer.from(key)
  end[end.length - 1] = (end.at(-1) ?? 0) + 1
  return { key, end }
}

class EtcdCells implements Register, Sight {
  readonly #calls: EtcdCalls
  /** The prefix of all meshes there, and that of this mesh. */
  readonly #place: string
  readonly #prefix: string
  readonly #secrets: readonly string[]

  constructor(calls: EtcdCalls, place: EtcdPlace, mesh: string) {
    this.#calls = calls
    this.#place = `${place.prefix}/`
    this.#prefix = prefixOf(place, mesh)
    this.#secrets = [place.password ?? '']
  }

  async read(cell: string): Promise<Cell | null> {
    const cells = await this.#range({ key: Buffer.from(this.#prefix + cell) })
    return cells.get(cell) ?? null
  }

  list(prefix: string): Promise<ReadonlyMap<string, Cell>> {
    return this.#range(allFrom(this.#prefix + prefix))
  }

  async meshes(): Promise<readonly string[]> {
    const keys = await this.#keys({ ...allFrom(this.#place), keysOnly: true })
    const named = keys.map(({ key }) => key.slice(this.#place.length).split('/'))
    // The prefix may also contain keys that do not belong to meshes.
    const found = named.flatMap(([mesh = '', ...cell]) => (cell.join('/') === 'view' ? [plain(mesh)] : []))
    return [...new Set(found)]
  }

  async #range(which: Keys): Promise<ReadonlyMap<string, Cell>> {
    return new Map(
      (await this.#keys(which)).map(({ key, value, revision: version }) => [
        key.slice(this.#prefix.length),
        { value, version },
      ]),
    )
  }

  async #keys(which: Keys): Promise<readonly KeyValue[]> {
    try {
      return keysIn(await this.#calls.read('KV/Range', rangeRequest(which)))
    } catch (error) {
      throw failureOf('etcd does not answer', error, this.#secrets)
    }
  }

  async cas(cell: string, version: Version | null, value: string | null): Promise<Outcome> {
    // Such a version is not from this register, and etcd would reject it. Revision 0 means an absent key.
    if (version !== null && !/^[1-9]\d{0,17}$/.test(version)) return REFUSED
    try {
      const question = casRequest(this.#prefix + cell, version ?? '0', value)
      const change = changeIn(await this.#calls.write('KV/Txn', question))
      if (change === null) return REFUSED
      return done(value === null ? '' : change)
    } catch (error) {
      return unknown(`etcd: ${complaintOf(error, this.#secrets)}`)
    }
  }

  async close(): Promise<void> {
    this.#calls.close()
  }
}
