/**
 * Messages with a large table travel in parts. Each part is a message of the same kind with some of the names, in its own frame,
 * in order on one connection. Other messages may pass between two parts. A part is encoded when it leaves and checked when it
 * arrives. So a table of a hundred thousand locks delays no heartbeat, blocks neither event loop, and need not fit into one
 * frame. A connection that breaks drops an incomplete message, and its sender repeats it.
 */
import { Buffer } from 'node:buffer'
import { get } from '@turnwise/core/bounds'
import { dictionary } from '../protocol/dictionary.ts'
import type { Message } from '../protocol/messages.ts'
import type { Claim, Holder } from '../protocol/record.ts'
import { BadFrame } from './bad-frame.ts'
import type { Codec } from './lease-codec.ts'

/** The first byte of a part. No message begins so: in MessagePack these are extensions, which no message uses. */
const FIRST = 0xc7
const MORE = 0xc8
const LAST = 0xc9

/** Smaller tables go as one frame, if a frame may be so long. */
const LARGE = 1.5 * 1024 * 1024
const PART = 64 * 1024
/** How many of the longest frames one message may take. This bounds what a peer can make this node keep. */
const MOST_FRAMES = 32

/** The bytes of a holder's entry beside the name, at most, unless ids are long. */
const ENTRY = 80
/** The same for the numbers of a group's names, beside one byte for each. */
const RESOURCES = 16
/** The share of a frame for names. A part has other fields too. */
const SHARE = 0.8

export function longestMessage(longestFrame: number): number {
  return MOST_FRAMES * longestFrame
}

type Tabled = Extract<
  Message,
  { readonly holds: object } | { readonly table: object } | { readonly record: object }
>

/** A kind that has a table and is left out here does not compile. */
const TABLED: Readonly<Record<Tabled['type'], true>> = {
  promise: true,
  install: true,
  copy: true,
  report: true,
  view: true,
  change: true,
  draft: true,
}

type Table = Readonly<Record<string, readonly (Claim | Holder)[]>>

function isTabled(message: Message): message is Tabled {
  return Object.hasOwn(TABLED, message.type)
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

/** Identifies a message among others of its kind: by its ballot, or by the epoch that a register decides. */
function keyOf(message: Tabled): string {
  if ('ballot' in message) return message.ballot
  if ('nonce' in message) return message.nonce
  return String('record' in message ? message.record.epoch : message.epoch)
}

/** Cached, because the same table goes to several peers, and repeatedly. */
const lengths = new WeakMap<Table, number>()

function entryLength(name: string, holders: Table[string]): number {
  let length = Buffer.byteLength(name) + ENTRY * holders.length
  for (const { resources } of holders) if (resources !== undefined) length += RESOURCES + resources.length
  return length
}

/** The approximate size of a message's table in bytes. */
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

/** Its parts, each made on demand. Null for a message that goes as one frame. */
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
  /** The approximate size in bytes. */
  readonly length: number
  readonly parts: Iterator<Uint8Array, void>
}

function* parts(message: Tabled, length: number, codec: Pick<Codec, 'encode'>): Generator<Uint8Array, void> {
  const table = tableOf(message)
  const entries = Object.entries(table)
  for (let at = 0; at < entries.length; ) {
    const tag = at === 0 ? FIRST : MORE
    const some = dictionary<Table[string]>()
    // At least one name.
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

/** Joins the parts of one message after another. */
export class Joiner {
  readonly #longest: number
  readonly #codec: Pick<Codec, 'decode'>
  #whole: { readonly message: Tabled; readonly table: Record<string, Table[string]> } | null = null
  #length = 0

  constructor(longest: number, codec: Pick<Codec, 'decode'>) {
    this.#longest = longest
    this.#codec = codec
  }

  /** The whole message with its last part, null before. Throws BadFrame for a wrong part, and for too many. */
  add(bytes: Uint8Array, start: number, end: number): Message | null {
    const tag = bytes[start]
    const part = this.#codec.decode(bytes, start + 1, end)
    if (!isTabled(part)) throw new BadFrame(`a ${part.type} does not come in parts`)
    if (tag === FIRST) this.#begin(part)
    const whole = this.#whole
    if (whole?.message.type !== part.type || keyOf(whole.message) !== keyOf(part))
      throw new BadFrame('a part belongs to another message')
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
