/** Run by kernel.test.ts in namespaces of its own: what the kernel does is told as JSON. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { atLeast } from '../../test/present.ts'
import { Kernel } from '../src/kernel.ts'

interface Way {
  readonly port: number
  readonly socket: Socket
  /** How many bytes have arrived at the other end. */
  readonly arrived: () => number
}

async function way(): Promise<Way> {
  let bytes = 0
  const server = createServer((socket) => socket.on('data', (chunk) => (bytes += chunk.length)))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as { port: number }
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await new Promise<void>((done) => socket.once('connect', done))
  return { port, socket, arrived: () => bytes }
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(5)
}

/** How often TCP sent something again, in this namespace. */
function sentAgain(): number {
  const [names, values] = atLeast(
    2,
    readFileSync('/proc/net/snmp', 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('Tcp:'))
      .map((line) => line.split(' ')),
  )
  return Number(values[names.indexOf('RetransSegs')])
}

function attempt(deed: () => void): string {
  try {
    deed()
    return 'done'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  }
}

const kernel = await Kernel.open()
const [cut, other] = [await way(), await way()]
await kernel.drop(cut.port, 'dropped')
cut.socket.write('x')
// Another way, on which more is sent later, has carried it before the dropped one is looked at.
for (let i = 1; i <= 10; i += 1) {
  other.socket.write('y')
  await until(() => other.arrived() === i)
}
const whileDropped = cut.arrived()
await kernel.pass(cut.port)
await until(() => cut.arrived() === 1)

const before = sentAgain()
await kernel.drop(other.port, 'lossy')
for (let i = 11; sentAgain() === before; i += 1) {
  other.socket.write('z')
  await until(() => other.arrived() === i)
}

const directory = mkdtempSync(join(tmpdir(), 'turnwise-kernel-'))
const write = () => attempt(() => writeFileSync(join(directory, 'state.new'), 'x'))
await kernel.protect(directory)
const whileProtected = write()
await kernel.unprotect(directory)
const afterwards = write()
rmSync(directory, { recursive: true })
await kernel.close()
process.stdout.write(JSON.stringify({ whileDropped, whileProtected, afterwards }))
process.exit()
