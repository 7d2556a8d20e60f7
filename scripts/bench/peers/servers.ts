/** Servers that hand out locks, started from Debian's packages in a folder of their own, and ended with it. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { userInfo } from 'node:os'
import path from 'node:path'
import { freeAddress, LOOPBACK } from '../../../packages/cli/dist/fleet/ports.js'

/** Milliseconds for a server to listen. */
const PATIENCE = 30_000

export interface Server {
  readonly port: number
  end(): Promise<void>
}

/** Why a server cannot be started here. */
export class Missing extends Error {}

export type ServerName = 'redis' | 'postgresql' | 'etcd' | 'zookeeper'

export async function startServer(name: ServerName, folder: string): Promise<Server> {
  const own = path.join(folder, name)
  mkdirSync(own)
  const port = Number((await freeAddress()).split(':')[1])
  const child = await START[name](own, port)
  let said = ''
  child.stderr?.on('data', (text) => (said = `${said}${text}`.slice(-2000)))
  try {
    await listening(child, port)
  } catch (error) {
    throw new Error(`${name} does not listen: ${said}`, { cause: error })
  }
  return {
    port,
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const over = once(child, 'exit')
      child.kill('SIGKILL')
      await over
    },
  }
}

const START: Readonly<
  Record<ServerName, (folder: string, port: number) => Promise<ChildProcess> | ChildProcess>
> = {
  redis: (folder, port) =>
    run(program('redis-server', 'redis-server'), [
      '--port',
      `${port}`,
      '--bind',
      LOOPBACK,
      '--save',
      '',
      '--dir',
      folder,
    ]),
  postgresql: startPostgres,
  async etcd(folder, port) {
    const [client, peer] = [`http://${LOOPBACK}:${port}`, `http://${await freeAddress()}`]
    const settings = {
      name: 'one',
      'data-dir': folder,
      'log-level': 'error',
      'listen-client-urls': client,
      'advertise-client-urls': client,
      'listen-peer-urls': peer,
      'initial-advertise-peer-urls': peer,
      'initial-cluster': `one=${peer}`,
    }
    const args = Object.entries(settings).map(([name, value]) => `--${name}=${value}`)
    return run(program('etcd', 'etcd-server'), args)
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
    return run(java, ['-cp', `/etc/zookeeper/conf:${jar}`, `-Dzookeeper.log.dir=${folder}`, main, file])
  },
}

/** It refuses to be root: there it gets the user that Debian made for it. */
function startPostgres(folder: string, port: number): ChildProcess {
  const versions = '/usr/lib/postgresql'
  const version = existsSync(versions) ? readdirSync(versions).toSorted().at(-1) : undefined
  if (version === undefined) throw new Missing('apt-get install postgresql')
  const bin = path.join(versions, version, 'bin')
  const isRoot = userInfo().uid === 0
  const as = isRoot ? ['runuser', '-u', 'postgres', '--'] : []
  if (isRoot) {
    execFileSync('chown', ['postgres', folder])
    // Its way there too must be open to that user.
    chmodSync(path.dirname(folder), 0o755)
  }
  const data = path.join(folder, 'data')
  const [init, ...initArgs] = [
    ...as,
    path.join(bin, 'initdb'),
    '-D',
    data,
    '-A',
    'trust',
    '-U',
    'postgres',
    '--no-sync',
  ]
  execFileSync(init, initArgs, { stdio: 'ignore' })
  const settings = [`listen_addresses=${LOOPBACK}`, `unix_socket_directories=${folder}`, 'fsync=off']
  const [start, ...args] = [
    ...as,
    path.join(bin, 'postgres'),
    '-D',
    data,
    '-p',
    `${port}`,
    ...settings.flatMap((each) => ['-c', each]),
  ]
  return run(start, args)
}

function program(name: string, debian: string): string {
  const found = (process.env['PATH'] ?? '')
    .split(':')
    .map((folder) => path.join(folder, name))
    .find((file) => existsSync(file))
  if (found === undefined) throw new Missing(`apt-get install ${debian}`)
  return found
}

function run(file: string, args: readonly string[]): ChildProcess {
  return spawn(file, args, { stdio: ['ignore', 'ignore', 'pipe'] })
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

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: LOOPBACK })
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}
