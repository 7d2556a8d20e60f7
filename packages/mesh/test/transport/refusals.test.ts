/** Whom a node over TCP does not listen to, and what both sides say of it: handshakes and bad frames. */
import { get } from '@turnwise/core/bounds'
import { describe, expect, test } from 'vitest'
import { joinFrames } from '../../src/transport/framing.ts'
import { readAnswer, readHello, VERSION, writeAnswer, writeHello } from '../../src/transport/handshake.ts'
import { dial, emptyBetweenTests, freeAddress, listenByHand, log, ManualTimers, start } from './tcp-world.ts'
import { bigMessage, codec, until } from './transport-contract.ts'

emptyBetweenTests()

describe('who is refused, and what both sides say', () => {
  const refusals = [
    [
      'another mesh',
      { mesh: 'other', from: 'b', to: 'a', life: 'x' },
      'mesh',
      '"b" belongs to the mesh "other", but the node at the address of "a" belongs to "test"',
    ],
    [
      'another receiver',
      { mesh: 'test', from: 'b', to: 'c', life: 'x' },
      'receiver',
      '"b" dialled "c", but the node at that address is "a"',
    ],
    [
      'an unknown sender',
      { mesh: 'test', from: 'z', to: 'a', life: 'x' },
      'sender',
      '"a" has no peer named "z"',
    ],
  ] as const
  for (const [what, hello, reason, says] of refusals) {
    test(what, async () => {
      const a = await start('a', { peerAddresses: { b: await freeAddress() } })
      const peer = await dial(a.tcp.address)
      peer.socket.write(joinFrames([writeHello(hello), codec.encode({ type: 'begin', epoch: 1 })]))
      await until(peer.isOver, 'the connection is closed')
      expect(readAnswer(get(peer.answers, 0)).refusal?.reason).toBe(reason)
      expect(log.join('\n')).toContain(`refused: ${says}`)
      expect(a.messages).toEqual([])
    })
  }

  test('another version, in either direction', async () => {
    const b = await listenByHand((socket) => {
      const answer = Buffer.from(writeAnswer())
      answer[9] = VERSION + 1
      socket.write(joinFrames([answer]))
    })
    const a = await start('a', { peerAddresses: { b: b.address } })
    await until(() => log.some((line) => line.includes('version')), 'it is logged')
    expect(log.join('\n')).toContain(
      `refused: "b" speaks version "${VERSION + 1}" of the protocol, "a" speaks ${VERSION}`,
    )
    const peer = await dial(a.tcp.address)
    peer.socket.write(joinFrames([writeHello({ mesh: 'test', from: 'b', to: 'a', life: 'x' }, VERSION + 1)]))
    await until(peer.isOver, 'the connection is closed')
    expect(readAnswer(get(peer.answers, 0)).refusal).toEqual({ reason: 'version', instead: String(VERSION) })
    expect(log.join('\n')).toContain(`refused: it does not speak version ${VERSION} of the protocol`)
    expect(a.heard).toEqual([])
  })

  test('two nodes at wrong addresses never hear each other, and the log of each names what is wrong', async () => {
    const b = await start('b', { peerAddresses: { a: await freeAddress() } })
    const a = await start('a', { peerAddresses: { c: b.tcp.address } })
    a.say('c', 1)
    await until(() => log.filter((line) => line.includes('refused')).length >= 2, 'both have logged')
    expect(
      log.filter((line) => line.includes('"a" dialled "c", but the node at that address is "b"')).length,
    ).toBe(2)
    expect(a.heard).toEqual([])
    expect(b.messages).toEqual([])
  })

  test('who is no node of turnwise, and who says nothing', async () => {
    const timers = new ManualTimers()
    const a = await start('a', { timers })
    const web = await dial(a.tcp.address)
    web.socket.write('GET / HTTP/1.1\r\n\r\n')
    await until(web.isOver, 'the connection is closed')
    expect(log.at(-1)).toContain('bad frame: a frame of 1195725856 bytes is longer than 8192')
    const foreign = await dial(a.tcp.address)
    foreign.socket.write(joinFrames([Buffer.from('hello there')]))
    await until(foreign.isOver, 'the connection is closed')
    expect(log.at(-1)).toContain('bad frame: it does not speak the protocol of turnwise')
    const silent = await dial(a.tcp.address)
    await until(() => timers.pending === 1, 'it is accepted')
    timers.fire()
    await until(silent.isOver, 'the connection is closed')
    expect(log.at(-1)).toContain('it sent no hello in time')
  })

  test('a peer that answers nothing is given up and dialled again', async () => {
    let greeted = 0
    const b = await listenByHand(() => {
      greeted += 1
    })
    const timers = new ManualTimers()
    await start('a', { peerAddresses: { b: b.address }, timers })
    for (const attempt of [1, 2, 3]) {
      await until(() => greeted === attempt, 'it is dialled')
      timers.fire() // The time for an answer is over: now a pause is pending.
      timers.fire()
    }
    expect(log).toEqual(['b did not answer in time'])
  })
})

