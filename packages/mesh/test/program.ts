/**
 * Programs of the tests that run as processes of their own. Each is made into JavaScript once for a worker: a process
 * that reads TypeScript takes seven times the processor time to start, and there are a hundred of them.
 */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'

const made = new Map<string, string>()

/** The JavaScript of a program of the tests, with the lease thread beside it, as a service would be bundled. */
export function program(source: URL): string {
  const known = made.get(source.href)
  if (known !== undefined) return known
  const outdir = mkdtempSync(join(process.env['TURNWISE_PROGRAMS'] ?? tmpdir(), 'program-'))
  writeFileSync(join(outdir, 'package.json'), '{ "type": "module" }')
  buildSync({
    entryPoints: {
      program: fileURLToPath(source),
      thread: fileURLToPath(new URL('../src/lease/thread.ts', import.meta.url)),
    },
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    conditions: ['turnwise-source'],
    sourcemap: 'inline',
    // What is CommonJS inside asks for modules of Node by `require`.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  })
  const file = join(outdir, 'program.js')
  made.set(source.href, file)
  return file
}
