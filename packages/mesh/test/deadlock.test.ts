import { get } from '@turnwise/core/bounds'
import { expect, test } from 'vitest'
import { atLeast } from '../../../test/present.ts'
import { join } from '../src/join.ts'
import { DeadlockError } from '../src/locks/errors.ts'
import type { LockManager } from '../src/locks/lock-manager.ts'
import { fresh, inEveryWorld, quiet, reasonOf, stateOf } from './web-locks/worlds.ts'

/** Each holds one name and asks for that of the next: what becomes of the second requests. */
async function inACircle(managers: readonly LockManager[], names = managers.map(() => fresh())) {
  const holders = managers.map((_, index) => ({ index }))
  const first = await Promise.all(
    managers.map((locks, i) => locks.acquire(get(names, i), { holder: get(holders, i), info: { job: i } })),
  )
  const ends = managers.map(async (locks, i) => {
    try {
      const next = await locks.acquire(get(names, (i + 1) % names.length), { holder: get(holders, i) })
      next.release()
      return null
    } catch (error) {
      return error
    } finally {
      get(first, i).release()
    }
  })
  return { names, ends: await Promise.all(ends) }
}

/** Who asks after this is younger at every member: ages are whole milliseconds. */
async function aMillisecond(): Promise<void> {
  const begin = Date.now()
  while (Date.now() <= begin) await new Promise((resolve) => setImmediate(resolve))
}

