import { get } from '@turnwise/core/bounds'
import { expect, test } from 'vitest'
import { present } from '../../../../test/present.ts'
import type { Lock } from '../../src/locks/lock-manager.ts'
import { acrossNodes, fresh, hold, inEveryWorld, onOneNode, quiet, reasonOf, stateOf } from './worlds.ts'

inEveryWorld((world) => {
  test('rule 8: one is inside, and the others follow in the order in which they came', async () => {
    const name = fresh()
    const order: number[] = []
    const holds = []
    for (let i = 0; i < 3; i += 1) {
      const each = hold(world.at(i), name)
      holds.push(each)
      void each.entered.then(() => order.push(i))
      await quiet(world)
    }
    expect(order).toEqual([0])
    for (const each of holds) {
      await each.entered
      await each.release()
    }
    expect(order).toEqual([0, 1, 2])
  })

  test('rule 8: shared holders are inside together, an exclusive one is alone', async () => {
    const name = fresh()
    const readers = [0, 1, 2].map((node) => hold(world.at(node), name, { mode: 'shared' }))
    await Promise.all(readers.map(({ entered }) => entered))
    const writer = hold(world.at(1), name)
    await quiet(world)
    expect(writer.isInside).toBe(false)
    await get(readers, 0).release()
    await get(readers, 1).release()
    await quiet(world)
    expect(writer.isInside).toBe(false)
    await get(readers, 2).release()
    await writer.entered
    await writer.release()
  })

  test('rule 9: nobody who shares passes an exclusive request that came before', async () => {
    const name = fresh()
    const reader = hold(world.at(0), name, { mode: 'shared' })
    await reader.entered
    const writer = hold(world.at(1), name)
    await quiet(world)
    // On several nodes those of the reader's own node may pass for one lease: see below.
    const late = hold(world.at(2), name, { mode: 'shared' })
    await quiet(world)
    expect([writer.isInside, late.isInside]).toEqual([false, false])
    await reader.release()
    await writer.entered
    await quiet(world)
    expect(late.isInside).toBe(false)
    await writer.release()
    await late.entered
    await late.release()
  })

  test('rule 9: the end of an exclusive lock lets in all who share and are next, and then stops', async () => {
    const name = fresh()
    const first = hold(world.at(0), name)
    await first.entered
    const order: string[] = []
    const holds = []
    for (const label of ['1', '2', '3', 'X', '4']) {
      const node = label === 'X' ? 2 : label === '4' ? 0 : 1
      const each = hold(world.at(node), name, { mode: label === 'X' ? 'exclusive' : 'shared' })
      void each.entered.then(() => order.push(label))
      holds.push(each)
      await quiet(world)
    }
    await first.release()
    await Promise.all(holds.slice(0, 3).map(({ entered }) => entered))
    await quiet(world)
    expect(order).toEqual(['1', '2', '3'])
    await Promise.all(holds.slice(0, 3).map((each) => each.release()))
    await get(holds, 3).entered
    await quiet(world)
    expect(order).toEqual(['1', '2', '3', 'X'])
    await get(holds, 3).release()
    await get(holds, 4).entered
    await get(holds, 4).release()
  })

  test('rule 10: names have nothing to do with each other', async () => {
    const [one, other] = [fresh(), fresh()]
    const first = hold(world.at(0), one)
    await first.entered
    const second = hold(world.at(1), other)
    await second.entered
    await second.release()
    await first.release()
  })

  test('rule 11: who holds a lock waits for itself, and ifAvailable gives null', async () => {
    const name = fresh()
    await world.at(1).request(name, async () => {
      expect(await world.at(1).request(name, { ifAvailable: true }, (lock) => lock)).toBeNull()
      const controller = new AbortController()
      const nested = hold(world.at(1), name, { signal: controller.signal })
      await quiet(world)
      expect(nested.isInside).toBe(false)
      controller.abort()
      expect(await reasonOf(nested.settled)).toBe(controller.signal.reason)
    })
  })

  test('rule 11: shared within shared is let in while nobody waits', async () => {
    const name = fresh()
    const both = await world
      .at(0)
      .request(name, { mode: 'shared' }, (outer) =>
        world.at(1).request(name, { mode: 'shared' }, (inner) => [outer.mode, inner.mode]),
      )
    expect(both).toEqual(['shared', 'shared'])
  })

  test('rule 12: ifAvailable gets the lock if it is free', async () => {
    const name = fresh()
    for (const node of [0, 1, 2]) {
      expect(await world.at(node).request(name, { ifAvailable: true }, (lock) => lock?.name)).toBe(name)
      // C3: another client may ask sooner than the daemon reads the release.
      await quiet(world)
    }
  })

  test('rule 12: ifAvailable gives null if it is held, and settles with the callback', async () => {
    const name = fresh()
    const holder = hold(world.at(0), name)
    await holder.entered
    for (const mode of ['exclusive', 'shared'] as const) {
      for (const node of [0, 1, 2]) {
        const options = { ifAvailable: true, mode } as const
        expect(await world.at(node).request(name, options, (lock) => [lock, 'none'])).toEqual([null, 'none'])
      }
    }
    const failure = new Error('no lock')
    const failing = world.at(1).request(name, { ifAvailable: true }, (lock) => {
      throw lock === null ? failure : new Error('it has the lock')
    })
    expect(await reasonOf(failing)).toBe(failure)
    expect(await world.at(2).acquire(name, { ifAvailable: true })).toBeNull()
    await holder.release()
  })

  test('rule 12: ifAvailable shares with those who share, but not past one who waits', async () => {
    const name = fresh()
    const options = { ifAvailable: true, mode: 'shared' } as const
    const reader = hold(world.at(0), name, { mode: 'shared' })
    await reader.entered
    expect(await world.at(1).request(name, options, (lock) => lock?.mode)).toBe('shared')
    expect(await world.at(2).request(name, { ifAvailable: true }, (lock) => lock)).toBeNull()
    const writer = hold(world.at(1), name)
    await quiet(world)
    for (const node of [1, 2]) expect(await world.at(node).request(name, options, (lock) => lock)).toBeNull()
    await reader.release()
    await writer.entered
    await writer.release()
  })

  test('rule 12: ifAvailable is never seen waiting', async () => {
    const name = fresh()
    const holder = hold(world.at(0), name)
    await holder.entered
    const asked = world.at(1).request(name, { ifAvailable: true }, (lock) => lock)
    const seen = await stateOf(world, name, 1)
    expect(seen.pending).toEqual([])
    expect(await asked).toBeNull()
    await holder.release()
  })

  test('rule 12: of several that ask at once, one at a time has it and nobody waits', async () => {
    const name = fresh()
    const holds = [0, 1].map(() => hold(world.at(1), name, { ifAvailable: true }))
    const locks: (Lock | null)[] = await Promise.all(holds.map(({ entered }) => entered))
    expect(locks.filter((lock) => lock === null)).toHaveLength(1)
    await Promise.all(holds.map((each) => each.release()))
  })

  test('rule 13: the callback runs later, and once, with the lock', async () => {
    const name = fresh()
    const locks: Lock[] = []
    const settled = world.at(1).request(name, { mode: 'shared' }, (lock) => {
      locks.push(lock)
    })
    expect(locks).toEqual([])
    await settled
    await quiet(world)
    expect(locks).toHaveLength(1)
    expect([get(locks, 0).name, get(locks, 0).mode]).toEqual([name, 'shared'])
  })

  test('rule 13: the lock is held until the result settles', async () => {
    const name = fresh()
    const first = hold(world.at(0), name)
    await first.entered
    const second = hold(world.at(1), name)
    await quiet(world)
    expect(second.isInside).toBe(false)
    expect(await first.release('done')).toBe('done')
    await second.entered
    await second.release()
  })

  test('rule 13: what is no promise releases at once', async () => {
    const name = fresh()
    expect(await world.at(0).request(name, () => 42)).toBe(42)
    await quiet(world)
    expect(await world.at(1).request(name, { ifAvailable: true }, (lock) => lock !== null)).toBe(true)
  })

  test('rule 14: a rejection releases, and is passed on', async () => {
    const name = fresh()
    const failure = new Error('work failed')
    expect(await reasonOf(world.at(0).request(name, () => Promise.reject(failure)))).toBe(failure)
    expect((await stateOf(world, name)).held).toEqual([])
    expect(await world.at(2).request(name, () => 'next')).toBe('next')
  })

  test('rule 14: the lock is released before request settles', async () => {
    const name = fresh()
    const seen = world
      .at(1)
      .request(name, () => {})
      .then(() => world.at(1).request(name, { ifAvailable: true }, (lock) => lock !== null))
    expect(await seen).toBe(true)
  })

  test('rule 14: what is thrown is not unwrapped, thenable or not', async () => {
    const name = fresh()
    let unwrapped = 0
    const thrown = {
      // biome-ignore lint/suspicious/noThenProperty: that is what is tested
      // oxlint-disable-next-line unicorn/no-thenable
      then() {
        unwrapped += 1
      },
    }
    const throws = () => {
      throw thrown
    }
    const caught = await world
      .at(1)
      .request(name, throws)
      .then(
        () => false,
        (reason: unknown) => reason === thrown,
      )
    expect([caught, unwrapped]).toEqual([true, 0])
    expect(await world.at(0).request(name, () => 'next')).toBe('next')
  })
})

