/** Nodes over TCP, and peers that are sockets driven by hand. */
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { freeAddress as freeText } from '@turnwise/fleet/ports'
import { afterEach, beforeEach } from 'vitest'
import { FrameReader } from '../../src/transport/framing.ts'
import { type Address, readAddress } from '../../src/transport/sockets.ts'
import { type TcpOptions, TcpTransport } from '../../src/transport/tcp.ts'
import { codec, Node } from './transport-contract.ts'

const HOST = '127.0.0.1'

/** What nodes have logged in this test. */
export const log: string[] = []
const nodes: TcpTransport[] = []
const sockets: Socket[] = []
const servers: Server[] = []

/** For each file of tests that uses it: it is empty before each test, and closed after it. */
export function emptyBetweenTests(): void {
  beforeEach(() => {
    for (const list of [log, nodes, sockets, servers]) list.length = 0
  })

  afterEach(async () => {
    for (const socket of sockets) socket.destroy()
    await Promise.all(nodes.map((node) => node.close()))
    for (const server of servers) server.close()
  })
}

type Changes = Partial<TcpOptions> & { readonly peerAddresses?: Readonly<Record<string, Address>> }

export async function start(id: string, { peerAddresses = {}, ...changes }: Changes = {}) {
  const transport = new TcpTransport({
    id,
    mesh: 'test',
    listen: { host: HOST, port: 0 },
    peers: new Map(Object.entries(peerAddresses)),
    codec,
    patience: { firstPauseMs: 1, longestPauseMs: 20, farewellMs: 50 },
    log: (line) => void log.push(line),
    ...changes,
  })
  nodes.push(transport)
  const node = new Node(id, transport)
  await transport.start(node)
  return Object.assign(node, { tcp: transport })
}

/** Time passes when it is told to, and then for all who wait. */
export class ManualTimers {
  #actions: (() => void)[] = []

  get pending(): number {
    return this.#actions.length
  }

  after(_: number, action: () => void): () => void {
    this.#actions.push(action)
    return () => {
      this.#actions = this.#actions.filter((other) => other !== action)
    }
  }

  fire(): void {
    const due = this.#actions
    this.#actions = []
    for (const action of due) action()
  }
}

/** Nowhere: a port that was free a moment ago. */
export async function freeAddress(): Promise<Address> {
  return readAddress(await freeText())
}

/** A connection to a node, with what it answers. */
export async function dial({ host, port }: Address) {
  const socket = connect(port, host)
  sockets.push(socket)
  const frames = new FrameReader(4096)
  const answers: Buffer[] = []
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    frames.add(chunk)
    for (let frame = frames.next(); frame !== null; frame = frames.next()) answers.push(frame)
  })
  await once(socket, 'connect')
  return { socket, answers, isOver: () => socket.closed || socket.destroyed }
}

/** A peer that takes connections and greets; the test does the rest. */
export async function listenByHand(greet: (socket: Socket, hello: Buffer) => void) {
  const accepted: Socket[] = []
  const server = createServer((socket) => {
    accepted.push(socket)
    sockets.push(socket)
    const frames = new FrameReader(4096)
    socket.on('error', () => {})
    socket.once('data', (chunk) => {
      frames.add(chunk)
      const hello = frames.next()
      if (hello !== null) greet(socket, hello)
    })
  })
  servers.push(server)
  server.listen(0, HOST)
  await once(server, 'listening')
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('no port')
  return { accepted, address: { host: HOST, port: bound.port } }
}