describe('a bad frame', () => {
  const bad = [
    ['that is no message', Buffer.from([0, 0, 0, 2, 0xc4, 0xc4]), 'unsupported value of kind 0xc4'],
    ['that is too long', Buffer.from([0x7f, 0, 0, 0]), 'is longer than 1000'],
    [
      'of an unknown type',
      joinFrames([codec.encode({ type: 'salute' } as never)]),
      'type: "salute" is unknown',
    ],
  ] as const
  for (const [what, bytes, says] of bad) {
    test(`${what} closes its connection, after what came before it, and no other`, async () => {
      const nowhere = await freeAddress()
      const a = await start('a', { peerAddresses: { b: nowhere, c: nowhere }, longestFrame: 1000 })
      const [b, c] = [await dial(a.tcp.address), await dial(a.tcp.address)]
      const say = (epoch: number) => joinFrames([codec.encode({ type: 'begin', epoch })])
      b.socket.write(
        Buffer.concat([
          joinFrames([writeHello({ mesh: 'test', from: 'b', to: 'a', life: 'x' })]),
          say(1),
          bytes,
          say(2),
        ]),
      )
      await until(b.isOver, 'the connection is closed')
      expect(log.at(-1)).toContain('connection from b closed: bad frame: ')
      expect(log.at(-1)).toContain(says)
      c.socket.write(
        Buffer.concat([joinFrames([writeHello({ mesh: 'test', from: 'c', to: 'a', life: 'x' })]), say(3)]),
      )
      await until(() => a.from('c').length > 0, 'another is heard')
      expect(a.from('b')).toEqual([1])
      const again = await dial(a.tcp.address)
      again.socket.write(
        Buffer.concat([joinFrames([writeHello({ mesh: 'test', from: 'b', to: 'a', life: 'x' })]), say(4)]),
      )
      await until(() => a.from('b').length > 1, 'it may come again')
    })
  }

  test('never leaves: what is too long even in parts is told, and not sent', async () => {
    const a = await start('a', { peerAddresses: { b: await freeAddress() }, longestFrame: 1000 })
    a.tcp.send('b', bigMessage(100))
    expect(log.at(-1)).toMatch(/^install to b is not sent: it has \d+ bytes, at most 32000 are allowed$/)
  })
})

test.each([0, 49, 600_001, 2 ** 52])(
  'a hello with a lease of %d ms, which no node is set to, is refused',
  (lease) => {
    const terms = { algorithm: 'lamport', lease, drift: 0, voters: 'a, b' }
    const hello = Buffer.from(writeHello({ mesh: 'test', from: 'b', to: 'a', life: 'x', terms }))
    expect(() => readHello(hello)).toThrow(`lease: ${lease} is not a number from 50 to 600000`)
  },
)
