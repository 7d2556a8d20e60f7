import { get } from '@turnwise/core/bounds'
import { describe, expect, test } from 'vitest'
import { atLeast } from '../../../test/present.ts'
import type { Held } from '../src/locks/held.ts'
import { MeshNode } from '../src/mesh.ts'
import type { Mesh } from '../src/surface.ts'
import { meshes, STEADY, starter } from './meshes.ts'
import { fresh, inEveryWorld, reasonOf } from './web-locks/worlds.ts'

/** What lets several in and can serve a mesh. */
const ALGORITHMS = ['srimani-reddy', 'raymond-k']

inEveryWorld((world) => {
  const pool = (node: number, name: string, permits: number) => world.site(node).semaphore(name, permits)

  test.each([1, 2, 3])('%i permits: as many are inside together, and never more', async (permits) => {
    const name = fresh()
    let inside = 0
    let most = 0
    let full: () => void = () => {}
    const isFull = new Promise<void>((resolve) => {
      full = resolve
    })
    await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        pool(i, name, permits).request(async () => {
          inside += 1
          most = Math.max(most, inside)
          if (inside === permits) full()
          // The first ones wait for each other: that many really are inside at one time.
          await isFull
          await new Promise(setImmediate)
          inside -= 1
        }),
      ),
    )
    expect(most).toBe(permits)
  })

  test('one node may hold all permits, and the next one waits for a release', async () => {
    const name = fresh()
    const mine = await Promise.all([1, 1, 1].map((node) => pool(node, name, 3).acquire()))
    expect(mine.every(({ isHeld }) => isHeld)).toBe(true)
    expect(new Set(mine.map(({ fence }) => fence)).size).toBe(3)
    const next = pool(2, name, 3).acquire()
    expect(await reasonOf(pool(1, name, 3).acquire({ timeout: 0 }))).toMatchObject({ code: 'LOCK_TIMEOUT' })
    get(mine, 1).release()
    const permit = await next
    for (const each of [...mine, permit]) each.release()
  })

  test('ifAvailable: null when all permits are taken, a permit when one is free', async () => {
    const name = fresh()
    const taken = await Promise.all([0, 1].map((node) => pool(node, name, 2).acquire()))
    for (const node of [0, 1, 2]) {
      expect(await pool(node, name, 2).acquire({ ifAvailable: true })).toBeNull()
      expect(await pool(node, name, 2).request({ ifAvailable: true }, (permit) => permit)).toBeNull()
    }
    get(taken, 0).release()
    const permit = await pool(2, name, 2).acquire({ ifAvailable: true })
    expect(permit?.isHeld).toBe(true)
    permit?.release()
    get(taken, 1).release()
  })

  test('fences of all grants differ, and rise for each permit', async () => {
    const name = fresh()
    /** As docs/locks.md tells it: which of the permits a fence belongs to. */
    const permitOf = (fence: bigint) => Number(((fence & (2n ** 27n - 1n)) / 16n) % 2n)
    const fences: bigint[][] = [[], []]
    for (let i = 0; i < 6; i += 1) {
      const permits = await Promise.all([0, 1].map((node) => pool(node + i, name, 2).acquire()))
      expect(permits.map(({ fence }) => permitOf(fence)).toSorted()).toEqual([0, 1])
      for (const { fence } of permits) get(fences, permitOf(fence)).push(fence)
      for (const permit of permits) permit.release()
    }
    for (const each of fences) expect(each).toEqual(each.toSorted((a, b) => (a < b ? -1 : 1)))
    expect(new Set(fences.flat()).size).toBe(12)
  })

  test('other numbers of permits, and locks of the same name, are something else', async () => {
    const name = fresh()
    const node = world.site(0)
    const held = [
      await node.semaphore(name, 1).acquire(),
      await node.semaphore(name, 2).acquire(),
      await node.locks.acquire(name),
      await node.election(name).campaign(),
    ]
    expect(held.map((each) => each.name)).toEqual([name, name, name, name])
    for (const each of held) each.release()
  })

  test('bad input is refused', async () => {
    const node = world.site(0)
    for (const permits of [0, -1, 1.5, 65, Number.NaN]) {
      expect(() => node.semaphore('a', permits)).toThrow(`a semaphore has 1 to 64 permits, not ${permits}`)
    }
    // A member knows the catalogue and says so at once; a client hears it when it asks for a permit.
    const served = async (algorithm: string) => node.semaphore('a', 2, { algorithm }).acquire()
    const only = '"raymond" cannot serve semaphores: it lets only one in'
    await expect(served('raymond')).rejects.toThrow(only)
    await expect(served('kakugawa')).rejects.toThrow(
      /^"kakugawa" cannot serve semaphores: .* while permits are free/,
    )
    await expect(served('nobody')).rejects.toThrow(/nobody/)
    if (node instanceof MeshNode) expect(() => node.semaphore('a', 2, { algorithm: 'raymond' })).toThrow(only)
    expect(await reasonOf(node.semaphore('-a', 2).acquire())).toMatchObject({ name: 'NotSupportedError' })
    expect(await reasonOf(node.semaphore('a', 2).acquire(5 as never))).toBeInstanceOf(TypeError)
    expect(await reasonOf(node.semaphore('a', 2).request(5 as never))).toBeInstanceOf(TypeError)
    const signal = AbortSignal.abort('before')
    expect(await reasonOf(node.semaphore('a', 2).acquire({ signal }))).toBe('before')
  })

  test('a failing callback gives its permit back', async () => {
    const name = fresh()
    const failure = new Error('work failed')
    const fails = () => {
      throw failure
    }
    expect(await reasonOf(pool(1, name, 1).request(fails))).toBe(failure)
    expect(await pool(2, name, 1).request({ timeout: 20_000 }, () => 'next')).toBe('next')
  })
})

