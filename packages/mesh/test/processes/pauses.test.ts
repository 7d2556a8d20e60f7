import { writeFileSync } from 'node:fs'
import { get } from '@turnwise/core/bounds'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { extent, LONG } from '../../../../test/extent.ts'
import { atLeast } from '../../../../test/present.ts'
import { endAll, Fleet, LEASE, obstacle, PATIENCE, pause } from './fleet.ts'

/** Where a lease must be kept: seconds without a processor, on a machine that runs many tests at once, do not end this one. */
const LONG_LEASE = 10 * LEASE

let fleet: Fleet

afterEach(async () => expect(await fleet.end()).toEqual([]))
afterAll(endAll)

/** Of a wall clock, in milliseconds. */
const JUMPS = [
  ['ahead', 3_600_000],
  ['back', -3_600_000],
] as const

describe.skipIf(obstacle !== null)(
  `processes that stand still${obstacle === null ? '' : `: ${obstacle}`}`,
  () => {
    test('for a part of a lease: the lock is kept', LONG, async () => {
      const lease = LONG_LEASE
      fleet = await Fleet.joined({ a: { lease }, b: { lease }, c: { lease } })
      const b = fleet.at('b')
      const { hold, fence } = await b.tell({ do: 'acquire', name: 'L' })
      await b.waitFor('a renewal', ({ kind }) => kind === 'renewed')
      b.stop()
      await pause(lease / 8)
      b.goOn()
      await b.tell({ do: 'write', hold })
      expect(fleet.register.taken).toEqual([BigInt(fence)])
      await b.waitFor('a renewal', ({ kind }) => kind === 'renewed')
      await b.tell({ do: 'release', hold })
      await fleet.everyoneServed(['a', 'b', 'c'])
    })

    test.each(extent([1.5], [1.5, 10]))(
      'for %d leases, with a write pending: the write comes too late, and is refused',
      async (leases) => {
        fleet = await Fleet.joined()
        const b = fleet.at('b')
        const { hold } = await b.tell({ do: 'acquire', name: 'L' })
        const stopping = b.waitFor('the stop', ({ kind }) => kind === 'stopping')
        const lost = b.waitFor('the loss', ({ kind }) => kind === 'lost')
        const late = b.tell({ do: 'stop, then write', hold })
        await stopping
        const over = pause(leases * LEASE)
        const next = await fleet.at('c').tell({ do: 'acquire', name: 'L' })
        await fleet.at('c').tell({ do: 'write', hold: next.hold })
        await over
        b.goOn()
        await Promise.all([late, lost])
        expect(fleet.register.taken).toEqual([BigInt(next.fence)])
        expect(fleet.register.refused).toHaveLength(1)
        await fleet.at('c').tell({ do: 'release', hold: next.hold })
        await fleet.view(['a', 'b', 'c'])
        await fleet.everyoneServed(['a', 'b', 'c'])
      },
    )

    test.each(JUMPS.slice(0, extent(1, 2)))(
      'a wall clock that jumps %s: what was held counts as lost, and nobody is let in too early',
      async (_, ms) => {
        fleet = await Fleet.joined()
        const b = fleet.at('b')
        const { fence } = await b.tell({ do: 'acquire', name: 'L' })
        const lost = b.waitFor('the loss', ({ kind }) => kind === 'lost')
        const next = fleet.at('c').tell({ do: 'acquire', name: 'L', options: { waitForQuorum: true } })
        await b.tell({ do: 'jump', ms })
        await lost
        const { hold, fence: later } = await next
        expect(BigInt(later)).toBeGreaterThan(BigInt(fence))
        await fleet.at('c').tell({ do: 'release', hold })
        await fleet.view(['a', 'b', 'c'])
        await fleet.everyoneServed(['a', 'b', 'c'])
      },
    )

    test(
      'a voter with a blocked event loop still answers: who needs it keeps its lock, and so does its own program',
      LONG,
      async () => {
        fleet = await Fleet.of(['a', 'b'])
        const lease = LONG_LEASE
        await Promise.all(['a', 'b'].map((id) => fleet.join(id, { firstStart: true, lease })))
        await fleet.view(['a', 'b'])
        const [a, b] = [fleet.at('a'), fleet.at('b')]
        const { hold, fence } = await a.tell({ do: 'acquire', name: 'L' })
        const other = await b.tell({ do: 'acquire', name: 'M' })
        // Of two voters both must acknowledge: without b the lease of a would end, and that of b, too.
        expect(await b.tell({ do: 'block', hold: other.hold, ms: 1.05 * lease })).toMatchObject({
          isHeld: true,
        })
        await a.tell({ do: 'write', hold })
        expect(fleet.register.taken).toEqual([BigInt(fence)])
        expect(await a.tell({ do: 'block', hold, ms: 0 })).toMatchObject({ isHeld: true, aborted: false })
        await a.tell({ do: 'release', hold })
        await fleet.view(['a', 'b'])
        await fleet.everyoneServed(['a', 'b'])
      },
    )

    test(
      'programs that are all busy with asking, for more than a lease: their threads answer each other, and all keep their locks',
      LONG,
      async () => {
        const lease = LONG_LEASE
        fleet = await Fleet.joined({ a: { lease }, b: { lease }, c: { lease } })
        const ids = ['a', 'b', 'c']
        const holds = await Promise.all(ids.map((id) => fleet.at(id).tell({ do: 'acquire', name: id })))
        const busy = ids.map((id, i) =>
          fleet.at(id).tell({ do: 'block', hold: get(holds, i).hold, ms: 1.25 * lease, asks: true }),
        )
        for (const after of await Promise.all(busy))
          expect(after).toEqual({ isHeld: true, aborted: false, thrown: null, toldFirst: false })
        await fleet.everyoneServed(ids)
        for (const [i, id] of ids.entries())
          await fleet.at(id).tell({ do: 'release', hold: get(holds, i).hold })
      },
    )

    test(
      'two of three that do nothing for more than a lease: who holds a lock on the third keeps it',
      LONG,
      async () => {
        const lease = LONG_LEASE
        fleet = await Fleet.joined({ a: { lease }, b: { lease }, c: { lease } })
        const [a, b, c] = atLeast(
          3,
          await Promise.all(['a', 'b', 'c'].map((id) => fleet.at(id).tell({ do: 'acquire', name: id }))),
        )
        const [, , ofC] = await Promise.all([
          fleet.at('a').tell({ do: 'block', hold: a.hold, ms: 1.3 * lease }),
          fleet.at('b').tell({ do: 'block', hold: b.hold, ms: 1.3 * lease }),
          fleet.at('c').tell({ do: 'block', hold: c.hold, ms: 1.25 * lease, asks: true }),
        ])
        expect(ofC).toEqual({ isHeld: true, aborted: false, thrown: null, toldFirst: false })
        await fleet.everyoneServed(['a', 'b', 'c'])
      },
    )

    test('a blocked event loop: the lock moves on, and the first look at it tells', async () => {
      fleet = await Fleet.joined()
      const b = fleet.at('b')
      const { hold } = await b.tell({ do: 'acquire', name: 'L' })
      const over = `${fleet.stateDir('b')}.over`
      const blocked = b.tell({ do: 'block', hold, ms: PATIENCE / 2, until: over })
      const next = await fleet.at('a').tell({ do: 'acquire', name: 'L' })
      writeFileSync(over, '')
      expect(await blocked).toEqual({
        isHeld: false,
        aborted: true,
        thrown: 'LockLostError',
        toldFirst: true,
      })
      await fleet.at('a').tell({ do: 'release', hold: next.hold })
      await fleet.view(['a', 'b', 'c'])
      await fleet.everyoneServed(['a', 'b', 'c'])
    })
  },
)
