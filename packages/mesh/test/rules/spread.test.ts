import { get } from '@turnwise/core/bounds'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SOUND } from '../../broken/under.ts'
import { survivesOf } from '../../src/protocol/losses.ts'
import type { ViewRecord } from '../../src/protocol/record.ts'
import { spreadVoters } from '../../src/protocol/zones.ts'
import { Script } from '../script.ts'
import { voters } from './proof.ts'

describe('voters are spread over zones', () => {
  const nine = 'abcdefghi'.split('')
  const five = nine.slice(0, 5)
  const own = Object.fromEntries(nine.map((id, node) => [id, { zone: 'xyz'.charAt(Math.floor(node / 3)) }]))
  const config = { voters: five, firstStart: five, spreadsVoters: true }

  test('of three zones each has at most two of five, and a whole zone may be lost', () => {
    const script = new Script(nine, SOUND, config, own)
    script.pass(40)
    expect(voters(script, 'a')).toEqual(['a', 'b', 'd', 'e', 'g'])
    const view = script.node('i').begun as ViewRecord
    expect([view.oldVoters, view.isChosen]).toEqual([null, undefined])
    expect(survivesOf(view, [])).toEqual({ nodes: 2, zones: ['x', 'y', 'z'], notZones: [] })
    script.request('h', 'L')
    for (const id of ['a', 'b', 'c']) script.kill(id)
    script.pass(40)
    expect(script.node('i').begun?.members.map(({ id }) => id)).toEqual(nine.slice(3))
    expect(script.of('h', 'lost')).toEqual([])
    // Of voters that are away the zone is unknown: nothing moves.
    expect(voters(script, 'i')).toEqual(['a', 'b', 'd', 'e', 'g'])
  })

  test('voters that a caller chose stay where they are', () => {
    const script = new Script(nine, SOUND, config, own)
    script.pass(40)
    script.do('a', { kind: 'voters', wanted: ['a', 'b', 'c'] })
    script.pass(60)
    expect(voters(script, 'i')).toEqual(['a', 'b', 'c'])
    expect(script.node('i').begun?.isChosen).toBe(true)
    expect(survivesOf(script.node('i').begun as ViewRecord, [])).toMatchObject({ notZones: ['x'] })
  })

  test('for any members, zones and voters: as many as before, none in vain, and the largest share of a zone is least', () => {
    const world = fc.record({
      zones: fc.array(fc.constantFrom('x', 'y', 'z', 'w'), { minLength: 1, maxLength: 8 }),
      votes: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
    })
    fc.assert(
      fc.property(world, ({ zones, votes }) => {
        const members = zones.map((zone, i) => ({
          id: get(nine, i),
          session: { voterId: get(nine, i), k: 1 },
          zone,
        }))
        const those = members.filter((_, i) => votes[i])
        fc.pre(those.length > 0)
        const view = {
          epoch: 1,
          voters: those.map(({ id }) => ({ id, voterId: id })),
          oldVoters: null,
          members,
          settings: { algorithm: 'token-queue', lease: 1000, drift: 0 },
        }
        const spread = spreadVoters(view)
        const share = (ids: readonly string[]) =>
          Math.max(
            ...zones.map(
              (zone) => members.filter((each) => each.zone === zone && ids.includes(each.id)).length,
            ),
          )
        const before = share(those.map(({ id }) => id))
        const subsets = Array.from({ length: 2 ** members.length }, (_, bits) =>
          members.flatMap(({ id }, i) => (bits & (2 ** i) ? [id] : [])),
        )
        const least = Math.min(...subsets.filter(({ length }) => length === those.length).map(share))
        if (spread === null) {
          expect(before).toBe(least)
          return
        }
        expect(share(spread)).toBe(least)
        expect(least).toBeLessThan(before)
        expect(new Set(spread).size).toBe(those.length)
        const moved = { ...view, voters: spread.map((id) => ({ id, voterId: id })) }
        expect(spreadVoters(moved)).toBeNull()
      }),
      { numRuns: 200 },
    )
  })
})
