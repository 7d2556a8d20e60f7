import { get } from '@turnwise/core/bounds'
import { describe, expect, test } from 'vitest'
import { joinNode } from '../src/join.ts'
import { meshes } from './meshes.ts'

describe('a mesh of one', () => {
  test('runs the callback with a lock, and settles as it does', async () => {
    const mesh = await joinNode()
    const first = await mesh.locks.request('invoices', (lock) => lock.fence)
    const second = await mesh.locks.request('invoices', (lock) => lock.fence)
    expect(second).toBeGreaterThan(first)
    await mesh.leave()
  })
})

describe.each(['memory', 'tcp'] as const)('three nodes over %s', (medium) => {
  test('take turns, with fences that rise', async () => {
    const nodes = await meshes(3, medium)
    const fences: bigint[] = []
    let inside = 0
    await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        get(nodes, i % 3).locks.request('L', async (lock) => {
          inside += 1
          expect(inside).toBe(1)
          fences.push(lock.fence)
          await new Promise(setImmediate)
          inside -= 1
        }),
      ),
    )
    expect(fences).toHaveLength(30)
    expect(fences).toEqual(fences.toSorted((a, b) => (a < b ? -1 : 1)))
    await Promise.all(nodes.map((node) => node.leave()))
  })
})

describe('priority', () => {
  test('an urgent caller goes before others of its node, behind those who are as urgent', async () => {
    const mesh = await joinNode()
    const order: number[] = []
    const held = await mesh.locks.acquire('L')
    const all = [0, 5, 1, 5, 0].map((priority, i) =>
      mesh.locks.request('L', { priority }, () => {
        order.push(i)
      }),
    )
    held.release()
    await Promise.all(all)
    expect(order).toEqual([1, 3, 2, 0, 4])
    await mesh.leave()
  })

  test('and, where the algorithm knows priorities, before those that other nodes make at the same time', async () => {
    const nodes = await meshes(3, 'memory', 'ricart-agrawala priority=20')
    const order: string[] = []
    const held = await nodes[0].locks.acquire('L')
    const ordinary = nodes[1].locks.request('L', () => void order.push('ordinary'))
    // In the same turn, so neither has heard of the other: among such requests priorities decide.
    const urgent = nodes[2].locks.request('L', { priority: 20 }, () => void order.push('urgent'))
    await Promise.all(nodes.map((node) => node.pause()))
    held.release()
    await Promise.all([ordinary, urgent])
    expect(order).toEqual(['urgent', 'ordinary'])
    await Promise.all(nodes.map((node) => node.leave()))
  })

  test('with the default it goes before requests of other nodes that wait already', async () => {
    const nodes = await meshes(3, 'memory')
    const order: string[] = []
    const held = await nodes[0].locks.acquire('L')
    const waiting = async (count: number) =>
      expect.poll(async () => (await nodes[0].locks.query()).pending?.length).toBe(count)
    const ordinary = nodes[1].locks.request('L', () => void order.push('ordinary'))
    await waiting(1)
    const urgent = nodes[2].locks.request('L', { priority: 1 }, () => void order.push('urgent'))
    await waiting(2)
    const later = nodes[0].locks.request('L', { priority: -1 }, () => void order.push('later'))
    held.release()
    await Promise.all([ordinary, urgent, later])
    expect(order).toEqual(['urgent', 'ordinary', 'later'])
    await Promise.all(nodes.map((node) => node.leave()))
  })

  test('nobody starves at its own node either: a caller that was passed often enough is passed no more', async () => {
    const mesh = await joinNode({ algorithm: 'token-queue passes=2' })
    const order: number[] = []
    const held = await mesh.locks.acquire('L')
    const all = [0, 1, 2, 3, 0].map((priority, i) =>
      mesh.locks.request('L', { priority }, () => {
        order.push(i)
      }),
    )
    held.release()
    await Promise.all(all)
    expect(order).toEqual([2, 1, 0, 3, 4])
    await mesh.leave()
  })

  test.each([
    ['ricart-agrawala frob=1', 'frob'],
    ['raymond-k', 'it lets several callers in at a time'],
    ['nobody', '"nobody"'],
  ])('a mesh cannot run "%s"', async (algorithm, why) => {
    await expect(joinNode({ algorithm })).rejects.toThrow(why)
  })
})
