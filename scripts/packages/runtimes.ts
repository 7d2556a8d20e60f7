/** Runtimes from npm, which has their binaries as packages by platform. They lie outside the workspace: see `.gitignore`. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { install, root } from './npm.ts'

export interface Runtime {
  readonly name: string
  /** The program, with what it needs before the name of a script. */
  readonly command: readonly [program: string, ...options: string[]]
}

/** The first is the oldest that is promised. */
const NODES = ['20.19.0', '22.23.3', '24.21.0', '26.10.0']
const BUN = '1.4.4'
const DENO = '2.9.5'

const home = join(root, '.runtimes')
const { platform, arch } = process
const isWindows = platform === 'win32'
const end = isWindows ? '.exe' : ''

interface Wanted extends Runtime {
  /** What npm installs, as `name@version` or `alias@npm:name@version`. */
  readonly package: string
}

function node(version: string): Wanted {
  const name = `node-${version}`
  const binary = join(home, 'node_modules', name, 'bin', `node${end}`)
  const by = `node-${isWindows ? 'win' : platform}-${arch}`
  return { name: `Node ${version}`, command: [binary], package: `${name}@npm:${by}@${version}` }
}

function bun(): Wanted {
  const name = `@oven/bun-${isWindows ? 'windows' : platform}-${arch === 'arm64' ? 'aarch64' : arch}`
  const binary = join(home, 'node_modules', name, 'bin', `bun${end}`)
  return { name: `Bun ${BUN}`, command: [binary, '--bun'], package: `${name}@${BUN}` }
}

function deno(): Wanted {
  const name = `@deno/${platform}-${arch}${platform === 'linux' ? '-glibc' : ''}`
  const binary = join(home, 'node_modules', name, `deno${end}`)
  return { name: `Deno ${DENO}`, command: [binary, 'run', '--allow-all'], package: `${name}@${DENO}` }
}

/** Downloads those that are not there yet. */
export function runtimes(): Runtime[] {
  const wanted = [...NODES.map(node), bun(), deno()]
  if (wanted.every(({ command: [binary] }) => existsSync(binary))) return wanted
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'package.json'), JSON.stringify({ name: 'runtimes', private: true }))
  install(
    home,
    wanted.map((each) => each.package),
  )
  return wanted
}
