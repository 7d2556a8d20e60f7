import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { get } from '@turnwise/core/bounds'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { extent, LONG } from '../../../../test/extent.ts'
import { readState } from '../../src/disk/state-file.ts'
import type { Durable } from '../../src/protocol/record.ts'
import { endAll, Fleet, obstacle, until } from './fleet.ts'

let fleet: Fleet

afterEach(async () => expect(await fleet.end()).toEqual([]))
afterAll(endAll)

/** The longest lease that a voter would owe after a restart (R19). */
async function remembered(id: string): Promise<number> {
  const state = readState(await readFile(join(fleet.stateDir(id), 'state'), 'utf8'))
  expect(state).not.toBeTypeOf('string')
  return (state as Durable).longest
}

/** What these lose from now on, and why; it grows. */
function lossesOf(ids: readonly string[]): string[] {
  const losses: string[] = []
  for (const id of ids) {
    const life = fleet.at(id)
    const { hear } = life
    life.hear = (line) => {
      if (line.kind === 'lost') losses.push(`${id}: ${line.why}`)
      hear(line)
    }
  }
  return losses
}

/** So long that a busy machine alone does not end it. */
const LEASE = 4000
const LONGER = 2.5 * LEASE

/** What the others have, and what the one that comes and goes has. */
const CASES = (
  [
    ['longer', LEASE, LONGER],
    ['shorter', LONGER, LEASE],
  ] as const
).slice(0, extent(1, 2))

describe.skipIf(obstacle !== null)(`leases that differ${obstacle === null ? '' : `: ${obstacle}`}`, () => {
  test.each(CASES)(
    'a node with a lease 2.5 times %s comes and goes: no lock is lost, and no voter owes a lease that has gone',
    LONG,
    async (_, lease, other) => {
      fleet = await Fleet.joined({ a: { lease }, b: { lease }, c: { lease } })
      const losses = lossesOf(['a', 'b', 'c'])
      const held = await Promise.all(
        ['a', 'b'].map((id) => fleet.at(id).tell({ do: 'acquire', name: `of ${id}` })),
      )
      for (const id of ['a', 'b']) await fleet.at(id).tell({ do: 'work', name: 'L' })
      for (const leaseOfC of [other, other, lease]) {
        await fleet.at('c').tell({ do: 'leave' })
        await fleet.view(['a', 'b'])
        await fleet.at('c').tell({ do: 'join', options: fleet.options('c', { lease: leaseOfC }) })
        await fleet.view(['a', 'b', 'c'])
        await fleet.everyoneServed(['c'])
        for (const id of ['a', 'b'])
          expect(await remembered(id)).toBeGreaterThanOrEqual(Math.max(lease, leaseOfC))
      }
      for (const id of ['a', 'b', 'c'])
        await until(`the disk of ${id} remembers ${lease} ms`, async () => (await remembered(id)) === lease)
      for (const id of ['a', 'b']) expect(await fleet.at(id).tell({ do: 'rest' })).toBeGreaterThan(0)
      for (const [i, id] of ['a', 'b'].entries())
        expect(await fleet.at(id).tell({ do: 'block', hold: get(held, i).hold, ms: 0 })).toMatchObject({
          isHeld: true,
        })
      expect(losses).toEqual([])

      // What a and b owe to the third, which does not come back, is on their disks.
      await Promise.all(['a', 'b', 'c'].map((id) => fleet.kill(id)))
      await Promise.all(['a', 'b'].map((id) => fleet.join(id, { lease })))
      await fleet.view(['a', 'b'])
      await fleet.everyoneServed(['a', 'b'])
      for (const id of ['a', 'b']) expect(await remembered(id)).toBe(lease)
    },
  )
})
