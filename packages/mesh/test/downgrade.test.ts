import { catalogue } from '@turnwise/algorithms/catalogue'
import type { Mode } from '@turnwise/core/algorithm'
import { expect, test } from 'vitest'
import { LockStolenError } from '../src/locks/errors.ts'
import { meshes } from './meshes.ts'
import { fresh, hold, inEveryWorld, quiet, stateOf, type World } from './web-locks/worlds.ts'

/** The modes in which a name is held. */
async function modesOf(world: World, name: string): Promise<Mode[]> {
  const { held } = await stateOf(world, name)
  return held.map(({ mode }) => mode).toSorted()
}

inEveryWorld((world) => {
  test('readers that wait come in, here and elsewhere, and the fence stays', async () => {
    const name = fresh()
    const held = await world.at(0).acquire(name)
    const { fence } = held
    const readers = [0, 1, 2, 1].map((node) => hold(world.at(node), name, { mode: 'shared' }))
    await quiet(world)
    expect(readers.map(({ isInside }) => isInside)).toEqual([false, false, false, false])
    held.downgrade()
    const locks = await Promise.all(readers.map(({ entered }) => entered))
    expect(held).toMatchObject({ mode: 'shared', isHeld: true, fence })
    expect(await modesOf(world, name)).toEqual(Array.from({ length: 5 }, () => 'shared'))
    for (const lock of locks) expect(lock.fence).toBeGreaterThanOrEqual(fence)
    const writer = world.at(2).acquire(name)
    held.release()
    await Promise.all(readers.map((reader) => reader.release()))
    const last = await writer
    for (const lock of [held, ...locks]) expect(last.fence).toBeGreaterThan(lock.fence)
    last.release()
  })

  test('a writer does not come in before the last of them has left, nor a reader behind it', async () => {
    const name = fresh()
    const held = await world.at(0).acquire(name)
    const writer = hold(world.at(1), name)
    await quiet(world)
    const reader = hold(world.at(2), name, { mode: 'shared' })
    await quiet(world)
    held.downgrade()
    await quiet(world)
    expect([writer.isInside, reader.isInside, held.isHeld]).toEqual([false, false, true])
    held.release()
    await writer.entered
    expect(reader.isInside).toBe(false)
    await writer.release()
    await reader.entered
    await reader.release()
  })

  test('the callback of request can do it too, and a second time does nothing', async () => {
    const name = fresh()
    await world.at(1).request(name, async (lock) => {
      lock.downgrade()
      lock.downgrade()
      expect(lock.mode).toBe('shared')
      const reader = await world.at(2).acquire(name, { mode: 'shared' })
      reader.downgrade()
      expect(reader.mode).toBe('shared')
      reader.release()
    })
    await quiet(world)
    expect(await stateOf(world, name)).toEqual({ held: [], pending: [] })
  })

  test('what is not held cannot be downgraded: it throws as assertHeld does', async () => {
    const name = fresh()
    const held = await world.at(0).acquire(name)
    held.release()
    expect(() => held.downgrade()).toThrow(`"${name}" has been released`)
    const robbed = await world.at(0).acquire(name)
    const lost = new Promise((resolve) => robbed.signal.addEventListener('abort', resolve))
    const thief = await world.at(1).acquire(name, { steal: true })
    await lost
    expect(() => robbed.downgrade()).toThrow(LockStolenError)
    expect([robbed.mode, thief.isHeld]).toEqual(['exclusive', true])
    thief.release()
  })

  test('a shared lock that was exclusive can be stolen', async () => {
    const name = fresh()
    const held = await world.at(0).acquire(name)
    held.downgrade()
    const thief = await world.at(1).acquire(name, { steal: true })
    expect(thief.fence).toBeGreaterThan(held.fence)
    thief.release()
  })

  test('permits and leaders are no locks', async () => {
    const permit = await world.site(0).semaphore(fresh(), 2).acquire()
    const lead = await world.site(0).election(fresh()).campaign()
    for (const held of [permit, lead]) {
      expect(() => held.downgrade()).toThrow('is not a lock: only a lock can be downgraded')
      await expect(held.upgrade()).rejects.toThrow('is not a lock: only a lock can be upgraded')
      held.release()
    }
  })
})

const OTHERS = ['ricart-agrawala', 'raymond', 'carvalho-roucairol', 'singhal-dynamic']

test.each(OTHERS)(
  '%s: readers of the node come in, and those of others where it has a rule',
  async (name) => {
    const nodes = await meshes(3, 'memory', name)
    const held = await nodes[0].locks.acquire('L')
    const own = hold(nodes[0].locks, 'L', { mode: 'shared' })
    const other = hold(nodes[1].locks, 'L', { mode: 'shared' })
    await quiet({ nodes })
    held.downgrade()
    await own.entered
    const canShare = catalogue.find(({ facts }) => facts.name === name)?.downgrade !== undefined
    if (canShare) await other.entered
    else await quiet({ nodes })
    expect(other.isInside).toBe(canShare)
    held.release()
    await own.release()
    await other.release()
    await Promise.all(nodes.map((node) => node.leave()))
  },
)
