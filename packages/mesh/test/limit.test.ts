import fc from 'fast-check'
import { expect, test } from 'vitest'
import { joinNode } from '../src/join.ts'
import { NoQuorumError } from '../src/locks/errors.ts'
import type { Held } from '../src/locks/held.ts'
import { type Limit, limit } from '../src/locks/limit.ts'
import type { WaitOptions } from '../src/locks/options.ts'
import type { Semaphore } from '../src/locks/semaphore.ts'
import { fresh, inEveryWorld, reasonOf } from './web-locks/worlds.ts'

/** Asks, and stays inside until it is told to leave. */
function enter(
  to: Limit,
  key: string,
  order: string[] = [],
): { readonly leave: () => void; readonly inside: Promise<Held>; readonly over: Promise<unknown> } {
  let leave = () => {}
  let inside: (permit: Held) => void = () => {}
  const isInside = new Promise<Held>((resolve) => {
    inside = resolve
  })
  const over = to.request(key, (permit) => {
    order.push(key)
    inside(permit)
    return new Promise<void>((resolve) => {
      leave = resolve
    })
  })
  return { leave: () => leave(), inside: isInside, over }
}

inEveryWorld((world) => {
  const at = (node: number) => world.site(node)

  test('as many as are allowed are inside together, on all nodes, and never more', async () => {
    const name = fresh()
    let inside = 0
    let most = 0
    await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        at(i)
          .limit(name, { concurrent: 3 })
          .request(`k${i % 5}`, async () => {
            inside += 1
            most = Math.max(most, inside)
            await new Promise(setImmediate)
            inside -= 1
          }),
      ),
    )
    expect(most).toBeLessThanOrEqual(3)
    expect(inside).toBe(0)
  })

  test('a key with a thousand waiters does not hold up one with two', async () => {
    const jobs = at(0).limit(fresh(), { concurrent: 1 })
    const order: string[] = []
    const first = enter(jobs, 'big', order)
    await first.inside
    const note = (key: string) => jobs.request(key, () => void order.push(key))
    const all = [...Array.from({ length: 1000 }, () => note('big')), note('small'), note('small')]
    first.leave()
    await Promise.all([...all, first.over])
    // Behind the one that was inside, and one more of the other key for each of its own.
    expect(order.lastIndexOf('small')).toBeLessThanOrEqual(4)
    expect(order).toHaveLength(1003)
  })

  test('of one key no more than its own limit, and others are not held up by those who wait for it', async () => {
    const jobs = at(0).limit(fresh(), { concurrent: 3, perKey: 1 })
    const a = enter(jobs, 'a')
    await a.inside
    let isNextInside = false
    const next = jobs.request('a', () => {
      isNextInside = true
    })
    const b = enter(jobs, 'b')
    await b.inside
    expect(isNextInside).toBe(false)
    a.leave()
    await next
    b.leave()
    await Promise.all([a.over, b.over])
  })

  test('who gives up leaves the line, and what was asked for it is given back', async () => {
    const name = fresh()
    const mine = at(0).limit(name, { concurrent: 1 })
    const other = at(1).limit(name, { concurrent: 1 })
    const first = enter(mine, 'a')
    const permit = await first.inside
    expect(await reasonOf(mine.request('b', { timeout: 5 }, () => {}))).toMatchObject({
      code: 'LOCK_TIMEOUT',
      message: `timed out after 5 ms waiting for "${name}"`,
    })
    const controller = new AbortController()
    const aborted = mine.request('c', { signal: controller.signal }, () => {})
    controller.abort('enough')
    expect(await reasonOf(aborted)).toBe('enough')
    expect(await reasonOf(mine.request('d', { signal: controller.signal }, () => {}))).toBe('enough')
    first.leave()
    await first.over
    expect(permit.isHeld).toBe(false)
    await other.request('e', () => {})
  })

  test('a callback that throws gives its permit back', async () => {
    const jobs = at(0).limit(fresh(), { concurrent: 1, perKey: 1 })
    const failure = new Error('no')
    const failed = jobs.request('a', () => Promise.reject(failure))
    expect(await reasonOf(failed)).toBe(failure)
    expect(await jobs.request('a', ({ fence }) => fence > 0n)).toBe(true)
  })

  test('one that is held for too long is released', async () => {
    const jobs = at(0).limit(fresh(), { concurrent: 1 })
    const stays = jobs.request('a', { maxHold: 5 }, () => new Promise(() => {}))
    expect(await reasonOf(stays)).toMatchObject({ code: 'HELD_TOO_LONG' })
    await jobs.request('b', () => {})
  })

  test.each<[object | undefined, string]>([
    [undefined, 'concurrent: nothing is not a whole number from 1 to 64'],
    [{ concurrent: 0 }, 'concurrent: 0 is not a whole number from 1 to 64'],
    [{ concurrent: 1, perKey: 1.5 }, 'perKey: 1.5 is not a whole number from 1 to 64'],
    [{ concurrent: 1, perkey: 1 }, '"perkey" is not an option of a limit: did you mean "perKey"?'],
  ])('%j is refused', (options, why) => {
    expect(() => at(0).limit('x', options as never)).toThrow(why)
  })

  test('what is no request is refused', async () => {
    const jobs = at(0).limit(fresh(), { concurrent: 1 }) as unknown as {
      request: (...given: unknown[]) => Promise<unknown>
    }
    await expect(jobs.request('a')).rejects.toThrow('the callback is not a function')
    await expect(jobs.request(7, () => {})).rejects.toThrow('a key is a text, not number')
    await expect(jobs.request('a', { ifAvailable: true }, () => {})).rejects.toThrow(
      '"ifAvailable" is not an option of a limit',
    )
  })
})

