import { catalogue } from '@turnwise/algorithms/catalogue'
import { get } from '@turnwise/core/bounds'
import * as fc from 'fast-check'
import { Packr } from 'msgpackr/pack'
import { describe, expect, test } from 'vitest'
import { extent } from '../../../../test/extent.ts'
import type { Effect } from '../../src/protocol/events.ts'
import type { Message } from '../../src/protocol/messages.ts'
import { electionKey, lockKey, onceKey, semaphoreKey } from '../../src/protocol/names.ts'
import { BadFrame } from '../../src/transport/bad-frame.ts'
import { createCodec } from '../../src/transport/codec.ts'
import { leaseCodec } from '../../src/transport/lease-codec.ts'
import { isServable } from '../is-servable.ts'
import { planFor } from '../simulation/plan.ts'
import { simulate } from '../simulation/voters.ts'
import { anyMessage, arbitraryOf, NODES } from './arbitrary-message.ts'
import '../../check/texts.ts'

const codec = createCodec({ algorithm: 'suzuki-kasami', nodes: NODES })
const packr = new Packr({ useRecords: false })

/** What the decoder makes of it, or null for BadFrame; anything else that is thrown fails the test. */
function decoded(bytes: Uint8Array): Message | null {
  try {
    return codec.decode(bytes)
  } catch (error) {
    if (error instanceof BadFrame) return null
    throw error
  }
}

/** If it is taken for a message, it is one: it goes back into bytes and out of them as it was. */
function expectNothingInvalid(bytes: Uint8Array): void {
  const message = decoded(bytes)
  if (message !== null) expect(codec.decode(codec.encode(message))).toEqual(message)
}

describe('every message comes back as it was sent', () => {
  for (const [type, arbitrary] of Object.entries(arbitraryOf)) {
    test(type, () => {
      fc.assert(
        fc.property(arbitrary, (message) => {
          expect(codec.decode(codec.encode(message))).toEqual(message)
        }),
        { numRuns: 60 },
      )
    })
  }
})

test('heartbeats and acks on the lease channel too', () => {
  const lease = leaseCodec()
  fc.assert(
    fc.property(fc.oneof(arbitraryOf['heartbeat'], arbitraryOf['ack']), (message) => {
      expect(lease.decode(lease.encode(message))).toEqual(message)
    }),
    { numRuns: 60 },
  )
})

test('the longest names come back as they were sent: of each kind, and with a sign that UTF-8 cannot carry', () => {
  const longest = '\ud800'.padEnd(250, 'x')
  const keys = [lockKey, onceKey, electionKey].map((keyOf) => keyOf(longest))
  for (const name of [...keys, semaphoreKey(longest, 64, 'srimani-reddy')]) {
    const asked: Message = { type: 'link', epoch: 1, seq: 1, payload: { kind: 'ask', name, ticket: 1 } }
    expect(codec.decode(codec.encode(asked))).toEqual(asked)
  }
})

test('all that a mesh says passes, whatever algorithm serves its locks', () => {
  let messages = 0
  // Algorithms of a family say much the same.
  const spoken = catalogue.filter(({ facts }) => isServable(facts.name))
  for (const { facts } of spoken.filter((_, i) => i % extent(5, 1) === 0)) {
    const plan = planFor(3, { algorithm: facts.name, nodes: 3, slow: [] })
    const codec = createCodec({ algorithm: facts.name, nodes: plan.nodes })
    const pass = (effect: Effect) => {
      if (effect.kind !== 'send') return
      const { message } = effect
      messages += 1
      // Strict equality of a hundred thousand objects is slow; their texts are as telling.
      if (JSON.stringify(codec.decode(codec.encode(message))) !== JSON.stringify(message))
        expect(message).toBeNull()
    }
    const after = (_: unknown, effects: readonly Effect[]) => effects.forEach(pass)
    simulate(plan, undefined, undefined, { before: () => {}, after })
  }
  expect(messages).toBeGreaterThan(extent(2_000, 10_000))
})

