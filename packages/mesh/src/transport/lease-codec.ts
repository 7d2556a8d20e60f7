/**
 * Encodes and decodes the messages of the lease channel: heartbeats, renewals and acks. The lease thread loads only this, not
 * what algorithms need.
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
  /** Decodes some or all of the bytes. For an invalid message it throws BadFrame, and nothing else. */
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
  // Maps with field names, so that each message can be read by itself. No buffer is reused.
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
/** Clocks are monotonic, in milliseconds from any origin. */
export const LONGEST_TIME = 2 ** 53

export const id = text(1, LONGEST_ID)
export const epoch = whole(1, LAST_EPOCH)
/** For a node that may have promised nothing yet. */
export const anyEpoch = whole(0, LAST_EPOCH)
const time = measure(-LONGEST_TIME, LONGEST_TIME)
export const wish = orNull(listOf(id))
export const session = fields<Session>({ voterId: id, k: whole(1) })
export const mark = text(0, 64)
/** As `join` allows. A voter owes a lease for as long as the heartbeat says (R3), and remembers it (R19). */
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
