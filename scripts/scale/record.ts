/** What `npm run scale -- --record` has measured, as docs/scale.md tells it. */
import { readFileSync, writeFileSync } from 'node:fs'
import type { Churned, ViewCost } from './churn.ts'
import type { Measured } from './messages.ts'

export interface ScaleRecord {
  /** With more nodes than are simulated anew whenever documents are checked. */
  readonly messages: readonly Measured[]
  readonly views: readonly ViewCost[]
  readonly churn: readonly Churned[]
}

const FILE = new URL('record.json', import.meta.url)

export function readRecord(): ScaleRecord {
  return JSON.parse(readFileSync(FILE, 'utf8')) as ScaleRecord
}

export function writeRecord(record: ScaleRecord): void {
  writeFileSync(FILE, `${JSON.stringify(record, null, 2)}\n`)
}
