/** M6: a proposer dies while others are frozen for its change of view. */
import { get } from '@turnwise/core/bounds'
import { describe, expect, test } from 'vitest'
import { SOUND_MEETING } from '../../../broken/meeting.ts'
import { type Call, VIEW } from '../../../src/protocol/meeting/cells.ts'
import type { MeetingRules } from '../../../src/protocol/meeting/meeting-rules.ts'
import { LEASE, MeetingScript } from '../script.ts'
import { isDecision, met, provenBy } from './proof.ts'

const isViewRead = (call: Call) => call.do === 'read' && call.cell === VIEW

/** `a` has frozen all, and its decision is under way. */
function frozen(rules: MeetingRules = SOUND_MEETING, isDrafted = true): MeetingScript {
  const script = met(['a', 'b', 'c'], rules)
  script.passes = (_, __, { type }) => isDrafted || type !== 'draft'
  script.fate = (id, call) => (id === 'a' && isDecision(call) ? 'later' : 'now')
  script.do('a', { kind: 'renew' })
  expect(script.meeting('a').attempt?.stage).toBe('deciding')
  script.request('b', 'L')
  expect(script.holds('b', 'L')).toEqual([])
  return script
}

/** `b` hears that its connection to `a` has ended. */
function hangUp(script: MeetingScript, name = 'b'): void {
  script.do(name, { kind: 'disconnected', peer: 'a1' })
}

describe('M6 outdate', () => {
  test('M6: FREEZE names the version of the view that the proposer replaces', () => {
    const script = met(['a', 'b'])
    const { version = '' } = script.cells.get(VIEW) ?? {}
    script.do('a', { kind: 'renew' })
    expect(script.said('a1', 'freeze').at(-1)?.message).toMatchObject({ version })
  })

  test('M6: the first of the others rewrites the view as it is, and all go on', () => {
    const script = frozen()
    const before = script.cells.get(VIEW)
    const decision = script.under('a', 'cas', VIEW)
    script.kill('a')
    hangUp(script)
    const after = script.cells.get(VIEW)
    expect([after?.value, after?.version === before?.version]).toEqual([before?.value, false])
    expect(script.holds('b', 'L')).toHaveLength(1)
    script.request('c', 'M')
    expect(script.node('c').durable.promised.epoch).toBe(script.begun['c'])
    // The dead proposer's write was on its way.
    expect(script.ask(decision.call)).toEqual({ kind: 'refused' })
    expect([script.of('b', 'lost'), script.twoHolders]).toEqual([[], null])
  })

  test('M6: the view then changes when the lease of the dead proposer is over, and nobody is frozen till then', () => {
    const script = frozen()
    script.kill('a')
    hangUp(script)
    script.passes = (_, to) => to !== 'a1'
    for (let round = 0; round < 9; round += 1) {
      script.pass(1)
      expect(script.node('b').durable.promised.epoch).toBe(script.begun['b'])
    }
    script.pass(20)
    expect(script.members).toEqual(['b1', 'c1'])
    expect(script.holds('b', 'L')).toHaveLength(1)
  })

  test('M6: if no connection tells of it, nothing was heard for half a lease', () => {
    const script = frozen()
    script.kill('a')
    script.pass(4)
    expect(script.holds('b', 'L')).toEqual([])
    script.pass(2)
    expect(script.holds('b', 'L')).toHaveLength(1)
  })

  test('M6: one member rewrites the view, and the others only hear of it', () => {
    const script = frozen()
    script.kill('a')
    const { length } = script.calls
    hangUp(script, 'c')
    hangUp(script, 'b')
    script.now += LEASE / 10
    script.do('c', { kind: 'wake' })
    expect(script.asked('b', length).filter((call) => call.endsWith('view'))).toEqual([
      'read view',
      'cas view',
    ])
    expect(script.asked('c', length).filter((call) => call.endsWith('view'))).toEqual([])
  })

  test('M6: the next one does if the first does not', () => {
    const script = frozen()
    script.kill('a')
    script.kill('b')
    hangUp(script, 'c')
    expect(script.node('c').durable.promised.epoch).not.toBe(script.begun['c'])
    script.now += LEASE / 10
    script.do('c', { kind: 'wake' })
    expect(script.node('c').durable.promised.epoch).toBe(script.begun['c'])
  })

  test('M6: not while another proposer has a report on the same version', () => {
    const script = frozen()
    const { version = '' } = script.cells.get(VIEW) ?? {}
    script.passes = () => false
    script.receive('b1', 'c1', { type: 'freeze', epoch: 5000, version })
    hangUp(script)
    expect(script.cells.get(VIEW)?.version).toBe(version)
    script.do('b', { kind: 'disconnected', peer: 'c1' })
    expect(script.cells.get(VIEW)?.version).not.toBe(version)
    expect(script.holds('b', 'L')).toHaveLength(1)
  })

  test('M6: a proposer that lives and is refused gives its epoch up, and proposes again', () => {
    const script = frozen()
    hangUp(script)
    expect(script.holds('b', 'L')).toHaveLength(1)
    script.fate = () => 'now'
    script.under('a', 'cas', VIEW).finish()
    expect(script.node('a').durable.promised.epoch).toBe(script.begun['a'])
    script.do('a', { kind: 'renew' })
    script.pass(6)
    expect(script.view?.epoch).toBeGreaterThan(1003)
    expect(script.members).toEqual(['a1', 'b1', 'c1'])
    expect(script.holds('b', 'L')).toHaveLength(1)
  })

  test('M6: so does one that is unsure, and reads that the view before is still there', () => {
    const script = frozen()
    const decision = script.under('a', 'cas', VIEW)
    script.passes = (_, __, { type }) => type !== 'outdated'
    hangUp(script)
    decision.loseAnswer()
    expect(script.said('a1', 'thaw').length).toBeGreaterThan(0)
    expect(script.node('a').durable.promised.epoch).toBe(script.begun['a'])
  })

  test('M6: a FREEZE on a version that is outdated makes its proposer read the view again', () => {
    const script = frozen()
    const { version = '' } = script.cells.get(VIEW) ?? {}
    hangUp(script)
    script.passes = () => false
    script.receive('b1', 'a1', { type: 'freeze', epoch: 5000, version })
    expect(script.said('b1', 'no').at(-1)?.message).toEqual({ type: 'no', epoch: 5000, above: 5001 })
  })

  test('M6: a decision that came before the rewrite stands', () => {
    const script = frozen(SOUND_MEETING, false)
    script.under('a', 'cas', VIEW).reach()
    const { epoch } = script.view ?? {}
    script.kill('a')
    hangUp(script)
    expect(script.view?.epoch).toBe(epoch)
    expect(script.holds('b', 'L')).toEqual([])
  })

  provenBy('thaws-for-a-hope', 'M6: while the version is as it was, a member stays frozen', (rules) => {
    const script = frozen(rules)
    script.fate = (_, call) => (isDecision(call) ? 'later' : 'now')
    hangUp(script)
    expect(script.holds('b', 'L')).toEqual([])
  })

  provenBy('thaws-though-decided', 'M6: so it does if the view has its epoch or a later one', (rules) => {
    const script = frozen(rules, false)
    script.under('a', 'cas', VIEW).reach()
    script.passes = () => false
    hangUp(script)
    expect(script.holds('b', 'L')).toEqual([])
  })

  provenBy(
    'thaws-by-an-older-read',
    'M6: and a read that was asked before the report says nothing',
    (rules) => {
      const script = met(['a', 'b', 'c'], rules)
      script.fate = (id, call) => (id === 'b' && isViewRead(call) ? 'later' : 'now')
      const { value = '', version: earlier = '' } = script.cells.get(VIEW) ?? {}
      script.receive('b1', 'x1', { type: 'freeze', epoch: 4000, version: earlier })
      script.do('b', { kind: 'disconnected', peer: 'x1' })
      script.now += LEASE / 10
      script.do('b', { kind: 'wake' })
      const old = script.under('b', 'read', VIEW).reach()
      script.receive('b1', 'x1', { type: 'thaw', epoch: 4000 })
      script.scribble(VIEW, value)
      const { version = '' } = script.cells.get(VIEW) ?? {}
      script.passes = () => false
      script.receive('b1', 'a1', { type: 'freeze', epoch: 5000, version })
      script.request('b', 'L')
      old.finish()
      expect(script.holds('b', 'L')).toEqual([])
    },
  )

  provenBy('unknown-outdating-counts', 'M6: an unsure rewrite is followed by a read', (rules) => {
    const script = frozen(rules)
    script.fate = (id, call) => (id === 'b' && isDecision(call) ? 'lost' : 'now')
    hangUp(script)
    expect(script.holds('b', 'L')).toEqual([])
    script.fate = () => 'now'
    script.pass(2, 'b')
    expect(script.holds('b', 'L')).toHaveLength(1)
  })
})

