/** Voters change, and the new ones know what ran before: it was copied while both sets voted. */
import { expect, test } from 'vitest'
import { atLeast } from '../../../../test/present.ts'
import { STEADY, starter } from '../meshes.ts'

test('none of the old voters stays: what ran is not run again, what did not run is run, and a job under way is left alone', async () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f']
  const nodes = await Promise.all(ids.map(starter({ ids, voters: ['a', 'b', 'c'], lease: STEADY })))
  const [first, , , other] = atLeast(4, nodes)
  const now = Date.now()
  const [early, late] = [now - 60_000, now - 30_000]
  expect((await first.once('nightly', early, () => 'made')).ran).toBe(true)
  let begin = () => {}
  let end = () => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const ending = new Promise<void>((resolve) => {
    end = resolve
  })
  const running = first.once('weekly', early, () => {
    begin()
    return ending
  })
  await begun
  await first.changeVoters(['d', 'e', 'f'])
  await expect.poll(() => other.status.voters).toEqual(['d', 'e', 'f'])
  expect(await other.once('nightly', early, () => {})).toMatchObject({ ran: false, by: 'a', finished: true })
  expect(await other.once('nightly', late, () => 'too')).toMatchObject({ ran: true, value: 'too' })
  // Of a name that nobody used before nothing is known.
  await expect(other.once('monthly', early, () => {})).rejects.toMatchObject({ code: 'RUN_UNKNOWN' })
  end()
  await running
  expect(await other.once('weekly', early, () => {})).toMatchObject({ ran: false, finished: true })
  await Promise.all(nodes.map((node) => node.leave()))
}, 60_000)
