/**
 * What a mesh asks of an engine in which its members meet: cells with a version, and nothing else. No locks, leases, transactions
 * or clocks of the engine. `contract.ts` has what each register must pass; docs/registers.md tells how to write one.
 *
 * `read`, `list` and `cas` are linearizable: they see every `cas` that was done before they were asked, by whomever. `list` need
 * not be a snapshot, but a cell that is there from the question to the answer is in it.
 */

import type { Cell, Outcome, Version } from '../protocol/meeting/cells.ts'

export type { Cell, Outcome, Version } from '../protocol/meeting/cells.ts'

/** The cells of one mesh in an engine. */
export interface Register {
  /** The cell, or null if it is absent. Rejects if the engine does not answer. */
  read(cell: string): Promise<Cell | null>
  /** All cells whose names begin with the prefix. Rejects if the engine does not answer. */
  list(prefix: string): Promise<ReadonlyMap<string, Cell>>
  /** `version` null: the cell must be absent. `value` null: delete it. Never rejects. */
  cas(cell: string, version: Version | null, value: string | null): Promise<Outcome>
  /** A hint to list sooner, no more: it may come late, twice, without a change, or never. Returns what ends it. */
  watch?(prefix: string, changed: () => void): () => void
  /** Directories: names this process and its boot, for `isDead`. */
  readonly process?: string
  /** True only if it is certain that this process is gone: the kernel's word. */
  isDead?(process: string): Promise<boolean>
  /** Directories: where sockets of members may be, with names of up to 14 bytes. */
  readonly directory?: string
  /** Ends what was begun here. The cells stay. */
  close(): Promise<void>
}

/** What of a register can be looked at without changing anything, by one who is no member. */
export interface Sight extends Pick<Register, 'read' | 'list' | 'isDead' | 'close'> {
  /** The names of all meshes that have met there. */
  meshes(): Promise<readonly string[]>
}

/** How a register is opened. */
export interface OpenOptions {
  /** Milliseconds to wait for an answer of the engine. A directory answers at once. */
  readonly patience?: number
  /** Milliseconds for a server to serve when it is opened, before any lease runs. As long if it is not given. */
  readonly opening?: number
}

/** A lease is about as long, and what took longer is read again. */
export const PATIENCE_MS = 5000

export const REFUSED: Outcome = { kind: 'refused' }

export function done(version: Version): Outcome {
  return { kind: 'done', version }
}

export function unknown(why: string): Outcome {
  return { kind: 'unknown', why }
}