inEveryWorld((world) => {
  test.each([1, 2, 3])('of %i in a circle one is rejected, and the others go on', async (length) => {
    const managers = Array.from({ length }, (_, i) => world.at(i))
    const { names, ends } = await inACircle(managers)
    const rejected = ends.filter((end) => end !== null)
    expect(rejected).toHaveLength(1)
    const [error] = rejected
    expect(error).toBeInstanceOf(DeadlockError)
    expect(error).toMatchObject({ name: 'DeadlockError', code: 'DEADLOCK' })
    const { message } = error as Error
    for (const [i, name] of names.entries()) {
      const after = names[(i + 1) % length]
      expect(message).toContain(`{"job":${i}} holds "${name}" and waits for "${after}"`)
    }
  })

  test('query() shows it until it is found', async ({ expect }) => {
    const [one, other] = [fresh(), fresh()]
    const holds = [
      await world.at(0).acquire(one, { holder: 'x' }),
      await world.at(1).acquire(other, { holder: 'y', info: 'nightly' }),
    ]
    // Asked anew until it is seen: on a busy machine one of the two may be rejected before the query is answered.
    const snapshot = async () => {
      const stop = new AbortController()
      const { signal } = stop
      const waits = [
        reasonOf(world.at(0).acquire(other, { holder: 'x', signal })),
        reasonOf(world.at(1).acquire(one, { holder: 'y', signal })),
      ]
      const seen = await world.at(2).query()
      stop.abort()
      await Promise.all(waits)
      return seen
    }
    let seen = await world.at(2).query()
    await expect.poll(async () => (seen = await snapshot()).circles).toHaveLength(1)
    expect(Object.keys(seen)).toEqual(['held', 'pending'])
    const [circle] = seen.circles
    expect(circle).toContain(`"nightly" holds "${other}" and waits for "${one}"`)
    expect(circle).toContain(`holds "${one}" and waits for "${other}"`)
    for (const lock of holds) lock.release()
    expect((await world.at(2).query()).circles).toEqual([])
  })

  test('who waits for a hold that ends is not in a circle', async () => {
    const [one, other] = [fresh(), fresh()]
    const [x, y] = [{}, {}]
    const held = await world.at(0).acquire(one, { holder: x })
    const next = await world.at(1).acquire(other, { holder: y })
    // y waits for x, which waits for nobody.
    const waits = world.at(1).acquire(one, { holder: y })
    // Of somebody else, though at the same node as x.
    const stranger = world.at(0).acquire(other, { holder: {} })
    const nobody = world.at(0).acquire(other, { holder: null })
    await new Promise((resolve) => setTimeout(resolve, 1500))
    held.release()
    ;(await waits).release()
    next.release()
    ;(await stranger).release()
    ;(await nobody).release()
  })

  test('readers that share are in no circle', async () => {
    const [one, other] = [fresh(), fresh()]
    const shared = { mode: 'shared' } as const
    const a = await world.at(0).acquire(one, { ...shared, holder: 'a' })
    const b = await world.at(1).acquire(other, { ...shared, holder: 'b' })
    const [c, d] = await Promise.all([
      world.at(0).acquire(other, { ...shared, holder: 'a' }),
      world.at(1).acquire(one, { ...shared, holder: 'b' }),
    ])
    for (const lock of [a, b, c, d]) lock.release()
  })

  test('one of several that waits while it holds the others', async ({ expect }) => {
    const [first, second] = atLeast(2, [fresh(), fresh()].toSorted())
    const held = await world.at(0).acquire(second, { holder: 'x' })
    const both = world.at(1).acquire([second, first])
    await expect.poll(async () => (await stateOf(world, second)).pending.length).toBe(1)
    await aMillisecond()
    const back = world.at(0).acquire(first, { holder: 'x' })
    expect(await reasonOf(back)).toBeInstanceOf(DeadlockError)
    held.release()
    ;(await both).release()
  })

  test('an upgrade that waits for a reader who waits for its holder', async ({ expect }) => {
    const [one, other] = [fresh(), fresh()]
    const reader = await world.at(1).acquire(one, { mode: 'shared', holder: 'z' })
    const held = await world.at(0).acquire(other, { holder: 'y' })
    const update = await world.at(0).acquire(one, { mode: 'update', holder: 'y' })
    const wait = world.at(1).acquire(other, { holder: 'z' })
    await expect.poll(async () => (await stateOf(world, other)).pending.length).toBe(1)
    await aMillisecond()
    const reason = await reasonOf(update.upgrade())
    expect(reason).toBeInstanceOf(DeadlockError)
    expect(String(reason)).toContain(`holds "${other}" and waits to upgrade "${one}"`)
    expect([update.isHeld, update.mode]).toEqual([true, 'update'])
    held.release()
    ;(await wait).release()
    reader.release()
    await update.upgrade()
    expect(update.mode).toBe('exclusive')
    update.release()
  })

  test('a reader that asks again behind a writer of its node, who waits for it', async ({ expect }) => {
    const name = fresh()
    const held = await world.at(1).acquire(name, { mode: 'shared', holder: 'z' })
    const writer = world.at(1).acquire(name, { holder: 'w' })
    await expect.poll(async () => (await stateOf(world, name)).pending.length).toBe(1)
    await aMillisecond()
    const again = world.at(1).acquire(name, { mode: 'shared', holder: 'z' })
    const reason = await reasonOf(again)
    expect(reason).toBeInstanceOf(DeadlockError)
    expect(String(reason)).toContain(`holds "${name}" and waits for "${name}" behind 1 more`)
    held.release()
    ;(await writer).release()
  })

  test('names of a group, also behind a caller that waits for several of them', async ({ expect }) => {
    const [lock, name] = [fresh(), fresh()]
    const at = (node: number) => world.site(node).group(name, ['east', 'north', 'west'])
    const east = await at(0).acquire(['east'], { holder: 'x' })
    // It has west already, and names no holder.
    const both = at(1).acquire(['east', 'west'])
    for (let round = 0; round < 4; round += 1) await quiet(world)
    const held = await world.at(2).acquire(lock, { holder: 'y', info: 'nightly' })
    const wait = world.at(0).acquire(lock, { holder: 'x' })
    await expect.poll(async () => (await stateOf(world, lock)).pending.length).toBe(1)
    await aMillisecond()
    const reason = await reasonOf(at(2).acquire(['west'], { holder: 'y' }))
    expect(reason).toBeInstanceOf(DeadlockError)
    expect(String(reason)).toContain(
      `"nightly" holds "${lock}" and waits for "west" of "${name}" behind 1 more`,
    )
    expect(String(reason)).toContain(`holds "east" of "${name}" and waits for "${lock}"`)
    held.release()
    ;(await wait).release()
    east.release()
    ;(await both).release()
    ;(await at(2).acquire(['east', 'west'])).release()
  })

  test.each([[5], [true], ['x'.repeat(251)], ['\ud800']])('holder %j is refused', async (holder) => {
    const asked = world.at(0).request(fresh(), { holder } as never, () => {})
    await expect(asked).rejects.toThrow(
      'holder is not an object, null, or a Unicode text of at most 250 characters',
    )
  })
})

