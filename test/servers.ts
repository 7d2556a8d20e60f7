/** Servers for tests and benchmarks, started from Debian's packages in a folder of their own, and ended with it. */
import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import {
  handOver,
  type Launch,
  launcher,
  Missing,
  type Prepare,
  postgresFolder,
  program,
  requireEngine,
  runServer,
  type Server,
  type Settings,
  startEngine,
} from '@turnwise/fleet/engines'
import { LOOPBACK } from '@turnwise/fleet/ports'
import { present } from './present.ts'

export { Missing, placeAt, type Server } from '@turnwise/fleet/engines'

export type ServerName = 'redis' | 'postgresql' | 'standby' | 'pgbouncer' | 'etcd' | 'zookeeper'

/** Why tests with these servers are left out, or null. With TURNWISE_SERVERS_REQUIRED=1 that is an error. */
export function serverObstacle(name: 'postgresql' | 'pgbouncer' | 'etcd' | 'redis'): string | null {
  try {
    if (name === 'pgbouncer') program('pgbouncer', 'pgbouncer')
    else if (name === 'redis') program('redis-server', 'redis-server')
    else requireEngine(name)
    return null
  } catch (error) {
    if (!(error instanceof Missing) || process.env['TURNWISE_SERVERS_REQUIRED'] === '1') throw error
    return `${name} was not found: ${error.message}`
  }
}

/** `settings` are options of etcd beside those it needs; for pgbouncer and a standby `port`, that of PostgreSQL. */
export function startServer(name: ServerName, folder: string, settings: Settings = {}): Promise<Server> {
  return name === 'postgresql' || name === 'etcd'
    ? startEngine(name, folder, settings)
    : runServer(name, folder, PREPARE[name], { settings })
}

const PREPARE: Readonly<Record<Exclude<ServerName, 'postgresql' | 'etcd'>, Prepare>> = {
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
  pgbouncer: preparePooler,
  standby: prepareStandby,
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

/** In transaction mode: each statement may go through another connection. */
function preparePooler(folder: string, port: number, settings: Readonly<Record<string, string>>): Launch {
  const as = handOver(folder)
  const file = path.join(folder, 'pgbouncer.ini')
  const lines = [
    '[databases]',
    // A client that connects is this user there.
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

/** A replica of the PostgreSQL at that port. */
function prepareStandby(folder: string, port: number, settings: Settings): Launch {
  const bin = postgresFolder()
  const as = handOver(folder)
  const data = path.join(folder, 'data')
  const from = ['-h', LOOPBACK, '-p', present(settings['port']), '-U', 'postgres']
  const copy = [...from, '-D', data, '--write-recovery-conf', '--checkpoint=fast', '--no-sync']
  execFileSync(path.join(bin, 'pg_basebackup'), copy, {
    stdio: ['ignore', 'ignore', 'pipe'],
    cwd: folder,
    ...as,
  })
  const own = [`listen_addresses=${LOOPBACK}`, `unix_socket_directories=${folder}`, 'fsync=off']
  const args = ['-D', data, '-p', `${port}`, ...own.flatMap((each) => ['-c', each])]
  return launcher(path.join(bin, 'postgres'), args, { cwd: folder, ...as })
}
