/**
 * `npm run bench:install`: what it costs a program to add the library, beside an empty import and beside what it might add
 * instead. Each is installed by npm into an empty project. Each import has a process of its own, and the fastest counts: others
 * wait for the processor.
 */
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { run } from './packages/consumers.ts'
import { emptyProject, install, RegistryOutOfReach, root } from './packages/npm.ts'
import { packAll, withOurs } from './packages/tarballs.ts'

const IMPORTS = 15
const MEGABYTE = 1_000_000

/** The goals of the library. */
const MOST_PACKAGES = 10
const MOST_MEGABYTES = 4
const MOST_MILLISECONDS = 100

interface Row {
  readonly what: string
  readonly packages: number
  readonly megabytes: number
  readonly modules: number
  readonly milliseconds: number
}

/** Of another library: what npm installs, and what a program imports. */
const OTHERS = [
  { what: 'async-mutex (one process)', packages: ['async-mutex@0.5.0'], imports: ['async-mutex'] },
  {
    what: 'ioredis and redlock',
    packages: ['ioredis@6.0.0', 'redlock@5.0.0-beta.2'],
    imports: ['ioredis', 'redlock'],
  },
  { what: 'etcd3', packages: ['etcd3@1.1.2'], imports: ['etcd3'] },
  { what: 'pg', packages: ['pg@8.23.1'], imports: ['pg'] },
]

/** Counts every script of a file that the engine is given, ES module or CommonJS. */
const COUNTING = `import { Session } from 'node:inspector'
const seen = new Set()
const session = new Session()
session.connect()
session.on('Debugger.scriptParsed', ({ params: { url } }) => url.startsWith('file:') && seen.add(url))
session.post('Debugger.enable')
const before = new Set(seen)
await import('./program.mjs')
seen.delete(new URL('program.mjs', import.meta.url).href)
console.log([...seen].filter((url) => !before.has(url)).length)
process.exit()
`
const TIMING = `const began = performance.now()
await import('./program.mjs')
console.log(performance.now() - began)
process.exit()
`

function measure(folder: string, what: string, program: string): Row {
  for (const [file, text] of Object.entries({
    'program.mjs': program,
    'count.mjs': COUNTING,
    'time.mjs': TIMING,
  }))
    writeFileSync(join(folder, file), text)
  const printed = (file: string) => Number(run(process.execPath, [file], folder))
  const times = Array.from({ length: IMPORTS }, () => printed('time.mjs'))
  return {
    what,
    packages: installed(folder),
    megabytes: bytesIn(join(folder, 'node_modules')) / MEGABYTE,
    modules: printed('count.mjs'),
    milliseconds: Math.min(...times),
  }
}

/** npm keeps a list of what it has installed. */
function installed(folder: string): number {
  const list = join(folder, 'node_modules/.package-lock.json')
  if (statSync(list, { throwIfNoEntry: false }) === undefined) return 0
  return Object.keys((JSON.parse(readFileSync(list, 'utf8')) as { packages: object }).packages).length
}

function bytesIn(folder: string): number {
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) return 0
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const files = names.map((name) => statSync(join(folder, name))).filter((entry) => entry.isFile())
  return files.reduce((sum, { size }) => sum + size, 0)
}

function importing(names: readonly string[]): string {
  return names.map((name) => `import '${name}'\n`).join('')
}

function measureAll(project: () => string): void {
  const tarballs = withOurs(packAll(project()), 'turnwise').map(({ tarball }) => tarball)
  const home = project()
  install(home, tarballs)
  const ours = measure(home, 'turnwise', importing(['turnwise']))
  const joins = "import { join } from 'turnwise'\nawait (await join()).locks.request('a', () => {})\n"
  print(measure(project(), 'nothing: an empty import', ''))
  print(ours)
  print(measure(home, 'turnwise, with join and a first lock', joins))
  const modules = pathToFileURL(join(root, 'packages/turnwise/dist/index.js')).href
  print(measure(project(), 'its modules one by one, as `tsc -b` makes them', importing([modules])))
  for (const { what, packages, imports } of OTHERS) {
    const folder = project()
    install(folder, packages)
    print(measure(folder, what, importing(imports)))
  }
  const { packages, megabytes, milliseconds } = ours
  const goals = [
    [packages <= MOST_PACKAGES, `at most ${MOST_PACKAGES} packages`],
    [megabytes <= MOST_MEGABYTES, `at most ${MOST_MEGABYTES} MB`],
    [milliseconds < MOST_MILLISECONDS, `less than ${MOST_MILLISECONDS} ms`],
  ] as const
  const told = goals.map(([isReached, goal]) => `${goal}: ${isReached ? 'reached' : 'MISSED'}`)
  process.stdout.write(`\nturnwise, ${told.join('; ')}\n`)
}

function print({ what, packages, megabytes, modules, milliseconds }: Row): void {
  const figures = [packages, megabytes.toFixed(2), modules, milliseconds.toFixed(0)]
  process.stdout.write(`| ${what} | ${figures.join(' | ')} |\n`)
}

const folders: string[] = []
process.stdout.write('| | packages | MB | modules | ms to import |\n|---|---|---|---|---|\n')
try {
  measureAll(() => {
    const folder = emptyProject()
    folders.push(folder)
    return folder
  })
} catch (error) {
  if (!(error instanceof RegistryOutOfReach)) throw error
  process.stdout.write(`skipped the rest: ${error.message}\n`)
} finally {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}
