/** Programs that use the library as it is installed: `consumer.mts`, built in every way in which others build theirs. */
import { spawnSync } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { root } from './npm.ts'
import type { Runtime } from './runtimes.ts'

const CONSUMER = fileURLToPath(new URL('consumer.mts', import.meta.url))
const SAYS = 'took turns alone and among three'
const DEADLINE_MS = 120_000

/** As strict as it gets, and nothing of a library is taken on trust. */
const STRICT = [
  '--strict',
  '--exactOptionalPropertyTypes',
  '--noUncheckedIndexedAccess',
  '--skipLibCheck',
  'false',
]

/** One for nodenext as an ES module and one as CommonJS; for bundlers the types alone, since those build from sources. */
export function compileConsumers(folder: string): { readonly esm: string; readonly commonjs: string } {
  for (const name of ['esm.mts', 'commonjs.cts', 'bundler.ts']) copyFileSync(CONSUMER, join(folder, name))
  const nodenext = ['--module', 'nodenext', 'esm.mts', 'commonjs.cts']
  const bundler = ['--module', 'esnext', '--moduleResolution', 'bundler', '--noEmit', 'bundler.ts']
  for (const way of [nodenext, bundler]) {
    const tsc = [join(root, 'node_modules/typescript/bin/tsc'), '--target', 'es2023', '--types', 'node']
    run(process.execPath, [...tsc, ...STRICT, ...way], folder)
  }
  return { esm: join(folder, 'esm.mjs'), commonjs: join(folder, 'commonjs.cjs') }
}

/** Bundles the consumer into a folder in which nothing is installed. The lease thread is a program of its own. */
export async function bundleConsumer(folder: string, into: string, withThread: boolean): Promise<string> {
  const thread = { out: 'thread', in: 'turnwise/thread' }
  await build({
    absWorkingDir: folder,
    entryPoints: [{ out: 'consumer', in: 'bundler.ts' }, ...(withThread ? [thread] : [])],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    outdir: into,
    logLevel: 'error',
  })
  return join(into, 'consumer.js')
}

/** Runs a consumer to its end; throws with what it said if that is not what it should say. */
export function mustTakeTurns(runtime: Runtime['command'], file: string): void {
  const [program, ...options] = runtime
  const said = run(program, [...options, file])
  if (!said.includes(SAYS)) throw new Error(`${file} ended without a word of its turns: ${said}`)
}

/** What a program prints; throws with all it said if it fails. */
export function run(program: string, args: readonly string[], cwd?: string): string {
  const { status, signal, error, stdout, stderr } = attempt(program, args, cwd)
  if (status === 0) return stdout
  const end = error?.message ?? (signal === null ? `ended with ${status}` : `was ended by ${signal}`)
  throw new Error(`${[program, ...args].join(' ')} ${end}\n${stdout}${stderr}`)
}

export function attempt(program: string, args: readonly string[], cwd?: string) {
  return spawnSync(program, args, { cwd, encoding: 'utf8', timeout: DEADLINE_MS })
}
