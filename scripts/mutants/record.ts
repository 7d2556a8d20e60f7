/** The results for the mutants of each file, as `docs/mutants.md` tells it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Noticed } from './child.ts'
import { lineOf, type Mutant } from './mutate.ts'

export interface Outcome extends Mutant {
  readonly file: string
  readonly noticed: Noticed
  /** Why it cannot be noticed, if somebody has shown that. */
  readonly why: string | null
}

/** One mutant that nobody noticed. */
export interface Unnoticed {
  readonly line: string
  readonly before: string
  readonly after: string
  /** Why it cannot be noticed; null of a survivor. */
  readonly why: string | null
}

export interface FileRecord {
  readonly mutants: number
  /** How many were noticed first by a scenario, a run or a model; the rest do not load, end or stay in the bounds of their lists. */
  readonly scenario: number
  readonly run: number
  readonly model: number
  readonly unnoticed: readonly Unnoticed[]
}

const path = new URL('./record.json', import.meta.url)

export function readRecords(): Readonly<Record<string, FileRecord>> {
  if (!existsSync(path)) return {}
  return JSON.parse(readFileSync(path, 'utf8')) as Record<string, FileRecord>
}

export function writeRecord(file: string, record: FileRecord): void {
  const records = Object.entries({ ...readRecords(), [file]: record })
  const sorted = Object.fromEntries(records.toSorted(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(path, `${JSON.stringify(sorted, null, 2)}\n`)
}

export function recordOf(text: string, outcomes: readonly Outcome[]): FileRecord {
  const by = (who: string) => outcomes.filter(({ noticed }) => noticed?.startsWith(`${who} `)).length
  const unnoticed = outcomes.filter(({ noticed }) => noticed === null)
  return {
    mutants: outcomes.length,
    scenario: by('scenario'),
    run: by('run'),
    model: by('model'),
    unnoticed: unnoticed.map((mutant) => ({
      line: lineOf(text, mutant),
      before: oneLine(mutant.before),
      after: mutant.after,
      why: mutant.why,
    })),
  }
}

/** A piece of a text as one line. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}
