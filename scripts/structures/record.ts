/** What the checker and the theorem of Sanders (1987) said of the structures of three nodes, as `docs/structures.md` tells it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** One search of all structures, as far as it went. Counts are of structures, not of classes. */
export interface Tally {
  /** The number of the first structure that was not looked at yet. */
  readonly next: number
  /** Structures that differ only in the names of nodes are one class. One of each was searched. */
  readonly classes: number
  readonly structures: number
  /** Conditions a and b hold, as printed. */
  readonly printed: number
  /** They hold of what is left without the nodes that are told but not asked. */
  readonly theorem: number
  /** The checker finds nothing wrong. */
  readonly checker: number
  /** The checker finds nothing wrong although the footnote, which is sufficient only, does not hold. */
  readonly beyond: number
  /** Where the theorem is wrong. */
  readonly wrong: readonly string[]
  /** Processor time, in seconds. */
  readonly seconds: number
}

export const NOTHING: Tally = {
  next: 0,
  classes: 0,
  structures: 0,
  printed: 0,
  theorem: 0,
  checker: 0,
  beyond: 0,
  wrong: [],
  seconds: 0,
}

const path = new URL('./record.json', import.meta.url)

/** By how often each node may ask. */
export function readTallies(): Readonly<Record<string, Tally>> {
  if (!existsSync(path)) return {}
  return JSON.parse(readFileSync(path, 'utf8')) as Record<string, Tally>
}

export function writeTally(requests: number, tally: Tally): void {
  writeFileSync(path, `${JSON.stringify({ ...readTallies(), [requests]: tally }, null, 2)}\n`)
}
