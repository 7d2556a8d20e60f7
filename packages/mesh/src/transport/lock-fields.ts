/**
 * The fields of a message in a short frame, in the order of their shapes and without names: numbers, flags, modes, short texts,
 * null, and lists of records of these, such as a queue of places.
 */
import type { Buffer } from 'node:buffer'
import type { Shape } from '@turnwise/core/shape'
import { KnownRecords, LONGEST_KEY, writeKey } from './known-records.ts'

export type Plain = number | boolean | string | null

/** A plain field has a check. A list has the fields of its records. */
export interface Field {
  readonly name: string
  readonly isRight: ((value: Plain) => boolean) | null
  readonly parts: Parts | null
}

export interface Parts {
  readonly fields: readonly Field[]
  /** Records whose fields take one byte each; null if a record has too many fields. */
  readonly known: KnownRecords | null
}

/** Smaller bytes are numbers themselves. From here on they are kinds. */
export const ABSENT = 0xf0
export const NULL = 0xf1
export const FALSE = 0xf2
export const TRUE = 0xf3
export const WORD = 0xf4
export const DOUBLE = 0xf5
export const TEXT = 0xf6
export const EXCLUSIVE = 0xf7
export const SHARED = 0xf8
export const LIST = 0xf9

const LONGEST_TEXT = 32
const LONGEST_FIELD = 2 + LONGEST_TEXT
const LONGEST_LIST = 0xff

/** Whether a field that begins with this byte takes no other. */
export function isOneByte(byte: number): boolean {
  return byte < WORD || byte === EXCLUSIVE || byte === SHARED
}

/** Null if a field can be something else. */
export function fieldsOf(shapes: Readonly<Record<string, Shape>>, nodes: number): readonly Field[] | null {
  const fields: Field[] = []
  for (const [name, shape] of Object.entries(shapes)) {
    const field = fieldOf(name, shape, nodes)
    if (field === null) return null
    fields.push(field)
  }
  return fields
}

function fieldOf(name: string, shape: Shape, nodes: number): Field | null {
  const isRight = checkOf(shape, nodes)
  if (isRight !== null) return { name, isRight, parts: null }
  if (typeof shape === 'string' || !('list' in shape)) return null
  const { list } = shape
  if (typeof list === 'string' || !('fields' in list)) return null
  const fields = fieldsOf(list.fields, nodes)
  // No lists within lists, so that the length of a message can be computed from its own lists.
  if (!fields?.every((field) => field.parts === null)) return null
  const known = fields.length > LONGEST_KEY ? null : new KnownRecords()
  return { name, isRight: null, parts: { fields, known } }
}

/** The same checks as in `shape-check.ts`. */
function checkOf(shape: Shape, nodes: number): ((value: Plain) => boolean) | null {
  if (shape === 'data') return () => true
  if (shape === 'node')
    return (value) =>
      value === null || (Number.isInteger(value) && (value as number) >= 0 && (value as number) < nodes)
  if ('clock' in shape) return (value) => value === null || Number.isSafeInteger(value)
  return null
}

/** An upper bound of the bytes needed. */
export function roomFor(fields: readonly Field[], message: object): number {
  let room = 0
  for (const { name, parts } of fields) {
    room += LONGEST_FIELD
    if (parts === null) continue
    const list = (message as Readonly<Record<string, unknown>>)[name]
    if (Array.isArray(list)) room += list.length * parts.fields.length * LONGEST_FIELD
  }
  return room
}

/**
 * Returns where they end. Null if a value does not fit, or the record has a field that the shape does not name. `others`: how
 * many fields the record has besides these.
 */
export function writeFields(
  bytes: Buffer,
  start: number,
  record: object,
  fields: readonly Field[],
  others: number,
): number | null {
  const values = record as Readonly<Record<string, unknown>>
  let at = start
  let present = others
  for (const { name, parts } of fields) {
    const value = values[name]
    if (value !== undefined) present += 1
    const end = parts === null ? writeValue(bytes, at, value) : writeList(bytes, at, value, parts)
    if (end === null) return null
    at = end
  }
  for (const _ in record) present -= 1
  return present === 0 ? at : null
}

function writeValue(bytes: Buffer, at: number, value: unknown): number | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? writeNumber(bytes, at, value) : null
  if (typeof value === 'string') return writeText(bytes, at, value)
  if (value === undefined) bytes[at] = ABSENT
  else if (value === null) bytes[at] = NULL
  else if (typeof value === 'boolean') bytes[at] = value ? TRUE : FALSE
  else return null
  return at + 1
}

function writeList(bytes: Buffer, start: number, value: unknown, { fields, known }: Parts): number | null {
  if (!Array.isArray(value))
    return value === undefined || value === null ? writeValue(bytes, start, value) : null
  const list: readonly unknown[] = value
  if (list.length > LONGEST_LIST) return null
  bytes[start] = LIST
  bytes[start + 1] = list.length
  let at = start + 2
  for (const record of list) {
    if (typeof record !== 'object' || record === null) return null
    const key = known?.keyOf(record)
    if (key !== undefined) {
      writeKey(bytes, at, fields.length, key)
      at += fields.length
      continue
    }
    const end = writeFields(bytes, at, record, fields, 0)
    if (end === null) return null
    at = end
  }
  return at
}

function writeNumber(bytes: Buffer, at: number, value: number): number {
  if (value >= 0 && value < ABSENT) {
    bytes[at] = value
    return at + 1
  }
  const isWord = value >= 0 && value <= 0xffff_ffff
  bytes[at] = isWord ? WORD : DOUBLE
  if (!isWord) return bytes.writeDoubleBE(value, at + 1)
  writeWord(bytes, at + 1, value)
  return at + 5
}

/** A mode, or another short ASCII text. */
function writeText(bytes: Buffer, at: number, text: string): number | null {
  if (text === 'exclusive' || text === 'shared') {
    bytes[at] = text === 'exclusive' ? EXCLUSIVE : SHARED
    return at + 1
  }
  if (text.length > LONGEST_TEXT || !isAscii(text)) return null
  bytes[at] = TEXT
  bytes[at + 1] = text.length
  for (let i = 0; i < text.length; i += 1) bytes[at + 2 + i] = text.charCodeAt(i)
  return at + 2 + text.length
}

/** Byte by byte, because the methods of Buffer check bounds that are known here, and each frame has several words. */
export function writeWord(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24
  bytes[at + 1] = value >>> 16
  bytes[at + 2] = value >>> 8
  bytes[at + 3] = value
}

export function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) > 0x7f) return false
  return true
}
