import { catalogue } from '@turnwise/algorithms/catalogue'
import * as fc from 'fast-check'
import { Packr } from 'msgpackr/pack'
import { describe, expect, test } from 'vitest'
import { extent } from '../../../../test/extent.ts'
import { servable } from '../../src/protocol/instances.ts'
import type { Message } from '../../src/protocol/messages.ts'
import { BadFrame } from '../../src/transport/bad-frame.ts'
import { createCodec, leaseCodec } from '../../src/transport/codec.ts'
import { LOCK_FRAME } from '../../src/transport/lock-frames.ts'
import { planFor } from '../simulation/plan.ts'
import { simulate } from '../simulation/world.ts'
import { anyMessage, arbitraryOf, epoch, NODES } from './arbitrary-message.ts'
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

test('all that a mesh says passes, whatever algorithm serves its locks', () => {
  let messages = 0
  for (const { facts } of catalogue.filter(({ facts }) => isServable(facts.name))) {
    const plan = planFor(3, { algorithm: facts.name, nodes: 3, slow: [] })
    const codec = createCodec({ algorithm: facts.name, nodes: plan.nodes })
    simulate(plan, undefined, (line) => {
      const sent = /^ {2}\w+: (\{"kind":"send".*)$/.exec(line)?.[1]
      if (sent === undefined) return
      const { message } = JSON.parse(sent) as { message: Message }
      messages += 1
      // Strict equality of a hundred thousand objects is slow; their texts are as telling.
      if (JSON.stringify(codec.decode(codec.encode(message))) !== JSON.stringify(message))
        expect(message).toBeNull()
    })
  }
  expect(messages).toBeGreaterThan(10_000)
})

function isServable(name: string): boolean {
  try {
    servable(name)
    return true
  } catch {
    return false
  }
}

describe('no bytes make it fail or yield what is no message', () => {
  test('random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => expectNothingInvalid(bytes)),
      { numRuns: extent(500, 3000) },
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
      { numRuns: extent(500, 3000) },
    )
  })

  test('messages cut short are refused, at every place', () => {
    fc.assert(
      fc.property(anyMessage, (message) => {
        const bytes = codec.encode(message)
        for (let end = 0; end < bytes.length; end += 1) expect(decoded(bytes.subarray(0, end))).toBeNull()
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
        const { owner, key } = places[pick % places.length]
        owner[key] = value
        let bytes: Uint8Array
        try {
          bytes = packr.pack(copy)
        } catch {
          return // The other side could not have sent it either.
        }
        expectNothingInvalid(bytes)
      }),
      { numRuns: extent(400, 2000) },
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
    ['an unknown type', { type: 'hello' }, 'type: "hello" is unknown'],
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

  describe('in the short form of messages on links', () => {
    const codec = createCodec({ algorithm: 'naimi-trehel', nodes: NODES })
    const payload = {
      kind: 'lock',
      name: '=L',
      from: 0,
      to: 0,
      message: { type: 'token', fence: 7 },
    } as const
    const link: Message = { type: 'link', epoch: 3, seq: 5, payload, upTo: 4 }
    const whole = Buffer.from(codec.encode(link))
    const changed = (at: number, value: number) => {
      const bytes = Buffer.from(whole)
      bytes[at] = value
      return bytes
    }

    test('which is short, and breaks off nowhere but at its end', () => {
      expect(whole).toHaveLength(32)
      expect(codec.decode(whole)).toEqual(link)
      for (let length = 1; length < whole.length; length += 1) {
        expect(() => codec.decode(whole.subarray(0, length))).toThrow(BadFrame)
      }
      expect(() => codec.decode(Buffer.concat([whole, Buffer.from([0])]))).toThrow('1 bytes follow')
    })

    test('which has room for every epoch', () => {
      fc.assert(
        fc.property(epoch, (epoch) => {
          const bytes = codec.encode({ ...link, epoch })
          expect([bytes[0], bytes.length]).toEqual([LOCK_FRAME, 32])
          expect(codec.decode(bytes)).toEqual({ ...link, epoch })
        }),
      )
    })

    test.each([
      ['a flag that there is not', changed(1, 7), 'flags 7'],
      ['the mark of another algorithm', changed(2, whole[2] ^ 1), 'of an algorithm that does not serve'],
      ['no epoch', changed(11, 0), 'there is no epoch 0'],
      ['an epoch beyond the last', changed(6, 1), 'there is no epoch'],
      ['no number', changed(17, 0), 'links count from 1'],
      ['no name', changed(25, 0), 'a name of 0 characters'],
      ['a seat that there is not', changed(28, 1), 'there is no such seat'],
      ['a type that there is not', changed(30, 9), 'its type is unknown'],
      ['a field of no kind', changed(31, 0xff), 'no field is of kind 0xff'],
      ['a clock that is no number', changed(31, 0xf2), 'fence: false is not allowed'],
      ['a semaphore that nothing serves', changed(26, '#'.codePointAt(0) ?? 0), 'there is no such seat'],
    ])('%s', (_, bytes, says) => expect(() => codec.decode(bytes)).toThrow(says))

    test('a name that is not UTF-8', () => {
      const bytes = changed(1, 1)
      bytes[26] = 0xc3
      bytes[27] = 0x28
      expect(() => codec.decode(bytes)).toThrow('not UTF-8')
    })

    test('a message of another algorithm, which may look alike', () => {
      const other = createCodec({ algorithm: 'raymond', nodes: NODES })
      expect(() => other.decode(whole)).toThrow('of an algorithm that does not serve')
    })

    test.each([0, 239, 240, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER, -1, null])(
      'the fence %s',
      (fence) => {
        const message = {
          ...link,
          payload: { ...payload, name: '=größer', message: { type: 'token', fence } },
        }
        expect(codec.decode(codec.encode(message as Message))).toEqual(message)
      },
    )

    test.each([
      ['', true],
      ['some', true],
      ['x'.repeat(32), true],
      ['x'.repeat(33), false],
      ['größer', false],
    ])('the text "%s" in the short form: %s', (mode, isShort) => {
      const codec = createCodec({ algorithm: 'carvalho-roucairol', nodes: NODES })
      const asks = {
        ...link,
        payload: { ...payload, message: { type: 'request', number: 5, mode } },
      } as Message
      const bytes = Buffer.from(codec.encode(asks))
      expect(bytes[0] === LOCK_FRAME).toBe(isShort)
      expect(codec.decode(bytes)).toEqual(asks)
      if (!isShort || mode === '') return
      bytes[bytes.length - 1] = 0xff
      expect(() => codec.decode(bytes)).toThrow('a text is not ASCII')
      expect(() => codec.decode(bytes.subarray(0, -1))).toThrow('breaks off')
    })

    describe('with a line of places', () => {
      const codec = createCodec({ algorithm: 'token-queue', nodes: NODES })
      const token = (places: unknown) =>
        ({
          ...link,
          payload: { ...payload, message: { type: 'token', fence: 7, places, missing: 0 } },
        }) as Message
      const line = (length: number) =>
        Array.from({ length }, (_, i) => ({ node: i % NODES, mode: i % 3 === 0 ? 'shared' : 'exclusive' }))

      test('of two bytes for each', () => {
        const lengthOf = (places: number) => codec.encode(token(line(places))).length
        expect(lengthOf(0)).toBe(whole.length + 3)
        expect(lengthOf(32)).toBe(lengthOf(0) + 64)
      })

      test.each([0, 1, 255, 256])('%i of them', (length) => {
        const bytes = codec.encode(token(line(length)))
        expect(bytes[0] === LOCK_FRAME).toBe(length < 256)
        expect(codec.decode(bytes)).toEqual(token(line(length)))
      })

      test('or none', () => {
        expect(codec.decode(codec.encode(token(null)))).toEqual(token(null))
      })

      test('which breaks off nowhere but at its end', () => {
        const bytes = codec.encode(token(line(3)))
        for (let length = 1; length < bytes.length; length += 1) {
          expect(() => codec.decode(bytes.subarray(0, length))).toThrow(BadFrame)
        }
      })

      const three = Buffer.from(codec.encode(token(line(3))))
      /** From the end: missing, and before it three places of two bytes, their number, and that it is a list. */
      const broken = (fromEnd: number, value: number) => {
        const bytes = Buffer.from(three)
        bytes[bytes.length - fromEnd] = value
        return bytes
      }

      test.each([
        ['a node that there is not', broken(3, NODES), `node: ${NODES} is not allowed`],
        ['one place more', broken(8, 4), 'breaks off'],
        ['one place less', broken(8, 2), 'bytes follow'],
        ['a number', broken(9, 5), 'places: 5 is not allowed'],
        ['a list in a list', broken(3, 0xf9), 'no field is of kind 0xf9'],
        ['a list where there is none', broken(1, 0xf9), 'no field is of kind 0xf9'],
      ])('not %s', (_, bytes, says) => expect(() => codec.decode(bytes)).toThrow(says))

      test('what is no place takes the general form, and is refused there', () => {
        for (const places of [[5], 'places', [{ node: 1, mode: 'shared', more: 1 }]]) {
          const bytes = codec.encode(token(places))
          expect(bytes[0]).not.toBe(LOCK_FRAME)
          expect(() => codec.decode(bytes)).toThrow(BadFrame)
        }
      })
    })

    test('a node that there is not', () => {
      const origin = (node: number) =>
        codec.encode({
          ...link,
          payload: { ...payload, message: { type: 'request', origin: node } },
        } as Message)
      expect(() => codec.decode(origin(NODES))).toThrow(`origin: ${NODES} is not allowed`)
      expect(() => codec.decode(origin(-1))).toThrow('origin: -1 is not allowed')
    })
  })

  const bytes: readonly (readonly [what: string, bytes: readonly number[], says: string])[] = [
    ['nothing', [], 'breaks off'],
    ['a list of thirty million in six bytes', [0xdd, 0x01, 0xc9, 0xc3, 0x80, 0xc0], 'breaks off'],
    ['a date', [0xd6, 0xff, 0, 0, 0, 0], 'kind 0xd6'],
    ['a record that the decoder would compile', [0xd4, 0x72, 0x40, 0x91, 0xa1, 0x61, 0x01], 'kind 0xd4'],
    ['a number beyond 53 bits', [0xcf, 255, 255, 255, 255, 255, 255, 255, 255], 'kind 0xcf'],
    ['a key that is no text', [0x81, 0x01, 0x01], 'a key is not a text'],
    ['a text that is not UTF-8', [0xa2, 0xc3, 0x28], 'not UTF-8'],
    ['lists in lists without end', Array.from({ length: 100_000 }, () => 0x91), 'nest deeper'],
    ['the name of the prototype', [0x81, 0xa9, ...Buffer.from('__proto__'), 0x80], 'a key is __proto__'],
    ['that name in a longer form', [0x81, 0xd9, 9, ...Buffer.from('__proto__'), 0x80], 'a key is __proto__'],
    ['something after the end', [0xc0, 0xc0], '1 bytes follow'],
  ]
  for (const [what, list, says] of bytes) {
    test(what, () => expect(() => codec.decode(Uint8Array.from(list))).toThrow(says))
  }
})