onOneNode((world) => {
  test('rule 8: on one node the order is that of the requests, without a pause between them', async () => {
    const name = fresh()
    const order: number[] = []
    await Promise.all(Array.from({ length: 50 }, (_, i) => world.at(0).request(name, () => order.push(i))))
    expect(order).toEqual(order.toSorted((a, b) => a - b))
  })

  test('rule 9: on one node no reader passes a writer, however many come', async () => {
    const name = fresh()
    const order: string[] = []
    const request = (label: string, mode: 'shared' | 'exclusive') =>
      world.at(0).request(name, { mode }, async () => {
        order.push(label)
        await new Promise(setImmediate)
      })
    const modes = { r: 'shared', w: 'exclusive' } as const
    await Promise.all(
      ['r1', 'r2', 'w1', 'r3', 'r4', 'w2', 'w3', 'r5'].map((label) =>
        request(label, modes[label[0] as 'r' | 'w']),
      ),
    )
    expect(order).toEqual(['r1', 'r2', 'w1', 'r3', 'r4', 'w2', 'w3', 'r5'])
  })

  test('rule 8: nobody who asked later hears of its grant sooner, also right after somebody had to wait', async () => {
    const waitedFor = fresh()
    const holder = hold(world.at(0), waitedFor)
    await holder.entered
    const waiter = world.at(0).request(waitedFor, async () => {})
    await Promise.all([holder.release(), waiter])
    const name = fresh()
    const order: number[] = []
    const asked = Array.from({ length: 8 }, (_, nth) =>
      world.at(0).request(name, { mode: 'shared' }, async () => void order.push(nth)),
    )
    await Promise.all(asked)
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  })
})

