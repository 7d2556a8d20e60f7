/** Both ends of the connections that a lease thread dials, for tests. */
import { LeaseLines } from '../../src/lease/lease-lines.ts'
import type { Message, MessageOf } from '../../src/protocol/messages.ts'
import type { Security } from '../../src/security/security.ts'
import { tcpSockets } from '../../src/transport/sockets.ts'
import { TcpTransport } from '../../src/transport/tcp.ts'
import { tlsSockets } from '../../src/transport/tls.ts'
import { wiringOf } from '../../src/transport/wiring.ts'
import { codec, Node, until } from '../transport/transport-contract.ts'

export const SECRET: Security = { secret: 'of all nodes of the mesh', tls: null }
export const LISTEN = { host: '127.0.0.1', port: 0 }
export const QUICK = { firstPauseMs: 1, longestPauseMs: 20, farewellMs: 50 }

const session = { voterId: 'v', k: 1 }
export const ACK: Message = { type: 'ack', session, at: 5, voterId: 'v' }
export const BEAT: MessageOf<'heartbeat'> = {
  type: 'heartbeat',
  session,
  at: 5,
  lease: 1000,
  begun: null,
  accepted: null,
  promised: 0,
  mark: '',
  suspects: [],
  wish: null,
}

/** What the tests have opened. */
export const open: { close(): Promise<void> }[] = []

/** After each test. */
export async function closeLines(): Promise<void> {
  await Promise.all(open.splice(0).map((each) => each.close()))
}

/** The program of a, which listens. */
export const program = (security: Security, log: string[] = []) => programOf('a', security, log)

export async function programOf(id: 'a' | 'b', security: Security, log: string[] = []) {
  const peer = id === 'a' ? 'b' : 'a'
  const transport = new TcpTransport({
    id,
    mesh: 'test',
    listen: LISTEN,
    peers: new Map([[peer, PROGRAM]]),
    codec,
    security,
    patience: QUICK,
    log: (line) => void log.push(line),
  })
  open.push(transport)
  const node = new Node(id, transport)
  await transport.start(node)
  return Object.assign(node, { tcp: transport })
}

function socketsOf({ tls }: Security) {
  return tls === null ? tcpSockets : tlsSockets(tls, 'test')
}

/** T of the threads. */
export const LEASE = 500

/** The lease thread of b, which dials the program of a. */
export function thread(a: { tcp: TcpTransport }, security: Security, log: string[] = [], life = 'x') {
  const heard: Message[] = []
  const options = { id: 'b', mesh: 'test', life, security, sockets: socketsOf(security), patience: QUICK }
  const wiring = wiringOf({ ...options, log: (line) => void log.push(line) }, 'lease')
  const turns: boolean[] = []
  const lines = new LeaseLines(wiring, LEASE, {
    heard: (_, message) => heard.push(message),
    turned: (_, isOpen) => turns.push(isOpen),
  })
  open.push(lines)
  lines.setPeers(new Map([['a', a.tcp.address]]))
  // The program of a stands for its thread, and there is something to say to it, which a does not dial for.
  const { port } = a.tcp.address
  lines.learn('a', { port, beside: port })
  lines.send('a', BEAT)
  for (const now of [0, LEASE / 4]) lines.tick(now)
  return { lines, heard, turns }
}

/** A lease thread of its own for each of these, which know where the others listen. */
export async function threads<Name extends string>(names: readonly Name[], security: Security) {
  const made = await Promise.all(
    names.map(async (id) => {
      const options = { id, mesh: 'test', life: `of ${id}`, security, sockets: socketsOf(security) }
      const wiring = wiringOf({ ...options, patience: QUICK }, 'lease')
      const heard: { from: string; message: Message }[] = []
      const met = new Set<string>()
      const lines = new LeaseLines(wiring, LEASE, {
        heard: (from, message) => heard.push({ from, message }),
        turned: (peer, isOpen) => void (isOpen ? met.add(peer) : met.delete(peer)),
      })
      open.push(lines)
      return { id, lines, heard, met, port: await lines.listen('127.0.0.1') }
    }),
  )
  for (const { id, lines } of made) {
    const others = made.filter((other) => other.id !== id)
    lines.setPeers(new Map(others.map((other) => [other.id, PROGRAM])))
    for (const { id: peer, port } of others) lines.learn(peer, { port, beside: PROGRAM.port })
  }
  return made
}

/** Where no program listens. */
export const PROGRAM = { host: '127.0.0.1', port: 1 }

/** Until it gets through: nobody is told when a line is there. */
export async function exchange(
  a: Awaited<ReturnType<typeof program>>,
  b: ReturnType<typeof thread>,
): Promise<void> {
  await until(() => {
    b.lines.send('a', BEAT)
    a.tcp.send('b', ACK)
    return a.messages.length > 0 && b.heard.length > 0
  }, 'both are heard')
}
