/** Servers for tests and benchmarks, started from Debian's packages in a folder of their own, and ended with it. */
import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
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
import { freeAddress, LOOPBACK } from '../packages/cli/src/fleet/ports.ts'

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

export type ServerName = 'redis' | 'postgresql' | 'pgbouncer' | 'etcd' | 'zookeeper'

/** Why tests with these servers are left out, or null. With TURNWISE_SERVERS_REQUIRED=1 that is an error. */
export function serverObstacle(name: 'postgresql' | 'pgbouncer' | 'etcd' | 'redis'): string | null {
  try {
    if (name === 'postgresql') postgresFolder()
    else if (name === 'etcd') program('etcd', 'etcd-server')
    else if (name === 'redis') program('redis-server', 'redis-server')
    else program('pgbouncer', 'pgbouncer')
    return null
  } catch (error) {
    if (!(error instanceof Missing) || process.env['TURNWISE_SERVERS_REQUIRED'] === '1') throw error
    return `${name} was not found: ${error.message}`
  }
}

/** `settings` are options of etcd beside those it needs; for pgbouncer `port`, that of PostgreSQL. */
export async function startServer(
  name: ServerName,
  folder: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Server> {
  const own = path.join(folder, name)
  mkdirSync(own)
  const port = Number((await freeAddress()).split(':')[1])
  const launch = await PREPARE[name](own, port, settings)
  let child = launch()
  const started = async () => {
    let said = ''
    child.stderr?.on('data', (text) => (said = `${said}${text}`.slice(-2000)))
    try {
      await listening(child, port)
    } catch (error) {
      throw new Error(`${name} does not listen: ${said}`, { cause: error })
    }
  }
  await started()
  const signalAll = (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) familyOf(child.pid).map(signalled(signal))
  }
  return {
    port,
    stop: () => signalAll('SIGSTOP'),
    continue: () => signalAll('SIGCONT'),
    get pid() {
      return child.pid ?? Number.NaN
    },
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const over = once(child, 'exit')
      // PostgreSQL is several processes, which it ends at once if it is told to quit.
      child.kill(name === 'postgresql' ? 'SIGQUIT' : 'SIGKILL')
      await over
    },
    async restart() {
      child = launch()
      await started()
    },
  }
}

/** Makes what a server needs, and returns the function that starts it. */
type Prepare = (
  folder: string,
  port: number,
  settings: Readonly<Record<string, string>>,
) => Promise<() => ChildProcess> | (() => ChildProcess)

const PREPARE: Readonly<Record<ServerName, Prepare>> = {
  redis: (folder, port) =>
    launcher(program('redis-server', 'redis-server'), [
      '--port',
      `${port}`,
      '--bind',
      LOOPBACK,
      '--save',
      '',
      '--dir',
      folder,
    ]),
  postgresql: preparePostgres,
  pgbouncer: preparePooler,
  async etcd(folder, port, added) {
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
    const env = { ...process.env, ETCD_UNSUPPORTED_ARCH: process.arch }
    return launcher(program('etcd', 'etcd-server'), args, { env })
  },
  zookeeper(folder, port) {
    const jar = '/usr/share/java/zookeeper.jar'
    if (!existsSync(jar)) throw new Missing('apt-get install zookeeper default-jre-headless')
    const file = path.join(folder, 'zoo.cfg')
    writeFileSync(
      file,
      `tickTime=500\ndataDir=${folder}\nclientPort=${port}\nclientPortAddress=${LOOPBACK}\nadmin.enableServer=false\n`,
    )
    const main = 'org.apache.zookeeper.server.quorum.QuorumPeerMain'
    const java = program('java', 'default-jre-headless')
    return launcher(java, ['-cp', `/etc/zookeeper/conf:${jar}`, `-Dzookeeper.log.dir=${folder}`, main, file])
  },
}

function postgresFolder(): string {
  const versions = '/usr/lib/postgresql'
  const version = existsSync(versions) ? readdirSync(versions).toSorted().at(-1) : undefined
  if (version === undefined) throw new Missing('apt-get install postgresql')
  return path.join(versions, version, 'bin')
}

/** It refuses to be root: there it gets the user that Debian made for it. */
function preparePostgres(folder: string, port: number): () => ChildProcess {
  const bin = postgresFolder()
  const as = handOver(folder)
  const data = path.join(folder, 'data')
  const make = ['-D', data, '-A', 'trust', '-U', 'postgres', '--no-sync']
  execFileSync(path.join(bin, 'initdb'), make, { stdio: 'ignore', cwd: folder, ...as })
  const settings = [`listen_addresses=${LOOPBACK}`, `unix_socket_directories=${folder}`, 'fsync=off']
  const args = ['-D', data, '-p', `${port}`, ...settings.flatMap((each) => ['-c', each])]
  return launcher(path.join(bin, 'postgres'), args, { cwd: folder, ...as })
}

/** In transaction mode: each statement may go through another connection. */
function preparePooler(
  folder: string,
  port: number,
  settings: Readonly<Record<string, string>>,
): () => ChildProcess {
  const as = handOver(folder)
  const file = path.join(folder, 'pgbouncer.ini')
  const lines = [
    '[databases]',
    // Whoever connects is this user there.
    `* = host=${LOOPBACK} port=${settings['port']} user=postgres`,
    '[pgbouncer]',
    `listen_addr = ${LOOPBACK}`,
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'pool_mode = transaction',
    'auth_type = any',
    'default_pool_size = 3',
    '',
  ]
  writeFileSync(file, lines.join('\n'))
  return launcher(program('pgbouncer', 'pgbouncer'), ['-q', file], { cwd: folder, ...as })
}

/** To the user as whom the servers of PostgreSQL run. */
function handOver(folder: string): { readonly uid?: number; readonly gid?: number } {
  if (userInfo().uid !== 0) return {}
  const id = (what: string) => Number(execFileSync('id', [what, 'postgres'], { encoding: 'utf8' }))
  const as = { uid: id('-u'), gid: id('-g') }
  chownSync(folder, as.uid, as.gid)
  // Its way there too must be open to that user.
  chmodSync(path.dirname(folder), 0o755)
  return as
}

function program(name: string, debian: string): string {
  const found = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin']
    .map((folder) => path.join(folder, name))
    .find((file) => existsSync(file))
  if (found === undefined) throw new Missing(`apt-get install ${debian}`)
  return found
}

function launcher(file: string, args: readonly string[], options: SpawnOptions = {}): () => ChildProcess {
  return () => spawn(file, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
}

async function listening(child: ChildProcess, port: number): Promise<void> {
  const deadline = performance.now() + PATIENCE
  for (;;) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`)
    if (await answers(port)) return
    if (performance.now() > deadline) throw new Error('it took too long')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** A process and those that it has started: PostgreSQL has one for each connection. Linux tells. */
function familyOf(pid = 0): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return [pid, ...(children === '' ? [] : children.split(' ').map(Number))]
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
