/** Processes of the benchmarks. They run as a program does: plain Node, without a loader for TypeScript. */
import { fileURLToPath } from 'node:url'
import { Program } from '@turnwise/fleet/program'
import { buildSync } from 'esbuild'
import type { Command } from './talk.ts'

/** A process of the benchmark, which answers what it is asked. */
export type Helper = Program<Command>

const HERE = fileURLToPath(new URL('.', import.meta.url))
const OUT = fileURLToPath(new URL('../../dist/bench/', import.meta.url))
const made = new Map<string, string>()

/** `file` is relative to this folder. */
export function startHelper(file: string): Helper {
  return new Program([made.get(file) ?? make(file)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    keeps: 2000,
    // Node 20 reads these certificates whenever a process starts, and no helper needs them.
    env: { NODE_EXTRA_CA_CERTS: '' },
  })
}

/** The JavaScript of a process. The built packages stay as they are, each module in its file. */
function make(file: string): string {
  // esbuild writes the paths of what it leaves out as seen from one folder, so all are in that one.
  const path = `${OUT}${file.replaceAll('/', '-').replace(/\.ts$/, '.js')}`
  buildSync({
    entryPoints: [`${HERE}${file}`],
    outfile: path,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    external: [fileURLToPath(new URL('../../packages/*', import.meta.url))],
  })
  made.set(file, path)
  return path
}
