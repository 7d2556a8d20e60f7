/** What a voter remembers for callers, in a file beside its state: it may be longer, and is written more often. */
import type { Shelf } from '../protocol/keeping.ts'
import { isObject } from '../transport/checks.ts'
import { shelvesCheck } from '../transport/codec.ts'
import { readChecked, writeChecked } from './checked-file.ts'

export interface Remembered {
  /**
   * The first view with the present voters, or 0 if there never were others (`Roster.since`); and when this voter learned of
   * it.
   */
  readonly since: number
  /** Milliseconds since 1970. */
  readonly at: number
  readonly shelves: ReadonlyMap<string, Shelf>
}

export const NOTHING: Remembered = { since: 0, at: 0, shelves: new Map() }

/** Notes the time when this voter learns of new voters. */
export function inEra(remembered: Remembered, since: number, now: number): Remembered {
  return since > remembered.since ? { ...remembered, since, at: now } : remembered
}

const MARK = 'turnwise-memory'
const FORMAT = 1

export function writeMemory({ since, at, shelves }: Remembered): string {
  const list = [...shelves].map(([name, shelf]) => ({ name, ...shelf }))
  return writeChecked(MARK, FORMAT, `${JSON.stringify({ since, at, shelves: list })}\n`)
}

/** What is remembered, or an explanation of what is wrong with the file. */
export function readMemory(content: string): Remembered | string {
  const read = readChecked(MARK, [FORMAT], content)
  if (typeof read === 'string') return read
  let value: unknown
  try {
    value = JSON.parse(read.body)
  } catch {
    return 'it is not JSON'
  }
  const { since, at, shelves } = isObject(value) ? value : {}
  if (!Number.isSafeInteger(since) || !Number.isFinite(at)) return 'since: it is not a number'
  const complaint = shelvesCheck(shelves)
  if (complaint !== null) return `shelves: ${complaint}`
  const list = shelves as readonly (Shelf & { readonly name: string })[]
  return {
    since: since as number,
    at: at as number,
    shelves: new Map(list.map(({ name, promised, kept }) => [name, { promised, kept }])),
  }
}
