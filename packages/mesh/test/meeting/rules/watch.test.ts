import { describe, expect, test } from 'vitest'
import { present } from '../../../../../test/present.ts'
import { SOUND_MEETING } from '../../../broken/meeting.ts'
import { type Call, rowOf } from '../../../src/protocol/meeting/cells.ts'
import { debtFor } from '../../../src/protocol/record.ts'
import { LEASE } from '../script.ts'
import { cutOff, met, provenBy, seal, until } from './proof.ts'

const isList = (call: Call) => call.do === 'list'

describe('M2 watch', () => {
  test('M2: the first three members list the rows every third of a lease, and the others do not', () => {
    const script = met(['a', 'b', 'c', 'd', 'e'])
    script.pass(5)
    const since = script.calls.length
    script.pass(20)
    const lists = (name: string) => script.asked(name, since).filter((each) => each === 'list rows/').length
    expect(['a', 'b', 'c'].map(lists)).toEqual([5, 5, 5])
    expect(['d', 'e'].map(lists)).toEqual([0, 0])
  })

  test('M2: idle, members send each other nothing', () => {
    const script = met(['a', 'b', 'c', 'd'])
    script.pass(5)
    const before = script.sent.length
    script.pass(30)
    expect(script.sent.slice(before)).toEqual([])
  })

  test('M2: the others read the rows of the three while they wait, at most once in a lease', () => {
    const script = met(['a', 'b', 'c', 'd'])
    script.request('a', 'L')
    script.request('d', 'L')
    script.pass(5)
    const since = script.calls.length
    script.pass(20)
    const reads = script.asked('d', since).filter((each) => each.startsWith('read rows/'))
    expect(reads.filter((each) => each === 'read rows/a1')).toHaveLength(2)
    expect(new Set(reads)).toEqual(new Set(['read rows/a1', 'read rows/b1', 'read rows/c1']))
  })

  test('M2: if the three are dead the others watch, and change the view', () => {
    const script = met(['a', 'b', 'c', 'd', 'e'])
    script.request('a', 'L')
    script.request('e', 'L')
    for (const name of ['a', 'b', 'c']) script.kill(name)
    until(script, () => script.members.join() === 'd1,e1', 100)
    until(script, () => script.holds('e', 'L').length === 1)
  })

  provenBy('seen-when-asked', 'M2: a beat counts from when the answer came that first showed it', (rules) => {
    const script = met(['a', 'b'], rules)
    script.kill('b')
    script.fate = (_, call) => (isList(call) ? 'later' : 'now')
    script.pass(5)
    script.scribble(rowOf('b1'), JSON.stringify({ ...script.row('b1'), beat: 77 }))
    const list = script.under('a', 'list').reach()
    script.now += 20
    list.finish()
    expect(script.meeting('a').seen['b1']).toMatchObject({ beat: 77, since: script.now })
  })

  test('M2: the last member goes on, though it asks for lists more than half a lease apart', () => {
    const script = met(['a', 'b', 'c', 'd'])
    for (const name of ['a', 'd']) script.request(name, 'L')
    for (const name of ['b', 'c']) {
      script.kill(name)
      seal(script, `${name}1`)
    }
    // a renews its lease, and does nothing else before it is killed.
    script.fate = (id, call) =>
      id === 'd' || ('cell' in call && call.cell === rowOf(`${id}1`)) ? 'now' : 'lost'
    until(script, () => script.meeting('d').seen['b1']?.sealed ?? false)
    script.kill('a')
    for (let round = 0; round < 100 && script.members.length > 1; round += 1) {
      script.now += 0.12 * LEASE
      script.do('d', { kind: 'tick' })
    }
    expect(script.members).toEqual(['d1'])
  })

  test('M2: so do they if the first answer after that is a list, before this node could renew', () => {
    const script = met(['a', 'b'])
    script.pass(15)
    script.fate = () => 'lost'
    script.pass(8)
    script.fate = (_, call) => (isList(call) ? 'now' : 'lost')
    const { since, beat } = present(script.meeting('a').seen['b1'])
    script.scribble(rowOf('b1'), JSON.stringify({ ...script.row('b1'), beat }))
    for (let tick = 0; tick < 4 && present(script.meeting('a').seen['b1']).since === since; tick += 1)
      script.pass(1, 'a')
    expect(script.meeting('a').seen['b1']?.since).toBe(script.now)
  })

  test('M2: a register that answers again after more than half a lease begins all counts of unsealed rows anew', () => {
    const script = met(['a', 'b'])
    script.pass(5)
    script.fate = () => 'lost'
    script.pass(6)
    script.kill('b')
    const before = present(script.meeting('a').seen['b1']).since
    script.fate = () => 'now'
    script.scribble(
      rowOf('b1'),
      JSON.stringify({ ...script.row('b1'), beat: present(script.meeting('a').seen['b1']).beat }),
    )
    for (let tick = 0; tick < 4 && present(script.meeting('a').seen['b1']).since === before; tick += 1)
      script.pass(1)
    expect(script.meeting('a').seen['b1']?.since).toBe(script.now)
    // Soon after it nothing begins anew.
    const { since } = present(script.meeting('a').seen['b1'])
    script.pass(4)
    expect(present(script.meeting('a').seen['b1']).since).toBe(since)
  })

  test('M2: a register that takes a fifth of a lease to answer does not hide who is dead', () => {
    const script = met(['a', 'b'])
    script.kill('b')
    script.fate = (_, call) => (isList(call) ? 'later' : 'now')
    for (let round = 0; round < 40 && script.members.length > 1; round += 1) {
      script.pass(1)
      for (const held of script.held.splice(0)) {
        held.reach()
        script.now += 0.18 * LEASE
        held.finish()
        script.now -= 0.18 * LEASE
      }
    }
    expect(script.members).toEqual(['a1'])
  })

  test('M2: a hint makes those list who watch, and others not', () => {
    const script = met(['a', 'b', 'c', 'd'])
    script.pass(4)
    script.now += LEASE / 10
    const since = script.calls.length
    for (const name of ['a', 'd']) for (let i = 0; i < 5; i += 1) script.do(name, { kind: 'hint' })
    expect(script.asked('a', since)).toEqual(['list rows/'])
    expect(script.asked('d', since)).toEqual([])
  })
})

