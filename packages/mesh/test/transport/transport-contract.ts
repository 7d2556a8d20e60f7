/** What every transport promises, as tests that run on each of them. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type AtLeast, atLeast } from '../../../../test/present.ts'
import type { Message } from '../../src/protocol/messages.ts'
import { createCodec } from '../../src/transport/codec.ts'
import type { Codec } from '../../src/transport/lease-codec.ts'
import type { Receiver, Transport } from '../../src/transport/transport.ts'
import '../../check/texts.ts'

export const codec: Codec = createCodec({ algorithm: 'suzuki-kasami', nodes: 8 })

/** A world in which transports of some nodes can reach each other. */
export interface Harness {
  /** A transport for one life of the node. */
  transport(id: string): Transport
  /** The node reads nothing until it is let go on. */
  pause(id: string): void
  resume(id: string): void
  close(): Promise<void>
}

/** A node that remembers what it heard, in order. */
export class Node implements Receiver {
  readonly id: string
  readonly transport: Transport
  readonly heard: string[] = []
  readonly messages: Message[] = []

  constructor(id: string, transport: Transport) {
    this.id = id
    this.transport = transport
  }

  receive(from: string, message: Message): void {
    this.messages.push(message)
    this.heard.push(`${from} ${message.type === 'begin' ? message.epoch : message.type}`)
  }

  connected(peer: string): void {
    this.heard.push(`+${peer}`)
  }

  disconnected(peer: string): void {
    this.heard.push(`-${peer}`)
  }

  say(to: string, epoch: number): void {
    this.transport.send(to, { type: 'begin', epoch })
  }

  /** The numbers that one peer said. */
  from(peer: string): number[] {
    return this.heard.filter((line) => line.startsWith(`${peer} `)).map((line) => Number(line.split(' ')[1]))
  }
}

const DEADLINE = 120_000

