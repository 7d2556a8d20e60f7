/** Every kind of message, drawn at random; the payloads are those of Suzuki and Kasami's algorithm. */
import * as fc from 'fast-check'
import { LAST_COUNTER, LAST_EPOCH } from '../../src/protocol/fence.ts'
import type { Message, Payload } from '../../src/protocol/messages.ts'

export const NODES = 5

/** What every object has already. */
export const INHERITED = Object.getOwnPropertyNames(Object.prototype)

const id = fc.oneof(
  { weight: 4, arbitrary: fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }) },
  fc.constantFrom(...INHERITED),
)
const name = id.filter((text) => text !== '__proto__')
/** Names of semaphores and groups say how many seats there are, and have their own messages. */
const lock = name.filter((text) => !/^[#&]/.test(text))
/** Every bit of an epoch is tried, those beyond 32 too. */
export const epoch = fc.oneof(
  fc.integer({ min: 1, max: LAST_EPOCH }),
  fc.integer({ min: 0, max: 35 }).map((bit) => 2 ** bit),
  fc.constant(LAST_EPOCH),
)
const anyEpoch = fc.oneof(epoch, fc.constant(0))
const counter = fc.integer({ min: 0, max: LAST_COUNTER })
const k = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }))
const time = fc
  .oneof(fc.double({ min: -(2 ** 53), max: 2 ** 53, noNaN: true }), fc.integer())
  .map((value) => (value === 0 ? 0 : value))
const lease = fc.integer({ min: 50, max: 600_000 })
const session = fc.record({ voterId: id, k })
const fence = fc.record({ epoch: anyEpoch, counter })
const keptBallot = fc.record({ fence, step: fc.nat() })
const seat = fc.nat(63)
const wish = fc.option(fc.array(id, { maxLength: 4 }))
const mode = fc.constantFrom('exclusive' as const, 'shared' as const)
const mark = fc.string({ maxLength: 22 })
const zone = fc.constantFrom('eu-west', 'us-east-1a', '7')
const ballot = fc.string({ maxLength: 40 })
const byId = { selector: ({ id }: { id: string }) => id }
const voters = fc.uniqueArray(fc.record({ id, voterId: id }), { ...byId, minLength: 1, maxLength: 5 })
const roster = {
  epoch,
  voters,
  oldVoters: fc.option(voters),
  members: fc.uniqueArray(fc.record({ id, session, mark, zone }, { requiredKeys: ['id', 'session'] }), {
    ...byId,
    maxLength: 5,
  }),
  settings: fc.record({
    algorithm: name,
    lease,
    drift: fc.constantFrom(0, 0.002, 0.1),
  }),
}
const holders = fc.array(fc.record({ id, seat, mode, fence }), { maxLength: 3 })
/** Most were never changed. */
const since = fc
  .option(epoch, { nil: undefined })
  .map((value) =>
    value === undefined ? {} : { since: value, ...(value % 2 === 0 && { isChosen: true as const }) },
  )
const rosterOrSince = fc.tuple(fc.record(roster), since).map(([each, when]) => ({ ...each, ...when }))
const record = fc
  .tuple(rosterOrSince, fc.dictionary(lock, holders, { maxKeys: 4, noNullPrototype: true }))
  .map(([each, table]) => ({ ...each, table }))
const address = fc.string({ maxLength: 40 })
const version = fc.string({ maxLength: 40 })
const meetingRecord = fc.record({
  ...roster,
  voters: fc.constant([]),
  oldVoters: fc.constant(null),
  members: fc.uniqueArray(
    fc.record({ id, session, address, zone }, { requiredKeys: ['id', 'session', 'address'] }),
    { ...byId, maxLength: 5 },
  ),
  table: fc.dictionary(lock, holders, { maxKeys: 4, noNullPrototype: true }),
})
const holds = fc.dictionary(lock, fc.array(fc.record({ seat, mode, fence }), { maxLength: 3 }), {
  maxKeys: 4,
  noNullPrototype: true,
})
const node = fc.option(fc.nat(NODES - 1))
const lockMessage = fc.oneof(
  fc.record({ type: fc.constant('request' as const), number: fc.nat() }),
  fc.record({
    type: fc.constant('privilege' as const),
    token: fc.record({
      queue: fc.array(node, { maxLength: NODES }),
      served: fc.array(fc.nat(), { maxLength: NODES }),
      fence: fc.nat(),
    }),
  }),
)

const age = fc.nat()
/** Of most there is none. */
const about = fc.record({
  id: fc.nat(),
  asked: fc.nat(),
  info: fc.option(fc.json({ maxDepth: 1 }).filter((text) => Buffer.byteLength(text) <= 1024)),
  holders: fc.array(fc.string({ minLength: 1, maxLength: 300 }), { maxLength: 16 }),
})
const held = fc.record({ mode, fence, age, about }, { requiredKeys: ['mode', 'fence', 'age'] })
const pending = fc.record({ mode, age, about }, { requiredKeys: ['mode', 'age'] })
const standing = fc.record({
  name,
  held: fc.array(held, { maxLength: 3 }),
  pending: fc.array(pending, { maxLength: 3 }),
})
const kind = <const Kind extends Payload['kind']>(text: Kind) => fc.constant(text)
const payload: fc.Arbitrary<Payload> = fc.oneof(
  fc.record({
    kind: kind('lock'),
    name: lock,
    from: fc.constant(0),
    to: fc.constant(0),
    message: lockMessage,
  }),
  fc.record({ kind: kind('steal'), name }),
  fc.record({ kind: kind('stolen'), name }),
  fc.record({
    kind: kind('ask'),
    name: fc.oneof(fc.option(name), fc.constant({ only: 'holders' as const })),
    ticket: fc.nat(),
  }),
  fc.record({
    kind: kind('tell'),
    ticket: fc.nat(),
    names: fc.array(standing, { maxLength: 3 }),
    more: fc.boolean(),
  }),
)

