import { catalogue } from '@turnwise/algorithms/catalogue'
import { get } from '@turnwise/core/bounds'
import { describe, expect, test } from 'vitest'
import { atLeast } from '../../../test/present.ts'
import { joinNode } from '../src/join.ts'
import type { Message } from '../src/protocol/messages.ts'
import type { Transport } from '../src/transport/transport.ts'
import { meshes, STEADY } from './meshes.ts'

/** Algorithms of which the last holder asks nobody when it asks again, by what their papers say of an idle token or kept permission. */
const SILENT = [
  'carvalho-roucairol',
  'suzuki-kasami',
  'naimi-trehel',
  'raymond',
  'singhal-dynamic',
  'token-queue',
]

describe('what is not sent', () => {
  test.each(SILENT)('%s: asking again for a lock that this node held last sends no message', async (name) => {
    expect(catalogue.map(({ facts }) => facts.name)).toContain(name)
    const sent: Message[] = []
    const nodes = await meshes(3, 'memory', name, STEADY, (transport) => spied(transport, sent))
    await nodes[1].locks.request('L', () => {})
    // A tick that comes before an ack repeats what is under way: the same payload, and nothing new.
    const links = () => new Set(sent.flatMap((each) => (each.type === 'link' ? [each.payload] : []))).size
    const before = links()
    for (let i = 0; i < 50; i += 1) await nodes[1].locks.request('L', () => {})
    expect(links()).toBe(before)
    await nodes[2].locks.request('L', () => {})
    expect(links()).toBeGreaterThan(before)
    await Promise.all(nodes.map((node) => node.leave()))
  })

  test('token-queue: reading again on any of three nodes sends no message', async () => {
    const sent: Message[] = []
    const nodes = await meshes(3, 'memory', 'token-queue', STEADY, (transport) => spied(transport, sent))
    const read = async () => {
      for (const node of nodes) await node.locks.request('L', { mode: 'shared' }, () => {})
    }
    await read()
    const before = lockMessages(sent).length
    expect(before).toBe(4)
    for (let i = 0; i < 10; i += 1) await read()
    expect(lockMessages(sent).length).toBe(before)
    await Promise.all(nodes.map((node) => node.leave()))
  })

  test('names that nobody uses are put to rest, and are what they were when used again', async () => {
    const nodes = await meshes(3)
    const fences: bigint[] = []
    for (const [round, node] of [nodes[0], nodes[1], nodes[0], nodes[2], nodes[0]].entries()) {
      fences.push(await node.locks.request('L', (lock) => lock.fence))
      if (round % 2 === 0) for (let i = 0; i < 3; i += 1) await Promise.all(nodes.map((each) => each.pause()))
    }
    expect(fences).toEqual(fences.toSorted((a, b) => (a < b ? -1 : 1)))
    await Promise.all(nodes.map((node) => node.leave()))
  })

  test('another view forgets idle names at every member, and holders keep what they hold', async () => {
    const nodes = await meshes(3)
    const kept = await nodes[1].locks.acquire('kept')
    for (let i = 0; i < 20; i += 1) await get(nodes, i % 3).locks.request(`L${i}`, () => {})
    expect(nodes[0].status.names).toBeGreaterThan(5)
    await nodes[0].forget()
    expect(nodes[0].status.names).toBeLessThan(5)
    kept.assertHeld()
    kept.release()
    const next = await nodes[2].locks.acquire('kept')
    expect(next.fence).toBeGreaterThan(kept.fence)
    await Promise.all(nodes.map((node) => node.leave()))
  })

  test('token-queue: a node that asks again as it leaves sends its request with the lock', async () => {
    const sent: Message[] = []
    const nodes = await meshes(3, 'memory', 'token-queue', STEADY, (transport) => spied(transport, sent))
    const order: number[] = []
    const takeTurns = async (node: number) => {
      for (let i = 0; i < 200; i += 1) {
        await get(nodes, node).locks.request('L', () => order.push(node))
      }
    }
    await Promise.all(nodes.map((_, node) => takeTurns(node)))
    const changes = order.filter((node, i) => i > 0 && node !== order[i - 1]).length
    expect(changes).toBeGreaterThan(400)
    // The first requests go by themselves.
    expect(lockMessages(sent).length).toBeLessThan(changes + 10)
    await Promise.all(nodes.map((node) => node.leave()))
  })
})