describe('M3 over', () => {
  provenBy('dead-without-seal', 'M3: a lease is over only when its row is sealed', (rules) => {
    const script = met(['a', 'b'], rules)
    script.kill('b')
    script.fate = (_, call) => (call.do === 'cas' && call.cell === rowOf('b1') ? 'lost' : 'now')
    script.pass(30)
    expect(script.members).toEqual(['a1', 'b1'])
    script.fate = () => 'now'
    script.pass(30)
    expect(script.members).toEqual(['a1'])
  })

  provenBy(
    'sealed-is-over',
    'M3: and D has passed since the answer that first showed its last beat',
    (rules) => {
      const script = met(['a', 'b', 'c'], rules)
      script.pass(8)
      script.kill('c')
      const { since } = present(script.meeting('a').seen['c1'])
      script.scribble(rowOf('c1'), JSON.stringify({ ...script.row('c1'), sealed: true }))
      until(script, () => !script.members.includes('c1'))
      expect(script.now).toBeGreaterThanOrEqual(since + LEASE)
      expect(script.twoHolders).toBeNull()
    },
  )

  provenBy('no-drift', 'M3: D allows for a slow holder and a fast watcher', (rules) => {
    expect(rules.debt(100, 0.1)).toBeCloseTo(debtFor(100, 0.1))
    expect(rules.debt(100, 0.1)).toBeCloseTo((100 * 1.1) / 0.9)
  })

  provenBy('list-believed', 'M3: a row that a list lacks is not gone', (rules) => {
    const script = met(['a', 'b'], rules)
    script.fate = (id, call) => (id === 'a' && isList(call) ? 'later' : 'now')
    script.pass(5)
    const kept = script.cells.get(rowOf('b1'))
    script.cells.delete(rowOf('b1'))
    const list = script.under('a', 'list').reach()
    if (kept !== undefined) script.cells.set(rowOf('b1'), kept)
    list.finish()
    expect(script.meeting('a').gone).toEqual({})
    expect(script.asked('a')).toContain('read rows/b1')
  })

  test('M3: a row that a read does not find is gone, and its lease over', () => {
    const script = met(['a', 'b'])
    script.kill('b')
    script.scribble(rowOf('b1'), null)
    script.pass(6)
    expect(script.members).toEqual(['a1'])
  })

  test('M3: only a read that was asked after the answer that gave the view says so', () => {
    const script = met(['a', 'b'])
    script.kill('b')
    script.scribble(rowOf('b1'), null)
    script.meeting('a').gone['b1'] = script.now - 1
    script.meeting('a').viewKnownAt = script.now
    delete script.meeting('a').seen['b1']
    script.fate = (_, call) => (call.do === 'read' && call.cell === rowOf('b1') ? 'lost' : 'now')
    script.pass(6)
    expect(script.members).toEqual(['a1', 'b1'])
    // And it is asked again until it was answered.
    script.fate = () => 'now'
    script.pass(2)
    expect(script.members).toEqual(['a1'])
  })

  test('M3: by the word of the kernel nothing is waited for', () => {
    const script = met(['a', 'b'], SOUND_MEETING, { life: 'process' })
    script.request('b', 'L')
    script.request('a', 'L')
    script.kill('b')
    script.do('a', { kind: 'dead', session: 'b1' })
    expect(script.members).toEqual(['a1'])
    expect(script.holds('a', 'L')).toHaveLength(1)
  })

  test('M3: after a sleep all counts begin anew', () => {
    const script = met(['a', 'b'])
    script.pass(9)
    script.now += 5
    script.do('a', { kind: 'slept' })
    expect(script.meeting('a').seen['b1']?.since).toBe(script.now)
  })

  test('M3: a row that nobody of the mesh wrote is over D after it was seen', () => {
    const script = met(['a', 'b'])
    script.kill('b')
    script.pass(1)
    const at = script.now
    script.scribble(rowOf('b1'), 'not a row')
    until(script, () => script.members.join() === 'a1')
    expect(script.now).toBeGreaterThanOrEqual(at + LEASE)
    until(script, () => !script.cells.has(rowOf('b1')))
  })
})

