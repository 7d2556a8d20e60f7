/** R9, R10: epochs are finite, and one wrong number must not be the last that the disks of a mesh can hold. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SOUND } from '../../broken/under.ts'
import { newKey } from '../../src/disk/marks.ts'
import { readState, writeState } from '../../src/disk/state-file.ts'
import { LAST_LEAP } from '../../src/protocol/epochs.ts'
import type { Effect } from '../../src/protocol/events.ts'
import { LAST_EPOCH } from '../../src/protocol/fence.ts'
import type { Message } from '../../src/protocol/messages.ts'
import { handle, start } from '../../src/protocol/node.ts'
import { type Durable, NO_PROMISE, withoutTable } from '../../src/protocol/record.ts'
import { Script } from '../script.ts'
import { anyMessage } from '../transport/arbitrary-message.ts'
import { begun, cutOff, heartbeatOf } from './proof.ts'

const ids = ['a', 'b', 'c']
const KEY = newKey()
const OWNER = { id: 'a', mesh: 'mesh', directory: '/somewhere', fingerprint: 'f' }

/** All disks can be opened again, and everyone is served: whatever was said, the mesh goes on. */
function goesOn(script: Script): void {
  for (const id of ids) expect(readState(writeState(script.disk(id), OWNER, KEY))).toEqual(script.disk(id))
  const before = Math.max(...Object.values(script.views).map((epoch) => epoch ?? 0))
  script.do('b', { kind: 'renew' })
  script.pass(40)
  for (const epoch of Object.values(script.views)) expect(epoch).toBeGreaterThan(before)
  for (const id of ids) script.restart(id)
  script.pass(60)
  for (const id of ids) script.request(id, `of ${id}`)
  script.pass(10)
  for (const id of ids) expect(script.grants(`of ${id}`)).toHaveLength(1)
  expect(Math.max(...ids.map((id) => script.disk(id).promised.epoch))).toBeLessThan(LAST_LEAP)
}

const record = (epoch: number) => ({
  epoch,
  voters: ids.map((id) => ({ id, voterId: `${id}1` })),
  oldVoters: null,
  members: [],
  table: {},
  settings: { algorithm: 'central-coordinator', lease: 100, drift: 0 },
})

const wrong: Readonly<Record<string, Message>> = {
  'a PREPARE': { type: 'prepare', epoch: LAST_EPOCH, ballot: 'x', insists: true },
  'an INSTALL': { type: 'install', record: record(LAST_EPOCH), ballot: 'x' },
  'a COPY': { type: 'copy', record: record(LAST_EPOCH), ballot: 'x' },
  'a BEGIN': { type: 'begin', epoch: LAST_EPOCH },
  'a REFUSE': { type: 'refuse', ballot: 'x', promised: { epoch: LAST_EPOCH, ballot: 'x' } },
  'a heartbeat': heartbeatOf('c1', { promised: LAST_EPOCH }),
  'a heartbeat of a view': heartbeatOf('c1', {
    begun: LAST_EPOCH,
    accepted: LAST_EPOCH,
    promised: LAST_EPOCH,
  }),
}

describe('one message with the last epoch there is ends nothing', () => {
  for (const [what, message] of Object.entries(wrong)) {
    test(what, () => {
      const script = begun(ids)
      for (const id of ['a', 'b']) script.do(id, { kind: 'receive', from: 'c', message })
      script.pass(60)
      goesOn(script)
    })
  }

  test('nor does it to new disks', () => {
    for (const message of Object.values(wrong).slice(0, 6)) {
      const script = new Script(ids, SOUND, { firstStart: undefined })
      for (const id of ['a', 'b']) script.do(id, { kind: 'receive', from: 'c', message })
      script.pass(60)
      goesOn(script)
    }
  })

  test('a voter that had promised it already is left out, and the others go on', () => {
    const script = begun(ids)
    script.disks['c'] = { ...script.disk('c'), promised: { epoch: LAST_EPOCH, ballot: 'x' } }
    script.restart('c')
    script.pass(60)
    expect(script.node('a').begun?.members.map(({ id }) => id)).toEqual(['a', 'b'])
    const { epoch } = script.disk('a').promised
    script.pass(60)
    expect(script.disk('a').promised.epoch).toBe(epoch)
  })
})

