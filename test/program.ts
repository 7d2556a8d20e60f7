/**
 * Programs of the tests and the torture that run as processes of their own. Each is made into JavaScript once: a process that reads
 * TypeScript takes seven times the processor time to start, and is not there again before a lease is over.
 */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'

const made = new Map<string, string>()

/** The JavaScript of a program, with the lease thread beside it, as a service would be bundled. */
export function program(source: URL, folder = tmpdir()): string {
  const key = `${folder} ${source.href}`
  const known = made.get(key)
  if (known !== undefined) return known
  const outdir = mkdtempSync(join(folder, 'program-'))
  writeFileSync(join(outdir, 'package.json'), '{ "type": "module" }')
  const thread = new URL('../packages/mesh/src/lease/thread.ts', import.meta.url)
  bundle({ program: source, thread }, outdir, ['turnwise-source'])
  const file = join(outdir, 'program.js')
  made.set(key, file)
  return file
}

/** Few files of all that these entries load, with the entries side by side under the names given. */
export function bundle(
  entries: Readonly<Record<string, URL>>,
  outdir: string,
  conditions: readonly string[] = [],
): void {
  buildSync({
    entryPoints: Object.fromEntries(Object.entries(entries).map(([name, url]) => [name, fileURLToPath(url)])),
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    conditions: [...conditions],
    // What is CommonJS inside asks for modules of Node by `require`.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
  })
}
