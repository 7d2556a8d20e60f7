/** C10: what a client has said counts, also while it is under way. No circle is found that was never there. */
import { get } from '@turnwise/core/bounds'
import { afterEach, expect, test, vi } from 'vitest'
import { Holdings } from '../../src/daemon/holdings.ts'
import { Client } from '../../src/daemon/line-client.ts'
import { Visitor } from '../../src/daemon/visitor.ts'
import { Echoes } from '../../src/locks/echoes.ts'
import type { MeshNode } from '../../src/mesh.ts'
import type { NameStanding } from '../../src/protocol/messages.ts'
import { meshes } from '../meshes.ts'
import { reasonOf } from '../web-locks/worlds.ts'
import { type Desk, openDesk, openWay, visit, type Way } from './desks.ts'

/** A busy machine does not end it. To join takes a fifth of it. */
const LEASE = 8000
const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const end of ends.splice(0).toReversed()) await end()
})

async function deskOf(node: MeshNode): Promise<Desk> {
  const desk = await openDesk(node, LEASE)
  ends.push(
    () => node.leave(),
    () => desk.close(),
  )
  return desk
}

/** A client whose words can be held up. */
async function slowClient(desk: Desk): Promise<{ readonly way: Way; readonly client: Visitor }> {
  const way = await openWay(desk)
  const client = new Visitor(await Client.open(way.path))
  ends.push(
    () => way.close(),
    () => client.leave(),
  )
  return { way, client }
}

test.each(['of the same daemon', 'of another daemon'])(
  'a client that gave up before a client %s asked is in no circle with it',
  async (whose) => {
    const [a, b] = await meshes(2, 'memory', undefined, LEASE)
    const desks = [await deskOf(a), await deskOf(b)]
    const { way, client: y } = await slowClient(get(desks, 0))
    const x = await visit(get(desks, whose === 'of the same daemon' ? 0 : 1))
    ends.push(() => x.leave())
    const held = await x.locks.acquire('a', { holder: 'x' })
    const other = await y.locks.acquire('b', { holder: 'y' })
    const stop = new AbortController()
    const wait = y.locks.acquire('a', { holder: 'y', signal: stop.signal })
    await expect.poll(async () => (await b.locks.query()).pending.length).toBe(1)
    way.holdUp()
    stop.abort(new Error('enough'))
    expect(await reasonOf(wait)).toBe(stop.signal.reason)
    other.release()
    // From here on nobody waits for x. The daemons believe that y does.
    const next = x.locks.acquire('b', { holder: 'x' })
    await expect.poll(async () => (await b.locks.query()).circles).toHaveLength(1)
    const outcome = next.then(
      (lock) => lock.release(),
      (error: unknown) => error,
    )
    await Promise.race([outcome, expect.poll(() => way.heard, { timeout: 20_000 }).toContain('"echo"')])
    way.goOn()
    expect(await outcome).toBeUndefined()
    held.release()
  },
)

test('the callers of a client that does not echo are left out, and only those', async () => {
  const echoes = new Echoes()
  const caller = (holder: string) => ({
    mode: 'exclusive' as const,
    age: 1,
    about: { id: 1, asked: 1, info: null, holders: [holder] },
  })
  const fence = { epoch: 1, counter: 1 }
  const told: readonly NameStanding[] = [
    { name: 'p', held: [{ ...caller('=x of 2'), fence }], pending: [caller('=x of 12'), caller('=x')] },
  ]
  const end = echoes.heed({ number: 2, echo: () => Promise.resolve(false) })
  echoes.heed({ number: 12, echo: () => Promise.resolve(true) })
  expect(await echoes.after(() => told)).toEqual([{ ...told[0], held: [] }])
  end()
  expect(await echoes.after(() => told)).toEqual(told)
})

test('a client that is silent for too long has not echoed; one that has gone says nothing more', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const said = vi.fn()
  const holdings = new Holdings({ mesh: null } as never, said, false)
  const silent = holdings.echo()
  vi.advanceTimersByTime(10_000)
  expect(await silent).toBe(false)
  const answered = holdings.echo()
  const [{ number }] = said.mock.lastCall ?? []
  holdings.beat(number - 1)
  holdings.beat(null)
  holdings.beat(number)
  expect(await answered).toBe(true)
  const cut = holdings.echo()
  holdings.gone(true)
  expect([await cut, await holdings.echo()]).toEqual([true, true])
})
