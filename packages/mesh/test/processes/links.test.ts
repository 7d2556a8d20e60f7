import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { endAll, Fleet, LEASE, obstacle, until } from './fleet.ts'
import { Relay } from './relay.ts'
import { now } from './talk.ts'

let fleet: Fleet

afterEach(async () => expect(await fleet.end()).toEqual([]))
afterAll(endAll)

describe.skipIf(obstacle !== null)(
  `processes out of reach${obstacle === null ? '' : `: ${obstacle}`}`,
  () => {
    test('a minority says that there is no quorum, in the stated time; who waits for one goes on with it', async () => {
      fleet = await Fleet.joined()
      const a = fleet.at('a')
      const { hold } = await a.tell({ do: 'acquire', name: 'M' })
      const lapsed = a.waitFor('the loss', (line) => line.kind === 'lost' && line.hold === hold)
      await Promise.all([fleet.kill('b'), fleet.kill('c')])
      const refused = expect(a.tell({ do: 'acquire', name: 'L' })).rejects.toThrow(
        /of the voters a, b, c only a /,
      )
      const waiting = a.tell({ do: 'acquire', name: 'L', options: { waitForQuorum: true } })
      await lapsed
      const since = now()
      await refused
      const took = now() - since
      expect(took).toBeGreaterThan(2.8 * LEASE)
      expect(took).toBeLessThan(4.5 * LEASE)
      await expect(a.tell({ do: 'acquire', name: 'L' })).rejects.toMatchObject({ name: 'NoQuorumError' })
      await fleet.join('c')
      await a.tell({ do: 'release', hold: (await waiting).hold })
      await fleet.everyoneServed(['a', 'c'])
      await fleet.join('b')
      await fleet.everyoneServed(['a', 'b', 'c'])
    })

    test.each([
      ['a', 'b'],
      ['c', 'b'],
      ['b', 'a'],
    ])(
      '%s is not heard at %s any more: whoever is left in the view works, and all do when it heals',
      async (from, to) => {
        fleet = await Fleet.of(['a', 'b', 'c'])
        const relay = await Relay.to(fleet.peers[to])
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
          const turns = await Promise.all(['a', 'b', 'c'].map((id) => fleet.at(id).tell({ do: 'rest' })))
          expect(Math.min(...turns)).toBeGreaterThan(0)
          await fleet.everyoneServed(['a', 'b', 'c'])
        } finally {
          await relay.close()
        }
      },
    )
  },
)
