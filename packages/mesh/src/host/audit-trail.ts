/**
 * Writes the audit of a node (`protocol/audit.ts`) while it runs, one line for each event. It can stay on: when a file has half
 * of the allowed bytes, the next file begins with the present state, and the file before the last is removed.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import {
  AUDIT_FORMAT,
  AUDIT_VERSION,
  type AuditHead,
  auditLine,
  type Beside,
  frozen,
  Overhearing,
} from '../protocol/audit.ts'
import type { Effect, Event } from '../protocol/events.ts'
import type { Ledger } from '../protocol/ledger.ts'
import type { Node } from '../protocol/state.ts'
import { AppendedFile } from './appended-file.ts'
import { wallAnchor } from './recording-file.ts'

/** The part of the runner that an audit uses. */
interface Audited {
  readonly node: Node
  audit: AuditTrail | null
}

/** Enough for some hours of a node with a hundred turns per second. */
const AUDIT_LIMIT = 1024 ** 3

/**
 * A killed process loses the lines of the last PATIENCE_MS. A write for each turn of the event loop would cost more than the
 * turns.
 */
const PATIENCE_MS = 20

export interface AuditOptions {
  /** A new file. If it exists, a number is appended to its name. */
  readonly file: string
  /** How many bytes all files of this node may have together. The oldest lines go first. Default 1 GiB, at least 1 MiB. */
  readonly limit?: number
}

export class AuditTrail {
  readonly #options: AuditOptions
  readonly #log: (line: string) => void
  readonly #life = randomUUID()
  readonly #overheard = new Overhearing()
  #ledger: Ledger | null = null
  #file: AppendedFile
  #former: AppendedFile | null = null
  /** Resolves when the files before the present one are complete or removed. */
  #tidied: Promise<unknown> = Promise.resolve()
  #part = -1
  #written = 0
  /** The values after the last event. A difference before the next event came from outside. */
  #acked: Record<string, number> = {}
  #deadline = 0
  #promised = 0
  #beside: Beside | undefined

  constructor(options: AuditOptions, log: (line: string) => void) {
    this.#options = options
    this.#log = log
    this.#file = this.#open(0)
    if (this.file !== options.file) log(`"${options.file}" exists, so the audit is in "${this.file}"`)
  }

  /** Call this before the node handles its first event. */
  begin(runner: Audited): void {
    const { node } = runner
    const { marks } = node.config
    if (marks !== undefined) node.config = { ...node.config, marks: this.#overheard.marks(marks) }
    this.#writeHead(node)
    runner.audit = this
  }

  get file(): string {
    return this.#file.path
  }

  /** The node's ledger, if any, wrapped so that the audit hears its answers. */
  overhear(ledger: Ledger | null): Ledger | null {
    if (ledger !== null) this.#ledger ??= this.#overheard.ledger(ledger)
    return this.#ledger
  }

  before({ acked, deadline, promised }: Node): void {
    let beside: Beside | undefined
    if (deadline !== this.#deadline) beside = { ...beside, deadline }
    if (promised !== this.#promised) beside = { ...beside, promised }
    // The event changes these in place.
    if (!isSame(acked, this.#acked)) beside = { ...beside, acked: { ...acked } }
    this.#beside = beside
  }

  after(event: Event, effects: readonly Effect[], node: Node, now: number): void {
    if (this.#file.isOver) return
    let beside = this.#overheard.take(this.#beside)
    if (event.kind === 'slept') beside = { ...beside, wall: wallAnchor() }
    this.#write(`${JSON.stringify(auditLine(now, event, effects, beside))}\n`)
    this.#remember(node)
    if (this.#written > (this.#options.limit ?? AUDIT_LIMIT) / 2) this.#goOn(node)
  }

  #write(text: string): void {
    this.#written += text.length
    this.#file.write(text)
  }

  #remember({ acked, deadline, promised }: Node): void {
    this.#deadline = deadline
    this.#promised = promised
    if (!isSame(acked, this.#acked)) this.#acked = { ...acked }
  }

  #open(first: number): AppendedFile {
    const ended = (why: string) => this.#log(`the audit in "${this.file}" has ended: ${why}`)
    return new AppendedFile(this.#options.file, ended, { first, patienceMs: PATIENCE_MS, mode: 0o600 })
  }

  #writeHead(node: Node): void {
    this.#part += 1
    const head: AuditHead = {
      format: AUDIT_FORMAT,
      version: AUDIT_VERSION,
      id: node.id,
      machine: machine(),
      life: this.#life,
      part: this.#part,
      wall: wallAnchor(),
      node: frozen(node),
    }
    this.#written = 0
    this.#write(`${JSON.stringify(head)}\n`)
    this.#remember(node)
  }

  #goOn(node: Node): void {
    const former = this.#file
    try {
      this.#file = this.#open(former.number + 1)
    } catch (error) {
      this.#log(
        `the audit in "${former.path}" has ended: ${error instanceof Error ? error.message : String(error)}`,
      )
      void former.close()
      return
    }
    this.#writeHead(node)
    this.#tidied = Promise.all([this.#tidied, former.close(), this.#removed(this.#former)])
    this.#former = former
  }

  async #removed(oldest: AppendedFile | null): Promise<void> {
    if (oldest === null) return
    await rm(oldest.path, { force: true }).catch((error: unknown) => this.#log(String(error)))
  }

  /** Resolves when everything is in the last two files, and the others are gone. */
  async stop(): Promise<void> {
    await Promise.all([this.#file.close(), this.#tidied])
  }
}

/** The kernel identifies each boot of a machine. Where it does not, the host name must do. */
function machine(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return hostname()
  }
}

function isSame(one: Readonly<Record<string, number>>, other: Readonly<Record<string, number>>): boolean {
  for (const key in one) if (one[key] !== other[key]) return false
  for (const key in other) if (!(key in one)) return false
  return true
}
