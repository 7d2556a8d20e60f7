import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder for the programs of a run of the tests, which goes with it: workers are ended from outside and cannot tidy up. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-programs-'))
  process.env['TURNWISE_PROGRAMS'] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}