describe('M4 seals', () => {
  test('M4: a row that is D old is sealed before anybody is frozen', () => {
    const script = met(['a', 'b', 'c'])
    script.kill('c')
    const sealed: (boolean | undefined)[] = []
    script.passes = (_, __, { type }) => {
      if (type === 'freeze') sealed.push(script.row('c1')?.sealed)
      return true
    }
    until(script, () => script.members.length === 2)
    expect(new Set(sealed)).toEqual(new Set([true]))
  })

  test('M4: a seal is on the version seen, so that a beat that came since is not ended', () => {
    const script = met(['a', 'b'])
    script.pass(5)
    script.fate = (id, call) =>
      id === 'a' && call.do === 'cas' && call.cell === rowOf('b1') ? 'later' : 'now'
    script.pass(14, 'a')
    const seal = script.under('a', 'cas', rowOf('b1'))
    script.do('b', { kind: 'tick' })
    seal.finish()
    expect(script.row('b1')?.sealed).toBe(false)
  })

  test('M4: one that renews and is not heard for 0.35 T is sealed, and `cut` names who did not hear it', () => {
    const script = met(['a', 'b', 'c'])
    script.passes = cutOff('c1')
    script.do('a', { kind: 'renew' })
    script.pass(3, 'a', 'b', 'c')
    expect(script.row('c1')?.sealed).toBe(false)
    script.pass(1, 'a')
    expect(script.row('c1')).toMatchObject({ sealed: true, cut: ['a1'] })
  })

  test('M4: meanwhile nobody is frozen, and locks go from hand to hand', () => {
    const script = met(['a', 'b', 'c'])
    script.passes = cutOff('c1')
    script.do('a', { kind: 'renew' })
    script.pass(5, 'a', 'b')
    expect(script.members).toContain('c1')
    script.request('a', 'L')
    expect(script.holds('a', 'L')).toHaveLength(1)
    script.release('a', 'L')
    script.request('b', 'L')
    expect(script.holds('b', 'L')).toHaveLength(1)
  })

  test('M4: a member that fewer than half of the living hear does not seal them', () => {
    const script = met(['a', 'b', 'c'])
    script.passes = cutOff('a1')
    script.do('a', { kind: 'renew' })
    script.pass(8)
    expect([script.row('b1')?.sealed, script.row('c1')?.sealed]).toEqual([false, false])
  })

  test('M4: of two halves the one with the first member goes on', () => {
    const script = met(['a', 'b'])
    script.passes = () => false
    script.do('b', { kind: 'renew' })
    script.pass(12)
    expect([script.row('a1')?.sealed, script.row('b1')?.sealed]).toEqual([false, false])
    script.do('a', { kind: 'renew' })
    script.pass(4, 'a')
    expect([script.row('a1')?.sealed, script.row('b1')?.cut]).toEqual([false, ['a1']])
  })

  test('M4: who has no valid lease seals nobody', () => {
    const script = met(['a', 'b'])
    script.kill('b')
    script.pass(5)
    script.fate = (_, call) => (call.do === 'cas' ? 'lost' : 'now')
    script.pass(30)
    const since = script.calls.length
    script.pass(10)
    const seals = script.calls
      .slice(since)
      .filter(({ call }) => call.do === 'cas' && call.cell === rowOf('b1'))
    expect(seals).toEqual([])
  })

  test('M4: what was sealed by another is over for this node too, D after it saw the last beat', () => {
    const script = met(['a', 'b', 'c'])
    script.pass(8)
    script.kill('c')
    const row = { ...script.row('c1'), beat: 500, sealed: true }
    script.scribble(rowOf('c1'), JSON.stringify(row))
    const at = script.now
    until(script, () => !script.members.includes('c1'))
    expect(script.now).toBeGreaterThanOrEqual(at + LEASE)
  })
})
