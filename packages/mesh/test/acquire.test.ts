import { describe, expect, test } from 'vitest'
import { LockLostError, LockStolenError, LockTimeoutError, NoQuorumError } from '../src/locks/errors.ts'
import { block } from './block.ts'
import { LEASE, meshes } from './meshes.ts'
import { fresh, hold, inEveryWorld, quiet, reasonOf, stateOf } from './web-locks/worlds.ts'

inEveryWorld((world) => {
  test('acquire gives a handle with a fence, which is released once', async () => {
    const name = fresh()
    const held = await world.at(1).acquire(name)
    expect([held.name, held.mode, held.isHeld, held.signal.aborted]).toEqual([name, 'exclusive', true, false])
    expect(() => held.assertHeld()).not.toThrow()
    held.release()
    held.release()
    expect([held.isHeld, held.signal.aborted]).toEqual([false, false])
    expect(() => held.assertHeld()).toThrow(/has been released/)
    const next = await world.at(2).acquire(name)
    expect(next.fence).toBeGreaterThan(held.fence)
    held.release()
    expect(next.isHeld).toBe(true)
    next.release()
  })

  test('acquire works with using and await using', async () => {
    const name = fresh()
    const sync = await world.at(0).acquire(name)
    sync[Symbol.dispose]()
    const held = await world.at(1).acquire(name, { timeout: 20_000 })
    await held[Symbol.asyncDispose]()
    expect(await world.at(2).acquire(name, { mode: 'shared' })).toMatchObject({
      mode: 'shared',
      isHeld: true,
    })
  })

  test('a time-out ends the wait, and a grant that comes later is given back', async () => {
    const name = fresh()
    const holder = hold(world.at(0), name)
    await holder.entered
    const error = await reasonOf(world.at(1).acquire(name, { timeout: 5.25 }))
    expect(error).toBeInstanceOf(LockTimeoutError)
    expect(error).toMatchObject({ name: 'TimeoutError', code: 'LOCK_TIMEOUT' })
    expect(String(error)).toContain(`timed out after 5 ms waiting for "${name}"`)
    await holder.release()
    await quiet(world)
    expect(await stateOf(world, name)).toEqual({ held: [], pending: [] })
    expect(await world.at(2).request(name, () => 'next')).toBe('next')
  })

  test('with timeout 0 there is only what this node can have at once', async () => {
    const name = fresh()
    const held = await world.at(1).acquire(name)
    expect(await reasonOf(world.at(1).acquire(name, { timeout: 0 }))).toBeInstanceOf(LockTimeoutError)
    held.release()
    // What this node had last it has without a message, if nobody else asked since.
    const again = await world.at(1).acquire(name, { timeout: 0 })
    again.release()
    const readers = await Promise.all(
      [0, 0].map(() => world.at(1).acquire(name, { mode: 'shared', timeout: 0 })),
    )
    expect(readers.map(({ isHeld }) => isHeld)).toEqual([true, true])
    for (const reader of readers) reader.release()
  })
})

test('priority reaches the algorithm: the more urgent goes first, whichever node asks', async () => {
  const nodes = await meshes(3, 'memory', 'ricart-agrawala priority=20')
  for (const [urgent, other] of [
    [1, 2],
    [2, 1],
  ] as const) {
    const name = fresh()
    const holder = await nodes[0].locks.acquire(name)
    const order: number[] = []
    const done = [
      nodes[other].locks.request(name, () => order.push(other)),
      nodes[urgent].locks.request(name, { priority: 20 }, () => order.push(urgent)),
    ]
    await nodes[1].locks.query()
    await nodes[2].locks.query()
    holder.release()
    await Promise.all(done)
    expect(order).toEqual([urgent, other])
  }
  await Promise.all(nodes.map((node) => node.leave()))
})

/** Who is blocked again and again hears nobody for a while. */
const PATIENT = { waitForQuorum: true }

/** Two nodes: one that is alone loses nothing. Both are blocked with the process. */
function pair() {
  return meshes(2, 'memory', undefined, LEASE)
}

