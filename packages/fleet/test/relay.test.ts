import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { get } from '@turnwise/core/bounds'
import { afterEach, expect, test } from 'vitest'
import { Relay, type Ways } from '../src/relay.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** A server that answers every text with itself in capitals. */
async function echo(): Promise<{ address: string; server: Server; accepted: Socket[] }> {
  const accepted: Socket[] = []
  const server = createServer((socket) => {
    accepted.push(socket)
    socket.setEncoding('utf8').on('data', (text: string) => void socket.write(text.toUpperCase()))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => {
    server.close()
    for (const socket of accepted) socket.destroy()
  })
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, server, accepted }
}

async function relayTo(address: string, ways?: Ways): Promise<Relay> {
  const relay = await Relay.open(() => address, ways)
  closing.push(() => relay.close())
  return relay
}

async function dial(relay: Relay): Promise<{ socket: Socket; heard: () => string }> {
  const [host, port] = relay.address.split(':')
  const socket = connect(Number(port), host)
  socket.on('error', () => {})
  closing.push(() => socket.destroy())
  await once(socket, 'connect')
  let text = ''
  socket.setEncoding('utf8').on('data', (more: string) => (text += more))
  return { socket, heard: () => text }
}

/** `once` would take a reset for a failure. */
function closed(socket: Socket): Promise<void> {
  return new Promise((done) => void socket.once('close', () => done()))
}

test('what is cut carries nothing, and what was under way arrives after the repair', async () => {
  const { address, accepted } = await echo()
  const relay = await relayTo(address)
  const { socket, heard } = await dial(relay)
  socket.write('one ')
  await expect.poll(heard).toBe('ONE ')
  relay.cut()
  let arrived = false
  get(accepted, 0).on('data', () => (arrived = true))
  socket.write('two ')
  // Another link, opened later, has carried its text there and back before the cut one is looked at.
  const other = await dial(await relayTo(address))
  other.socket.write('three')
  await expect.poll(other.heard).toBe('THREE')
  expect({ arrived, heard: heard() }).toEqual({ arrived: false, heard: 'ONE ' })
  relay.heal()
  await expect.poll(heard).toBe('ONE TWO ')
})

test('a dialler over a cut link gets no answer, and dials again after the repair', async () => {
  const { address, accepted } = await echo()
  const relay = await relayTo(address)
  relay.cut()
  const { socket } = await dial(relay)
  socket.write('hello')
  expect(accepted).toEqual([])
  const gone = closed(socket)
  relay.heal()
  await gone
  const again = await dial(relay)
  again.socket.write('hello')
  await expect.poll(again.heard).toBe('HELLO')
})

test('an end that goes takes the other with it', async () => {
  const { address, accepted } = await echo()
  const relay = await relayTo(address)
  const { socket, heard } = await dial(relay)
  socket.write('x')
  await expect.poll(heard).toBe('X')
  const gone = closed(socket)
  get(accepted, 0).destroy()
  await gone
})

test('a port where nobody listens breaks the connection at once', async () => {
  const { address, server } = await echo()
  await new Promise((done) => server.close(done))
  const { socket } = await dial(await relayTo(address))
  await closed(socket)
})

test('to heal a link that was not cut changes nothing', async () => {
  const { address } = await echo()
  const relay = await relayTo(address)
  const { socket, heard } = await dial(relay)
  socket.write('one ')
  await expect.poll(heard).toBe('ONE ')
  relay.heal()
  socket.write('two ')
  await expect.poll(heard).toBe('ONE TWO ')
})

test('refused: both ends hear of it, and so does a new dialler', async () => {
  const { address, accepted } = await echo()
  const relay = await relayTo(address)
  const { socket, heard } = await dial(relay)
  socket.write('x')
  await expect.poll(heard).toBe('X')
  const gone = [closed(socket), closed(get(accepted, 0))]
  relay.cut('refused')
  await Promise.all(gone)
  const [host, number] = relay.address.split(':')
  const another = connect(Number(number), host)
  another.on('error', () => {})
  await closed(another)
  expect(accepted).toHaveLength(1)
  relay.heal()
  const again = await dial(relay)
  again.socket.write('y')
  await expect.poll(again.heard).toBe('Y')
})

test('half-open: who was dialled hears that it is over, who dialled speaks to nobody, also after the repair', async () => {
  const { address, accepted } = await echo()
  const relay = await relayTo(address)
  const { socket, heard } = await dial(relay)
  socket.write('x')
  await expect.poll(heard).toBe('X')
  const gone = closed(get(accepted, 0))
  relay.cut('half-open')
  await gone
  const late = await dial(relay)
  relay.heal()
  socket.write('y')
  late.socket.write('z')
  const again = await dial(relay)
  again.socket.write('w')
  await expect.poll(again.heard).toBe('W')
  expect([heard(), late.heard(), socket.readyState, late.socket.readyState]).toEqual([
    'X',
    '',
    'open',
    'open',
  ])
})

test('swallowed: nobody hears that anything is over, one way is lost, also after the repair, and the other arrives', async () => {
  const { address, accepted } = await echo()
  const relay = await relayTo(address)
  const { socket, heard } = await dial(relay)
  socket.write('x')
  await expect.poll(heard).toBe('X')
  relay.cut('swallowed')
  socket.write('y')
  get(accepted, 0).write('back')
  await expect.poll(heard).toBe('Xback')
  const late = await dial(relay)
  late.socket.write('z')
  relay.heal()
  socket.write('w')
  const again = await dial(relay)
  again.socket.write('v')
  await expect.poll(again.heard).toBe('V')
  expect([heard(), late.heard(), socket.readyState, get(accepted, 0).readyState]).toEqual([
    'Xback',
    '',
    'open',
    'open',
  ])
})

test('bytes take their time on each way, in order, and so does the end', async () => {
  const { address, accepted } = await echo()
  const there = [60, 1, 1, 1]
  const relay = await relayTo(address, { there: () => there.shift() ?? 1, back: () => 40 })
  const { socket, heard } = await dial(relay)
  const began = performance.now()
  socket.write('one ')
  await expect.poll(() => accepted.length).toBe(1)
  await once(get(accepted, 0), 'data')
  socket.write('two ')
  await expect.poll(heard).toBe('ONE TWO ')
  // A busy machine makes it longer, and never shorter; timers may be early by less than a millisecond.
  expect(performance.now() - began).toBeGreaterThan(98)
  const over = closed(get(accepted, 0))
  socket.destroy()
  await over
})

test('a cut keeps what a slow way carries, until it is healed', async () => {
  const { address, accepted } = await echo()
  const relay = await relayTo(address, { there: () => 20, back: () => 1 })
  const { socket, heard } = await dial(relay)
  socket.write('one ')
  await expect.poll(heard).toBe('ONE ')
  let arrived = false
  get(accepted, 0).on('data', () => (arrived = true))
  socket.write('two ')
  relay.cut()
  const other = await dial(await relayTo(address, { there: () => 40, back: () => 40 }))
  other.socket.write('three')
  await expect.poll(other.heard).toBe('THREE')
  expect({ arrived, heard: heard() }).toEqual({ arrived: false, heard: 'ONE ' })
  relay.heal()
  await expect.poll(heard).toBe('ONE TWO ')
})
