/**
 * Frames for messages of algorithms on links, which make up most of the traffic under load. They take few bytes and steps: fields
 * in the order that the algorithm's shapes declare, without names. They are checked while they are read. Rare messages, and
 * messages with other fields than those of `lock-fields.ts`, take the general form.
 *
 *     0xC1, a byte that no MessagePack begins with | flags | mark of the algorithm and its shapes, 4 bytes
 *     epoch, 6 | seq, 6 | upTo, 6, if there is one | length of the name, 2 | name | seats from and to | type | fields
 */
import { Buffer, isUtf8 } from 'node:buffer'
import type { AnyAlgorithm } from '@turnwise/core/algorithm'
import { byteAt, get } from '@turnwise/core/bounds'
import type { MessageOf, Payload } from '../protocol/messages.ts'
import { BadFrame } from './bad-frame.ts'
import { wordAt } from './framing.ts'
import { keyAt } from './known-records.ts'
import { KnownTexts, textOf } from './known-texts.ts'
import {
  ABSENT,
  DOUBLE,
  EXCLUSIVE,
  FALSE,
  type Field,
  fieldsOf,
  isAscii,
  isOneByte,
  LIST,
  NULL,
  type Parts,
  type Plain,
  roomFor,
  SHARED,
  TEXT,
  TRUE,
  WORD,
  writeFields,
  writeWord,
} from './lock-fields.ts'

type LinkMessage = MessageOf<'link'>
type LockPayload = Extract<Payload, { kind: 'lock' }>

export const LOCK_FRAME = 0xc1

/** The limits for names, epochs and seats that the general form checks too. */
export interface Limits {
  readonly longestName: number
  readonly lastEpoch: number
  /** How many seats a name has at each node. NaN for an invalid name. */
  readonly seatsOf: (name: string) => number
}

/** How the messages of an algorithm are written. Null for a type that does not fit. */
export interface Format {
  readonly mark: number
  readonly types: readonly (MessageType | null)[]
  readonly numbers: ReadonlyMap<string, number>
}

interface MessageType {
  readonly type: string
  readonly fields: readonly Field[]
}

const HAS_UP_TO = 1
const IS_ASCII = 2

const MARK_AT = 2
const EPOCH_AT = 6
const SEQ_AT = 12
/** After the name: two seats and the type. */
const TAIL = 3
const LONGEST_NUMBER = 2 ** 48 - 1
const WORDS = 2 ** 32

/** `nodes`: the most processes of the algorithm. */
export function formatOf({ facts, shapes }: AnyAlgorithm, nodes: number): Format {
  const declared = Object.entries(shapes.messages)
  return {
    mark: markOf(`${facts.name} ${JSON.stringify(shapes.messages)}`),
    types: declared.map(([type, shapes]) => {
      const fields = fieldsOf(shapes, nodes)
      return fields && { type, fields }
    }),
    numbers: new Map(declared.map(([type], i) => [type, i])),
  }
}

/** FNV-1a (Fowler, Noll and Vo). It shows that two nodes mean the same by a frame. It does not protect against forgery. */
function markOf(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash >>> 0
}

const SLAB = 64 * 1024

/** Writes frames one after another into large blocks of memory, which are never reused. */
export class LockFrameWriter {
  #slab = Buffer.allocUnsafeSlow(SLAB)
  #memory = this.#slab.buffer
  #used = 0