test('with nesting a request belongs to the callback inside which it is made', async () => {
  await using mesh = await join({ nesting: true, deadlockAfter: 10 })
  const [one, other] = [fresh(), fresh()]
  const { both, arrive } = meeting()
  const turn = (first: string, second: string) =>
    mesh.locks.request(first, { info: first }, async () => {
      await arrive()
      return mesh.locks.request(second, () => 'through')
    })
  const ends = await Promise.allSettled([turn(one, other), turn(other, one), both])
  expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'fulfilled', 'rejected'])
  const reason = ends.find((end) => end.status === 'rejected')?.reason
  expect(reason).toBeInstanceOf(DeadlockError)
  const { message } = reason as Error
  expect(message).toContain(`alone "${one}" holds "${one}" and waits for "${other}"`)
  const { failures } = get(mesh.metrics().prefixes, 0)
  expect(failures.deadlock).toBe(1)
})

test('a lock inside itself', async () => {
  await using mesh = await join({ nesting: true, deadlockAfter: 10 })
  const inner = mesh.locks.request('L', () => mesh.locks.request('L', () => {}))
  expect(await reasonOf(inner)).toMatchObject({
    message: 'deadlock: alone holds "L" and waits for "L"',
  })
})

test('a group inside itself, and inside a lock', async () => {
  await using mesh = await join({ nesting: true, deadlockAfter: 10 })
  const halls = mesh.group('halls', ['east', 'west'])
  const again = halls.request(['east', 'west'], () => halls.request(['west'], () => {}))
  expect(await reasonOf(again)).toMatchObject({
    message: 'deadlock: alone holds "east", "west" of "halls" and waits for "west" of "halls"',
  })
  const { both, arrive } = meeting()
  const ends = await Promise.allSettled([
    halls.request(['east'], () => arrive().then(() => mesh.locks.request('L', () => {}))),
    mesh.locks.request('L', () => arrive().then(() => halls.request(['east'], () => {}))),
    both,
  ])
  expect(ends.filter(({ status }) => status === 'rejected')).toMatchObject([{ reason: { code: 'DEADLOCK' } }])
  await halls.request(['east', 'west'], { timeout: 20_000 }, () => {})
})

test('what is done side by side inside a callback does not hold each other up', async () => {
  await using mesh = await join({ nesting: true, deadlockAfter: 10 })
  // b is given back while a waits for c, and the holder of c waits for b: no circle, though all is inside one callback.
  let release: () => void = () => {}
  const work = new Promise<void>((resolve) => {
    release = resolve
  })
  const { both, arrive } = meeting(3)
  const outer = mesh.locks.request('outer', () =>
    Promise.all([
      mesh.locks.request('a', async () => {
        await arrive()
        await mesh.locks.request('c', () => {})
      }),
      mesh.locks.request('b', async () => {
        await arrive()
        await work
      }),
    ]),
  )
  const other = mesh.locks.request('c', async () => {
    await arrive()
    await mesh.locks.request('b', () => {})
  })
  await both
  await new Promise((resolve) => setTimeout(resolve, 200))
  release()
  await Promise.all([outer, other])
})

test('what a callback does not await belongs to nobody if it says so', async () => {
  await using mesh = await join({ nesting: true, deadlockAfter: 10 })
  let later: Promise<unknown> = Promise.resolve()
  await mesh.locks.request('L', async () => {
    later = mesh.locks.request('L', { holder: null }, () => 'later')
    await new Promise((resolve) => setTimeout(resolve, 100))
  })
  expect(await later).toBe('later')
})

test('0 does not look', async () => {
  await using mesh = await join({ deadlockAfter: 0 })
  const held = await mesh.locks.acquire('a', { holder: 'x' })
  const again = mesh.locks.acquire('a', { holder: 'x', timeout: 100 })
  expect(await reasonOf(again)).toMatchObject({ code: 'LOCK_TIMEOUT' })
  held.release()
})

/** Resolves for all when so many have arrived. */
function meeting(count = 2) {
  let open: () => void = () => {}
  const both = new Promise<void>((resolve) => {
    open = resolve
  })
  let arrived = 0
  return {
    both,
    arrive: () => {
      arrived += 1
      if (arrived === count) open()
      return both
    },
  }
}
