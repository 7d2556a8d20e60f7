import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * A folder for all that a run of the tests writes, which goes with it: workers and the processes of tests are ended from outside and cannot
 * tidy up. Its name is short: paths of sockets are.
 */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'tw'))
  // A server that a test starts as another user has a folder in it.
  chmodSync(folder, 0o711)
  process.env['TMPDIR'] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}