  /** Null for a message that does not fit this form. */
  write(
    { epoch, seq, upTo }: Pick<LinkMessage, 'epoch' | 'seq' | 'upTo'>,
    { name, from, to, message }: LockPayload,
    { mark, types, numbers }: Format,
  ): Uint8Array | null {
    const number = numbers.get(message.type)
    const type = number === undefined ? null : get(types, number)
    if (number === undefined || type === null || seq > LONGEST_NUMBER) return null
    const ascii = isAscii(name)
    const length = ascii ? name.length : Buffer.byteLength(name)
    const beforeName = SEQ_AT + (upTo === undefined ? 6 : 12) + 2
    const start = this.#room(beforeName + length + TAIL + roomFor(type.fields, message))
    const bytes = this.#slab
    bytes[start] = LOCK_FRAME
    bytes[start + 1] = (upTo === undefined ? 0 : HAS_UP_TO) | (ascii ? IS_ASCII : 0)
    writeWord(bytes, start + MARK_AT, mark)
    writeSixBytes(bytes, start + EPOCH_AT, epoch)
    writeSixBytes(bytes, start + SEQ_AT, seq)
    if (upTo !== undefined) writeSixBytes(bytes, start + SEQ_AT + 6, upTo)
    const nameAt = start + beforeName
    bytes[nameAt - 2] = length >>> 8
    bytes[nameAt - 1] = length
    if (ascii) for (let i = 0; i < length; i += 1) bytes[nameAt + i] = name.charCodeAt(i)
    else bytes.write(name, nameAt)
    const at = nameAt + length
    bytes[at] = from
    bytes[at + 1] = to
    bytes[at + 2] = number
    const end = writeFields(bytes, at + TAIL, message, type.fields, 1)
    if (end === null) return null
    this.#used = end
    return new Uint8Array(this.#memory, start, end - start)
  }

  /** Where so many bytes can be written. */
  #room(length: number): number {
    if (this.#used + length > this.#slab.length) {
      this.#slab = Buffer.allocUnsafeSlow(Math.max(SLAB, length))
      this.#memory = this.#slab.buffer
      this.#used = 0
    }
    return this.#used
  }
}

function writeSixBytes(bytes: Uint8Array, at: number, value: number): void {
  const high = Math.floor(value / WORDS)
  bytes[at] = high >>> 8
  bytes[at + 1] = high
  writeWord(bytes, at + 2, value - high * WORDS)
}

/** Reads one frame after another. It keeps the position itself, so that no object is made for it. */
export class LockFrameReader {
  readonly #limits: Limits
  readonly #formatFor: (name: string) => Format
  readonly #texts = new KnownTexts()
  #bytes: Uint8Array = new Uint8Array()
  /** Where the present frame ends, and how far it is read. */
  #end = 0
  #at = 0

  constructor(limits: Limits, formatFor: (name: string) => Format) {
    this.#limits = limits
    this.#formatFor = formatFor
  }

