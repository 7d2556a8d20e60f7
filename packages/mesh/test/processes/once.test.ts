/** Jobs of real processes: one is killed in the middle of its job, and all are restarted. What ran is remembered. */
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { LONG } from '../../../../test/extent.ts'
import { endAll, Fleet, obstacle, PATIENCE } from './fleet.ts'

let fleet: Fleet

afterEach(async () => expect(await fleet.end()).toEqual([]), PATIENCE)
afterAll(endAll)

describe.skipIf(obstacle !== null)(`jobs of peers${obstacle === null ? '' : `: ${obstacle}`}`, () => {
  test('the one that runs it is killed: nobody runs it again, or the next does; and all of it survives restarts', {
    ...LONG,
    timeout: 2 * PATIENCE,
  }, async () => {
    fleet = await Fleet.joined()
    const time = Date.now()
    const fire = (id: string, at: 'most' | 'least') => fleet.at(id).tell({ do: 'once', name: at, time, at })
    for (const [id, at] of [
      ['a', 'most'],
      ['b', 'least'],
    ] as const) {
      const life = fleet.at(id)
      const begun = life.waitFor('the job', ({ kind }) => kind === 'running')
      life.tell({ do: 'once', name: at, time, at, hangs: true }).catch(() => {})
      await begun
      await fleet.kill(id)
      const next = await fire('c', at)
      if (at === 'most')
        expect(next).toEqual({ ran: false, by: 'a', at: expect.any(String), finished: false })
      else expect(next).toEqual({ ran: true, value: 'done', remembered: true })
      await fleet.join(id)
      await fleet.view(['a', 'b', 'c'])
    }
    await Promise.all(['a', 'b', 'c'].map((id) => fleet.kill(id)))
    await Promise.all(['a', 'b', 'c'].map((id) => fleet.join(id)))
    for (const id of ['a', 'b', 'c']) {
      expect(await fire(id, 'most')).toMatchObject({ ran: false, by: 'a', finished: false })
      expect(await fire(id, 'least')).toMatchObject({ ran: false, by: 'c', finished: true })
    }
  })
})
