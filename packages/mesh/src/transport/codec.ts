/** Messages as bytes, and back. What comes from outside is used only after every field of it has been looked at. */
import type { DataShapes } from '@turnwise/core/shape'
import { Packr } from 'msgpackr/pack'
import type { Fence } from '../protocol/fence.ts'
import type { Message, MessageOf, Payload } from '../protocol/messages.ts'
import type {
  Claim,
  Durable,
  Holder,
  Member,
  Promised,
  Roster,
  Session,
  Settings,
  ViewRecord,
  Voter,
} from '../protocol/record.ts'
import { BadFrame } from './bad-frame.ts'
import {
  type Check,
  type Checks,
  fields,
  listOf,
  mapOf,
  measure,
  oneOf,
  orNull,
  TAG,
  text,
  variants,
  where,
  whole,
} from './checks.ts'
import { algorithmMessage } from './shape-check.ts'
import { requireWellFormed } from './well-formed.ts'

export interface Codec {
  encode(message: Message): Uint8Array
  /** Throws BadFrame, and nothing else, for bytes that are no message. */
  decode(bytes: Uint8Array): Message
}

export interface CodecOptions {
  /** The messages of the algorithm that serves the locks, as it declares them. */
  readonly shapes: DataShapes['messages']
  /** How many may be members of one view. */
  readonly nodes: number
}

export function createCodec({ shapes, nodes }: CodecOptions): Codec {
  // Whole maps with their field names, so that a message can be read by itself; no buffer is used twice.
  const packr = new Packr({ useRecords: false, variableMapSize: true })
  const check = messageCheck(fields<Payload>({ name, message: algorithmMessage(shapes, nodes) }))
  return {
    encode: (message) => packr.pack(message),
    decode(bytes) {
      requireWellFormed(bytes)
      const message: unknown = unpack(packr, bytes)
      const complaint = check(message)
      if (complaint !== null) throw new BadFrame(complaint)
      return message as Message
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
const LONGEST_NAME = 1024
const LONGEST_BALLOT = 1024
/** Below it a fence fits a signed 64-bit column. */
const LAST_EPOCH = 2 ** 23 - 1
const LAST_COUNTER = 2 ** 40 - 1
/** Clocks are monotonic, in milliseconds from any beginning. */
const LONGEST_TIME = 2 ** 53

const id = text(1, LONGEST_ID)
const name = text(1, LONGEST_NAME)
const ballot = text(0, LONGEST_BALLOT)
const epoch = whole(1, LAST_EPOCH)
/** Of someone who may have promised nothing yet. */
const anyEpoch = whole(0, LAST_EPOCH)
const time = measure(-LONGEST_TIME, LONGEST_TIME)
const mode = oneOf('exclusive', 'shared')

const session = fields<Session>({ voterId: id, k: whole(1) })
const promised = fields<Promised>({ epoch: anyEpoch, ballot })
const fence = fields<Fence>({ epoch: anyEpoch, counter: whole(0, LAST_COUNTER) })
const claim = fields<Claim>({ mode, fence })
const holder = fields<Holder>({ id, mode, fence })
const voters = where(
  listOf(fields<Voter>({ id, voterId: id })),
  (list) => list.length > 0 && allDifferent(list),
  'it is empty or names one twice',
)

const roster: Checks<Roster> = {
  epoch,
  voters,
  oldVoters: orNull(voters),
  members: where(listOf(fields<Member>({ id, session })), allDifferent, 'it names one twice'),
  settings: fields<Settings>({ algorithm: name, lease: measure(0, LONGEST_TIME), drift: measure(0, 1) }),
}
const record = fields<ViewRecord>({ ...roster, table: mapOf(name, listOf(holder)) })

/** What a disk holds: it is looked at like what comes over the network. */
export const durableCheck: Check<Durable> = fields<Durable>({
  voterId: id,
  k: whole(0),
  promised,
  accepted: orNull(fields<Roster>(roster)),
})

function messageCheck(payload: Check<Payload>): Check<Message> {
  const of = <Type extends Message['type']>(checks: Checks<Omit<MessageOf<Type>, 'type'>>) =>
    fields<Omit<MessageOf<Type>, 'type'>>(checks, TAG)
  return variants<Message, 'type'>('type', {
    heartbeat: of<'heartbeat'>({
      session,
      at: time,
      lease: measure(0, LONGEST_TIME),
      begun: orNull(epoch),
      accepted: orNull(epoch),
      promised: anyEpoch,
      suspects: listOf(id),
    }),
    ack: of<'ack'>({ session, at: time, voterId: id }),
    out: of<'out'>({ session, epoch }),
    gone: of<'gone'>({ session }),
    prepare: of<'prepare'>({ epoch, ballot }),
    promise: of<'promise'>({
      epoch,
      ballot,
      session,
      accepted: orNull(fields<Roster>(roster)),
      begun: orNull(epoch),
      holds: mapOf(name, claim),
    }),
    refuse: of<'refuse'>({ ballot, promised }),
    install: of<'install'>({ record, ballot }),
    accepted: of<'accepted'>({ epoch, ballot, voterId: id }),
    begin: of<'begin'>({ epoch }),
    fetch: of<'fetch'>({ epoch }),
    copy: of<'copy'>({ record, ballot }),
    link: of<'link'>({ epoch, seq: whole(1), payload }),
    'link-ack': of<'link-ack'>({ epoch, upTo: whole(0) }),
  })
}

function allDifferent(list: readonly { readonly id: string }[]): boolean {
  return new Set(list.map(({ id }) => id)).size === list.length
}
