import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** The text of a file of `@turnwise/algorithms`, such as `src/token/raymond.ts`: the package has its sources beside what was built. */
export function readSource(path: string): string {
  const home = dirname(createRequire(import.meta.url).resolve('@turnwise/algorithms/package.json'))
  return readFileSync(join(home, path), 'utf8')
}
