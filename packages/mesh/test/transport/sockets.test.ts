/** Errors that come once more, after the first one was dealt with. */
import { createServer, Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { connected, listening, listenOn } from '../../src/transport/sockets.ts'

const refused = () => new Error('connect ECONNREFUSED')

describe('an error that a runtime tells twice ends no program', () => {
  test.each(['connect', 'secureConnect'])('before %s', async (event) => {
    const socket = new Socket()
    const connecting = connected(socket, new AbortController().signal, { event })
    socket.emit('error', refused())
    socket.emit('error', refused())
    await expect(connecting).rejects.toThrow('connect ECONNREFUSED')
  })

  test('after the time is over', async () => {
    const socket = new Socket()
    const abort = new AbortController()
    const connecting = connected(socket, abort.signal)
    abort.abort()
    socket.emit('error', refused())
    await expect(connecting).rejects.toThrow('no answer in time')
  })

  test('between the moment of the connection and its first use', async () => {
    const socket = new Socket()
    const connecting = connected(socket, new AbortController().signal)
    socket.emit('connect')
    socket.emit('error', refused())
    expect(await connecting).toBe(socket)
    expect(socket.destroyed).toBe(true)
  })
})

describe('a connection that cannot be accepted ends no program', () => {
  test('of a server that listens', async () => {
    const server = createServer()
    const listener = await listenOn(server, { host: '127.0.0.1', port: 0 })
    server.emit('error', new Error('accept ENFILE'))
    server.emit('error', new Error('accept ENFILE'))
    await listener.close()
  })

  test('an address that is in use is told', async () => {
    const first = await listenOn(createServer(), { host: '127.0.0.1', port: 0 })
    const second = createServer()
    await expect(listening(second, first.address)).rejects.toThrow('EADDRINUSE')
    second.emit('error', new Error('again'))
    await first.close()
  })
})