describe('no bytes make it fail or yield what is no message', () => {
  test('random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => expectNothingInvalid(bytes)),
      { numRuns: extent(400, 1500, 3000) },
    )
  })

  test('messages with bytes changed, taken out and put in', () => {
    const edit = fc.record({ at: fc.nat(), remove: fc.nat(3), insert: fc.uint8Array({ maxLength: 3 }) })
    fc.assert(
      fc.property(anyMessage, fc.array(edit, { minLength: 1, maxLength: 3 }), (message, edits) => {
        let bytes = Buffer.from(codec.encode(message))
        for (const { at, remove, insert } of edits) {
          const place = at % bytes.length
          bytes = Buffer.concat([bytes.subarray(0, place), insert, bytes.subarray(place + remove)])
          if (bytes.length === 0) return
        }
        expectNothingInvalid(bytes)
      }),
      { numRuns: extent(400, 1500, 3000) },
    )
  })

  test('messages cut short are refused, at every place', () => {
    fc.assert(
      fc.property(anyMessage, (message) => {
        const bytes = codec.encode(message)
        const isRead = (_: number, end: number) => decoded(bytes.subarray(0, end)) !== null
        expect([...bytes].filter(isRead)).toEqual([])
      }),
      { numRuns: 30 },
    )
  })

  test('messages with one value replaced by any other', () => {
    const other = fc.oneof(
      fc.anything({ withBigInt: true, withDate: true, withSparseArray: true }),
      fc.double(),
    )
    fc.assert(
      fc.property(anyMessage, fc.nat(), other, (message, pick, value) => {
        const copy = structuredClone(message) as object
        const places = placesIn(copy)
        const { owner, key } = get(places, pick % places.length)
        owner[key] = value
        let bytes: Uint8Array
        try {
          bytes = packr.pack(copy)
        } catch {
          return // The other side could not have sent it either.
        }
        expectNothingInvalid(bytes)
      }),
      { numRuns: extent(300, 1000, 2000) },
    )
  })
})

interface Place {
  readonly owner: Record<string, unknown>
  readonly key: string
}

function placesIn(value: object): Place[] {
  const owner = value as Record<string, unknown>
  return Object.entries(value).flatMap(([key, item]) => [
    { owner, key },
    ...(typeof item === 'object' && item !== null ? placesIn(item) : []),
  ])
}

