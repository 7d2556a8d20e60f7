import { get } from '@turnwise/core/bounds'
import { expect, test } from 'vitest'
import { joinNode } from '../src/join.ts'
import { LockTimeoutError } from '../src/locks/errors.ts'
import { meshes } from './meshes.ts'
import { fresh, hold, inEveryWorld, quiet, reasonOf, stateOf } from './web-locks/worlds.ts'

inEveryWorld((world) => {
  test('an update is inside beside readers, and beside no other update and no writer', async () => {
    const name = fresh()
    const reader = await world.at(1).acquire(name, { mode: 'shared' })
    const update = await world.at(0).acquire(name, { mode: 'update' })
    expect(update.mode).toBe('update')
    const later = await world.at(2).acquire(name, { mode: 'shared' })
    const others = [hold(world.at(1), name, { mode: 'update' }), hold(world.at(2), name)]
    await quiet(world)
    expect(others.map(({ isInside }) => isInside)).toEqual([false, false])
    const { held } = await stateOf(world, name)
    expect(held.map(({ mode }) => mode).toSorted()).toEqual(['shared', 'shared', 'update'])
    for (const each of [reader, update, later]) each.release()
    await Promise.all(others.map((each) => each.entered.then(() => each.release())))
  })

  test('it becomes exclusive when all readers have left, and nobody comes in meanwhile', async () => {
    const name = fresh()
    const reader = await world.at(1).acquire(name, { mode: 'shared' })
    const update = await world.at(0).acquire(name, { mode: 'update' })
    const { fence } = update
    const upgraded = update.upgrade()
    await quiet(world)
    const late = hold(world.at(2), name, { mode: 'shared' })
    await quiet(world)
    expect([update.mode, late.isInside]).toEqual(['update', false])
    reader.release()
    await upgraded
    expect(update.mode).toBe('exclusive')
    expect(update.fence).toBeGreaterThanOrEqual(fence)
    await update.upgrade()
    await quiet(world)
    expect(late.isInside).toBe(false)
    update.downgrade()
    await late.entered
    expect(update.mode).toBe('shared')
    update.release()
    await late.release()
  })

  test('if the time is over, or the signal aborts, it holds an update as before', async () => {
    const name = fresh()
    const reader = await world.at(1).acquire(name, { mode: 'shared' })
    const update = await world.at(0).acquire(name, { mode: 'update' })
    expect(await reasonOf(update.upgrade({ timeout: 5 }))).toBeInstanceOf(LockTimeoutError)
    const stop = new AbortController()
    const failed = reasonOf(update.upgrade({ signal: stop.signal }))
    expect(await reasonOf(update.upgrade())).toMatchObject({ name: 'InvalidStateError' })
    stop.abort(new Error('enough'))
    expect(await failed).toBe(stop.signal.reason)
    expect([update.mode, update.isHeld]).toEqual(['update', true])
    // Readers come in again.
    const more = await world.at(2).acquire(name, { mode: 'shared' })
    const upgraded = update.upgrade()
    more.release()
    reader.release()
    await upgraded
    expect(update.mode).toBe('exclusive')
    update.release()
  })

  test('two that want to update take turns: no deadlock', async () => {
    const name = fresh()
    let count = 0
    const add = (node: number) =>
      world.at(node).request(name, { mode: 'update' }, async (lock) => {
        const seen = count
        await lock.upgrade()
        expect(count).toBe(seen)
        count = seen + 1
      })
    const read = (node: number) => world.at(node).request(name, { mode: 'shared' }, () => quiet(world))
    await Promise.all([add(0), read(1), add(1), read(0), add(2), add(0)])
    expect(count).toBe(4)
  })

  test('what is not held to update cannot be upgraded', async () => {
    const name = fresh()
    const shared = await world.at(0).acquire(name, { mode: 'shared' })
    expect(await reasonOf(shared.upgrade())).toMatchObject({ name: 'InvalidStateError' })
    shared.release()
    const update = await world.at(0).acquire(name, { mode: 'update' })
    const reader = await world.at(1).acquire(name, { mode: 'shared' })
    const upgraded = reasonOf(update.upgrade())
    update.release()
    expect(String(await upgraded)).toContain('has been released')
    reader.release()
    expect(await reasonOf(update.upgrade())).toMatchObject({ name: 'InvalidStateError' })
    await world.at(2).request(name, () => {})
    for (const wrong of [{ timeout: -1 }, { signal: 5 }, { mode: 'shared' }])
      expect(await reasonOf(update.upgrade(wrong as never))).toBeInstanceOf(TypeError)
  })

  test('one that upgrades can be robbed', async () => {
    const name = fresh()
    const reader = await world.at(1).acquire(name, { mode: 'shared' })
    const update = await world.at(0).acquire(name, { mode: 'update' })
    const upgraded = reasonOf(update.upgrade())
    const thief = await world.at(2).acquire(name, { steal: true })
    expect(await upgraded).toMatchObject({ reason: 'stolen' })
    thief.release()
    reader.release()
    await world.at(1).request(name, () => {})
  })
})

