import { copyFileSync, existsSync, mkdtempSync, renameSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle } from './program.ts'

const PACKAGE = new URL('../packages/cli/', import.meta.url)

/** The built command line, as it is installed. */
export const INSTALLED = fileURLToPath(new URL('bin/turnwise.js', PACKAGE))

/**
 * The built command line in few files: with its two hundred modules a daemon takes twice the processor time to start. It is made once for a
 * run of the tests, by the test that needs it first, and lies as deep below its package.json as what is installed.
 */
export function bundled(): string {
  const ready = join(tmpdir(), 'turnwise')
  const file = join(ready, 'dist/cli/turnwise.js')
  if (existsSync(file)) return file
  const made = mkdtempSync(join(tmpdir(), 'turnwise-'))
  copyFileSync(new URL('package.json', PACKAGE), join(made, 'package.json'))
  // The page is found where it is installed.
  symlinkSync(fileURLToPath(new URL('../node_modules', import.meta.url)), join(made, 'node_modules'), 'dir')
  bundle(
    {
      turnwise: new URL('bin/turnwise.js', PACKAGE),
      member: new URL('dist/cluster/member.js', PACKAGE),
      guard: new URL('dist/fleet/guard.js', PACKAGE),
      'check-worker': new URL('dist/cli/check-worker.js', PACKAGE),
      'grade-worker': new URL('dist/cli/grade-worker.js', PACKAGE),
      thread: new URL('../mesh/dist/lease/thread.js', PACKAGE),
    },
    join(made, 'dist/cli'),
  )
  try {
    renameSync(made, ready)
  } catch (error) {
    // Another worker was quicker.
    if (!existsSync(file)) throw error
  }
  return file
}
