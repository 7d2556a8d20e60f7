import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { extent, LONG } from '../../../../test/extent.ts'
import { endAll, Fleet, obstacle } from './fleet.ts'

let fleet: Fleet

afterEach(async () => expect(await fleet.end()).toEqual([]))
afterAll(endAll)

const NAMES = extent(3_000, 9_000, 24_000)
const LETTERS = 250
/** For what takes a quiet machine a tenth of it. */
const PATIENCE = 300_000

describe.skipIf(obstacle !== null)(
  `a node that holds very many names${obstacle === null ? '' : `: ${obstacle}`}`,
  () => {
    test.each(extent([true], [true, false]))(
      'loses none of them when others ask who holds what, or when one is killed, with a lease thread: %s',
      { ...LONG, timeout: PATIENCE },
      async (thread) => {
        // So long that a busy machine alone does not end it. Without a thread of its own a lease ends with any stall of the program.
        const options = { lease: thread ? 10_000 : 20_000, thread }
        fleet = await Fleet.joined({ a: options, b: options, c: options })
        expect(await fleet.at('b').tell({ do: 'gather', names: NAMES, letters: LETTERS }, PATIENCE)).toBe(
          NAMES,
        )
        // As long as all names together this was no message: it stayed at the head of its link, or ended the program.
        expect(
          await Promise.all(['a', 'c'].map((id) => fleet.at(id).tell({ do: 'query' }, PATIENCE))),
        ).toEqual([NAMES, NAMES])
        expect(await fleet.at('b').tell({ do: 'gathered' })).toBe(NAMES)
        await fleet.kill('c')
        await fleet.view(['a', 'b'])
        expect(await fleet.at('b').tell({ do: 'gathered' })).toBe(NAMES)
        await fleet.everyoneServed(['a', 'b'])
        expect(await fleet.at('b').tell({ do: 'gathered' })).toBe(NAMES)
      },
    )
  },
)
