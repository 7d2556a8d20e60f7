/** Encodes and decodes messages. Every field of a message from outside is checked before it is used. */
import type { Message as LockMessage } from '@turnwise/core/algorithm'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { type Fence, LAST_COUNTER, LAST_EPOCH } from '../protocol/fence.ts'
import {
  type Advice,
  type Ballot,
  type Kept,
  LONGEST_VALUE,
  MOST_NAMES,
  type Question,
  type Shelf,
} from '../protocol/keeping.ts'
import type { Attendant } from '../protocol/meeting/cells.ts'
import type { Asked, Difference, Message, MessageOf, Payload, PromiseMessage } from '../protocol/messages.ts'
import { isGroup, LONGEST_KEY, resourcesIn, seatsOf } from '../protocol/names.ts'
import type {
  Claim,
  Durable,
  Holder,
  Member,
  Promised,
  Roster,
  Settings,
  ViewRecord,
  Voter,
} from '../protocol/record.ts'
import { algorithmFor } from '../protocol/serving.ts'
import { BadFrame } from './bad-frame.ts'
import {
  type Check,
  type Checks,
  fields,
  flag,
  isObject,
  listOf,
  mapOf,
  measure,
  oneOf,
  orNull,
  shown,
  TAG,
  text,
  variants,
  where,
  whole,
} from './checks.ts'
import {
  ackCheck,
  anyEpoch,
  type Codec,
  codecWith,
  epoch,
  heartbeatCheck,
  id,
  LONGEST_TIME,
  lease,
  mark,
  renewCheck,
  session,
  wish,
} from './lease-codec.ts'
import { formatOf, LOCK_FRAME, LockFrameReader, LockFrameWriter } from './lock-frames.ts'
import { algorithmMessage } from './shape-check.ts'
import { resources, toldCheck } from './standing-check.ts'
import { zone } from './zone-check.ts'

export interface CodecOptions {
  /** The algorithm that serves the locks. It declares its messages, as do those that serve semaphores. */
  readonly algorithm: string
  /** How many members a view may have. */
  readonly nodes: number
}

export function createCodec(options: CodecOptions): Codec {
  const general = codecWith(messageCheck(payloadCheck(options)))
  const formatFor = perKind((key) => {
    return formatOf(algorithmFor(options, key), options.nodes * seatsOf(key))
  })
  const boundedSeats = (key: string) => {
    const seats = seatsOf(key)
    return seats <= MOST_SEATS ? seats : Number.NaN
  }
  const limits = { longestName: LONGEST_KEY, lastEpoch: LAST_EPOCH, seatsOf: boundedSeats }
  const lockFrames = new LockFrameReader(limits, (key) => orBadFrame(formatFor, key))
  const writer = new LockFrameWriter()
  return {
    encode(message) {
      if (message.type !== 'link' || message.payload.kind !== 'lock') return general.encode(message)
      const { payload } = message
      return writer.write(message, payload, formatFor(payload.name)) ?? general.encode(message)
    },
    decode: (bytes, start = 0, end = bytes.length) =>
      bytes[start] === LOCK_FRAME ? lockFrames.read(bytes, start, end) : general.decode(bytes, start, end),
  }
}

/** Finds a value once for each kind of name. Peers choose the kinds of semaphores, so the cache is bounded. */
function perKind<Thing extends object>(find: (key: string) => Thing): (key: string) => Thing {
  let ofLocks: Thing | null = null
  const known = new Map<string, Thing>()
  return (key) => {
    if (!key.startsWith('#') && !isGroup(key)) {
      ofLocks ??= find(key)
      return ofLocks
    }
    // Groups have one algorithm.
    const kind = isGroup(key) ? `&${seatsOf(key)}` : key.slice(0, key.indexOf('='))
    const thing = known.get(kind) ?? find(key)
    if (known.size < 64) known.set(kind, thing)
    return thing
  }
}

/** A name may name an unknown algorithm. */
function orBadFrame<Thing>(find: (key: string) => Thing, key: string): Thing {
  try {
    return find(key)
  } catch (error) {
    throw error instanceof InvalidInput ? new BadFrame(error.message, { cause: error }) : error
  }
}

type PayloadOf<Kind extends Payload['kind']> = Extract<Payload, { kind: Kind }>

/** The most seats of a name at one node. */
export const MOST_SEATS = 64
const LONGEST_BALLOT = 1024

const name = text(1, LONGEST_KEY)
/** The name of a possible lock, semaphore or group. A holder makes all of its seats, so their number is bounded. */
const served = where(name, (key) => seatsOf(key) <= MOST_SEATS, 'there is no such semaphore or group')
const ballot = text(0, LONGEST_BALLOT)
const age = measure(0, LONGEST_TIME)
const mode = oneOf('exclusive', 'shared', 'update')
const only =
  <T>(expected: T): Check<T> =>
  (value) =>
    value === expected ? null : `${shown(value)} is not ${shown(expected)}`