  /** Reads from `start` to `end` of the bytes. Throws BadFrame for an invalid frame. */
  read(bytes: Uint8Array, start = 0, end = bytes.length): LinkMessage {
    this.#bytes = bytes
    this.#end = end
    this.#at = start + EPOCH_AT
    const flags = this.#byte(start + 1)
    if (flags > (HAS_UP_TO | IS_ASCII)) throw new BadFrame(`a frame has flags ${flags}`)
    const epoch = this.#number(6)
    const seq = this.#number(6)
    const upTo = (flags & HAS_UP_TO) === 0 ? undefined : this.#number(6)
    if (epoch < 1 || epoch > this.#limits.lastEpoch) throw new BadFrame(`epoch ${epoch} is out of range`)
    if (seq < 1) throw new BadFrame('messages on a link are numbered from 1')
    const payload = this.#payload(wordAt(bytes, start + MARK_AT), (flags & IS_ASCII) !== 0)
    if (this.#at !== end) throw new BadFrame(`${end - this.#at} bytes follow the message`)
    return upTo === undefined
      ? { type: 'link', epoch, seq, payload }
      : { type: 'link', epoch, seq, payload, upTo }
  }

  #payload(mark: number, isAscii: boolean): LockPayload {
    const name = this.#name(isAscii)
    const seats = this.#limits.seatsOf(name)
    const from = this.#next()
    const to = this.#next()
    if (!(from < seats && to < seats)) throw new BadFrame('there is no such seat')
    const format = this.#formatFor(name)
    if (format.mark !== mark) throw new BadFrame('its algorithm does not serve this name')
    const type = format.types[this.#next()] ?? null
    if (type === null) throw new BadFrame('its type is unknown')
    return { kind: 'lock', name, from, to, message: this.#message(type) }
  }

  #name(isAscii: boolean): string {
    const length = this.#number(2)
    this.#require(length)
    const start = this.#at
    this.#at += length
    const name = isAscii ? this.#texts.at(this.#bytes, start, length) : this.#utf8(start)
    if (name.length < 1 || name.length > this.#limits.longestName)
      throw new BadFrame(`a name of ${name.length} characters`)
    return name
  }

  #utf8(start: number): string {
    if (!isUtf8(this.#bytes.subarray(start, this.#at))) throw new BadFrame('a text is not UTF-8')
    return textOf(this.#bytes, start, this.#at)
  }

  #message({ type, fields }: MessageType): LockPayload['message'] {
    const message: Record<string, unknown> & { type: string } = { type }
    this.#fields(type, fields, message)
    return message
  }

  #fields(type: string, fields: readonly Field[], record: Record<string, unknown>): void {
    for (const { name, isRight, parts } of fields) {
      if (parts !== null && this.#byte(this.#at) === LIST) {
        record[name] = this.#list(type, parts)
        continue
      }
      const value = this.#value()
      if (value === undefined) continue
      if (isRight === null ? value !== null : !isRight(value))
        throw new BadFrame(`${type}: ${name}: ${String(value)} is not allowed`)
      record[name] = value
    }
  }

  #list(type: string, parts: Parts): Readonly<Record<string, unknown>>[] {
    this.#at += 1
    const count = this.#next()
    const list: Readonly<Record<string, unknown>>[] = []
    while (list.length < count) list.push(this.#record(type, parts))
    return list
  }

  #record(type: string, { fields, known }: Parts): Readonly<Record<string, unknown>> {
    const start = this.#at
    const isShort = known !== null && this.#areOneByte(fields.length)
    const key = isShort ? keyAt(this.#bytes, start, fields.length) : 0
    const same = isShort ? known.at(key) : undefined
    if (same !== undefined) {
      this.#at = start + fields.length
      return same
    }
    const record: Record<string, unknown> = {}
    this.#fields(type, fields, record)
    if (isShort) known.add(key, record)
    return record
  }

  /** Whether so many fields follow that take one byte each. */
  #areOneByte(count: number): boolean {
    if (this.#at + count > this.#end) return false
    for (let i = 0; i < count; i += 1) if (!isOneByte(byteAt(this.#bytes, this.#at + i))) return false
    return true
  }

  #value(): Plain | undefined {
    const tag = this.#next()
    if (tag < ABSENT) return tag
    switch (tag) {
      case ABSENT:
        return undefined
      case NULL:
        return null
      case FALSE:
        return false
      case TRUE:
        return true
      case WORD:
        return this.#number(4)
      case DOUBLE:
        return this.#double()
      case TEXT:
        return this.#text()
      case EXCLUSIVE:
        return 'exclusive'
      case SHARED:
        return 'shared'
      default:
        throw new BadFrame(`unknown field of kind 0x${tag.toString(16)}`)
    }
  }

  #text(): string {
    const length = this.#next()
    this.#require(length)
    const start = this.#at
    this.#at += length
    return this.#texts.at(this.#bytes, start, length)
  }

  #double(): number {
    this.#require(8)
    const value = new DataView(this.#bytes.buffer, this.#bytes.byteOffset + this.#at).getFloat64(0)
    this.#at += 8
    if (!Number.isSafeInteger(value)) throw new BadFrame(`${value} is not a whole number`)
    return value
  }

  #number(width: 2 | 4 | 6): number {
    this.#require(width)
    const end = this.#at + width
    let value = 0
    for (let at = this.#at; at < end; at += 1) value = value * 256 + byteAt(this.#bytes, at)
    this.#at = end
    return value
  }

  #next(): number {
    const byte = this.#byte(this.#at)
    this.#at += 1
    return byte
  }

  #byte(at: number): number {
    if (at >= this.#end) throw new BadFrame('the message is cut short')
    return byteAt(this.#bytes, at)
  }

  #require(width: number): void {
    if (this.#at + width > this.#end) throw new BadFrame('the message is cut short')
  }
}
