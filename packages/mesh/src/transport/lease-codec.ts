/**
 * What is said on the lease channel, as bytes and back: nothing but heartbeats, with all they say or for the lease alone, and acks. The
 * lease thread loads this, and not what algorithms need.
 */
import { Packr } from 'msgpackr/pack'
import { LAST_EPOCH } from '../protocol/fence.ts'
import type { Message, MessageOf } from '../protocol/messages.ts'
import { LONGEST_LEASE, type Session, SHORTEST_LEASE } from '../protocol/record.ts'
import { BadFrame } from './bad-frame.ts'
import { type Check, fields, listOf, measure, orNull, TAG, text, variants, whole } from './checks.ts'
import { requireWellFormed } from './well-formed.ts'

export interface Codec {
  encode(message: Message): Uint8Array
  /** Of some of the bytes, or all. Throws BadFrame, and nothing else, for bytes that are no message. */
  decode(bytes: Uint8Array, start?: number, end?: number): Message
}

export function leaseCodec(): Codec {
  return codecWith(
    variants<MessageOf<'heartbeat' | 'renew' | 'ack'>, 'type'>('type', {
      heartbeat: heartbeatCheck,
      renew: renewCheck,
      ack: ackCheck,
    }),
  )
}

export function codecWith<Allowed extends Message>(check: Check<Allowed>): Codec {
  // Whole maps with their field names, so that a message can be read by itself; no buffer is used twice.
  const packr = new Packr({ useRecords: false, variableMapSize: true })
  return {
    encode: (message) => packr.pack(message),
    decode(bytes, start = 0, end = bytes.length) {
      const whole = start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end)
      requireWellFormed(whole)
      const message: unknown = unpack(packr, whole)
      const complaint = check(message)
      if (complaint !== null) throw new BadFrame(complaint)
      return message as Allowed
    },
  }
}

function unpack(packr: Packr, bytes: Uint8Array): unknown {
  try {
    return packr.unpack(bytes)
  } catch (error) {
    throw new BadFrame('it cannot be decoded', { cause: error })
  }
}

const LONGEST_ID = 255
/** Clocks are monotonic, in milliseconds from any beginning. */
export const LONGEST_TIME = 2 ** 53

export const id = text(1, LONGEST_ID)
export const epoch = whole(1, LAST_EPOCH)
/** Of someone who may have promised nothing yet. */
export const anyEpoch = whole(0, LAST_EPOCH)
const time = measure(-LONGEST_TIME, LONGEST_TIME)
export const wish = orNull(listOf(id))
export const session = fields<Session>({ voterId: id, k: whole(1) })
export const mark = text(0, 64)
/** As `join` allows: a voter owes a lease for as long as it is told (R3), and remembers it (R19). */
export const lease = measure(SHORTEST_LEASE, LONGEST_LEASE)

export const heartbeatCheck = fields<Omit<MessageOf<'heartbeat'>, 'type'>>(
  {
    session,
    at: time,
    lease,
    begun: orNull(epoch),
    accepted: orNull(epoch),
    promised: anyEpoch,
    mark,
    suspects: listOf(id),
    wish,
  },
  TAG,
)
export const renewCheck = fields<Omit<MessageOf<'renew'>, 'type'>>({ session, at: time, lease }, TAG)
export const ackCheck = fields<Omit<MessageOf<'ack'>, 'type'>>({ session, at: time, voterId: id }, TAG)