const promised = fields<Promised>({ epoch: anyEpoch, ballot })
const fence = fields<Fence>({ epoch: anyEpoch, counter: whole(0, LAST_COUNTER) })
const seat = whole(0, MOST_SEATS - 1)
const claim = fields<Claim, 'resources'>({ seat, mode, fence }, 0, { resources })
const holder = fields<Holder, 'resources'>({ id, seat, mode, fence }, 0, { resources })
const holds = tableWith(listOf(claim, MOST_SEATS))
const table = tableWith(listOf(holder))

/** What a view or a report says about each name. Of a group, and of nothing else, it says which of its names. */
function tableWith<Held extends Claim>(
  held: Check<readonly Held[]>,
): Check<Readonly<Record<string, readonly Held[]>>> {
  return where(mapOf(served, held), everyClaimFits, 'a claim does not fit the kind of its name')
}

function everyClaimFits(table: Readonly<Record<string, readonly Claim[]>>): boolean {
  for (const key in table) {
    const claims = table[key] ?? []
    if (!isGroup(key)) {
      if (claims.some(({ resources }) => resources !== undefined)) return false
      continue
    }
    const [count, seats] = [resourcesIn(key), seatsOf(key)]
    const fits = ({ seat, mode, resources }: Claim) =>
      seat < seats && mode === 'exclusive' && resources?.every((each) => each < count) === true
    if (!claims.every(fits)) return false
  }
  return true
}
/** Records of earlier versions on disk, and sessions of nodes without a key, have no marks. */
const member: Check<Member> = fields<Omit<Member, 'address'>, 'mark' | 'zone'>({ id, session }, 0, {
  mark,
  zone,
})
const voters = where(
  listOf(fields<Voter>({ id, voterId: id })),
  (list) => list.length > 0 && allDifferent(list),
  'it is empty or contains an id twice',
)

function rosterWith(lease: Check<number>): Checks<Omit<Roster, 'since' | 'isChosen'>> {
  return {
    epoch,
    voters,
    oldVoters: orNull(voters),
    members: where(listOf(member), allDifferent, 'it contains an id twice'),
    settings: fields<Settings>({ algorithm: name, lease, drift: measure(0, 1) }),
  }
}

/** Most meshes never change their voters, so these are rare. */
const sinceThen = { since: epoch, isChosen: only<true>(true) }
const roster = rosterWith(lease)
const record = fields<ViewRecord, 'since' | 'isChosen'>({ ...roster, table }, 0, sinceThen)
/** A view that was decided at a register has no voters, and names the addresses of its members. */
const address = text(0, LONGEST_KEY)
/** Of a cell at a register. A nonce is as long. */
const version = text(0, LONGEST_KEY)
const attending = fields<Omit<Member, 'mark' | 'address'> & Required<Pick<Member, 'address'>>, 'zone'>(
  { id, session, address },
  0,
  { zone },
)
const meetingRecord = fields<Omit<ViewRecord, 'since' | 'isChosen'>>({
  ...roster,
  voters: listOf(fields<Voter>({ id, voterId: id }), 0),
  members: where(
    listOf<Member>((value) => attending(value)),
    allDifferent,
    'it contains an id twice',
  ),
  table,
})
const keptBallot = fields<Ballot>({ fence, step: whole(0) })
const keptValue = text(0, LONGEST_VALUE)
const kept = fields<Kept>({ ballot: keptBallot, under: epoch, value: keptValue })
const question = fields<Question>({ name, ballot: keptBallot, value: orNull(keptValue) })
const advice = fields<Advice>({
  outcome: oneOf('heeded', 'refused', 'full'),
  kept: orNull(kept),
  since: anyEpoch,
  at: measure(0, LONGEST_TIME),
})
/** What a disk remembers for each name. */
export const shelvesCheck = listOf(
  fields<Shelf & { readonly name: string }>({ name, promised: keptBallot, kept: orNull(kept) }),
  MOST_NAMES,
)
/** A disk may have leases that earlier versions accepted. */
const anyLease = measure(0, LONGEST_TIME)

/** The state on a disk is checked like a message. */
export const durableCheck: Check<Durable> = fields<Durable>({
  voterId: id,
  k: whole(0),
  promised,
  accepted: orNull(fields<Roster, 'since' | 'isChosen'>(rosterWith(anyLease), 0, sinceThen)),
  longest: anyLease,
})

const promiseCheck = fields<Omit<PromiseMessage, 'type'>, 'zone'>(
  {
    epoch,
    ballot,
    session,
    mark,
    accepted: orNull(fields<Roster, 'since' | 'isChosen'>(roster, 0, sinceThen)),
    begun: orNull(epoch),
    holds,
    wish,
  },
  TAG,
  { zone },
)
const reportCheck = fields<Omit<MessageOf<'report'>, 'type'>, 'zone'>(
  {
    epoch,
    session: id,
    address,
    begun: orNull(epoch),
    holds,
  },
  TAG,
  { zone },
)

