/** Daemons without a process of their own: a node of this process that others reach by a control socket. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { get } from '@turnwise/core/bounds'
import { Connection, type Daemon } from '../../src/daemon/connection.ts'
import { Client } from '../../src/daemon/line-client.ts'
import { Visitor } from '../../src/daemon/visitor.ts'
import type { MeshNode } from '../../src/mesh.ts'

export interface Desk {
  readonly path: string
  readonly folder: string
  readonly daemon: Daemon
  readonly node: MeshNode
  /** Locks that are held for clients. */
  readonly holding: number
  /** As a daemon that was asked to end. */
  end(): void
  /** Hangs up, and leaves nothing behind but the node. */
  close(): Promise<void>
}

const no = () => Promise.reject(new Error('nobody asks for it here'))

/** `folder`: that of a desk that was closed, whose place this one takes. */
export async function openDesk(
  node: MeshNode,
  lease: number,
  drift = 0.002,
  folder = mkdtempSync(join(tmpdir(), 'tw-')),
): Promise<Desk> {
  mkdirSync(folder, { recursive: true })
  const path = process.platform === 'win32' ? join('\\\\?\\pipe', folder) : join(folder, 'socket')
  let holding = 0
  let isEnding = false
  const connections = new Set<Connection>()
  const daemon: Daemon = {
    get id() {
      return node.id
    },
    leaseMs: lease,
    driftFraction: drift,
    get isEnding() {
      return isEnding
    },
    mesh: node,
    joined: Promise.resolve(node),
    log: { warn() {} },
    holds() {
      holding += 1
      return () => {
        holding -= 1
      }
    },
    status: () => {
      throw new Error('nobody asks for it here')
    },
    locks: no,
    metricsText: no,
  }
  const server = createServer((socket) => {
    const connection = new Connection(socket, daemon, () => connections.delete(connection))
    connections.add(connection)
  })
  await new Promise<void>((listening) => void server.listen(path, listening))
  return {
    path,
    folder,
    daemon,
    node,
    get holding() {
      return holding
    },
    end() {
      isEnding = true
      for (const connection of connections) connection.end()
    },
    async close() {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()))
      for (const connection of connections) connection.close()
      await closed
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A way to a desk on which the words of clients can be held up. */
export interface Way {
  readonly path: string
  /** What the daemon has said. */
  readonly heard: string
  holdUp(): void
  goOn(): void
  close(): Promise<void>
}

export async function openWay(desk: Pick<Desk, 'path'>): Promise<Way> {
  const path = `${desk.path}-way`
  const sockets = new Set<Socket>()
  let heard = ''
  let isHeldUp = false
  const server = createServer((from) => {
    const to = connect(desk.path)
    sockets.add(from).add(to)
    if (!isHeldUp) from.pipe(to)
    to.on('data', (bytes) => {
      heard += bytes.toString()
      from.write(bytes)
    })
    from.on('close', () => to.destroy()).on('error', () => {})
    to.on('close', () => from.destroy()).on('error', () => {})
  })
  const clients = () => [...sockets].filter((_, index) => index % 2 === 0)
  await new Promise<void>((listening) => void server.listen(path, listening))
  return {
    path,
    get heard() {
      return heard
    },
    holdUp() {
      isHeldUp = true
      for (const from of clients()) from.unpipe().pause()
    },
    goOn() {
      isHeldUp = false
      const all = [...sockets]
      for (const from of clients()) from.pipe(get(all, all.indexOf(from) + 1))
    },
    async close() {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

export async function visit({ path }: Desk): Promise<Visitor> {
  return new Visitor(await Client.open(path))
}
