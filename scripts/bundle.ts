/** Makes few files of the packages that programs start with: a part of `npm run build`, after `tsc -b`. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Bundle, writeFewFiles } from './bundle/few-files.ts'
import { loadedToJoin, source, THREAD } from './bundle/sources.ts'
import { copyTypes } from './bundle/types.ts'

/** The library has the code of the mesh, of the algorithms and of `core` in it. All that it needs beside itself is the codec. */
async function library(): Promise<void> {
  const names = ['index', 'connect', 'guards', 'testing']
  const folder = await write('turnwise', {
    entries: Object.fromEntries(names.map((name) => [name, source(`turnwise/src/${name}.ts`)])),
    together: {
      daemon: [source('turnwise/src/connect.ts')],
      mesh: [source('turnwise/src/index.ts'), ...loadedToJoin()],
    },
  })
  const declarations = names.map((name) => [name, source(`turnwise/dist/${name}`)])
  copyTypes(Object.fromEntries(declarations), folder, ['mesh', 'algorithms', 'core'])
  // It exports nothing.
  writeFileSync(join(folder, 'thread.d.ts'), 'export {}\n')
}

/** The command line has the code of all packages in it. No process has both this and the library. */
async function commandLine(): Promise<void> {
  await write('cli', {
    entries: {
      turnwise: source('cli/src/cli/main.ts'),
      'up-member': source('cli/src/cluster/up-member.ts'),
      guard: source('fleet/src/guard.ts'),
      'check-worker': source('cli/src/cli/check-worker.ts'),
      'grade-worker': source('cli/src/cli/grade-worker.ts'),
    },
    together: {
      main: [source('cli/src/cli/main.ts')],
      client: ['lock', 'status', 'locks', 'metrics'].map((name) => source(`cli/src/cli/commands/${name}.ts`)),
      mesh: [...loadedToJoin(), source('mesh/src/join-at.ts')],
      'up-member': [source('cli/src/cluster/up-member.ts')],
      node: [source('cli/src/cli/commands/node.ts')],
      catalogue: [source('algorithms/src/catalogue.ts')],
    },
  })
}

/** Writes the bundle of a package, with the lease thread, and returns its folder. */
async function write(name: string, bundle: Omit<Bundle, 'folder' | 'external'>): Promise<string> {
  const folder = source(`${name}/dist/bundle`)
  const external = installedWith(name)
  rmSync(folder, { recursive: true, force: true })
  const modules = [
    ...(await writeFewFiles({ ...bundle, folder, external })),
    // A thread has its own copy of every module in any case, and needs few of them.
    ...(await writeFewFiles({ ...THREAD, folder, external })),
  ]
  const foreign = modules.find((id) => id.includes('node_modules'))
  if (foreign !== undefined)
    throw new Error(`${foreign} would be published as a part of ${name}: make its package a dependency`)
  return folder
}

/** The packages of others that npm installs with this one, or that its user may install beside it. */
function installedWith(name: string): readonly RegExp[] {
  const { dependencies, peerDependencies } = JSON.parse(
    readFileSync(source(`${name}/package.json`), 'utf8'),
  ) as Readonly<Record<'dependencies' | 'peerDependencies', Readonly<Record<string, string>>>>
  return Object.keys({ ...dependencies, ...peerDependencies })
    .filter((other) => !other.startsWith('@turnwise/'))
    .map((other) => new RegExp(`^${other}(?:/|$)`))
}

await library()
await commandLine()
