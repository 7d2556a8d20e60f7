/**
 * Programs of the tests and the torture that run as processes of their own. Each is made into JavaScript once: a process that reads
 * TypeScript takes seven times the processor time to start, and is not there again before a lease is over.
 */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeFewFiles } from '../scripts/bundle/few-files.ts'
import { loadedToJoin, THREAD } from '../scripts/bundle/sources.ts'

const made = new Map<string, Promise<string>>()

/** The JavaScript of a program, with the lease thread beside it, as a service would be bundled. */
export function program(source: URL, folder = tmpdir()): Promise<string> {
  const key = `${folder} ${source.href}`
  const known = made.get(key) ?? make(fileURLToPath(source), mkdtempSync(join(folder, 'program-')))
  made.set(key, known)
  return known
}

async function make(source: string, folder: string): Promise<string> {
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const common = { folder, external: [] }
  await Promise.all([
    writeFewFiles({
      ...common,
      entries: { program: source },
      together: { loaded: [source, ...loadedToJoin()] },
    }),
    writeFewFiles({ ...common, ...THREAD }),
  ])
  return join(folder, 'program.js')
}
