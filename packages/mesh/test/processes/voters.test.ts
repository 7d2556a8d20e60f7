import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { LONG } from '../../../../test/extent.ts'
import { present } from '../../../../test/present.ts'
import { endAll, Fleet, obstacle, until } from './fleet.ts'

let fleet: Fleet

afterEach(async () => expect(await fleet.end()).toEqual([]))
afterAll(endAll)

describe.skipIf(obstacle !== null)(`a mesh that grows${obstacle === null ? '' : `: ${obstacle}`}`, () => {
  test('from one voter to three and back to one, under load, without losing a lock', LONG, async () => {
    fleet = await Fleet.of(['a', 'b', 'c'])
    const a = await fleet.join('a', { peers: { a: present(fleet.peers['a']) } })
    const { hold } = await a.tell({ do: 'acquire', name: 'kept' })
    await a.tell({ do: 'work', name: 'L' })
    for (const id of ['b', 'c']) await a.tell({ do: 'addPeer', id, address: present(fleet.peers[id]) })
    await Promise.all(['b', 'c'].map((id) => fleet.join(id, { voters: ['a'] })))
    await fleet.view(['a', 'b', 'c'])
    for (const id of ['b', 'c']) await fleet.at(id).tell({ do: 'work', name: 'L' })
    await a.tell({ do: 'changeVoters', ids: ['a', 'b', 'c'] })
    expect((await a.tell({ do: 'status' })).voters).toEqual(['a', 'b', 'c'])
    await until('turns of all', () => {
      const recent = fleet.witness.grants('L').slice(-30)
      return new Set(recent.map(({ life }) => life)).size === 3
    })
    for (const id of ['b', 'c']) {
      await fleet.at(id).tell({ do: 'leave', forGood: true })
      await a.tell({ do: 'removePeer', id })
    }
    await fleet.view(['a'])
    expect((await a.tell({ do: 'status' })).voters).toEqual(['a'])
    expect(await a.tell({ do: 'rest' })).toBeGreaterThan(0)
    // Never lost on the way: it is still there to be released.
    expect(fleet.witness.grants('kept')[0]?.until).toBe(Number.POSITIVE_INFINITY)
    await a.tell({ do: 'release', hold })
  })
})
