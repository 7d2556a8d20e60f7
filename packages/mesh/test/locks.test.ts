import { describe, expect, test } from 'vitest'
import { join } from '../src/join.ts'
import { meshes } from './meshes.ts'

describe('a mesh of one', () => {
  test('runs the callback with a lock, and settles as it does', async () => {
    const mesh = await join()
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
        nodes[i % 3].locks.request('L', async (lock) => {
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
