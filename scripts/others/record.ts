/** What both checkers found when they last searched all worlds, as `docs/other-checkers.md` tells it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Found, Run } from './checker.ts'
import { RUNS } from './runs.ts'

export interface Recorded {
  readonly run: Run
  readonly ours: Found
  readonly theirs: Found
}

const path = new URL('./record.json', import.meta.url)

export function readRecord(): readonly Recorded[] {
  if (!existsSync(path)) return []
  return JSON.parse(readFileSync(path, 'utf8')) as Recorded[]
}

/** What was found of other worlds stays. */
export function writeRecord(fresh: readonly Recorded[]): void {
  const found = new Map([...readRecord(), ...fresh].map((each) => [JSON.stringify(each.run), each]))
  const records = RUNS.flatMap((run) => found.get(JSON.stringify(run)) ?? [])
  writeFileSync(path, `${JSON.stringify(records, null, 2)}\n`)
}
