import { get } from '@turnwise/core/bounds'
import { expect, test } from 'vitest'
import type { Leader } from '../src/locks/election.ts'
import { LockLostError } from '../src/locks/errors.ts'
import { meshes } from './meshes.ts'
import { fresh, inEveryWorld, reasonOf } from './web-locks/worlds.ts'

inEveryWorld((world) => {
  const nodeAt = (i: number) => world.site(i)

  test('one leads until it resigns, and all can tell who', async () => {
    const name = fresh()
    const elections = [0, 1, 2].map((i) => nodeAt(i).election(name))
    expect(await get(elections, 1).leader()).toBeNull()
    const first = await get(elections, 0).campaign()
    let second: { fence: bigint; release: () => void } | null = null
    const next = get(elections, 1)
      .campaign()
      .then((lead) => {
        second = lead
        return lead
      })
    for (const election of elections) {
      expect(await election.leader()).toEqual({ id: nodeAt(0).id, fence: first.fence })
    }
    expect(second).toBeNull()
    first.release()
    const lead = await next
    expect(lead.fence).toBeGreaterThan(first.fence)
    expect(await get(elections, 2).leader()).toEqual({ id: nodeAt(1).id, fence: lead.fence })
    lead.release()
  })

  test('a campaign ends with its signal or its time', async () => {
    const name = fresh()
    const leader = await nodeAt(0).election(name).campaign()
    const controller = new AbortController()
    const aborted = nodeAt(1).election(name).campaign({ signal: controller.signal })
    controller.abort('no more')
    expect(await reasonOf(aborted)).toBe('no more')
    const late = nodeAt(2).election(name).campaign({ timeout: 1 })
    expect(await reasonOf(late)).toMatchObject({ code: 'LOCK_TIMEOUT' })
    leader.release()
  })

  test('with ifAvailable a campaign leads at once or not at all', async () => {
    const name = fresh()
    const leader = await nodeAt(0).election(name).campaign({ ifAvailable: true })
    expect(leader?.isHeld).toBe(true)
    for (const i of [0, 1, 2])
      expect(await nodeAt(i).election(name).campaign({ ifAvailable: true })).toBeNull()
    leader?.release()
  })

  test('observe tells of every leader that it sees, and of none', async () => {
    const name = fresh()
    const seen = nodeAt(2).election(name).observe()
    const next = async (): Promise<Leader | null> => (await seen.next()).value
    expect(await next()).toBeNull()
    const first = await nodeAt(0).election(name).campaign()
    expect(await next()).toEqual({ id: nodeAt(0).id, fence: first.fence })
    first.release()
    expect(await next()).toBeNull()
    const second = await nodeAt(1).election(name).campaign()
    expect(await next()).toEqual({ id: nodeAt(1).id, fence: second.fence })
    expect(second.fence).toBeGreaterThan(first.fence)
    await seen.return?.()
    second.release()
  })

  test('a name that is too long for others is refused, also by those who only ask', async () => {
    const election = nodeAt(0).election('x'.repeat(1500))
    const why = 'a name has at most 250 characters, not 1500'
    await expect(election.leader()).rejects.toThrow(why)
    await expect(election.observe().next()).rejects.toThrow(why)
    await expect(election.campaign()).rejects.toThrow(why)
  })

  test('observe ends with its signal', async () => {
    const controller = new AbortController()
    const leaders: (Leader | null)[] = []
    for await (const leader of nodeAt(1).election(fresh()).observe({ signal: controller.signal })) {
      leaders.push(leader)
      controller.abort()
    }
    expect(leaders).toEqual([null])
  })
})

test.concurrent.each(['memory', 'tcp'] as const)(
  'a leader that leaves is followed, over %s',
  async (medium) => {
    const [a, b, c] = await meshes(3, medium)
    const first = await a.election('E').campaign()
    const next = b.election('E').campaign()
    const observed = c.election('E').observe()
    expect((await observed.next()).value).toMatchObject({ id: 'a' })
    await a.leave()
    expect(first.isHeld).toBe(false)
    const lead = await next
    expect(lead.fence).toBeGreaterThan(first.fence)
    let seen: Leader | null = null
    while (seen === null) seen = (await observed.next()).value
    expect(seen).toEqual({ id: 'b', fence: lead.fence })
    await c.leave()
    expect(await observed.next()).toMatchObject({ done: true })
    expect(await reasonOf(c.election('E').leader())).toMatchObject({ name: 'InvalidStateError' })
    // Of three voters one is left: nobody leads any more.
    await new Promise((resolve) => lead.signal.addEventListener('abort', resolve))
    expect(lead.signal.reason).toBeInstanceOf(LockLostError)
    await b.leave()
  },
)