test.each(['ricart-agrawala', 'raymond'])(
  '%s: an update keeps other nodes out, as a writer',
  async (name) => {
    const nodes = await meshes(2, 'memory', name)
    const update = await nodes[0].locks.acquire('L', { mode: 'update' })
    const own = await nodes[0].locks.acquire('L', { mode: 'shared' })
    const other = hold(nodes[1].locks, 'L', { mode: 'shared' })
    const upgraded = update.upgrade()
    await quiet({ nodes })
    expect([update.mode, other.isInside]).toEqual(['update', false])
    own.release()
    await upgraded
    update.release()
    await other.entered
    await other.release()
    await Promise.all(nodes.map((node) => node.leave()))
  },
)

test.each(['a mesh of one', 'raymond'])(
  'a writer that goes on as a reader has a lower fence than the next one that writes, as docs/locks.md says: %s',
  async (kind) => {
    const nodes = kind === 'raymond' ? await meshes(2, 'memory', kind) : [await joinNode()]
    const { locks } = get(nodes, 0)
    const fences: bigint[] = []
    let writer = await locks.acquire('L')
    // More of them than turns under one hold.
    for (let turn = 0; turn < 20; turn += 1) {
      fences.push(writer.fence)
      writer.downgrade()
      const next = locks.acquire('L', { mode: 'update' })
      await new Promise(setImmediate)
      writer.release()
      writer = await next
      await writer.upgrade()
    }
    expect(fences).toEqual(fences.toSorted((a, b) => (a < b ? -1 : 1)))
    expect(new Set(fences).size).toBe(fences.length)
    writer.release()
    await Promise.all(nodes.map((node) => node.leave()))
  },
)

test.each(['token-queue', 'carvalho-roucairol', 'ricart-agrawala', 'singhal-dynamic'])(
  '%s: in a mesh of one, who comes in after an upgrade has a fence above it',
  async (algorithm) => {
    const mesh = await joinNode({ algorithm })
    const fences: bigint[] = []
    for (let turn = 0; turn < 3; turn += 1) {
      const reader = await mesh.locks.acquire('L', { mode: 'shared' })
      fences.push(reader.fence)
      const writer = await mesh.locks.acquire('L', { mode: 'update' })
      reader.release()
      await writer.upgrade()
      fences.push(writer.fence)
      writer.release()
    }
    expect(fences).toEqual(fences.toSorted((a, b) => (a < b ? -1 : 1)))
    expect(new Set(fences).size).toBe(fences.length)
    await mesh.leave()
  },
)

test.each(['token-queue', 'ricart-agrawala', 'carvalho-roucairol', 'singhal-dynamic', 'raymond'])(
  '%s: with ifAvailable nobody waits for another node, whatever an update means there',
  async (algorithm) => {
    const [a, b] = await meshes(2, 'memory', algorithm)
    const updatesBesideReaders = algorithm === 'token-queue'
    for (const [mode, other] of [
      ['update', 'shared'],
      ['shared', 'update'],
    ] as const) {
      const held = await a.locks.acquire('L', { mode })
      const got = await b.locks.acquire('L', { mode: other, ifAvailable: true, timeout: 10_000 })
      expect(got === null).toBe(!updatesBesideReaders)
      got?.release()
      held.release()
    }
    await Promise.all([a.leave(), b.leave()])
  },
)
