import { get } from '@turnwise/core/bounds'
import { expect, test } from 'vitest'
import { LockStolenError } from '../../src/locks/errors.ts'
import { meshes } from '../meshes.ts'
import { acrossNodes, fresh, hold, inEveryWorld, quiet, reasonOf, stateOf } from './worlds.ts'

inEveryWorld((world) => {
  test('rule 19: a thief of what is free just has it', async () => {
    const name = fresh()
    for (const node of [0, 1, 2]) {
      expect(await world.at(node).request(name, { steal: true }, (lock) => lock.mode)).toBe('exclusive')
    }
  })

  test.each([0, 1])(
    'rule 19: the holder loses the lock to a thief of node %i, and its callback goes on',
    async (node) => {
      const name = fresh()
      const victim = hold(world.at(0), name)
      const lost = await victim.entered
      const thief = hold(world.at(node), name, { steal: true })
      const lock = await thief.entered
      expect(await reasonOf(victim.settled)).toMatchObject({ name: 'AbortError' })
      expect(lost.signal.aborted).toBe(true)
      expect(lost.signal.reason).toBeInstanceOf(LockStolenError)
      expect(() => lost.assertHeld()).toThrow(LockStolenError)
      expect(lock.fence).toBeGreaterThan(lost.fence)
      expect(lock.signal.aborted).toBe(false)
      expect((await stateOf(world, name)).held).toEqual([
        { name, mode: 'exclusive', clientId: world.site(node).id },
      ])
      await thief.release()
    },
  )

  test('rule 19: all who share lose it', async () => {
    const name = fresh()
    const readers = [0, 1, 2, 1].map((node) => hold(world.at(node), name, { mode: 'shared' }))
    await Promise.all(readers.map(({ entered }) => entered))
    const thief = hold(world.at(1), name, { steal: true })
    await thief.entered
    for (const { settled } of readers) expect(await reasonOf(settled)).toBeInstanceOf(LockStolenError)
    expect((await stateOf(world, name, 2)).held).toHaveLength(1)
    await thief.release()
  })

  test('rule 19: the thief goes before all who wait', async () => {
    const name = fresh()
    const victim = hold(world.at(0), name)
    await victim.entered
    const waiting = [0, 1, 2].map((node) => hold(world.at(node), name))
    await quiet(world)
    const thief = hold(world.at(2), name, { steal: true })
    await thief.entered
    expect(waiting.some(({ isInside }) => isInside)).toBe(false)
    await thief.release()
    await Promise.all(waiting.map((each) => each.release()))
    await Promise.all(waiting.map(({ settled }) => settled))
  })

  test('rule 20: callers that wait stay in line, in order', async () => {
    const name = fresh()
    const victim = hold(world.at(0), name)
    await victim.entered
    const order: string[] = []
    const waiting = ['x', 'y', 'z'].map((label) => world.at(1).request(name, () => order.push(label)))
    await quiet(world)
    const thief = hold(world.at(2), name, { steal: true })
    await thief.entered
    expect((await stateOf(world, name)).pending).toHaveLength(3)
    await quiet(world)
    expect(order).toEqual([])
    await thief.release()
    await Promise.all(waiting)
    expect(order).toEqual(['x', 'y', 'z'])
  })

  test('rule 21: a victim that ends later neither releases the thief nor changes its own end', async () => {
    const name = fresh()
    const victim = hold(world.at(1), name)
    await victim.entered
    const thief = hold(world.at(0), name, { steal: true })
    await thief.entered
    const end = await reasonOf(victim.settled)
    await victim.release('late').catch(() => {})
    await quiet(world)
    expect(await reasonOf(victim.settled)).toBe(end)
    const next = hold(world.at(2), name)
    await quiet(world)
    expect(next.isInside).toBe(false)
    expect((await stateOf(world, name)).held).toHaveLength(1)
    expect(await thief.release('kept')).toBe('kept')
    await next.entered
    await next.release()
  })

  test('rule 21: a handle that was stolen is released already', async () => {
    const name = fresh()
    const held = await world.at(1).acquire(name)
    const thief = await world.at(2).acquire(name, { steal: true })
    if (!held.signal.aborted) await new Promise((resolve) => held.signal.addEventListener('abort', resolve))
    held.release()
    expect([held.isHeld, thief.isHeld]).toEqual([false, true])
    thief.release()
  })

  test.each([0, 1])(
    'rule 22: the last thief has it, the first of node %i, the last of node 1',
    async (node) => {
      const name = fresh()
      const first = hold(world.at(node), name, { steal: true })
      await first.entered
      const last = hold(world.at(1), name, { steal: true })
      await last.entered
      expect(await reasonOf(first.settled)).toBeInstanceOf(LockStolenError)
      await quiet(world)
      expect(await last.release('kept')).toBe('kept')
    },
  )

  test('rule 22: of thieves of one node who come at once the last has it, and the others have lost it', async () => {
    const name = fresh()
    const victim = hold(world.at(0), name)
    await victim.entered
    const thieves = [0, 1, 2].map(() => hold(world.at(1), name, { steal: true }))
    await get(thieves, 2).entered
    for (const { settled } of thieves.slice(0, 2))
      expect(await reasonOf(settled)).toBeInstanceOf(LockStolenError)
    expect((await stateOf(world, name)).held).toHaveLength(1)
    expect(await get(thieves, 2).release('kept')).toBe('kept')
  })

  test('rule 22: who asks again because it was robbed, at once, takes nothing from the thief', async () => {
    const name = fresh()
    const held = await world.at(1).acquire(name)
    const again = new Promise((resolve, reject) => {
      held.signal.addEventListener('abort', () => {
        world
          .at(1)
          .request(name, () => 'again')
          .then(resolve, reject)
      })
    })
    const thief = hold(world.at(1), name, { steal: true })
    await thief.entered
    await quiet(world)
    expect((await stateOf(world, name)).held).toHaveLength(1)
    expect(await thief.release('kept')).toBe('kept')
    expect(await again).toBe('again')
  })
})