describe('M8 draft', () => {
  test('M8: two members know the view before it is decided, and tell it if the proposer is killed when it is', () => {
    const script = frozen()
    expect(
      script
        .said('a1', 'draft')
        .slice(-2)
        .map(({ to }) => to),
    ).toEqual(['b1', 'c1'])
    script.under('a', 'cas', VIEW).reach()
    script.kill('a')
    hangUp(script)
    const { epoch = 0 } = script.view ?? {}
    expect(script.begun).toEqual({ b: epoch, c: epoch })
    expect(script.holds('b', 'L')).toHaveLength(1)
  })

  provenBy('draft-believed', 'M8: not if the view is that of another proposer', (rules) => {
    const script = frozen(rules)
    const { record } = script.meeting('b').draft ?? {}
    script.passes = () => false
    script.kill('a')
    script.scribble(VIEW, JSON.stringify({ ...script.view, epoch: record?.epoch, nonce: 'of another' }))
    hangUp(script)
    expect(script.holds('b', 'L')).toEqual([])
  })

  test('M8: an older draft is not kept', () => {
    const script = frozen()
    const { message } = get(script.said('a1', 'draft').slice(-1), 0)
    script.under('a', 'cas', VIEW).finish()
    expect([message.epoch, script.meeting('b').draft]).toEqual([script.view?.epoch, null])
    script.receive('b1', 'a1', message)
    expect(script.meeting('b').draft).toBeNull()
  })
})