type Drawn = { readonly [Type in Message['type']]: fc.Arbitrary<Extract<Message, { type: Type }>> }

const type = <const Type extends string>(text: Type) => fc.constant(text)

/** A view, for a member that has begun the one before. */
const difference = {
  epoch,
  after: epoch,
  gone: fc.array(id),
  come: fc.uniqueArray(fc.record({ id, address, zone }, { requiredKeys: ['id', 'address'] }), {
    selector: (each) => each.id,
  }),
  table: meetingRecord.map(({ table }) => table),
}

/** A new kind of message does not compile without a line here. */
const messages: Drawn = {
  heartbeat: fc.record({
    type: type('heartbeat'),
    session,
    at: time,
    lease,
    begun: fc.option(epoch),
    accepted: fc.option(epoch),
    promised: anyEpoch,
    mark,
    suspects: fc.array(id, { maxLength: 4 }),
    wish,
  }),
  renew: fc.record({ type: type('renew'), session, at: time, lease }),
  ack: fc.record({ type: type('ack'), session, at: time, voterId: id }),
  out: fc.record({ type: type('out'), session, epoch }),
  gone: fc.record({ type: type('gone'), session }),
  stale: fc.record({
    type: type('stale'),
    voterId: id,
    k: fc.nat(),
    promised: anyEpoch,
    accepted: anyEpoch,
    mark,
  }),
  prepare: fc.record({ type: type('prepare'), epoch, ballot, insists: fc.boolean() }),
  promise: fc.record(
    {
      type: type('promise'),
      epoch,
      ballot,
      session,
      mark,
      accepted: fc.option(rosterOrSince),
      begun: fc.option(epoch),
      holds,
      wish,
      zone,
    },
    {
      noNullPrototype: true,
      requiredKeys: ['type', 'epoch', 'ballot', 'session', 'mark', 'accepted', 'begun', 'holds', 'wish'],
    },
  ),
  refuse: fc.record({ type: type('refuse'), ballot, promised: fc.record({ epoch: anyEpoch, ballot }) }),
  install: fc.record({ type: type('install'), record, ballot }),
  accepted: fc.record({ type: type('accepted'), epoch, ballot, voterId: id }),
  begin: fc.record({ type: type('begin'), epoch }),
  fetch: fc.record({ type: type('fetch'), epoch }),
  copy: fc.record({ type: type('copy'), record, ballot }),
  link: fc.record(
    { type: type('link'), epoch, seq: k, payload, upTo: fc.nat() },
    { requiredKeys: ['type', 'epoch', 'seq', 'payload'] },
  ),
  'link-ack': fc.record({ type: type('link-ack'), epoch, upTo: fc.nat() }),
  consult: fc.record({
    type: type('consult'),
    epoch,
    ticket: fc.nat(),
    question: fc.record({ name, ballot: keptBallot, value: fc.option(fc.string()) }),
  }),
  advice: fc.record({
    type: type('advice'),
    epoch,
    ticket: fc.nat(),
    voterId: id,
    advice: fc.record({
      outcome: fc.constantFrom('heeded' as const, 'refused' as const, 'full' as const),
      kept: fc.option(fc.record({ ballot: keptBallot, under: epoch, value: fc.string() })),
      since: anyEpoch,
      at: fc.nat(),
    }),
  }),
  hello: fc.record({ type: type('hello'), session: id, address, waits: fc.boolean() }),
  here: fc.record({ type: type('here'), session: id }),
  freeze: fc.record({ type: type('freeze'), epoch, version }, { requiredKeys: ['type', 'epoch'] }),
  thaw: fc.record({ type: type('thaw'), epoch }),
  outdated: fc.record({ type: type('outdated'), version, epoch }),
  report: fc.record(
    { type: type('report'), epoch, session: id, address, begun: fc.option(epoch), holds, zone },
    { noNullPrototype: true, requiredKeys: ['type', 'epoch', 'session', 'address', 'begun', 'holds'] },
  ),
  no: fc.record({ type: type('no'), epoch, above: epoch }),
  view: fc.record({ type: type('view'), record: meetingRecord }),
  change: fc.record({ type: type('change'), ...difference }),
  draft: fc.record({ type: type('draft'), nonce: version, ...difference }),
  'has-begun': fc.record({ type: type('has-begun'), epoch }),
  look: fc.record({ type: type('look'), session: id }),
}

export const arbitraryOf: Readonly<Record<Message['type'], fc.Arbitrary<Message>>> = messages

export const anyMessage: fc.Arbitrary<Message> = fc.oneof(
  ...(Object.values(messages) as fc.Arbitrary<Message>[]),
)