describe('near the end', () => {
  /** A mesh whose disks have come so far by views that followed each other. */
  function at(epoch: number): Script {
    const script = begun(ids)
    for (const id of ids) {
      const { accepted } = script.disk(id)
      script.disks[id] = {
        ...script.disk(id),
        promised: { epoch, ballot: 'x' },
        accepted: accepted && { ...accepted, epoch },
      }
      script.restart(id)
    }
    script.pass(40)
    return script
  }

  test('views follow each other, and who is new is taken in', () => {
    const script = at(LAST_LEAP + 1000)
    expect(script.views['a']).toBeGreaterThan(LAST_LEAP + 1000)
    script.loseDisk('c')
    script.pass(60)
    expect(script.node('c').begun?.members).toHaveLength(3)
  })

  test('at the end nothing more is promised, and all disks can be read', () => {
    const script = at(LAST_EPOCH - 1)
    for (let i = 0; i < 3; i += 1) {
      script.do('a', { kind: 'renew' })
      script.pass(40)
    }
    expect(script.views['a']).toBe(LAST_EPOCH)
    for (const id of ids) {
      expect(script.disk(id).promised.epoch).toBe(LAST_EPOCH)
      expect(readState(writeState(script.disk(id), OWNER, KEY))).toEqual(script.disk(id))
    }
  })

  test('an order of a first view leaves room below it', () => {
    const script = begun(ids)
    script.passes = () => false
    script.pass(40)
    script.do('a', { kind: 'genesis', voters: ids, firstEpoch: LAST_EPOCH })
    script.passes = () => true
    script.pass(40)
    expect(script.disk('a').promised.epoch).toBeLessThan(LAST_LEAP)
  })
})

test('a voter that is cut off, or whose majority is, does not spend epochs while it waits', () => {
  const script = begun(ids)
  script.passes = cutOff('c')
  script.pass(20)
  const { epoch } = script.disk('c').promised
  script.pass(400)
  expect(script.disk('c').promised.epoch).toBeLessThanOrEqual(epoch + 1)
  script.passes = () => true
  script.pass(40)
  expect(script.node('c').begun?.members).toHaveLength(3)
})

test('whatever is said to a node, it goes on, and what it writes can be read', () => {
  const epoch = fc.oneof(
    fc.nat(LAST_EPOCH),
    fc.integer({ min: LAST_LEAP, max: LAST_EPOCH }),
    fc.constant(LAST_EPOCH),
  )
  const said = fc.array(
    fc.tuple(fc.constantFrom('b', 'c'), fc.oneof(anyMessage, fc.constantFrom(...Object.values(wrong)))),
    {
      maxLength: 12,
    },
  )
  fc.assert(
    fc.property(epoch, fc.nat(1000), said, (promised, k, messages) => {
      const durable: Durable = {
        voterId: 'a1',
        k,
        promised: promised === 0 ? NO_PROMISE : { epoch: promised, ballot: 'x' },
        accepted: promised === 0 ? null : withoutTable(record(promised)),
        longest: 100,
      }
      const settings = { algorithm: 'suzuki-kasami', lease: 100, drift: 0 }
      const { node, effects } = start('a', { peers: ids, voters: ids, settings, roundTrip: 4 }, durable, 0)
      let now = 0
      const look = (done: readonly Effect[]) => {
        for (const effect of done) {
          if (effect.kind === 'persist')
            expect(readState(writeState(effect.durable, OWNER, KEY))).toEqual(effect.durable)
        }
      }
      look(effects)
      for (const [from, message] of messages) {
        now += 30
        for (const event of [
          { kind: 'receive', from, message },
          { kind: 'tick' },
          { kind: 'renew' },
        ] as const) {
          look(handle(node, event, now))
        }
      }
    }),
    { numRuns: 300 },
  )
})