acrossNodes((world) => {
  test('rule 22 across nodes: of thieves at once one keeps it, and all others have lost it', async () => {
    for (let round = 0; round < 6; round += 1) {
      const name = fresh()
      const victim = hold(world.at(round), name)
      await victim.entered
      const thieves = [0, 1, 2].map((node) => hold(world.at(node), name, { steal: true }))
      const outcomes = thieves.map(({ settled }) => settled.catch((reason: unknown) => reason))
      let ended = 0
      await new Promise<void>((resolve) => {
        for (const outcome of outcomes) {
          void outcome.then(() => {
            ended += 1
            if (ended === 2) resolve()
          })
        }
      })
      await quiet(world)
      const { held, pending } = await stateOf(world, name)
      expect([held.length, pending.length, ended]).toEqual([1, 0, 2])
      await Promise.all(thieves.map((thief) => thief.release('kept').catch(() => {})))
      const ends = await Promise.all(outcomes)
      const keeper = world.nodes.findIndex(({ id }) => id === get(held, 0).clientId)
      expect(ends[keeper]).toBe('kept')
      expect(ends.filter((end) => end instanceof LockStolenError)).toHaveLength(2)
      expect(await reasonOf(victim.settled)).toBeInstanceOf(LockStolenError)
    }
  })

  test('rule 20 across nodes: all who wait get in after the thief', async () => {
    const name = fresh()
    const victim = hold(world.at(0), name)
    await victim.entered
    const waiting = [0, 1, 2, 0, 1, 2].map((node) => world.at(node).request(name, () => node))
    await quiet(world)
    const thief = hold(world.at(1), name, { steal: true })
    await thief.entered
    await thief.release()
    expect(await Promise.all(waiting)).toEqual([0, 1, 2, 0, 1, 2])
  })
})

test.each(['memory', 'tcp'] as const)(
  'rule 24: a thief whose node goes holds up nobody, over %s',
  async (medium) => {
    const [a, b, c] = await meshes(3, medium)
    const victim = hold(a.locks, 'L')
    await victim.entered
    const thief = hold(c.locks, 'L', { steal: true })
    const [left] = [c.leave(), victim.release().catch(() => {})]
    expect(await reasonOf(thief.settled)).toMatchObject({ name: 'InvalidStateError' })
    await left
    const next = () => b.locks.request('L', () => 'in')
    // What the thief said before it left may arrive after it has gone.
    expect(await next().catch(next)).toBe('in')
    await Promise.all([a.leave(), b.leave()])
  },
)
