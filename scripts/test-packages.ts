/**
 * `npm run test:packages`: packs every package, looks at what is in the tarballs, installs them into empty projects, and uses
 * them there as others would. What our packages depend on comes from npm's cache, or from its registry.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { attempt, bundleConsumer, compileConsumers, mustTakeTurns, run } from './packages/consumers.ts'
import { complaintsAbout } from './packages/contents.ts'
import { emptyProject, install, RegistryOutOfReach } from './packages/npm.ts'
import { type Packed, packAll, withOurs } from './packages/tarballs.ts'

const TYPES = '@types/node@20.19.43'
const folders: string[] = []

function project(): string {
  const folder = emptyProject()
  folders.push(folder)
  return folder
}

function passed(what: string): void {
  process.stdout.write(`ok  ${what}\n`)
}

async function contents(all: readonly Packed[]): Promise<void> {
  const complaints: string[] = []
  for (const packed of all) complaints.push(...(await complaintsAbout(packed)))
  if (complaints.length > 0) throw new Error(complaints.join('\n'))
  passed(
    `${all.length} tarballs have what they need and no more, and no broken rule of the mesh; publint and arethetypeswrong find nothing`,
  )
}

async function library(all: readonly Packed[]): Promise<void> {
  const folder = project()
  install(folder, [...withOurs(all, 'turnwise').map(({ tarball }) => tarball), TYPES])
  const { esm, commonjs } = compileConsumers(folder)
  passed('a strict consumer compiles for nodenext, as ES module and as CommonJS, and for bundlers')
  mustTakeTurns([process.execPath], esm)
  passed('an ES module takes a lock')
  mustTakeTurns([process.execPath], commonjs)
  passed('a CommonJS module requires it, and takes a lock')
  mustTakeTurns([process.execPath], await bundleConsumer(folder, project(), true))
  passed('a bundle of esbuild with the lease thread beside it takes a lock where nothing is installed')
  const without = attempt(process.execPath, [await bundleConsumer(folder, project(), false)])
  if (!/InvalidInput: the lease thread .* is missing/.test(without.stderr))
    throw new Error(`a bundle without the lease thread should say what is missing: ${without.stderr}`)
  passed('a bundle without the lease thread says what is missing')
}

function commandLine(all: readonly Packed[]): void {
  const folder = project()
  install(
    folder,
    withOurs(all, '@turnwise/cli').map(({ tarball }) => tarball),
  )
  const turnwise = (...args: string[]) =>
    run(process.execPath, [join(folder, 'node_modules/@turnwise/cli/bin/turnwise.js'), ...args], folder)
  const { entries } = JSON.parse(turnwise('simulate', 'raymond', '--nodes', '5', '--json')) as {
    entries: number
  }
  if (!(entries > 0)) throw new Error('turnwise simulate --json tells of no entries')
  turnwise('compare', 'raymond', 'lamport', '--entries', '100', '--plot', 'chart.svg')
  passed('the command line simulates, and draws a chart')
  if (process.platform === 'win32') return
  turnwise('up', '--nodes', '3', '--for', '2s')
  passed('the command line takes turns among three processes')
}

async function main(): Promise<void> {
  try {
    const all = packAll(project())
    await contents(all)
    await library(all)
    commandLine(all)
  } catch (error) {
    if (!(error instanceof RegistryOutOfReach)) throw error
    process.stdout.write(`skipped the rest: ${error.message}\n`)
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  }
}

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
})
