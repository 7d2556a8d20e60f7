import { describe, expect, test } from 'vitest'
import { readRow, VIEW } from '../../../src/protocol/meeting/cells.ts'
import { LONGEST_LEASE } from '../../../src/protocol/record.ts'
import { LEASE, MeetingScript } from '../script.ts'
import { isDecision, met } from './proof.ts'

describe('settings', () => {
  test('a joiner whose settings differ is told which, deletes its row, and does not join', () => {
    const script = met(['a'])
    const epoch = script.view?.epoch
    script.add('j', { settings: { lease: 2 * LEASE } })
    script.pass(20)
    expect(script.of('j', 'unlike').map(({ settings }) => settings)).toEqual([
      `algorithm central-coordinator, lease ${LEASE}, drift 0`,
    ])
    expect([script.row('j1'), script.begun['j'], script.view?.epoch]).toEqual([null, null, epoch])
  })

  test('one whose settings differ makes the next view if all members have left', () => {
    const script = met(['a', 'b'])
    const epoch = script.view?.epoch ?? 0
    for (const name of ['a', 'b']) {
      script.do(name, { kind: 'leave' })
      script.kill(name)
    }
    for (const name of ['j', 'k']) script.add(name, { settings: { lease: 2 * LEASE } })
    script.pass(40)
    expect(script.members.toSorted()).toEqual(['j1', 'k1'])
    expect(script.view?.settings.lease).toBe(2 * LEASE)
    expect(script.view?.epoch).toBeGreaterThan(epoch)
    expect([script.of('j', 'unlike'), script.of('k', 'unlike')]).toEqual([[], []])
    expect(script.begun['k']).toBe(script.view?.epoch)
  })

  test('or if the kernel says that they are dead', () => {
    const script = met(['a'], undefined, { life: 'process a' })
    script.kill('a')
    script.add('j', { settings: { lease: 2 * LEASE } })
    expect(script.of('j', 'doubt').map(({ session }) => session)).toContain('a1')
    script.do('j', { kind: 'dead', session: 'a1' })
    script.pass(10)
    expect(script.members).toEqual(['j1'])
  })

  test('but not because a row seems old: its lease may be longer', () => {
    const script = met(['a'])
    script.kill('a')
    script.add('j', { settings: { lease: LEASE / 2 } })
    script.pass(40)
    expect(script.of('j', 'unlike')).toHaveLength(1)
    expect(script.members).toEqual(['a1'])
  })

  test('nor if another makes a view with the former settings meanwhile', () => {
    const script = met(['a'])
    script.do('a', { kind: 'leave' })
    script.kill('a')
    script.fate = (id, call) => (id === 'j' && isDecision(call) ? 'later' : 'now')
    script.add('j', { settings: { lease: 2 * LEASE } })
    script.pass(4)
    const decision = script.under('j', 'cas')
    script.fate = () => 'now'
    script.passes = () => false
    script.add('k')
    script.pass(30, 'k')
    expect(script.members).toEqual(['k1'])
    decision.finish()
    script.passes = () => true
    script.pass(20)
    expect(script.of('j', 'unlike')).toHaveLength(1)
    expect([script.members, script.row('j1')]).toEqual([['k1'], null])
  })

  test('so is one that was asked for its report before it had read any view: leases that differ let two in', () => {
    const script = new MeetingScript()
    script.fate = () => 'later'
    script.add('a')
    script.add('b', { settings: { lease: 2 * LEASE } })
    while (script.held.length > 0) script.held.shift()?.finish()
    script.fate = () => 'now'
    script.pass(12)
    expect(script.begun['b']).toBeNull()
    expect(script.of('b', 'unlike')).toHaveLength(1)
    expect(script.members).toEqual(['a1'])
  })

  test('M12: without a view a row counts for the lease that it tells', () => {
    const script = met(['a', 'b'], undefined, { settings: { lease: 20 * LEASE } })
    script.request('a', 'L')
    script.scribble(VIEW, null)
    script.add('j', { settings: { lease: LEASE } })
    script.request('j', 'L')
    for (let i = 0; i < 200; i += 1) {
      // A tick is a tenth of a lease.
      script.pass(1, 'j', ...(i % 20 === 0 ? ['a', 'b'] : []))
      expect(script.twoHolders).toBeNull()
    }
  })

  test('a row whose lease no join allows is not believed', () => {
    const row = { address: 'x', life: '', beat: 1, sealed: false, cut: [] }
    const read = (lease: unknown) => readRow({ value: JSON.stringify({ ...row, lease }), version: '1' })
    expect(read(LONGEST_LEASE)).toMatchObject({ lease: LONGEST_LEASE })
    for (const lease of [LONGEST_LEASE + 1, 0, -1, '2000', null]) expect(read(lease)).toBeNull()
  })
})