/** Waits for turns of the event loop, not for a time; gives up long after anything could still come. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  const end = Date.now() + DEADLINE
  while (!condition()) {
    if (Date.now() > end) throw new Error(`in vain: ${what}`)
    // Not at every turn of the loop: the process that is waited for needs the processor too.
    await new Promise((resolve) => void setTimeout(resolve, 1))
  }
}

export const range = (first: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => first + index)

export function bigMessage(entries: number): Message {
  const holders = [{ id: 'a', seat: 0, mode: 'exclusive' as const, fence: { epoch: 1, counter: 16 } }]
  const table = Object.fromEntries(
    range(0, entries).map((name) => [`${name}`.padEnd(1000, ' a long name'), holders]),
  )
  const record = {
    epoch: 1,
    voters: [{ id: 'a', voterId: 'v' }],
    oldVoters: null,
    members: [],
    settings: { algorithm: 'suzuki-kasami', lease: 2000, drift: 0.002 },
    table,
  }
  return { type: 'install', ballot: 'b', record }
}

export function transportContract(title: string, makeHarness: () => Harness): void {
  describe(title, () => {
    let harness: Harness
    let nodes: Node[] = []

    beforeEach(() => {
      harness = makeHarness()
      nodes = []
    })

    afterEach(async () => {
      await Promise.all(nodes.map((node) => node.transport.close()))
      await harness.close()
    })

    async function start(id: string): Promise<Node> {
      const node = new Node(id, harness.transport(id))
      nodes.push(node)
      await node.transport.start(node)
      return node
    }

    async function startConnected<Ids extends string[]>(...ids: Ids): Promise<AtLeast<Ids['length'], Node>> {
      const all: Node[] = []
      for (const id of ids) all.push(await start(id))
      const isMet = (node: Node) => ids.every((id) => id === node.id || node.heard.includes(`+${id}`))
      await until(() => all.every(isMet), 'everybody is connected to everybody')
      return atLeast<Ids['length'], Node>(ids.length, all)
    }

    test('keeps the order of each pair, in both directions at once', async () => {
      const [a, b] = await startConnected('a', 'b')
      for (const number of range(1, 500)) {
        a.say('b', number)
        b.say('a', 1000 + number)
        if (number % 100 === 0) await new Promise((resolve) => void setImmediate(resolve))
      }
      await until(() => b.from('a').length === 500 && a.from('b').length === 500, 'all have arrived')
      expect(b.from('a')).toEqual(range(1, 500))
      expect(a.from('b')).toEqual(range(1001, 500))
    })

    test('carries what many say to each other, and to nobody else', async () => {
      const ids = ['a', 'b', 'c', 'd', 'e']
      const all = await startConnected(...ids)
      for (const number of range(1, 20)) {
        for (const [place, node] of all.entries()) {
          for (const id of ids) if (id !== node.id) node.say(id, 100 * place + number)
        }
      }
      await until(() => all.every(({ messages }) => messages.length === 80), 'all have arrived')
      for (const node of all) {
        for (const [place, id] of ids.entries()) {
          expect(node.from(id)).toEqual(id === node.id ? [] : range(100 * place + 1, 20))
        }
      }
    })

    test('carries a message of a megabyte whole, with small ones around it', async () => {
      const [a, b] = await startConnected('a', 'b')
      const big = bigMessage(1000)
      expect(codec.encode(big).length).toBeGreaterThan(1_000_000)
      a.say('b', 1)
      a.transport.send('b', big)
      a.say('b', 2)
      await until(() => b.messages.length === 3, 'three have arrived')
      expect(b.messages).toEqual([{ type: 'begin', epoch: 1 }, big, { type: 'begin', epoch: 2 }])
    })

    test('takes a message to a peer that is not there, and loses it', async () => {
      const a = await start('a')
      a.say('b', 1)
      a.say('a', 2)
      a.say('nobody', 3)
      expect(a.transport.backlog('b')).toBe(0)
      const b = await start('b')
      await until(() => a.heard.includes('+b'), 'it is connected')
      a.say('b', 4)
      await until(() => b.messages.length > 0, 'the next arrives')
      expect(b.from('a')).toEqual([4])
      expect(a.messages).toEqual([])
    })

    test('sends nothing before it is started', async () => {
      const transport = harness.transport('a')
      transport.send('b', { type: 'begin', epoch: 1 })
      expect(transport.backlog('b')).toBe(0)
      await transport.close()
    })

    test('connects again after the peer has started anew', async () => {
      const [a, b] = await startConnected('a', 'b')
      await b.transport.close()
      await until(() => a.heard.includes('-b'), 'the end is noticed')
      a.say('b', 1)
      const again = await start('b')
      await until(() => a.heard.filter((line) => line === '+b').length === 2, 'it is connected again')
      a.say('b', 2)
      await until(() => again.heard.includes('+a') && again.messages.length > 0, 'it hears again')
      again.say('a', 3)
      await until(() => a.messages.length > 0, 'and speaks again')
      expect(again.from('a')).toEqual([2])
      expect(a.heard).toEqual(['+b', '-b', '+b', 'b 3'])
      expect(b.messages).toEqual([])
    })

    test('delivers what was sent before a close, in order', async () => {
      const [a, b] = await startConnected('a', 'b')
      for (const number of range(1, 200)) a.say('b', number)
      await new Promise((resolve) => void setImmediate(resolve))
      for (const number of range(201, 200)) a.say('b', number)
      const heardBefore = a.heard.length
      await a.transport.close()
      a.say('b', 999)
      await until(
        () => b.heard.includes('-a') && b.heard.includes('a 400'),
        'all is heard, and the end noticed',
      )
      expect(b.from('a')).toEqual(range(1, 400))
      b.say('a', 1)
      await new Promise((resolve) => void setImmediate(resolve))
      expect(a.heard.length).toBe(heardBefore)
    })

    test('can be closed twice, and before it is started', async () => {
      const a = await start('a')
      await Promise.all([a.transport.close(), a.transport.close()])
      await a.transport.close()
      await harness.transport('b').close()
    })

    test('counts what a peer does not read, drops nothing, and is done when it reads again', async () => {
      const [a, b] = await startConnected('a', 'b')
      const big = bigMessage(1000)
      const size = codec.encode(big).length
      harness.pause('b')
      const count = 24
      for (let sent = 0; sent < count; sent += 1) a.transport.send('b', big)
      expect(a.transport.backlog('b')).toBeGreaterThanOrEqual(count * size)
      // Buffers of the system take some of it, but not all.
      for (const _ of range(0, 50)) await new Promise((resolve) => void setImmediate(resolve))
      expect(a.transport.backlog('b')).toBeGreaterThan(size)
      a.say('b', 7)
      harness.resume('b')
      await until(() => b.from('a').includes(7), 'all is read')
      expect(b.messages.length).toBe(count + 1)
      await until(() => a.transport.backlog('b') === 0, 'nothing is left')
    })

    test('may be told that a connection leads nowhere', async () => {
      const [a, b] = await startConnected('a', 'b')
      a.transport.reset('b')
      a.transport.reset('nobody')
      await until(() => a.heard.at(-1) === '+b', 'it is connected')
      a.say('b', 1)
      await until(() => b.messages.length > 0, 'it hears')
    })
  })
}