describe('what is refused, and how it is said', () => {
  const session = { voterId: 'v', k: 1 }
  const fence = { epoch: 1, counter: 0 }
  const promise = { type: 'promise', epoch: 1, ballot: 'b', session, mark: '', accepted: null, begun: null }
  const link = (message: object) => ({
    type: 'link',
    epoch: 1,
    seq: 1,
    payload: { kind: 'lock', name: 'L', from: 0, to: 0, message },
  })
  const token = { queue: [], served: [0], fence: 0 }
  const voter = { id: 'a', voterId: 'v' }
  const settings = { algorithm: 'suzuki-kasami', lease: 2000, drift: 0.002 }
  const record = { epoch: 1, voters: [voter], oldVoters: null, members: [], settings, table: {} }

  const refused: readonly (readonly [what: string, message: object, says: string])[] = [
    ['no type', {}, 'type: nothing is unknown'],
    ['an unknown type', { type: 'salute' }, 'type: "salute" is unknown'],
    ['a type of every object', { type: 'constructor' }, 'type: "constructor" is unknown'],
    ['a field too many', { type: 'begin', epoch: 1, more: 1 }, 'begin: expected 2 fields, got 3'],
    ['a field missing', { type: 'gone' }, 'gone: session: nothing is not an object'],
    ['no life 0', { type: 'gone', session: { voterId: 'v', k: 0 } }, 'k: 0 is not a whole number from 1'],
    ['half a life', { type: 'gone', session: { voterId: 'v', k: 1.5 } }, 'k: 1.5 is not'],
    ['an epoch above what fits a fence', { type: 'begin', epoch: 2 ** 36 }, 'epoch: 68719476736 is not'],
    ['a clock at no time', { type: 'ack', session, at: Number.NaN, voterId: 'v' }, 'at: NaN is not'],
    [
      'a counter above what fits a fence',
      { ...promise, holds: { L: [{ seat: 0, mode: 'shared', fence: { epoch: 1, counter: 2 ** 27 } }] } },
      'promise: holds: "L": [0]: fence: counter: 134217728 is not',
    ],
    [
      'an unknown mode',
      { ...promise, holds: { L: [{ seat: 0, mode: 'x', fence }] } },
      'mode: "x" is not one of exclusive',
    ],
    [
      'a nameless lock',
      { ...promise, holds: { '': [{ seat: 0, mode: 'shared', fence }] } },
      'is not a text of 1 to',
    ],
    [
      'a semaphore of which nobody could make the seats',
      { ...promise, holds: { '#999999999=x': [{ seat: 0, mode: 'shared', fence }] } },
      'there is no such semaphore',
    ],
    ['no voters', { type: 'copy', ballot: 'b', record: { ...record, voters: [] } }, 'voters: it is empty'],
    ['a voter twice', { type: 'copy', ballot: 'b', record: { ...record, voters: [voter, voter] } }, 'twice'],
    ['an unknown message of the algorithm', link({ type: 'reply' }), 'message: type: "reply" is unknown'],
    ['a field it does not declare', link({ type: 'request', number: 1, x: 1 }), 'request: x: it is unknown'],
    ['a clock that is a text', link({ type: 'request', number: '1' }), 'number: "1" is not a whole number'],
    [
      'a node that is not there',
      link({ type: 'privilege', token: { ...token, queue: [NODES] } }),
      '[0]: 5 is',
    ],
    [
      'more nodes than there are',
      link({ type: 'privilege', token: { ...token, served: [0, 0, 0, 0, 0, 0] } }),
      'a list of 6 is longer than 5',
    ],
  ]
  for (const [what, message, says] of refused) {
    test(what, () => {
      expect(() => codec.decode(packr.pack(message))).toThrow(BadFrame)
      expect(() => codec.decode(packr.pack(message))).toThrow(says)
    })
  }

  const bytes: readonly (readonly [what: string, bytes: readonly number[], says: string])[] = [
    ['nothing', [], 'is cut short'],
    ['a list of thirty million in six bytes', [0xdd, 0x01, 0xc9, 0xc3, 0x80, 0xc0], 'is cut short'],
    ['a date', [0xd6, 0xff, 0, 0, 0, 0], 'kind 0xd6'],
    ['a record that the decoder would compile', [0xd4, 0x72, 0x40, 0x91, 0xa1, 0x61, 0x01], 'kind 0xd4'],
    ['a number beyond 53 bits', [0xcf, 255, 255, 255, 255, 255, 255, 255, 255], 'kind 0xcf'],
    ['a key that is no text', [0x81, 0x01, 0x01], 'a key is not a text'],
    ['a text that is not UTF-8', [0xa2, 0xc3, 0x28], 'not UTF-8'],
    ['a long text that is not UTF-8', [0xd9, 100, ...Buffer.alloc(99, 'a'), 0xc3], 'not UTF-8'],
    ['lists in lists without end', Array.from({ length: 100_000 }, () => 0x91), 'nest deeper'],
    ['the name of the prototype', [0x81, 0xa9, ...Buffer.from('__proto__'), 0x80], 'a key is __proto__'],
    ['that name in a longer form', [0x81, 0xd9, 9, ...Buffer.from('__proto__'), 0x80], 'a key is __proto__'],
    ['something after the end', [0xc0, 0xc0], '1 bytes follow'],
  ]
  for (const [what, list, says] of bytes) {
    test(what, () => expect(() => codec.decode(Uint8Array.from(list))).toThrow(says))
  }
})
