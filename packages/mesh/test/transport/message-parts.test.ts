import { get } from '@turnwise/core/bounds'
import { expect, test } from 'vitest'
import { atLeast, present } from '../../../../test/present.ts'
import type { Message, MessageOf } from '../../src/protocol/messages.ts'
import { BadFrame } from '../../src/transport/bad-frame.ts'
import { inParts, isPart, Joiner, longestMessage } from '../../src/transport/message-parts.ts'
import { emptyBetweenTests, start } from './tcp-world.ts'
import { bigMessage, codec, range, until } from './transport-contract.ts'

emptyBetweenTests()

const LONGEST = 5000

function cut(message: Message, longestFrame = LONGEST): Buffer[] {
  const long = inParts(message, longestFrame, codec)
  if (long === null) throw new Error('it goes as one frame')
  const parts: Buffer[] = []
  for (let next = long.parts.next(); !next.done; next = long.parts.next()) parts.push(Buffer.from(next.value))
  return parts
}

const add = (joiner: Joiner, part: Buffer) => joiner.add(part, 0, part.length)

test('a message is what it was, whatever its length', () => {
  const joiner = new Joiner(longestMessage(1_000_000), codec)
  for (const entries of [5, 6, 99, 100]) {
    const long = bigMessage(entries)
    const parts = cut(long)
    expect(parts.length).toBeGreaterThan(1)
    expect(parts.every((part) => part.length <= LONGEST && isPart(present(part[0])))).toBe(true)
    const joined = parts.map((part) => add(joiner, part))
    expect(joined.slice(0, -1).every((whole) => whole === null)).toBe(true)
    expect(joined.at(-1)).toEqual(long)
  }
})

/** Of a mesh that meets at a register: the same table as in `bigMessage`, in each kind of message that has one. */
function bigMeetingMessages(epoch: number): Message[] {
  const { record } = bigMessage(100) as MessageOf<'install'>
  const { table } = record
  const claims = [{ seat: 0, mode: 'exclusive' as const, fence: { epoch: 1, counter: 16 } }]
  const holds = Object.fromEntries(Object.keys(table).map((name) => [name, claims]))
  const members = [{ id: 'a', session: { voterId: 'a', k: 1 }, address: '127.0.0.1:1' }]
  return [
    { type: 'report', epoch, session: 'a', address: '127.0.0.1:1', begun: 1, holds },
    { type: 'view', record: { ...record, epoch, voters: [], members } },
    { type: 'change', epoch, after: 1, gone: [], come: [], table },
    { type: 'draft', nonce: `n${epoch}`, epoch, after: 1, gone: [], come: [], table },
  ]
}

test.each(bigMeetingMessages(2))('a $type is what it was, and no part of another', (long) => {
  const joiner = new Joiner(longestMessage(1_000_000), codec)
  const parts = cut(long)
  expect(parts.map((part) => add(joiner, part)).at(-1)).toEqual(long)
  add(joiner, get(parts, 0))
  const later = bigMeetingMessages(3).find(({ type }) => type === long.type) as Message
  expect(() => add(joiner, get(cut(later), 1))).toThrow('a part belongs to another message')
})

test('a part is made when it is asked for', () => {
  let made = 0
  const long = inParts(bigMessage(100), LONGEST, {
    encode(part) {
      made += 1
      return codec.encode(part)
    },
  })
  expect(made).toBe(0)
  long?.parts.next()
  expect(made).toBe(1)
})

test('no message begins like a part, and one without a large table has none', () => {
  expect(isPart(present(codec.encode({ type: 'begin', epoch: 1 })[0]))).toBe(false)
  expect(isPart(present(codec.encode(bigMessage(1))[0]))).toBe(false)
  expect(inParts(bigMessage(1), LONGEST, codec)).toBeNull()
  expect(inParts({ type: 'begin', epoch: 1 }, 1, codec)).toBeNull()
})

test('what a peer can make a node keep has a bound', () => {
  const joiner = new Joiner(9000, codec)
  const [first, second, third] = atLeast(3, cut(bigMessage(100)))
  add(joiner, first)
  add(joiner, second)
  expect(() => add(joiner, third)).toThrow(BadFrame)
})

test('a part is looked at like any message, and belongs to the one before it', () => {
  const joiner = new Joiner(longestMessage(1_000_000), codec)
  const [first, second] = atLeast(2, cut(bigMessage(100)))
  const begin = Buffer.from([present(first[0]), ...codec.encode({ type: 'begin', epoch: 1 })])
  expect(() => add(joiner, begin)).toThrow('a begin does not come in parts')
  expect(() => add(joiner, second)).toThrow('a part belongs to another message')
  add(joiner, first)
  const other = get(cut({ ...bigMessage(100), ballot: 'other' } as Message), 1)
  expect(() => add(joiner, other)).toThrow('a part belongs to another message')
  expect(() => add(joiner, second.subarray(0, 100))).toThrow(BadFrame)
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
