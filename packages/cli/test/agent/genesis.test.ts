/** R26 with real daemons: two of three state directories are lost for good, and the survivor is given the order of docs/operate.md. */
import { rmSync } from 'node:fs'
import { get } from '@turnwise/core/bounds'
import { afterEach, expect, test } from 'vitest'
import { LONG } from '../../../../test/extent.ts'
import { LEASE, Trio, Workplace } from './processes.ts'

/** As docs/operate.md counts it, at some moment: more than 32 bits. */
const EPOCH = 34_359_738_368 + 1_800_000_000

let place: Workplace
afterEach(() => place.clear())

interface Status {
  readonly epoch: number | null
  readonly members: readonly string[]
}

async function fenceAt(trio: Trio, id: string): Promise<bigint> {
  const program = trio.lock(id, 'ledger', 'echo fence=$TURNWISE_FENCE', '--timeout', '30s')
  const fence = get(await program.says(/fence=(\d+)/), 1)
  expect(await program.code).toBe(0)
  return BigInt(fence)
}

test('R26: the survivor and two replacements serve again, with higher fences', LONG, async () => {
  place = new Workplace()
  const trio = await Trio.start(place)
  const before = await fenceAt(trio, 'b')

  for (const id of ['b', 'c']) {
    trio.daemon(id).kill('SIGKILL')
    await trio.daemon(id).code
    rmSync(place.path(`state-${id}`), { recursive: true })
  }
  // They come back without their state: no majority of the last view is left, so nothing is served.
  for (const id of ['b', 'c']) trio.restart(id)
  const refused = trio.lock('a', 'ledger', 'true', '--timeout', `${2 * LEASE}ms`)
  expect(await refused.code).toBe(75)

  trio.daemon('a').kill('SIGTERM')
  await trio.daemon('a').code
  const low = trio.restart('a', '--genesis', '1')
  expect(await low.code).toBe(2)
  expect(low.err).toMatch(/epoch 1 is not above \d+, the highest one used/)

  const survivor = trio.restart('a', '--genesis', String(EPOCH))
  await survivor.says(
    new RegExp(`"epoch":${EPOCH},"voters":\\["a","b","c"\\],"event":"new first view ordered"`),
  )
  await Promise.all(['a', 'b', 'c'].map((id) => trio.daemon(id).says(/"joined"/)))
  const { epoch, members } = await trio.until<Status>('status', 'a', (status) => status.members.length === 3)
  expect(epoch).toBeGreaterThanOrEqual(EPOCH)
  expect(members).toEqual(['a', 'b', 'c'])
  let last = before
  for (const id of ['a', 'b', 'c']) {
    const fence = await fenceAt(trio, id)
    expect(fence).toBeGreaterThan(last)
    expect(fence >> 27n).toBeGreaterThanOrEqual(BigInt(EPOCH))
    last = fence
  }

  // The order is given once: started again without it, the survivor joins what is there.
  survivor.kill('SIGTERM')
  expect(await survivor.code).toBe(0)
  await trio.restart('a').says(/"joined"/)
  expect(await fenceAt(trio, 'a')).toBeGreaterThan(last)
})
