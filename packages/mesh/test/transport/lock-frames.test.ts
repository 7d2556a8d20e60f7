import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { present } from '../../../../test/present.ts'
import type { Message } from '../../src/protocol/messages.ts'
import { BadFrame } from '../../src/transport/bad-frame.ts'
import { createCodec } from '../../src/transport/codec.ts'
import { LOCK_FRAME } from '../../src/transport/lock-frames.ts'
import { epoch, NODES } from './arbitrary-message.ts'
import '../../check/texts.ts'

describe('the short form of messages on links', () => {
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
    ['the mark of another algorithm', changed(2, present(whole[2]) ^ 1), 'its algorithm does not serve'],
    ['no epoch', changed(11, 0), 'epoch 0 is out of range'],
    ['an epoch beyond the last', changed(6, 1), 'is out of range'],
    ['no number', changed(17, 0), 'messages on a link are numbered from 1'],
    ['no name', changed(25, 0), 'a name of 0 characters'],
    ['a seat that there is not', changed(28, 1), 'there is no such seat'],
    ['a type that there is not', changed(30, 9), 'its type is unknown'],
    ['a field of no kind', changed(31, 0xff), 'unknown field of kind 0xff'],
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
    expect(() => other.decode(whole)).toThrow('its algorithm does not serve')
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
    expect(() => codec.decode(bytes)).toThrow('a text that is marked as ASCII is not')
    expect(() => codec.decode(bytes.subarray(0, -1))).toThrow('is cut short')
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

    test('of four bytes for each that is neither urgent nor passed', () => {
      const lengthOf = (places: number) => codec.encode(token(line(places))).length
      expect(lengthOf(0)).toBe(whole.length + 4)
      expect(lengthOf(32)).toBe(lengthOf(0) + 128)
    })

    test.each([0, 1, 255, 256])('%i of them', (length) => {
      const bytes = codec.encode(token(line(length)))
      expect(bytes[0] === LOCK_FRAME).toBe(length < 256)
      expect(codec.decode(bytes)).toEqual(token(line(length)))
    })

    test('urgent ones, and some that were passed', () => {
      const places = [
        { node: 1, mode: 'exclusive', passed: 64 },
        { node: 2, mode: 'shared', level: -3, passed: 1 },
        { node: 0, mode: 'exclusive', level: 2 ** 40 },
      ]
      const bytes = codec.encode(token(places))
      expect(bytes[0]).toBe(LOCK_FRAME)
      expect(codec.decode(bytes)).toEqual(token(places))
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
    /** From the end: turns, missing, and before them three places of four bytes, their number, and that it is a list. */
    const broken = (fromEnd: number, value: number) => {
      const bytes = Buffer.from(three)
      bytes[bytes.length - fromEnd] = value
      return bytes
    }

    test.each([
      ['a node that there is not', broken(6, NODES), `node: ${NODES} is not allowed`],
      ['one place more', broken(15, 4), 'is cut short'],
      ['one place less', broken(15, 2), 'bytes follow'],
      ['a number', broken(16, 5), 'places: 5 is not allowed'],
      ['a list in a list', broken(6, 0xf9), 'unknown field of kind 0xf9'],
      ['a list where there is none', broken(1, 0xf9), 'unknown field of kind 0xf9'],
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

describe('places of a line, in the short form', () => {
  const codec = createCodec({ algorithm: 'token-queue', nodes: NODES })
  const tokenWith = (places: readonly object[]): Message => {
    const message = { type: 'token', fence: 7, places, missing: 0 }
    return { type: 'link', epoch: 3, seq: 5, payload: { kind: 'lock', name: '=L', from: 0, to: 0, message } }
  }
  const again = (message: Message) => codec.decode(codec.encode(message))
  const placesOf = (message: Message) => Reflect.get(Reflect.get(message, 'payload').message, 'places')

  test.each([
    ['a writer', { node: 1, mode: 'exclusive' }],
    ['a reader', { node: 1, mode: 'shared' }],
    ['a caller that may write', { node: 1, mode: 'update' }],
    ['an urgent one', { node: 1, mode: 'exclusive', level: 3 }],
    ['a very urgent one', { node: 1, mode: 'exclusive', level: 240 }],
    ['a calm one', { node: 1, mode: 'exclusive', level: -1 }],
    ['one that was passed', { node: 1, mode: 'exclusive', passed: 64 }],
    ['one that was passed often', { node: 1, mode: 'exclusive', passed: 2 ** 31 }],
  ])('%s: it is read as it was written, and what was read is written as it was', (_, place) => {
    const message = tokenWith([place, { node: 0, mode: 'shared' }, place])
    expect(again(message)).toEqual(message)
    expect(again(again(message))).toEqual(message)
  })

  test('a place that comes again is one object', () => {
    const [first, second] = placesOf(
      again(
        tokenWith([
          { node: 1, mode: 'exclusive' },
          { node: 1, mode: 'exclusive' },
        ]),
      ),
    )
    expect(first).toBe(second)
  })

  test('a place of a node that there is not', () => {
    const bytes = Buffer.from(codec.encode(tokenWith([{ node: 0, mode: 'exclusive' }])))
    const at = bytes.lastIndexOf(Buffer.from([0xf9, 1, 0]))
    codec.decode(bytes)
    bytes[at + 2] = NODES
    for (let time = 0; time < 2; time += 1) expect(() => codec.decode(bytes)).toThrow('is not allowed')
  })

  test('more different places than are remembered', () => {
    for (let level = 1; level < 240; level += 1) {
      const places = Array.from({ length: NODES }, (_, node) => ({ node, mode: 'exclusive', level }))
      expect(again(again(tokenWith(places)))).toEqual(tokenWith(places))
    }
  })
})
