import { get } from '@turnwise/core/bounds'
import { expect, test } from 'vitest'
import { atLeast } from '../../../test/present.ts'
import { meshes, STEADY } from './meshes.ts'

test('who holds and who waits at all nodes, and for how long', async () => {
  const nodes = await meshes(3)
  const held = await nodes[0].locks.acquire('L')
  const waits = [nodes[1].locks.acquire('L'), nodes[1].locks.acquire('L', { mode: 'shared' })]
  const longer = async (than: number): Promise<readonly number[]> => {
    for (;;) {
      const [a, b, c] = atLeast(
        3,
        await nodes[2].survey().then((all) => all.toSorted((x, y) => (x.id < y.id ? -1 : 1))),
      )
      expect(c.names).toEqual([])
      expect(a.names.map(({ name, pending }) => [name, pending])).toEqual([['=L', []]])
      const { mode, age } = get(get(a.names, 0).held, 0)
      expect(mode).toBe('exclusive')
      const pending = b.names[0]?.pending ?? []
      const ages = [age, ...pending.map((waiting) => waiting.age)]
      if (pending.length < 2 || Math.min(...ages) <= than) continue
      expect(pending.map((waiting) => waiting.mode)).toEqual(['exclusive', 'shared'])
      return ages
    }
  }
  const before = await longer(5)
  const after = await longer(Math.max(...before) + 5)
  // Nodes answer one after another, each with its own clock: only ages of one node can be compared.
  expect(before[1]).toBeGreaterThanOrEqual(get(before, 2))
  expect(get(after, 0) - get(before, 0)).toBeGreaterThan(0)
  held.release()
  for (const wait of waits) (await wait).release()
  await Promise.all(nodes.map((node) => node.leave()))
})

test('which voters are not heard', async () => {
  const nodes = await meshes(3)
  expect(nodes[0].status.missing).toEqual([])
  await nodes[2].leave()
  while (nodes[0].status.missing.length === 0) await nodes[0].pause()
  expect(nodes[0].status.missing).toEqual(['c'])
  await Promise.all(nodes.map((node) => node.leave()))
})

test('each piece of a long answer is acknowledged when it comes: the next one waits for that', async () => {
  const acked: number[] = []
  const nodes = await meshes(2, 'memory', 'carvalho-roucairol', 3 * STEADY, (transport) => {
    const send = transport.send.bind(transport)
    transport.send = (to, message) => {
      if (to === 'a' && message.type === 'link-ack') acked.push(message.upTo)
      send(to, message)
    }
    return transport
  })
  const names = Array.from({ length: 5000 }, (_, i) => `name ${i}`)
  await Promise.all(names.map((name) => nodes[0].locks.acquire(name)))
  acked.length = 0
  const { held } = await nodes[1].locks.query()
  expect(held.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
  // Ten pieces, and nothing follows the last.
  expect(acked.length).toBeGreaterThanOrEqual(9)
  await Promise.all(nodes.map((node) => node.leave()))
})
