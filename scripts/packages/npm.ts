/** npm, and empty projects outside the workspace for it to install into. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** What npm says when it needs the registry and cannot reach it. */
const OUT_OF_REACH = /ENOTCACHED|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT/

export class RegistryOutOfReach extends Error {}

/** The npm that runs this script, by Node: on Windows it is no program that could be started by its name. */
export function npm(args: readonly string[], cwd: string): string {
  const { npm_execpath: script } = process.env
  if (script === undefined) throw new Error('start this with npm run: it needs to know which npm to use')
  try {
    const options = { cwd, encoding: 'utf8', stdio: 'pipe', maxBuffer: 2 ** 26 } as const
    return execFileSync(process.execPath, [script, ...args], options)
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error)
    if (OUT_OF_REACH.test(said))
      throw new RegistryOutOfReach('npm cannot reach its registry, and its cache lacks a package')
    throw new Error(`npm ${args.join(' ')} failed:\n${said}`, { cause: error })
  }
}

/** A folder with a package.json that has nothing in it. */
export function emptyProject(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'turnwise-project-')))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', private: true }))
  return folder
}

/** Installs packages by name and version or tarball, from npm's cache where it has them. */
export function install(folder: string, packages: readonly string[]): void {
  const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  npm(['install', ...quietly, ...packages], folder)
}
