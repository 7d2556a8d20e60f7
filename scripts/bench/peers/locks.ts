/** One lock of each peer, as its own clients take it. The clients are installed into a folder of their own, not into this repository. */
import { createRequire } from 'node:module'
import path from 'node:path'
import { LOOPBACK } from '@turnwise/fleet/ports'
import type { ServerName } from '../../../test/servers.ts'

export interface PeerLock {
  acquire(): Promise<unknown>
  release(): Promise<unknown>
}

interface Peer {
  readonly server: ServerName
  /** What npm installs for it. */
  readonly packages: readonly string[]
  /** What happens when a holder is killed. */
  readonly afterCrash: string
  open(load: Load, port: number): Promise<PeerLock>
}

/** A module of the folder where clients are installed. */
type Load = (name: string) => unknown

const KEY = 'invoices'
/** Seconds; nothing that is measured takes so long. */
const LONG = 600

export const PEERS = {
  'redis-list': {
    server: 'redis',
    packages: ['ioredis@6.0.0'],
    afterCrash: 'the lock is gone with it: nobody enters again',
    async open(load, port) {
      const redis = redisClient(load, port)
      await redis.set(`${KEY}-made`, '1', 'NX').then((made) => (made === null ? null : redis.rpush(KEY, '1')))
      return { acquire: () => redis.blpop(KEY, 0), release: () => redis.rpush(KEY, '1') }
    },
  },
  redlock: {
    server: 'redis',
    packages: ['ioredis@6.0.0', 'redlock@5.0.0-beta.2'],
    afterCrash: 'the next enters when the time of the lock is over; no fence',
    async open(load, port) {
      const { default: Redlock } = load('redlock') as {
        default: new (
          clients: unknown[],
          settings: object,
        ) => {
          acquire(names: string[], ms: number): Promise<{ release(): Promise<unknown> }>
        }
      }
      const redlock = new Redlock([redisClient(load, port)], { retryCount: -1 })
      let held: { release(): Promise<unknown> } | null = null
      return {
        acquire: async () => (held = await redlock.acquire([KEY], LONG * 1000)),
        release: async () => held?.release(),
      }
    },
  },
  postgresql: {
    server: 'postgresql',
    packages: ['pg@8.23.1'],
    afterCrash: 'the next enters when the server sees the connection close; no fence',
    async open(load, port) {
      const { Client } = load('pg') as {
        Client: new (settings: object) => { connect(): Promise<void>; query(text: string): Promise<unknown> }
      }
      const client = new Client({ host: LOOPBACK, port, user: 'postgres', database: 'postgres' })
      await client.connect()
      return {
        acquire: () => client.query('select pg_advisory_lock(1)'),
        release: () => client.query('select pg_advisory_unlock(1)'),
      }
    },
  },
  etcd: {
    server: 'etcd',
    packages: [],
    afterCrash:
      'the next enters when its lease ends; the revision of its key is a fence; a majority of servers must be up',
    async open(_load, port) {
      const ask = async (call: string, body: object) => {
        const answer = await fetch(`http://${LOOPBACK}:${port}/v3/${call}`, {
          method: 'POST',
          body: JSON.stringify(body),
        })
        if (!answer.ok) throw new Error(`etcd: ${await answer.text()}`)
        return (await answer.json()) as { ID?: string; key?: string }
      }
      const name = Buffer.from(KEY).toString('base64')
      const { ID: lease } = await ask('lease/grant', { TTL: LONG })
      let key: string | undefined
      return {
        acquire: async () => ({ key } = await ask('lock/lock', { name, lease })),
        release: () => ask('lock/unlock', { key }),
      }
    },
  },
  zookeeper: {
    server: 'zookeeper',
    packages: ['node-zookeeper-client@1.1.3'],
    afterCrash:
      'the next enters when its session ends; the number of its node is a fence; a majority of servers must be up',
    open: openZooKeeper,
  },
} satisfies Readonly<Record<string, Peer>>

export type PeerName = keyof typeof PEERS
export const peerNames = Object.keys(PEERS) as PeerName[]

export function openLock(name: PeerName, folder: string, port: number): Promise<PeerLock> {
  const peer: Peer = PEERS[name]
  return peer.open(createRequire(path.join(folder, 'package.json')), port)
}

interface Redis {
  set(key: string, value: string, how: 'NX'): Promise<string | null>
  rpush(key: string, value: string): Promise<number>
  blpop(key: string, seconds: number): Promise<unknown>
}

function redisClient(load: Load, port: number): Redis {
  const { Redis: Client } = load('ioredis') as { Redis: new (port: number, host: string) => Redis }
  return new Client(port, LOOPBACK)
}

interface ZooKeeper {
  once(event: 'connected', heard: () => void): void
  connect(): void
  create(path: string, mode: number, done: (error: Error | null, path: string) => void): void
  mkdirp(path: string, done: (error: Error | null) => void): void
  getChildren(path: string, done: (error: Error | null, names: string[]) => void): void
  exists(path: string, watch: () => void, done: (error: Error | null, stat: unknown) => void): void
  remove(path: string, done: (error: Error | null) => void): void
}

/** Each makes a numbered node that goes with its session, and waits for the one before it to go. */
async function openZooKeeper(load: Load, port: number): Promise<PeerLock> {
  const { createClient, CreateMode } = load('node-zookeeper-client') as {
    createClient: (address: string) => ZooKeeper
    CreateMode: { EPHEMERAL_SEQUENTIAL: number }
  }
  const client = createClient(`${LOOPBACK}:${port}`)
  const connected = new Promise<void>((resolve) => client.once('connected', resolve))
  client.connect()
  await connected
  const call = <Value>(begin: (done: (error: Error | null, value?: Value) => void) => void) =>
    new Promise<Value>((resolve, reject) => {
      begin((error, value) =>
        error === null || error === undefined ? resolve(value as Value) : reject(error),
      )
    })
  const root = `/${KEY}`
  await call<void>((done) => client.mkdirp(root, done))
  let own = ''
  /** Whether the one before is gone, or has to be waited for. */
  const isFirst = async (): Promise<boolean> => {
    const names = (await call<string[]>((done) => client.getChildren(root, done))).toSorted()
    const place = names.indexOf(own.slice(root.length + 1))
    if (place === 0) return true
    await new Promise<void>((resolve, reject) => {
      client.exists(`${root}/${names[place - 1]}`, resolve, (error, stat) => {
        if (error !== null && error !== undefined) reject(error)
        else if (stat === null || stat === undefined) resolve()
      })
    })
    return false
  }
  return {
    async acquire() {
      own = await call<string>((done) => client.create(`${root}/n-`, CreateMode.EPHEMERAL_SEQUENTIAL, done))
      while (!(await isFirst()));
    },
    release: () => call<void>((done) => client.remove(own, done)),
  }
}
