/**
 * PostgreSQL and etcd for `turnwise up`, tests and benchmarks: started from Debian's packages in a folder of their own, and ended with it. What
 * starts other servers for tests uses the same hands.
 */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { userInfo } from 'node:os'
import path from 'node:path'
import { freeAddress, LOOPBACK } from './ports.ts'
import { Program, type ProgramOptions } from './program.ts'

/** Milliseconds for a server to listen. */
const PATIENCE = 30_000

export interface Server {
  readonly port: number
  /** Of its process, which may have children. */
  readonly pid: number
  /** Ends it at once, as a crash would. What it acknowledged stays in its folder. */
  end(): Promise<void>
  /** Starts it again, after it has ended. */
  restart(): Promise<void>
  /** All its processes stand still; what is said to it meanwhile waits. */
  stop(): void
  continue(): void
}

/** Why a server cannot be started here. */
export class Missing extends Error {}

export type EngineName = 'postgresql' | 'etcd'

/** The place that members join at an engine which was started here. */
export function placeAt(name: EngineName, address: string): string {
  return name === 'etcd' ? `etcd://${address}/turnwise` : `postgres://postgres@${address}/postgres`
}

/** Options of a server beside those it needs. */
export type Settings = Readonly<Record<string, string>>

/** Starts a server whose folder is ready. */
export type Launch = (more: ProgramOptions) => Program

/** Makes what a server needs. */
export type Prepare = (folder: string, port: number, settings: Settings) => Promise<Launch> | Launch

/** `settings` are options of etcd beside those it needs; for PostgreSQL `password`. */
export function startEngine(
  name: EngineName,
  folder: string,
  settings: Settings = {},
  guard: Guard | null = null,
): Promise<Server> {
  // PostgreSQL is several processes, which it ends at once if it is told to quit.
  const ending = name === 'postgresql' ? 'SIGQUIT' : 'SIGKILL'
  return runServer(name, folder, name === 'etcd' ? prepareEtcd : preparePostgres, { settings, ending, guard })
}

/** Gets each process, and ends it if this program dies. Such a process has a session of its own: Ctrl-C is not for it. */
export type Guard = (program: Program) => void

/** Throws `Missing` where it is not installed. */
export function requireEngine(name: EngineName): void {
  if (name === 'postgresql') postgresFolder()
  else program('etcd', 'etcd-server')
}

export async function runServer(
  name: string,
  folder: string,
  prepare: Prepare,
  {
    settings = {},
    ending = 'SIGKILL',
    guard = null,
  }: {
    readonly settings?: Settings
    readonly ending?: NodeJS.Signals
    readonly guard?: Guard | null
  } = {},
): Promise<Server> {
  const own = path.join(folder, name)
  mkdirSync(own)
  const port = Number((await freeAddress()).split(':')[1])
  const launch = await prepare(own, port, settings)
  const detached = guard !== null
  let server = launch({ detached })
  const started = async () => {
    guard?.(server)
    try {
      await listening(server, port)
    } catch (error) {
      throw new Error(`${name} does not listen: ${server.err}`, { cause: error })
    }
  }
  await started()
  const signalAll = (signal: NodeJS.Signals) => {
    if (server.isRunning) familyOf(server.child.pid).map(signalled(signal))
  }
  return {
    port,
    stop: () => signalAll('SIGSTOP'),
    continue: () => signalAll('SIGCONT'),
    get pid() {
      return server.child.pid ?? Number.NaN
    },
    async end() {
      server.kill(ending)
      await server.exited
    },
    async restart() {
      server = launch({ detached })
      await started()
    },
  }
}

async function prepareEtcd(folder: string, port: number, added: Settings): Promise<Launch> {
  const scheme = 'cert-file' in added ? 'https' : 'http'
  const [client, peer] = [`${scheme}://${LOOPBACK}:${port}`, `http://${await freeAddress()}`]
  const settings = {
    name: 'one',
    'data-dir': folder,
    'log-level': 'error',
    'listen-client-urls': client,
    'advertise-client-urls': client,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    'initial-cluster': `one=${peer}`,
    ...added,
  }
  const args = Object.entries(settings).map(([name, value]) => `--${name}=${value}`)
  // Some versions want to be told that this is meant.
  const env = { ETCD_UNSUPPORTED_ARCH: process.arch }
  return launcher(program('etcd', 'etcd-server'), args, { env })
}

