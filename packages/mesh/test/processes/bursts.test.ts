import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { extent, LONG } from '../../../../test/extent.ts'
import { endAll, Fleet, obstacle } from './fleet.ts'

let fleet: Fleet

afterEach(async () => expect(await fleet.end()).toEqual([]))
afterAll(endAll)

const NAMES = extent(2000, 20_000, 100_000)
/** Where all three ask. */
const EACH = extent(1000, 8000, 30_000)
/** For what takes a quiet machine a tenth of it. */
const PATIENCE = 300_000
const IDS = ['a', 'b', 'c']

/** Three nodes, each with a lock of its own. Returns what finds that they have had it ever since. */
async function threeWhoHold(): Promise<() => Promise<void>> {
  // So long that a busy machine alone does not end it; what bursts did to leases went on for minutes.
  const lease = 10_000
  fleet = await Fleet.joined({ a: { lease }, b: { lease }, c: { lease } })
  const before = await fleet.at('b').tell({ do: 'status' })
  const kept = await Promise.all(
    IDS.map(async (id) => {
      const { hold } = await fleet.at(id).tell({ do: 'acquire', name: `kept by ${id}` })
      return () => fleet.at(id).tell({ do: 'block', hold, ms: 0 })
    }),
  )
  return async () => {
    const after = await fleet.at('b').tell({ do: 'status' })
    expect(after.epoch, 'the view of before').toBe(before.epoch)
    for (const look of kept) expect((await look()).isHeld).toBe(true)
  }
}

describe.skipIf(obstacle !== null)(
  `names that are asked for at once${obstacle === null ? '' : `: ${obstacle}`}`,
  () => {
    test('by a node that is alone: all are had, and none is lost', {
      ...LONG,
      timeout: PATIENCE,
    }, async () => {
      fleet = await Fleet.of([])
      const alone = fleet.enlist('alone')
      await alone.tell({ do: 'join', options: {} })
      const { hold } = await alone.tell({ do: 'acquire', name: 'kept' })
      expect(await alone.tell({ do: 'burst', names: NAMES }, PATIENCE)).toEqual({ had: NAMES })
      expect((await alone.tell({ do: 'block', hold, ms: 0 })).isHeld).toBe(true)
    })

    test(
      'by one of three: all are had, and nobody else is disturbed',
      async () => {
        const expectUndisturbed = await threeWhoHold()
        expect(await fleet.at('a').tell({ do: 'burst', names: NAMES }, PATIENCE)).toEqual({ had: NAMES })
        await expectUndisturbed()
      },
      PATIENCE,
    )

    test.each([
      ['each its own', (id: string) => id],
      ['all the same', () => 'all'],
    ])(
      'by all three at once, %s: all are had, and no lease is lost',
      { ...LONG, timeout: PATIENCE },
      async (_, whose) => {
        const expectUndisturbed = await threeWhoHold()
        const bursts = IDS.map((id) =>
          fleet.at(id).tell({ do: 'burst', names: EACH, whose: whose(id) }, PATIENCE),
        )
        for (const outcomes of await Promise.all(bursts)) expect(outcomes).toEqual({ had: EACH })
        await expectUndisturbed()
      },
    )
  },
)
