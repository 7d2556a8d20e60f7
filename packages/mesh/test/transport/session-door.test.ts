/** A door for sessions of one node, one after another. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { openDoor } from '../../src/transport/session-door.ts'
import { type Address, tcpSockets } from '../../src/transport/sockets.ts'

const ANYWHERE: Address = { host: '127.0.0.1', port: 0 }

/** What a visitor is told; an empty text if the door is shut in its face. */
async function knock({ host, port }: Address): Promise<string> {
  const socket = connect({ host, port })
  let said = ''
  socket.on('data', (text) => (said += String(text)))
  socket.on('error', () => {})
  await once(socket, 'close')
  return said
}

test('each session takes what comes while it listens, and the port is never free', async () => {
  const door = await openDoor(tcpSockets, ANYWHERE)
  const session = (name: string) => door.sockets.listen(ANYWHERE, (socket) => void socket.end(name))
  const isTaken = () =>
    expect(tcpSockets.listen(door.address, () => {})).rejects.toMatchObject({ code: 'EADDRINUSE' })
  expect(await knock(door.address)).toBe('')
  const one = await session('one')
  expect(one.address).toEqual(door.address)
  expect(await knock(door.address)).toBe('one')
  await one.close()
  await isTaken()
  expect(await knock(door.address)).toBe('')
  const two = await session('two')
  // Late: it is another's by now.
  await one.close()
  expect(await knock(door.address)).toBe('two')
  await two.close()
  await isTaken()
  await door.close()
})
