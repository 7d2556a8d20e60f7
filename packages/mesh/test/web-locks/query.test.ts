import { expect, test } from 'vitest'
import { type Medium, meshes } from '../meshes.ts'
import { fresh, hold, inEveryWorld, onOneNode, quiet, reasonOf, stateOf } from './worlds.ts'

inEveryWorld((world) => {
  const clientOf = (node: number) => world.site(node).id

  test('rule 23: held and pending with exactly name, mode and clientId', async () => {
    const name = fresh()
    const readers = [0, 2].map((node) => hold(world.at(node), name, { mode: 'shared' }))
    await Promise.all(readers.map(({ entered }) => entered))
    const writer = hold(world.at(1), name)
    await quiet(world)
    const snapshot = await world.at(2).query()
    expect(Object.keys(snapshot).toSorted()).toEqual(['held', 'pending'])
    const { held, pending } = await stateOf(world, name, 2)
    const byClient = held.toSorted((a, b) => (a.clientId < b.clientId ? -1 : 1))
    expect(byClient).toEqual([
      { name, mode: 'shared', clientId: clientOf(0) },
      { name, mode: 'shared', clientId: clientOf(2) },
    ])
    expect(pending).toEqual([{ name, mode: 'exclusive', clientId: clientOf(1) }])
    for (const each of [...readers, writer]) {
      await each.entered
      await each.release()
    }
  })

  test('rule 23: what is pending at a node is told in the order of its requests', async () => {
    const name = fresh()
    const holder = hold(world.at(0), name)
    await holder.entered
    const modes = ['shared', 'exclusive', 'exclusive', 'shared', 'exclusive'] as const
    const waiting = modes.map((mode) => hold(world.at(1), name, { mode }))
    await quiet(world)
    for (const asked of [0, 1]) {
      const { pending } = await stateOf(world, name, asked)
      expect(pending.map(({ mode }) => mode)).toEqual(modes)
      expect(new Set(pending.map(({ clientId }) => clientId))).toEqual(new Set([clientOf(1)]))
    }
    for (const each of [holder, ...waiting]) {
      await each.entered
      await each.release()
    }
  })

  test('rule 23: a snapshot is the caller’s own, and does not change', async () => {
    const name = fresh()
    const holder = hold(world.at(1), name)
    await holder.entered
    const before = await world.at(1).query()
    await holder.release()
    expect(before.held.filter((info) => info.name === name)).toHaveLength(1)
    before.held.length = 0
    expect((await stateOf(world, name)).held).toEqual([])
  })

  test('rule 23: a deadlock can be seen', async () => {
    const [one, other] = [fresh(), fresh()]
    const controller = new AbortController()
    const { signal } = controller
    const both = (
      [
        [one, other],
        [other, one],
      ] as const
    ).map(([first, second], node) => {
      const inner = () => world.at(node).request(second, { signal }, () => {})
      let inside: () => void = () => {}
      const isInside = new Promise<void>((resolve) => {
        inside = resolve
      })
      const settled = world.at(node).request(first, async () => {
        inside()
        await Promise.all(starts)
        await inner()
      })
      settled.catch(() => {})
      return { isInside, settled }
    })
    const starts: Promise<void>[] = both.map(({ isInside }) => isInside)
    await Promise.all(starts)
    await quiet(world)
    for (const name of [one, other]) {
      const { held, pending } = await stateOf(world, name, 2)
      expect([held.length, pending.length]).toEqual([1, 1])
    }
    controller.abort('deadlock')
    for (const { settled } of both) expect(await reasonOf(settled)).toBe('deadlock')
  })

  test('rule 23: semaphores and elections are no locks, and are not told', async () => {
    const name = fresh()
    const permit = await world.site(0).semaphore(name, 2).acquire()
    const leader = await world.site(0).election(name).campaign()
    expect(await stateOf(world, name)).toEqual({ held: [], pending: [] })
    permit.release()
    leader.release()
  })
})

onOneNode((world) => {
  test('rule 23: on one node the answer is that of the moment', async () => {
    const name = fresh()
    const holder = hold(world.at(0), name)
    const waiting = hold(world.at(0), name, { mode: 'shared' })
    const { held, pending } = await stateOf(world, name)
    expect([held.length, pending.length]).toEqual([1, 1])
    await holder.release()
    await waiting.release()
  })
})

test.concurrent.each<Medium>(['memory', 'tcp'])(
  'rule 24: what a node held and asked for ends with it, over %s',
  async (medium) => {
    const [a, b, c] = await meshes(3, medium)
    const holder = hold(a.locks, 'L')
    await holder.entered
    const gone = hold(a.locks, 'other')
    await gone.entered
    const waits = hold(a.locks, 'L')
    const next = hold(b.locks, 'L')
    const last = hold(c.locks, 'L', { mode: 'shared' })
    await b.locks.query()
    await a.leave()
    expect(await reasonOf(waits.settled)).toMatchObject({ name: 'InvalidStateError' })
    await next.entered
    const { held, pending } = await c.locks.query()
    expect(held).toEqual([{ name: 'L', mode: 'exclusive', clientId: b.id }])
    expect(pending).toEqual([{ name: 'L', mode: 'shared', clientId: c.id }])
    await next.release()
    await last.entered
    await last.release()
    expect(waits.isInside).toBe(false)
    await Promise.all([b.leave(), c.leave()])
  },
)
