import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import '../../check/texts.ts'
import { DERIVED } from '../../src/protocol/derived.ts'
import { memberOf, membersAfter } from '../../src/protocol/membership.ts'
import { startMeeting } from '../../src/protocol/node.ts'
import type { Id, Member } from '../../src/protocol/record.ts'
import type { Node } from '../../src/protocol/state.ts'

const IDS = ['a', 'b', 'c', 'd', 'e', 'f']
const SETTINGS = { algorithm: 'token-queue', lease: 1000, drift: 0 }

function newNode(): Node {
  const config = { peers: ['a'], voters: [], settings: SETTINGS, roundTrip: 5 }
  return startMeeting('a', config, { address: '', life: '', seconds: 0 }, 0)
}

function begin(node: Node, members: readonly Member[]): void {
  const epoch = (node.begun?.epoch ?? 0) + 1
  node.begun = { epoch, voters: [], oldVoters: null, members, settings: SETTINGS, table: {} }
}

function memberNamed(id: Id): Member {
  return { id, session: { voterId: id, k: 1 } }
}

test('whatever comes and goes, what a node keeps in mind of members is never an old answer', () => {
  const change = fc.record({
    out: fc.subarray(IDS),
    isWhole: fc.boolean(),
    isBegun: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), (changes) => {
      const node = newNode()
      for (const { out, isWhole, isBegun } of changes) {
        const before = node.begun?.members ?? []
        const gone = before.flatMap(({ id }) => (out.includes(id) ? [id] : []))
        const come = IDS.filter((id) => !out.includes(id) && !before.some((member) => member.id === id))
        const expected = [...before.filter(({ id }) => !out.includes(id)), ...come.map(memberNamed)]
        const after = membersAfter(node, gone, come.map(memberNamed))
        expect(after).toEqual(expected)
        if (isBegun) begin(node, isWhole ? expected : after)
        const kept = IDS.map((id) => memberOf(node, id))
        delete node[DERIVED]
        expect(kept).toEqual(IDS.map((id) => memberOf(node, id)))
      }
    }),
  )
})

test('of members that stay none is looked at', () => {
  const node = newNode()
  let looks = 0
  const watched = Array.from({ length: 100 }, (_, i) => ({
    ...memberNamed(`m${i}`),
    get id() {
      looks += 1
      return `m${i}`
    },
  }))
  begin(node, watched)
  expect(memberOf(node, 'm7')).toBe(watched[7])
  looks = 0
  begin(node, membersAfter(node, ['m7'], [memberNamed('x')]))
  expect(['m6', 'm7', 'x'].map((id) => memberOf(node, id) !== undefined)).toEqual([true, false, true])
  expect(looks).toBe(0)
})
