import { get } from '@turnwise/core/bounds'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { endAll, Fleet, obstacle } from './fleet.ts'

let fleet: Fleet

const PATIENCE = 60_000

afterEach(async () => expect(await fleet.end()).toEqual([]))
afterAll(endAll)

describe.skipIf(obstacle !== null)(
  `processes that wait for each other${obstacle === null ? '' : `: ${obstacle}`}`,
  () => {
    test('one request is rejected, and the other gets what it waits for', async () => {
      // So long that a busy machine does not end it.
      const options = { lease: 10_000 }
      fleet = await Fleet.joined({ a: options, b: options, c: options })
      const names = ['p', 'q']
      const members = ['a', 'b'].map((id) => fleet.at(id))
      const holds = await Promise.all(
        members.map((member, i) => {
          const options = { holder: 'it', info: { job: i } }
          return member.tell({ do: 'acquire', name: get(names, i), options }, PATIENCE)
        }),
      )
      const ends = await Promise.allSettled(
        members.map(async (member, i) => {
          try {
            await member.tell({ do: 'acquire', name: get(names, 1 - i), options: { holder: 'it' } }, PATIENCE)
          } finally {
            await member.tell({ do: 'release', hold: get(holds, i).hold })
          }
        }),
      )
      const rejected = ends.flatMap((end) => (end.status === 'rejected' ? end.reason : []))
      expect(rejected).toMatchObject([{ name: 'DeadlockError' }])
      const parts = (rejected[0] as Error).message.replace(/^deadlock: /, '').split('; ')
      expect(parts.toSorted()).toEqual([
        'a {"job":0} holds "p" and waits for "q"',
        'b {"job":1} holds "q" and waits for "p"',
      ])
    })
  },
)