const difference: Checks<Difference> = {
  epoch,
  after: epoch,
  gone: listOf(id),
  come: where(
    listOf(fields<Attendant, 'zone'>({ id, address }, 0, { zone })),
    allDifferent,
    'it contains an id twice',
  ),
  table,
}

function messageCheck(payload: Check<Payload>): Check<Message> {
  const of = <Type extends Message['type']>(checks: Checks<Omit<MessageOf<Type>, 'type'>>) =>
    fields<Omit<MessageOf<Type>, 'type'>>(checks, TAG)
  return variants<Message, 'type'>('type', {
    heartbeat: heartbeatCheck,
    renew: renewCheck,
    ack: ackCheck,
    out: of<'out'>({ session, epoch }),
    gone: of<'gone'>({ session }),
    stale: of<'stale'>({ voterId: id, k: whole(0), promised: anyEpoch, accepted: anyEpoch, mark }),
    prepare: of<'prepare'>({ epoch, ballot, insists: flag }),
    promise: promiseCheck,
    refuse: of<'refuse'>({ ballot, promised }),
    install: of<'install'>({ record, ballot }),
    accepted: of<'accepted'>({ epoch, ballot, voterId: id }),
    begin: of<'begin'>({ epoch }),
    fetch: of<'fetch'>({ epoch }),
    copy: of<'copy'>({ record, ballot }),
    link: linkCheck(payload),
    'link-ack': of<'link-ack'>({ epoch, upTo: whole(0) }),
    consult: of<'consult'>({ epoch, ticket: whole(0), question }),
    advice: of<'advice'>({ epoch, ticket: whole(0), voterId: id, advice }),
    hello: of<'hello'>({ session: id, address, waits: flag }),
    here: of<'here'>({ session: id }),
    freeze: fields<Omit<MessageOf<'freeze'>, 'type'>, 'version'>({ epoch }, TAG, { version }),
    thaw: of<'thaw'>({ epoch }),
    outdated: of<'outdated'>({ version, epoch }),
    report: reportCheck,
    no: of<'no'>({ epoch, above: epoch }),
    view: of<'view'>({ record: meetingRecord }),
    change: of<'change'>(difference),
    draft: of<'draft'>({ ...difference, nonce: version }),
    'has-begun': of<'has-begun'>({ epoch }),
    look: of<'look'>({ session: id }),
  })
}

/** With or without an ack for the other direction. */
function linkCheck(payload: Check<Payload>): Check<Omit<MessageOf<'link'>, 'type'>> {
  return fields<Omit<MessageOf<'link'>, 'type'>, 'upTo'>({ epoch, seq: whole(1), payload }, TAG, {
    upTo: whole(0),
  })
}

const onlyHolders = fields<Exclude<Asked, string | null>>({ only: oneOf('holders') })
const asked: Check<Asked> = (value) => (isObject(value) ? onlyHolders(value) : orNull(name)(value))

function payloadCheck(options: CodecOptions): Check<Payload> {
  const of = <Kind extends Payload['kind']>(checks: Checks<Omit<PayloadOf<Kind>, 'kind'>>) =>
    fields<Omit<PayloadOf<Kind>, 'kind'>>(checks, TAG)
  const standing = toldCheck(name, fence, age)
  return variants<Payload, 'kind'>('kind', {
    lock: lockPayload(options, of<'lock'>({ name, from: seat, to: seat, message: () => null })),
    steal: of<'steal'>({ name }),
    stolen: of<'stolen'>({ name }),
    ask: of<'ask'>({ name: asked, ticket: whole(0) }),
    tell: of<'tell'>({ ticket: whole(0), names: listOf(standing), more: flag }),
  })
}

/** The messages of a name depend on its algorithm. */
function lockPayload(options: CodecOptions, outer: Check<Omit<PayloadOf<'lock'>, 'kind'>>) {
  const messagesOf = perKind<Check<LockMessage>>((key) =>
    algorithmMessage(algorithmFor(options, key).shapes.messages, options.nodes * seatsOf(key)),
  )
  return (value: unknown): string | null => {
    const complaint = outer(value)
    if (complaint !== null) return complaint
    const payload = value as PayloadOf<'lock'>
    const seats = seatsOf(payload.name)
    if (!(seats <= MOST_SEATS && payload.from < seats && payload.to < seats)) return 'there is no such seat'
    try {
      const wrong = messagesOf(payload.name)(payload.message)
      return wrong === null ? null : `message: ${wrong}`
    } catch (error) {
      if (error instanceof InvalidInput) return error.message
      throw error
    }
  }
}

function allDifferent(list: readonly { readonly id: string }[]): boolean {
  return new Set(list.map(({ id }) => id)).size === list.length
}
