/** Both ends of the connections that a lease thread dials, for tests. */
import { LeaseLines } from '../../src/lease/lease-lines.ts'
import type { Message, MessageOf } from '../../src/protocol/messages.ts'
import type { Security } from '../../src/security/security.ts'
import { TcpTransport, wiringOf } from '../../src/transport/tcp.ts'
import { codec, Node, until } from '../transport/transport-contract.ts'

export const SECRET: Security = { secret: 'of all nodes of the mesh', tls: null }
export const LISTEN = { host: '127.0.0.1', port: 0 }
export const QUICK = { firstPause: 1, longestPause: 20, farewell: 50 }

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
export async function program(security: Security, log: string[] = []) {
  const transport = new TcpTransport({
    id: 'a',
    mesh: 'test',
    listen: LISTEN,
    peers: new Map([['b', { host: '127.0.0.1', port: 1 }]]),
    codec,
    security,
    patience: QUICK,
    log: (line) => void log.push(line),
  })
  open.push(transport)
  const node = new Node('a', transport)
  await transport.start(node)
  return Object.assign(node, { tcp: transport })
}

/** The lease thread of b, which dials a. */
export function thread(a: { tcp: TcpTransport }, security: Security, log: string[] = [], life = 'x') {
  const heard: Message[] = []
  const options = { id: 'b', mesh: 'test', life, security, patience: QUICK }
  const wiring = wiringOf({ ...options, log: (line) => void log.push(line) }, 'lease')
  const lines = new LeaseLines(wiring, (_, message) => heard.push(message))
  open.push(lines)
  lines.setPeers(new Map([['a', a.tcp.address]]))
  return { lines, heard }
}

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
