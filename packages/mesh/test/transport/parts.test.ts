import { expect, test } from 'vitest'
import { BadFrame } from '../../src/transport/bad-frame.ts'
import { cut, isPart, Joiner } from '../../src/transport/parts.ts'
import { start } from './tcp-world.ts'
import { bigMessage, codec, range, until } from './transport-contract.ts'

test('a message is what it was, whatever its length', () => {
  const joiner = new Joiner(10_000)
  for (const length of [1, 98, 99, 100, 198, 199, 1000]) {
    const body = Buffer.from(range(0, length).map((i) => i % 251))
    const parts = cut(body, 100).map((part) => Buffer.from(part))
    expect(parts.every((part) => part.length <= 100 && isPart(part[0]))).toBe(true)
    const joined = parts.map((part) => joiner.add(part))
    expect(joined.slice(0, -1).every((whole) => whole === null)).toBe(true)
    expect(joined.at(-1)).toEqual(body)
  }
})

test('no message begins like a part', () => {
  expect(isPart(codec.encode({ type: 'begin', epoch: 1 })[0])).toBe(false)
  expect(isPart(codec.encode(bigMessage(1))[0])).toBe(false)
})

test('what a peer can make a node keep has a bound', () => {
  const joiner = new Joiner(250)
  const [part] = cut(Buffer.alloc(1000), 101)
  joiner.add(Buffer.from(part))
  joiner.add(Buffer.from(part))
  expect(() => joiner.add(Buffer.from(part))).toThrow(BadFrame)
})

test.each([null, 'a secret of sixteen letters'])(
  'over TCP others overtake it, secret: %s',
  async (secret) => {
    const security = { secret, tls: null }
    const options = { longestFrame: 5000, ...(secret !== null && { security }) }
    const a = await start('a', options)
    const b = await start('b', { ...options, peerAddresses: { a: a.tcp.address } })
    a.tcp.setPeers(new Map([['b', b.tcp.address]]))
    await until(() => b.heard.includes('+a'), 'it is connected')
    const long = bigMessage(100)
    b.tcp.send('a', long)
    for (const epoch of range(1, 50)) b.say('a', epoch)
    await until(() => a.messages.length === 51, 'all is heard')
    expect(a.messages.at(-1)).toEqual(long)
    expect(a.from('b').slice(0, 50)).toEqual(range(1, 50))
  },
)

test('of several of one kind that wait only the one under way and the last are sent', async () => {
  const options = { longestFrame: 5000 }
  const a = await start('a', options)
  const b = await start('b', { ...options, peerAddresses: { a: a.tcp.address } })
  a.tcp.setPeers(new Map([['b', b.tcp.address]]))
  await until(() => b.heard.includes('+a'), 'it is connected')
  for (let i = 0; i < 10; i += 1) b.tcp.send('a', bigMessage(100 + i))
  b.say('a', 1)
  await until(() => a.messages.length === 2, 'both are heard')
  expect(a.messages[1]).toEqual(bigMessage(109))
})
