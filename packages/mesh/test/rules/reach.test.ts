/** R8: links that work in one direction only. */

import { get } from '@turnwise/core/bounds'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { handle, start } from '../../src/protocol/node.ts'
import { isBroken, isBrokenWithin } from '../../src/protocol/reach.ts'
import { blank, type Id } from '../../src/protocol/record.ts'

const LEASE = 1000
const NOW = 5000
const ids = ['a', 'b', 'c', 'd', 'e']
const settings = { algorithm: 'token-queue', lease: LEASE, drift: 0 }
const sessionOf = (id: Id) => ({ voterId: `${id}1`, k: 1 })
const viewOf = (members: readonly Id[]) => ({
  epoch: 1,
  voters: ['a', 'b'].map((id) => ({ id, voterId: `${id}1` })),
  oldVoters: null,
  members: members.map((id) => ({ id, session: sessionOf(id) })),
  settings,
})

/** Who says since when that it does not hear whom. */
const doubt = fc.record({
  by: fc.constantFrom(...ids.slice(1)),
  of: fc.constantFrom(...ids),
  since: fc.constantFrom(NOW - 2 * LEASE, NOW - LEASE, NOW - LEASE + 1),
})

/** What `a` knows if it heard these at that time, with what they doubt. */
function nodeOf(heardAt: readonly number[], doubts: readonly { by: Id; of: Id; since: number }[]) {
  const config = { peers: ids, voters: ['a', 'b'], settings, roundTrip: 5 }
  const { node } = start('a', config, blank('a1'), 0)
  for (const [i, id] of ids.slice(1).entries()) {
    const said = { begun: null, accepted: null, promised: 0, mark: '', suspects: [], wish: null }
    const message = { type: 'heartbeat', session: sessionOf(id), at: 0, lease: LEASE, ...said } as const
    handle(node, { kind: 'receive', from: id, message }, get(heardAt, i))
  }
  for (const { by, of, since } of doubts) {
    const heard = node.heard[by]
    if (heard !== undefined) heard.doubts = { ...heard.doubts, [of]: since }
  }
  return node
}

describe('broken links (R8)', () => {
  test('a view has one if a pair of its members has one, whoever of the two tells of it', () => {
    const heardAt = fc.array(fc.constantFrom(0, NOW - 1), { minLength: 4, maxLength: 4 })
    const property = fc.property(
      heardAt,
      fc.array(doubt, { maxLength: 3 }),
      fc.subarray(ids),
      (times, doubts, members) => {
        const node = nodeOf(times, doubts)
        const pairs = members.flatMap((a) => members.map((b) => isBroken(node, a, b, NOW)))
        expect(isBrokenWithin(node, viewOf(members), NOW)).toBe(pairs.includes(true))
        const others = members.map((a) => isBroken(node, a, 'e', NOW))
        expect(isBrokenWithin(node, viewOf(members), NOW, 'e')).toBe(others.includes(true))
      },
    )
    fc.assert(property, { numRuns: 300 })
  })

  test('a doubt counts when it is a lease old', () => {
    const doubts = (since: number) => [{ by: 'c', of: 'b', since }]
    const heardNow = [NOW, NOW, NOW, NOW]
    expect(isBrokenWithin(nodeOf(heardNow, doubts(NOW - LEASE)), viewOf(ids), NOW)).toBe(true)
    expect(isBrokenWithin(nodeOf(heardNow, doubts(NOW - LEASE + 1)), viewOf(ids), NOW)).toBe(false)
  })
})
