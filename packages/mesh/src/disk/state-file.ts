/**
 * How the state of a voter is written: a first line with the kind of file, the format and a checksum, then the state, its owner
 * and its key as JSON. It is small, it is written rarely, and an operator can read it. Earlier formats are read too, and the next
 * write converts them.
 */
import { epochOfEarlier } from '../protocol/fence.ts'
import type { Durable } from '../protocol/record.ts'
import { isObject, text } from '../transport/checks.ts'
import { durableCheck } from '../transport/codec.ts'
import { readChecked, writeChecked } from './checked-file.ts'
import { type Owner, ownerCheck } from './owner.ts'

const MARK = 'turnwise-state'
const FORMAT = 5
/** Members stated no zones. */
const WITHOUT_ZONES = 4
/** Epochs had 23 bits, and fences another layout. */
const NARROW = 3
/** Format 2 has no key, and format 1 neither key nor owner. */
const WITHOUT_KEY = 2
const WITHOUT_OWNER = 1
const FORMATS = [WITHOUT_OWNER, WITHOUT_KEY, NARROW, WITHOUT_ZONES, FORMAT]

/** The last epoch of earlier formats. */
const LAST_NARROW = 2 ** 23 - 1

export interface Stored {
  readonly durable: Durable
  readonly owner: Owner | null
  /** The key for the voter's marks (R20). */
  readonly key: string | null
  /** Whether there is a memory file beside it. */
  readonly remembers: boolean
}

/** Throws for a state that could not be read again: no state is better than one that no node can open. */
export function writeState(durable: Durable, owner: Owner, key: string, remembers = false): string {
  const complaint = durableCheck(durable)
  if (complaint !== null) throw new RangeError(`it could not be read again: ${complaint}`)
  return writeChecked(
    MARK,
    FORMAT,
    `${JSON.stringify({ ...durable, owner, key, ...(remembers && { remembers }) })}\n`,
  )
}

/** The state, or an explanation of what is wrong with the file. */
export function readState(content: string): Durable | string {
  const stored = readStored(content)
  return typeof stored === 'string' ? stored : stored.durable
}

/** The state with its owner, or an explanation of what is wrong with the file. */
export function readStored(content: string): Stored | string {
  const read = readChecked(MARK, FORMATS, content)
  return typeof read === 'string' ? read : parsed(read.body, read.format)
}

function parsed(body: string, format: number): Stored | string {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return 'it is not JSON'
  }
  const { owner = null, key = null, remembers = false, ...durable } = isObject(value) ? value : {}
  const complaint =
    durableCheck(durable) ??
    said('owner', format === WITHOUT_OWNER ? isMissing(owner) : ownerCheck(owner)) ??
    said('key', format > WITHOUT_KEY ? keyCheck(key) : isMissing(key)) ??
    said('remembers', typeof remembers === 'boolean' ? null : 'it is not true or false')
  if (complaint !== null) return complaint
  const read = durable as unknown as Durable
  if (format <= NARROW && Math.max(read.promised.epoch, read.accepted?.epoch ?? 0) > LAST_NARROW)
    return `it has an epoch above ${LAST_NARROW}, the last of its format`
  return {
    durable: format <= NARROW ? widened(read) : read,
    owner: owner as Owner | null,
    key: key as string | null,
    remembers: remembers as boolean,
  }
}

/** Marks of sessions contain no epoch, so they stay valid (R20). */
function widened({ promised, accepted, ...rest }: Durable): Durable {
  return {
    ...rest,
    promised: { ...promised, epoch: epochOfEarlier(promised.epoch) },
    accepted: accepted && { ...accepted, epoch: epochOfEarlier(accepted.epoch) },
  }
}

const keyCheck = text(43, 43)

function isMissing(value: unknown): string | null {
  return value === null ? null : 'it is not of this format'
}

function said(field: string, complaint: string | null): string | null {
  return complaint && `${field}: ${complaint}`
}
