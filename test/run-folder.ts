import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { program } from './program.ts'

/**
 * A folder for all that a run of the tests writes, which goes with it: workers and the processes of tests are ended from outside and cannot
 * tidy up. Its name is short: paths of sockets are.
 */
export default async function setup(): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'tw'))
  // A server that a test starts as another user has a folder in it.
  chmodSync(folder, 0o711)
  process.env['TMPDIR'] = folder
  // Every node that a test joins starts a thread of this: packages/mesh/src/lease/thread.boot.mjs.
  const thread = await program(new URL('../packages/mesh/src/lease/thread.ts', import.meta.url), folder)
  process.env['TURNWISE_LEASE_THREAD'] = pathToFileURL(thread).href
  return () => rmSync(folder, { recursive: true, force: true })
}
