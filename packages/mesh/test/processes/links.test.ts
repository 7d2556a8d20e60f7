import { Relay } from '@turnwise/fleet/relay'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { extent, LONG } from '../../../../test/extent.ts'
import { present } from '../../../../test/present.ts'
import { endAll, Fleet, LEASE, obstacle, until } from './fleet.ts'

/** Who is not heard, and at whom. */
const WAYS = [
  ['a', 'b'],
  ['c', 'b'],
  ['b', 'a'],
]

let fleet: Fleet

afterEach(async () => expect(await fleet.end()).toEqual([]))
afterAll(endAll)

describe.skipIf(obstacle !== null)(
  `processes out of reach${obstacle === null ? '' : `: ${obstacle}`}`,
  () => {
    test('a minority says that there is no quorum, in the stated time; who waits for one goes on with it', async () => {
      fleet = await Fleet.joined({ a: { quorumTimeout: 3 * LEASE } })
      const a = fleet.at('a')
      await Promise.all([fleet.kill('b'), fleet.kill('c')])
      const refused = a.tell({ do: 'acquire', name: 'L' }).then(() => 'had', String)
      const waiting = a.tell({ do: 'acquire', name: 'L', options: { waitForQuorum: true } })
      // As the node tells it; a busy machine makes it only later.
      const [, waited] =
        /no majority for (\d+) ms: of the voters a, b, c only a can be reached/.exec(await refused) ?? []
      expect(Number(waited)).toBeGreaterThanOrEqual(3 * LEASE)
      await expect(a.tell({ do: 'acquire', name: 'L' })).rejects.toMatchObject({ name: 'NoQuorumError' })
      await fleet.join('c')
      await a.tell({ do: 'release', hold: (await waiting).hold })
      await fleet.everyoneServed(['a', 'c'])
      await fleet.join('b')
      await fleet.everyoneServed(['a', 'b', 'c'])
    })

    test.each(WAYS.slice(0, extent(1, 3)))(
      '%s is not heard at %s any more: the nodes left in the view work, and all do when it heals',
      LONG,
      async (from, to) => {
        fleet = await Fleet.of(['a', 'b', 'c'])
        const relay = await Relay.open(() => present(fleet.peers[to]))
        try {
          await Promise.all(
            ['a', 'b', 'c'].map((id) =>
              fleet.join(id, id === from ? { peers: { ...fleet.peers, [to]: relay.address } } : {}),
            ),
          )
          await fleet.view(['a', 'b', 'c'])
          for (const id of ['a', 'b', 'c']) await fleet.at(id).tell({ do: 'work', name: 'L' })
          relay.cut()
          // One of the two is left out, for as long as the link is one-way.
          await until('a view of two', async () => {
            const all = await Promise.all(['a', 'b', 'c'].map((id) => fleet.at(id).tell({ do: 'status' })))
            return all.filter(({ members, leaseLeft }) => members.length === 2 && leaseLeft > 0).length === 2
          })
          const before = fleet.witness.grants('L').length
          await until('turns in it', () => fleet.witness.grants('L').length > before + 5)
          relay.heal()
          await fleet.view(['a', 'b', 'c'])
          await until(
            'turns of all',
            () => new Set(fleet.witness.grants('L').map(({ life }) => life)).size === 3,
          )
          const turns = await Promise.all(['a', 'b', 'c'].map((id) => fleet.at(id).tell({ do: 'rest' })))
          expect(Math.min(...turns)).toBeGreaterThan(0)
          await fleet.everyoneServed(['a', 'b', 'c'])
        } finally {
          relay.close()
        }
      },
    )
  },
)