describe('a process that is blocked for longer than its lease', () => {
  test('has lost its lock when it asks, before anything of ours goes on', async () => {
    const [mesh, other] = await pair()
    const held = await mesh.locks.acquire('L')
    const { signal } = held
    const heard: unknown[] = []
    signal.addEventListener('abort', () => heard.push(signal.reason))
    const waiting = hold(mesh.locks, 'L')
    block(2 * LEASE)
    expect(held.signal.aborted).toBe(true)
    expect(held.isHeld).toBe(false)
    expect(() => held.assertHeld()).toThrow(LockLostError)
    expect(heard).toEqual([signal.reason])
    expect(signal.reason).toMatchObject({ name: 'LockLostError', code: 'LOCK_LOST' })
    expect(waiting.isInside).toBe(false)
    const next = await waiting.entered
    expect(next.fence).toBeGreaterThan(held.fence)
    held.release()
    expect(await waiting.release('done')).toBe('done')
    await Promise.all([mesh.leave(), other.leave()])
  })

  test('hears of it from request too, also if the callback has ended meanwhile', async () => {
    const [mesh, other] = await pair()
    expect(await reasonOf(mesh.locks.request('L', PATIENT, () => block(2 * LEASE)))).toBeInstanceOf(
      LockLostError,
    )
    const failure = new Error('of the callback')
    const late = mesh.locks.request('L', PATIENT, () => {
      block(2 * LEASE)
      throw failure
    })
    expect(await reasonOf(late)).toBeInstanceOf(LockLostError)
    const pool = mesh.semaphore('S', 2)
    expect(await reasonOf(pool.request(PATIENT, () => block(2 * LEASE)))).toBeInstanceOf(LockLostError)
    expect(await mesh.locks.request('L', PATIENT, () => 'again')).toBe('again')
    await Promise.all([mesh.leave(), other.leave()])
  })

  test('hears of it at the signal before the next caller is let in', async () => {
    const [mesh, other] = await pair()
    const order: string[] = []
    const held = await mesh.locks.acquire('L')
    held.signal.addEventListener('abort', () => order.push('lost'))
    const next = mesh.locks.request('L', () => order.push('next'))
    block(2 * LEASE)
    await next
    expect(order).toEqual(['lost', 'next'])
    await Promise.all([mesh.leave(), other.leave()])
  })
})

test.concurrent.each(['memory', 'tcp'] as const)(
  'without a quorum nobody waits for ever, over %s',
  async (medium) => {
    const [a, b, c] = await meshes(3, medium)
    const held = await a.locks.acquire('held')
    await Promise.all([b.leave(), c.leave()])
    const patient = new AbortController()
    const waits = hold(a.locks, 'L', { waitForQuorum: true, signal: patient.signal })
    const error = await reasonOf(a.locks.acquire('L'))
    expect(error).toBeInstanceOf(NoQuorumError)
    expect(error).toMatchObject({ name: 'NoQuorumError', code: 'NO_QUORUM' })
    expect(String(error)).toMatch(/"L": no majority for \d+ ms: of the voters a, b, c only a can be reached/)
    expect(() => held.assertHeld()).toThrow(LockLostError)
    expect(await reasonOf(a.locks.request('M', { ifAvailable: true }, () => {}))).toBeInstanceOf(
      NoQuorumError,
    )
    expect(await reasonOf(a.locks.query())).toBeInstanceOf(NoQuorumError)
    expect(await reasonOf(a.election('E').leader())).toBeInstanceOf(NoQuorumError)
    expect(await reasonOf(a.semaphore('S', 2).acquire())).toBeInstanceOf(NoQuorumError)
    patient.abort('enough')
    expect(await reasonOf(waits.settled)).toBe('enough')
    expect(waits.isInside).toBe(false)
    await a.leave()
  },
)

test('every way to lose or miss a lock has its own class', async () => {
  const [mesh, other] = await pair()
  const stolen = hold(mesh.locks, 'a')
  await stolen.entered
  const thief = await mesh.locks.acquire('a', { steal: true })
  const signal = AbortSignal.timeout(1)
  const ends = [
    await reasonOf(stolen.settled),
    await reasonOf(mesh.locks.acquire('a', { signal })),
    await reasonOf(mesh.locks.acquire('a', { timeout: 1 })),
    await reasonOf(mesh.locks.request('b', () => block(2 * LEASE))),
  ]
  thief.release()
  await Promise.all([mesh.leave(), other.leave()])
  ends.push(await reasonOf(mesh.locks.acquire('a')))
  expect(ends.map((end) => (end as Error).constructor)).toEqual([
    LockStolenError,
    DOMException,
    LockTimeoutError,
    LockLostError,
    DOMException,
  ])
  expect(ends.map((end) => (end as Error).name)).toEqual([
    'AbortError',
    'TimeoutError',
    'TimeoutError',
    'LockLostError',
    'InvalidStateError',
  ])
})
