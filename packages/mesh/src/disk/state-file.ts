/**
 * How the state of a voter is written: one line that says what this is, in which format, and the checksum of the rest,
 * then the state and whose it is, as JSON. It is small, it is written rarely, and an operator may want to read it.
 */
import { createHash } from 'node:crypto'
import type { Durable } from '../protocol/record.ts'
import { isObject } from '../transport/checks.ts'
import { durableCheck } from '../transport/codec.ts'
import { type Owner, ownerCheck } from './owner.ts'

const MARK = 'turnwise-state'
const FORMAT = 2
/** The same without an owner: it gets one when it is next written. */
const WITHOUT_OWNER = 1

export interface Stored {
  readonly durable: Durable
  readonly owner: Owner | null
}

/** Throws for what could not be read again: better no state than one that no node opens. */
export function writeState(durable: Durable, owner: Owner): string {
  const complaint = durableCheck(durable)
  if (complaint !== null) throw new RangeError(`it would not be read again: ${complaint}`)
  const body = `${JSON.stringify({ ...durable, owner })}\n`
  return `${MARK} ${FORMAT} sha256:${checksum(body)}\n${body}`
}

/** The state, or in words what is wrong with the file. */
export function readState(content: string): Durable | string {
  const stored = readStored(content)
  return typeof stored === 'string' ? stored : stored.durable
}

/** The state and whose it is, or in words what is wrong with the file. */
export function readStored(content: string): Stored | string {
  const end = content.indexOf('\n')
  const [mark, format, sum] = content.slice(0, Math.max(0, end)).split(' ')
  if (mark !== MARK)
    return content === '' ? 'it is empty' : 'it is no state of turnwise, or its beginning is lost'
  if (!/^\d+$/.test(format ?? '')) return 'its first line is damaged'
  if (![WITHOUT_OWNER, FORMAT].includes(Number(format)))
    return `it has format ${format}, and this version reads formats up to ${FORMAT}`
  const body = content.slice(end + 1)
  if (sum !== `sha256:${checksum(body)}`) return 'its checksum is wrong: it is cut short or altered'
  return parsed(body, Number(format) === FORMAT)
}

function parsed(body: string, hasOwner: boolean): Stored | string {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return 'it is not JSON'
  }
  if (!hasOwner) return durableCheck(value) ?? { durable: value as Durable, owner: null }
  const { owner, ...durable } = isObject(value) ? value : { owner: undefined }
  const complaint = ownerCheck(owner)
  if (complaint !== null) return `owner: ${complaint}`
  return durableCheck(durable) ?? { durable: durable as unknown as Durable, owner: owner as Owner }
}

function checksum(body: string): string {
  return createHash('sha256').update(body).digest('hex')
}