test('between two turns of a key that waits, each other key has at most one', async () => {
  const keys = ['a', 'b', 'c', 'd']
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...keys), { minLength: 1, maxLength: 40 }), async (asked) => {
      const node = await joinNode()
      const jobs = node.limit('jobs', { concurrent: 1 })
      const served: string[] = []
      await Promise.all(asked.map((key) => jobs.request(key, () => void served.push(key))))
      await node.leave()
      expect(served.toSorted()).toEqual(asked.toSorted())
      for (const key of keys) expect(longestWait(served.slice(1), key)).toBeLessThanOrEqual(1)
    }),
    { numRuns: 25 },
  )
})

/** The most turns that one other key has before the next of this one, while this one waits. */
function longestWait(served: readonly string[], key: string): number {
  let most = 0
  const others: Record<string, number> = {}
  for (const each of served.slice(0, served.lastIndexOf(key) + 1)) {
    if (each === key) for (const other of Object.keys(others)) delete others[other]
    else {
      others[each] = (others[each] ?? 0) + 1
      most = Math.max(most, others[each])
    }
  }
  return most
}

test('without a quorum those fail who do not wait for one, and the others go on when there is one', async () => {
  const node = await joinNode()
  const real = node.semaphore('jobs', 1)
  let comes = () => {}
  const quorum = new Promise<void>((resolve) => {
    comes = resolve
  })
  let isThere = false
  const semaphore: Semaphore = {
    ...real,
    async acquire({ waitForQuorum = false }: WaitOptions = {}): Promise<never> {
      if (!isThere && !waitForQuorum) throw new NoQuorumError('no quorum')
      await quorum
      return (await real.acquire()) as never
    },
  }
  const jobs = limit(() => semaphore, 'jobs', { concurrent: 1 })
  const patient = jobs.request('a', { waitForQuorum: true }, () => 'in')
  expect(await reasonOf(jobs.request('b', () => {}))).toBeInstanceOf(NoQuorumError)
  isThere = true
  comes()
  expect(await patient).toBe('in')
  await node.leave()
})

test('when its node leaves, all who wait are told', async () => {
  const node = await joinNode()
  const jobs = limit((name, permits) => node.semaphore(name, permits), 'jobs', { concurrent: 1 })
  const first = enter(jobs, 'a')
  await first.inside
  const waiting = [jobs.request('a', () => {}), jobs.request('b', () => {})]
  const reasons = Promise.all([first.over, ...waiting].map((each) => reasonOf(each)))
  await node.leave()
  expect(await reasons).toHaveLength(3)
})
