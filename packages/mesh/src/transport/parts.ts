/**
 * Messages with a large table travel in parts: each is a message of the same kind with some of the names, a frame of its own, in
 * order on one connection. Others may pass between two of them. A part is encoded when it leaves and looked at when it arrives, so
 * a table of a hundred thousand locks makes no heartbeat wait and keeps neither event loop, and fits though no frame would hold
 * it. A connection that breaks drops what was not complete: whoever sent it repeats it.
 */
import { Buffer } from 'node:buffer'
import { get } from '@turnwise/core/bounds'
import { dictionary } from '../protocol/dictionary.ts'
import type { Message, MessageOf } from '../protocol/messages.ts'
import type { Claim, Holder } from '../protocol/record.ts'
import { BadFrame } from './bad-frame.ts'
import type { Codec } from './lease-codec.ts'

/** What a part begins with. No message begins so: these would be extensions, which none has. */
const FIRST = 0xc7
const MORE = 0xc8
const LAST = 0xc9

/** Smaller tables go as one frame, where a frame may be so long. */
const LARGE = 1.5 * 1024 * 1024
const PART = 64 * 1024
/** As many frames of the longest kind as one message may take, put together: all that a peer can make this node keep. */
const MOST_FRAMES = 32

/** Beside its name, of whoever holds it: what an entry takes at the most, as far as nobody has a long id. */
const ENTRY = 80
/** What a part has beside its names takes a share of a frame. */
const SHARE = 0.8

export function longestMessage(longestFrame: number): number {
  return MOST_FRAMES * longestFrame
}

const TABLED = ['promise', 'install', 'copy', 'report', 'view', 'change'] as const

type Tabled = MessageOf<(typeof TABLED)[number]>
type Table = Readonly<Record<string, readonly (Claim | Holder)[]>>

function isTabled(message: Message): message is Tabled {
  return (TABLED as readonly string[]).includes(message.type)
}

function tableOf(message: Tabled): Table {
  if ('holds' in message) return message.holds
  return 'table' in message ? message.table : message.record.table
}

function withTable(message: Tabled, given: Table): Tabled {
  if ('holds' in message) return { ...message, holds: given }
  const table = given as Readonly<Record<string, Holder[]>>
  return 'table' in message ? { ...message, table } : { ...message, record: { ...message.record, table } }
}

/** What tells it from others of its kind: its ballot, or the epoch that a register decides. */
function keyOf(message: Tabled): string {
  if ('ballot' in message) return message.ballot
  return String('record' in message ? message.record.epoch : message.epoch)
}

/** The same table goes to several, and again and again. */
const lengths = new WeakMap<Table, number>()

function entryLength(name: string, holders: Table[string]): number {
  return Buffer.byteLength(name) + ENTRY * holders.length
}

/** About how many bytes the table of a message takes. */
function tableLength(message: Message): number {
  if (!isTabled(message)) return 0
  const table = tableOf(message)
  const known = lengths.get(table)
  if (known !== undefined) return known
  let length = 0
  for (const [name, holders] of Object.entries(table)) length += entryLength(name, holders)
  lengths.set(table, length)
  return length
}

/** Its parts, each made when it is asked for; null for a message that goes as one frame. */
export function inParts(
  message: Message,
  longestFrame: number,
  codec: Pick<Codec, 'encode'>,
): LongMessage | null {
  const most = SHARE * longestFrame
  const length = tableLength(message)
  if (!isTabled(message) || length <= Math.min(LARGE, most)) return null
  return { length, parts: parts(message, Math.min(PART, most), codec) }
}

export interface LongMessage {
  /** About how many bytes it takes. */
  readonly length: number
  readonly parts: Iterator<Uint8Array, void>
}

function* parts(message: Tabled, length: number, codec: Pick<Codec, 'encode'>): Generator<Uint8Array, void> {
  const table = tableOf(message)
  const entries = Object.entries(table)
  for (let at = 0; at < entries.length; ) {
    const tag = at === 0 ? FIRST : MORE
    const some = dictionary<Table[string]>()
    // At least one.
    for (let taken = 0; at < entries.length && taken < length; at += 1) {
      const [name, holders] = get(entries, at)
      const next = entryLength(name, holders)
      if (taken > 0 && taken + next > length) break
      taken += next
      some[name] = holders
    }
    yield tagged(at < entries.length ? tag : LAST, codec.encode(withTable(message, some)))
  }
}

function tagged(tag: number, body: Uint8Array): Uint8Array {
  const part = Buffer.allocUnsafe(1 + body.length)
  part[0] = tag
  part.set(body, 1)
  return part
}

export function isPart(tag: number): boolean {
  return tag === FIRST || tag === MORE || tag === LAST
}

/** Puts the parts of one message after another together. */
export class Joiner {
  readonly #longest: number
  readonly #codec: Pick<Codec, 'decode'>
  #whole: { readonly message: Tabled; readonly table: Record<string, Table[string]> } | null = null
  #length = 0

  constructor(longest: number, codec: Pick<Codec, 'decode'>) {
    this.#longest = longest
    this.#codec = codec
  }

  /** The whole message with its last part, null before. Throws BadFrame for what is no part of it, and for too many. */
  add(bytes: Uint8Array, start: number, end: number): Message | null {
    const tag = bytes[start]
    const part = this.#codec.decode(bytes, start + 1, end)
    if (!isTabled(part)) throw new BadFrame(`a ${part.type} does not come in parts`)
    if (tag === FIRST) this.#begin(part)
    const whole = this.#whole
    if (whole?.message.type !== part.type || keyOf(whole.message) !== keyOf(part))
      throw new BadFrame('a part of another message came in between')
    this.#length += end - start
    if (this.#length > this.#longest)
      throw new BadFrame(`the parts of a message are longer than ${this.#longest} bytes`)
    const table = tableOf(part)
    Object.assign(whole.table, table)
    if (tag !== LAST) return null
    this.#whole = null
    return whole.message
  }

  #begin(part: Tabled): void {
    const table = dictionary<Table[string]>()
    this.#whole = { message: withTable(part, table), table }
    this.#length = 0
  }
}