acrossNodes((world) => {
  test('rule 8 across nodes: each node keeps its order, and nodes take turns', async () => {
    const name = fresh()
    const holder = hold(world.at(0), name)
    await holder.entered
    const order: string[] = []
    const done: Promise<unknown>[] = []
    // All of b come before all of c: on one node they would all go first.
    for (const label of ['b1', 'b2', 'b3', 'c1', 'c2']) {
      const node = world.at('abc'.indexOf(present(label[0])))
      done.push(
        node.request(name, async () => {
          order.push(label)
          // The next caller at the node before has asked again by then.
          await quiet(world)
        }),
      )
      await quiet(world)
    }
    await holder.release()
    await Promise.all(done)
    expect(order).toEqual(['b1', 'c1', 'b2', 'c2', 'b3'])
  })

  test('rule 8 across nodes: who asks at once goes in some order, and all get in', async () => {
    const name = fresh()
    let inside = 0
    let most = 0
    const fences: bigint[] = []
    await Promise.all(
      Array.from({ length: 15 }, (_, i) =>
        world.at(i).request(name, async (lock) => {
          inside += 1
          most = Math.max(most, inside)
          fences.push(lock.fence)
          await new Promise(setImmediate)
          inside -= 1
        }),
      ),
    )
    expect(most).toBe(1)
    expect(fences).toEqual([...new Set(fences)].toSorted((a, b) => (a < b ? -1 : 1)))
    expect(fences).toHaveLength(15)
  })

  test('rule 12 across nodes: of those who ask at once at several nodes one at a time has it', async () => {
    const name = fresh()
    const holds = [0, 1, 2].map((node) => hold(world.at(node), name, { ifAvailable: true }))
    const locks: (Lock | null)[] = await Promise.all(holds.map(({ entered }) => entered))
    expect(locks.filter((lock) => lock !== null)).toHaveLength(1)
    await Promise.all(holds.map((each) => each.release()))
  })
})

// Here a lease has to end.
acrossNodes((world) => {
  test('rule 9 across nodes: readers who keep coming at one node hold a writer up for one lease', async () => {
    const name = fresh()
    const since = performance.now()
    let reader = hold(world.at(0), name, { mode: 'shared' })
    await reader.entered
    const writer = hold(world.at(1), name)
    await quiet(world)
    while (!writer.isInside) {
      const next = hold(world.at(0), name, { mode: 'shared' })
      await quiet(world)
      if (performance.now() - since < world.lease) expect(next.isInside).toBe(true)
      await reader.release()
      reader = next
      await Promise.race([next.entered, writer.entered])
    }
    await writer.release()
    await reader.entered
    await reader.release()
  })

  test('rule 11 across nodes: also after a lease shared within shared is let in while no writer waits', async () => {
    const name = fresh()
    const { lease } = world
    const reader = hold(world.at(0), name, { mode: 'shared' })
    const since = performance.now()
    await reader.entered
    // Until then more readers could join without a word.
    while (performance.now() - since <= lease) await world.site(0).pause()
    expect(await world.at(0).request(name, { mode: 'shared' }, () => reader.isInside)).toBe(true)
    const writer = hold(world.at(1), name)
    await quiet(world)
    const late = hold(world.at(2), name, { mode: 'shared' })
    await quiet(world)
    expect([writer.isInside, late.isInside]).toEqual([false, false])
    await reader.release()
    for (const each of [writer, late]) {
      await each.entered
      await each.release()
    }
  })
}, 3000)
