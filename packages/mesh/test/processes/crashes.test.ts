import { get } from '@turnwise/core/bounds'
import { Relay } from '@turnwise/fleet/relay'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { LONG } from '../../../../test/extent.ts'
import { present } from '../../../../test/present.ts'
import { endAll, Fleet, LEASE, obstacle, pause, until, within } from './fleet.ts'

let fleet: Fleet

afterEach(async () => expect(await fleet.end()).toEqual([]))
afterAll(endAll)

describe.skipIf(obstacle !== null)(`processes that die${obstacle === null ? '' : `: ${obstacle}`}`, () => {
  test('the holder is killed: the lock moves on when its lease has ended, and all others are served', async () => {
    fleet = await Fleet.joined()
    const { fence } = await fleet.at('b').tell({ do: 'acquire', name: 'L' })
    const served = fleet.everyoneServed(['a', 'c'])
    await fleet.kill('b')
    await served
    const next = get(fleet.witness.grants('L'), 1)
    expect(next.fence).toBeGreaterThan(BigInt(fence))
  })

  test('the holder of some names of a group is killed: the other holder stays, and its names move on', async () => {
    fleet = await Fleet.joined()
    const stock = { do: 'acquire in group', name: 'stock', names: ['east', 'north', 'west'] } as const
    const { fence } = await fleet.at('b').tell({ ...stock, wanted: ['east', 'north'] })
    const west = await fleet.at('c').tell({ ...stock, wanted: ['west'] })
    const waits = fleet.at('a').tell({ ...stock, wanted: ['north'] })
    const all = fleet.at('a').tell({ ...stock, wanted: ['north', 'west'] })
    await fleet.kill('b')
    const { hold, fence: next } = await waits
    expect(BigInt(next)).toBeGreaterThan(BigInt(fence))
    await fleet.at('a').tell({ do: 'release', hold })
    await fleet.at('c').tell({ do: 'release', hold: west.hold })
    expect(BigInt((await all).fence)).toBeGreaterThan(BigInt(west.fence))
  })

  test(
    'a voter dies just after it acknowledged, and is back at once: it still owes what it forgot (R19)',
    LONG,
    async () => {
      fleet = await Fleet.of(['a', 'b', 'c'])
      const relay = await Relay.open(() => present(fleet.peers['a']))
      try {
        const detour = { peers: { ...fleet.peers, a: relay.address } }
        await Promise.all([fleet.join('a'), fleet.join('b', detour), fleet.join('c', { thread: false })])
        await fleet.view(['a', 'b', 'c'])
        await fleet.at('b').tell({ do: 'acquire', name: 'L' })
        await fleet.spare()
        // The lease of the holder comes to rest on c alone: a owes it nothing soon.
        relay.cut()
        await pause(0.8 * LEASE)
        await fleet.at('c').tell({ do: 'die', at: 'ack', after: 1 })
        await fleet.died('c')
        fleet.at('b').stop()
        const back = fleet.join('c')
        const { hold } = await fleet.at('a').tell({ do: 'acquire', name: 'L' })
        await back
        fleet.at('b').goOn()
        relay.heal()
        await fleet.at('a').tell({ do: 'release', hold })
        await fleet.view(['a', 'b', 'c'])
        await fleet.everyoneServed(['a', 'b', 'c'])
      } finally {
        relay.close()
      }
    },
  )

  test('the proposer of a view dies at each of its four points', LONG, async () => {
    fleet = await Fleet.joined({ a: { thread: false } })
    const points = [
      { at: 'prepare', after: 1 },
      { at: 'install', after: 1 },
      { at: 'begin', after: 0 },
      { at: 'begin', after: 1 },
    ] as const
    for (const point of points) {
      const { hold } = await fleet.at('b').tell({ do: 'acquire', name: 'L' })
      await fleet.at('a').tell({ do: 'die', ...point })
      await fleet.spare()
      // A member that comes back is a reason for another view, and the first voter proposes it.
      await fleet.kill('c')
      await Promise.all([fleet.join('c'), fleet.died('a')])
      await fleet.view(['b', 'c'])
      const waiting = fleet.at('c').tell({ do: 'acquire', name: 'L' })
      // A node that did not find the holder in the table of this view would be inside by now.
      await fleet.everyoneServed(['b', 'c'], 'other')
      await fleet.at('b').tell({ do: 'release', hold })
      await fleet.at('c').tell({ do: 'release', hold: (await waiting).hold })
      await fleet.everyoneServed(['b', 'c'])
      await fleet.join('a', { thread: false })
      await fleet.view(['a', 'b', 'c'])
    }
    await fleet.everyoneServed(['a', 'b', 'c'])
  })

  test('all are killed and come back: fences still rise', async () => {
    fleet = await Fleet.joined()
    for (const id of ['a', 'b', 'c']) await fleet.at(id).tell({ do: 'work', name: 'L' })
    await until('turns', () => fleet.witness.grants('L').length > 10)
    await Promise.all(['a', 'b', 'c'].map((id) => fleet.kill(id)))
    const before = fleet.witness.grants('L').length
    await Promise.all(['a', 'b', 'c'].map((id) => fleet.join(id)))
    await fleet.everyoneServed(['a', 'b', 'c'])
    expect(fleet.witness.grants('L')).toHaveLength(before + 3)
  })

  test('who leaves hands over at once', LONG, async () => {
    // A waiter that goes on before it is over relies on the word of the node that left; the view without that node takes half of it.
    const lease = 16 * LEASE
    fleet = await Fleet.joined({ a: { lease }, b: { lease }, c: { lease } })
    await fleet.at('b').tell({ do: 'acquire', name: 'L' })
    const waiting = fleet.at('c').tell({ do: 'acquire', name: 'L' })
    await fleet.at('a').tell({ do: 'status' })
    await fleet.at('b').tell({ do: 'leave' })
    await fleet.at('c').tell({ do: 'release', hold: (await within(lease, 'the lock', waiting)).hold })
    await fleet.view(['a', 'c'])
    await fleet.everyoneServed(['a', 'c'])
  })
})
