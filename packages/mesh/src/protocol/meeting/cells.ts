/**
 * The cells of a mesh in a register: one cell `view`, a cell `rows/SESSION` for the lease of each session, and a cell `once/…`
 * for each name whose runs are remembered (../runs.ts). Values are JSON, so that an operator can read them. A malformed value was
 * not written by this mesh: it is reported and not believed.
 */
import { type Id, LONGEST_LEASE, type Member, type Settings, type ViewRecord } from '../record.ts'
import { isZone } from '../zones.ts'

/** Compared by equality only. A cell never gets the same version twice, not even after it was deleted and made again. */
export type Version = string

/** A cell as it was read. */
export interface Cell {
  /** JSON text, up to some 100 kB. */
  readonly value: string
  /** Identifies this value in this cell. */
  readonly version: Version
}

/** The outcome of a `cas`. */
export type Outcome =
  | {
      /** `done`, `refused` because the cell has another version, or `unknown`. */
      readonly kind: 'done'
      /** An empty string after a delete. */
      readonly version: Version
    }
  | { readonly kind: 'refused' }
  /** No answer, or an unclear one. The write may have happened, may happen later, or never. */
  | { readonly kind: 'unknown'; readonly why: string }

export type Call =
  | { readonly do: 'read'; readonly cell: string }
  | { readonly do: 'list'; readonly prefix: string }
  /** `version` null: the cell must not exist. `value` null: delete the cell. */
  | {
      readonly do: 'cas'
      readonly cell: string
      readonly version: Version | null
      readonly value: string | null
    }

export type Answer =
  | { readonly kind: 'cell'; readonly cell: Cell | null }
  | { readonly kind: 'cells'; readonly cells: ReadonlyMap<string, Cell> }
  | Outcome
  /** Nothing was read. */
  | { readonly kind: 'failed'; readonly why: string }

/** The row of a session, which is its lease. */
export interface Row {
  readonly address: string
  /** Identifies its process, where the kernel can say that it has ended; empty elsewhere. */
  readonly life: string
  /** Rises with every attempt to renew (M1). */
  readonly beat: number
  /** T of the session, in milliseconds. Where there is no view, it may be another one than that of who reads the row. */
  readonly lease?: number
  /** The lease is not renewed any more. It is over D after its last beat was first seen (M3). */
  readonly sealed: boolean
  /** The members that sealed it although it was renewed, because they could not hear it (M4). */
  readonly cut: readonly Id[]
}

export interface Attendant {
  readonly id: Id
  readonly address: string
  /** The zone that it stated, if it stated one. */
  readonly zone?: string
}

export function attendant({ id, address = '', zone }: Pick<Member, 'id' | 'address' | 'zone'>): Attendant {
  return zone === undefined ? { id, address } : { id, address, zone }
}

/** The session is the id, so it has one life. */
export function memberFrom(attendant: Attendant): Member {
  return { ...attendant, session: { voterId: attendant.id, k: 1 } }
}

export interface View {
  readonly epoch: number
  /** In order: the first living member proposes (M5). */
  readonly members: readonly Attendant[]
  /** Unique to this content. A proposer that is unsure whether its `cas` was done recognises it (M7). */
  readonly nonce: string
  readonly settings: Settings
}

export const VIEW = 'view'
export const ROWS = 'rows/'
/** These cells outlive the members, because the next run must know what ran. */
export const ONCE = 'once/'

export function rowOf(session: Id): string {
  return `${ROWS}${session}`
}

export function sessionIn(cell: string): Id {
  return cell.slice(ROWS.length)
}

export function viewOf({ epoch, members, settings }: ViewRecord, nonce: string): View {
  return { epoch, members: members.map(attendant), nonce, settings }
}

/** Null for a value that no member of this mesh wrote. */
export function readRow({ value }: Cell): Row | null {
  const row = parsed(value)
  const { address, life, beat, lease: leaseMs, sealed, cut } = row ?? {}
  const isRow =
    typeof address === 'string' &&
    typeof life === 'string' &&
    Number.isSafeInteger(beat) &&
    (leaseMs === undefined || isLease(leaseMs)) &&
    typeof sealed === 'boolean' &&
    Array.isArray(cut) &&
    cut.every((id) => typeof id === 'string')
  const own = leaseMs === undefined ? {} : { lease: leaseMs as number }
  return isRow ? { address, life, beat: beat as number, ...own, sealed, cut } : null
}

export function readView({ value }: Cell): View | null {
  const { epoch, members, nonce, settings } = parsed(value) ?? {}
  const isView =
    Number.isSafeInteger(epoch) &&
    (epoch as number) > 0 &&
    typeof nonce === 'string' &&
    Array.isArray(members) &&
    members.every(isAttendant) &&
    isSettings(settings)
  return isView ? { epoch: epoch as number, members, nonce, settings } : null
}

function parsed(value: string): Record<string, unknown> | null {
  try {
    const read: unknown = JSON.parse(value)
    return isRecord(read) ? read : null
  } catch {
    return null
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isAttendant(value: unknown): value is Attendant {
  return (
    isRecord(value) &&
    typeof value['id'] === 'string' &&
    typeof value['address'] === 'string' &&
    (value['zone'] === undefined || isZone(value['zone']))
  )
}

/** Within what `join` allows, so that no row makes others wait for ever. */
function isLease(value: unknown): boolean {
  return typeof value === 'number' && value > 0 && value <= LONGEST_LEASE
}

function isSettings(value: unknown): value is Settings {
  return (
    isRecord(value) &&
    typeof value['algorithm'] === 'string' &&
    typeof value['lease'] === 'number' &&
    typeof value['drift'] === 'number'
  )
}