/** The programs of PostgreSQL, of the latest version that is installed. The package of the client has such a folder, too. */
export function postgresFolder(versions = '/usr/lib/postgresql'): string {
  const all = existsSync(versions) ? readdirSync(versions) : []
  const folder = all
    .toSorted((a, b) => Number(a) - Number(b))
    .map((version) => path.join(versions, version, 'bin'))
    .findLast((bin) => existsSync(path.join(bin, 'postgres')))
  if (folder === undefined) throw new Missing('apt-get install postgresql')
  return folder
}

/**
 * It refuses to be root: there it gets the user that Debian made for it. Without a password every user of the machine could be its
 * superuser, who may run programs in its name: that is for tests.
 */
function preparePostgres(folder: string, port: number, { password }: Settings): Launch {
  const bin = postgresFolder()
  const as = handOver(folder)
  const data = path.join(folder, 'data')
  const proof =
    password === undefined
      ? ['-A', 'trust']
      : ['-A', 'scram-sha-256', '--pwfile', passwordFile(folder, password, as)]
  const make = ['-D', data, ...proof, '-U', 'postgres', '--no-sync']
  // What it says against it is in the error.
  execFileSync(path.join(bin, 'initdb'), make, { stdio: ['ignore', 'ignore', 'pipe'], cwd: folder, ...as })
  const settings = [`listen_addresses=${LOOPBACK}`, `unix_socket_directories=${folder}`, 'fsync=off']
  const args = ['-D', data, '-p', `${port}`, ...settings.flatMap((each) => ['-c', each])]
  return launcher(path.join(bin, 'postgres'), args, { cwd: folder, ...as })
}

function passwordFile(folder: string, password: string, { uid, gid }: ReturnType<typeof handOver>): string {
  const file = path.join(folder, 'password')
  writeFileSync(file, password, { mode: 0o600 })
  if (uid !== undefined && gid !== undefined) chownSync(file, uid, gid)
  return file
}

/** To the user as whom the servers of PostgreSQL run. */
export function handOver(folder: string): { readonly uid?: number; readonly gid?: number } {
  if (userInfo().uid !== 0) return {}
  const id = (what: string) => Number(execFileSync('id', [what, 'postgres'], { encoding: 'utf8' }))
  const as = { uid: id('-u'), gid: id('-g') }
  chownSync(folder, as.uid, as.gid)
  // Its way there too must be open to that user.
  chmodSync(path.dirname(folder), 0o755)
  return as
}

export function program(name: string, debian: string): string {
  const found = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin']
    .map((folder) => path.join(folder, name))
    .find((file) => existsSync(file))
  if (found === undefined) throw new Missing(`apt-get install ${debian}`)
  return found
}

export function launcher(file: string, args: readonly string[], options: ProgramOptions = {}): Launch {
  return (more) =>
    new Program(args, { file, ...options, ...more, stdio: ['ignore', 'ignore', 'pipe'], keeps: 2000 })
}

async function listening({ child }: Program, port: number): Promise<void> {
  const deadline = performance.now() + PATIENCE
  for (;;) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`)
    if (await answers(port)) return
    if (performance.now() > deadline) throw new Error('it took too long')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** A process and those that it has started: PostgreSQL has one for each connection. Only Linux tells, and of one that has not just ended. */
function familyOf(pid = 0): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
    return [pid, ...(children === '' ? [] : children.split(' ').map(Number))]
  } catch {
    return [pid]
  }
}

/** One that has ended since needs none. */
function signalled(signal: NodeJS.Signals): (pid: number) => void {
  return (pid) => {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: LOOPBACK })
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}
