/** The sources of bundles. */
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DEFAULT_ALGORITHM, SERVE_OTHERS } from '../../packages/mesh/src/protocol/serving.ts'

const PACKAGES = fileURLToPath(new URL('../../packages/', import.meta.url))

/** A file of a package, such as `source('mesh/src/join.ts')`. */
export function source(path: string): string {
  return join(PACKAGES, path)
}

/** The lease thread, which is a program of its own. It lies beside the file that starts it. */
export const THREAD = {
  entries: { thread: source('mesh/src/lease/thread.ts') },
  together: {},
  prefix: 'thread-',
}

/** What every member loads before it has joined. */
export function loadedToJoin(): readonly string[] {
  return [source('mesh/src/join.ts'), ...[DEFAULT_ALGORITHM, ...SERVE_OTHERS].map(algorithm)]
}

function algorithm(name: string): string {
  const home = source('algorithms/src')
  const file = readdirSync(home, { recursive: true, encoding: 'utf8' }).find(
    (path) => basename(path) === `${name}.ts`,
  )
  if (file === undefined) throw new Error(`no algorithm has the name ${name}`)
  return join(home, file)
}