describe('a lock that came with a message', () => {
  const turns = async (callers: number, count: number) => {
    const nodes = await meshes(2)
    const [mine, other] = atLeast(
      2,
      nodes.map((node) => node.locks),
    )
    const first = await other.acquire('L')
    const second = mine.acquire('L')
    first.release()
    ;(await second).release()
    let loops = 0
    const loop = () => {
      loops += 1
      handle = setImmediate(loop)
    }
    let handle = setImmediate(loop)
    const seen: number[] = []
    const takeTurns = async () => {
      while (seen.length < count) {
        const held = await mine.acquire('L')
        seen.push(loops)
        held.release()
      }
    }
    await Promise.all(Array.from({ length: callers }, takeTurns))
    clearImmediate(handle)
    await Promise.all(nodes.map((node) => node.leave()))
    return seen.slice(0, count)
  }

  test('is had again when the event loop has turned, and then for more and more turns at once', async () => {
    expect(await turns(1, 15)).toEqual([1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 4])
  })

  test('goes no faster from caller to caller of the node', async () => {
    expect(await turns(2, 15)).toEqual([1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 4])
  })
})

describe('a caller that has just left', () => {
  test('is in no way of a caller that does not wait', async () => {
    const [node] = await meshes(1)
    const { locks } = node
    for (const options of [{ timeout: 0 }, { mode: 'shared', timeout: 0 }] as const) {
      const held = await locks.acquire('L')
      held.release()
      const next = await locks.acquire('L', options)
      next.release()
    }
    const held = await locks.acquire('L')
    held.release()
    expect(await locks.request('L', { ifAvailable: true }, (lock) => lock !== null)).toBe(true)
    await node.leave()
  })

  test('is told as holding no more', async () => {
    const [node] = await meshes(1)
    const held = await node.locks.acquire('L')
    const asked = node.locks.query()
    held.release()
    expect((await asked).held).toHaveLength(1)
    expect((await node.locks.query()).held).toEqual([])
    await node.leave()
  })
})

test('a loop that asks again and again does not keep others out', async () => {
  const nodes = await meshes(2, 'memory', 'suzuki-kasami')
  let isServed = false
  const other = nodes[1].locks.request('L', () => {
    isServed = true
  })
  let turns = 0
  while (!isServed && turns < 100_000) {
    const held = await nodes[0].locks.acquire('L')
    turns += 1
    held.release()
  }
  expect(isServed).toBe(true)
  await other
  await Promise.all(nodes.map((node) => node.leave()))
})

describe('R18: full queues slow callers', () => {
  test('while a peer does not read, who asks waits; afterwards all are served', async () => {
    let backlog = 0
    const sent: Message[] = []
    const nodes = await meshes(3, 'memory', 'suzuki-kasami', STEADY, (transport) => ({
      ...spied(transport, sent),
      backlog: () => backlog,
    }))
    backlog = 2 ** 30
    await Promise.all(nodes.map((node) => node.pause()))
    let served = 0
    const all = nodes.map((node) =>
      node.locks.request('L', () => {
        served += 1
      }),
    )
    await Promise.all(nodes.map((node) => node.pause()))
    expect(served).toBe(0)
    expect(sent.filter(({ type }) => type === 'link')).toEqual([])
    backlog = 0
    await Promise.all(all)
    expect(served).toBe(3)
    await Promise.all(nodes.map((node) => node.leave()))
  })
})

test('too many names: the node asks for a view in which idle ones are forgotten', async () => {
  const mesh = await joinNode({ mostNames: 10, lease: 100 })
  for (let i = 0; i < 50; i += 1) await mesh.locks.request(`L${i}`, () => {})
  while (mesh.status.names > 10) await mesh.pause()
  expect(mesh.status.epoch).toBeGreaterThan(1)
  await mesh.leave()
})

function spied(transport: Transport, sent: Message[]): Transport {
  return {
    start: (receiver) => transport.start(receiver),
    send(to, message) {
      sent.push(message)
      transport.send(to, message)
    },
    backlog: (to) => transport.backlog(to),
    reset: (peer) => transport.reset(peer),
    setPeers: (peers) => transport.setPeers(peers),
    close: () => transport.close(),
  }
}

/** What algorithms have sent, each once: a tick may repeat what is under way. */
function lockMessages(sent: readonly Message[]): string[] {
  const payloads = new Set(sent.flatMap((each) => (each.type === 'link' ? [each.payload] : [])))
  return [...payloads].flatMap((each) => (each.kind === 'lock' ? [each.message.type] : []))
}
