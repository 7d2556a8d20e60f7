/**
 * Runs in the cells of a meeting place, one cell for each name. The version of a cell serves as a fence. It is never used twice,
 * so a holder that was stopped after reading, and lost its lock, is refused when it writes.
 */
import { createHash, randomUUID } from 'node:crypto'
import { lockLost, NoQuorumError, RunUnknownError } from '../locks/errors.ts'
import type { Memory, Page } from '../locks/run-memory.ts'
import { type Cell, ONCE, type Version } from '../protocol/meeting/cells.ts'
import { NO_RUNS, type Runs, readRuns, writeRuns } from '../protocol/runs.ts'
import { PATIENCE_MS, type Register, unknown } from '../register/register.ts'
import { complaintOf, inTime, untilAnswered } from '../register/server-answers.ts'

export interface CellOptions {
  /** As text for people. */
  readonly place: string
  /** Milliseconds to wait for an answer. */
  readonly patience: number
  /** Milliseconds until the place counts as away. */
  readonly persistence?: number
}

export function cellMemory(register: Register, options: CellOptions): Memory {
  return {
    async open(name) {
      const cell = cellOf(name)
      const asking = { register, cell, name, ...options }
      const found = await read(asking)
      return pageOf(asking, runsIn(asking, found), found?.version ?? null)
    },
  }
}

/** Names may be long, but names of cells may not. */
function cellOf(name: string): string {
  return `${ONCE}${createHash('sha256').update(name).digest('hex').slice(0, 32)}`
}

interface Asking extends CellOptions {
  readonly register: Register
  readonly cell: string
  readonly name: string
}

function pageOf(asking: Asking, runs: Runs, opened: Version | null): Page {
  let version = opened
  return {
    runs,
    // An engine gives all readers the same answer.
    confirm: () => Promise.resolve(),
    async write(next) {
      // The nonce identifies its own text, if the engine did not say whether it was written.
      const text = JSON.stringify({ name: asking.name, nonce: randomUUID(), runs: writeRuns(next) })
      version = await replace(asking, version, text)
    },
  }
}

function runsIn({ name, place, cell }: Asking, found: Cell | null): Runs {
  if (found === null) return NO_RUNS
  const runs = readRuns(textIn(found))
  if (runs !== null) return runs
  throw new RunUnknownError(`the runs of "${name}" at ${place} are damaged: cell ${cell}`)
}

function textIn({ value }: Cell): string {
  try {
    return String((JSON.parse(value) as { readonly runs?: unknown }).runs)
  } catch {
    return ''
  }
}

async function read({ register, cell, name, place, patience, ...rest }: Asking): Promise<Cell | null> {
  const deadline = performance.now() + (rest.persistence ?? PATIENCE_MS)
  try {
    return await untilAnswered(() => inTime(register.read(cell), patience), deadline)
  } catch (cause) {
    const why = `the runs of "${name}" at ${place} cannot be read: ${complaintOf(cause)}`
    throw new NoQuorumError(why, { cause })
  }
}

/** An unknown outcome is looked up. A second attempt has the same version and text, so it changes nothing twice. */
async function replace(asking: Asking, version: Version | null, text: string): Promise<Version> {
  const { register, cell, name, place, patience, persistence = PATIENCE_MS } = asking
  const deadline = performance.now() + persistence
  for (;;) {
    const outcome = await inTime(register.cas(cell, version, text), patience).catch((error: unknown) =>
      unknown(complaintOf(error)),
    )
    if (outcome.kind === 'done') return outcome.version
    const found = await read(asking).catch(() => undefined)
    if (found?.value === text) return found.version
    const isOthers = found !== undefined && (found?.version ?? null) !== version
    if (isOthers) throw lockLost(name)
    if (performance.now() < deadline) continue
    const why =
      outcome.kind === 'unknown' ? outcome.why : 'the write was refused, and the cell cannot be read'
    throw new RunUnknownError(`it is unknown whether a run of "${name}" is remembered at ${place}: ${why}`)
  }
}