describe.concurrent.each(ALGORITHMS)('%s', (algorithm) => {
  async function takeTurns(nodes: readonly Mesh[], name: string, turns: number): Promise<number> {
    let inside = 0
    let most = 0
    await Promise.all(
      Array.from({ length: turns }, (_, i) =>
        get(nodes, i % nodes.length)
          .semaphore(name, 2, { algorithm })
          .request(async () => {
            inside += 1
            most = Math.max(most, inside)
            await new Promise(setImmediate)
            inside -= 1
          }),
      ),
    )
    return most
  }

  test.each(['memory', 'tcp'] as const)('serves three nodes over %s', async (medium) => {
    const nodes = await meshes(3, medium)
    expect(await takeTurns(nodes, 'pool', 18)).toBe(2)
    await Promise.all(nodes.map((node) => node.leave()))
  })

  test.each([
    ['one each', [0, 1]],
    ['both of one', [1, 1]],
  ])('holders stay when a node leaves and another joins: %s', async (_, holders) => {
    const start = starter({ ids: ['a', 'b', 'c', 'd'], voters: ['a', 'b', 'c'], lease: STEADY })
    const [a, b, c] = atLeast(3, await Promise.all(['a', 'b', 'c'].map(start)))
    const at = (node: Mesh) => node.semaphore('pool', 2, { algorithm })
    const permits: Held[] = []
    for (const node of holders) permits.push(await at(get([a, b], node)).acquire())
    const d = await start('d')
    const waits = at(d).acquire()
    expect(d.status.members).toEqual(['a', 'b', 'c', 'd'])
    await c.leave()
    while (a.status.members.includes('c')) await a.pause()
    expect(permits.every(({ isHeld }) => isHeld)).toBe(true)
    expect(await reasonOf(at(a).acquire({ timeout: 1 }))).toMatchObject({ code: 'LOCK_TIMEOUT' })
    get(permits, 0).release()
    const next = await waits
    expect(permits.map(({ isHeld }) => isHeld)).toEqual([false, true])
    expect(next.fence).toBeGreaterThan(get(permits, 1).fence)
    get(permits, 1).release()
    next.release()
    expect(await takeTurns([a, b, d], 'pool', 12)).toBe(2)
    await Promise.all([a, b, d].map((node) => node.leave()))
  })
})
