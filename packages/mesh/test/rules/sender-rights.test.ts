/** Words about others: a node that knows the secret is a peer, and still speaks for nobody but itself. */
import { describe, expect, test } from 'vitest'
import { present } from '../../../../test/present.ts'
import { SOUND } from '../../broken/under.ts'
import type { Message, PromiseMessage } from '../../src/protocol/messages.ts'
import type { Roster, ViewRecord } from '../../src/protocol/record.ts'
import { Script } from '../script.ts'
import { LEASE } from '../simulation/plan.ts'
import { cutOff, heartbeatOf } from './proof.ts'

const VOTERS = ['a', 'b', 'c']

/** Three voters and `d`, a member that never votes. */
function withLiar(): Script {
  const ids = [...VOTERS, 'd']
  const script = new Script(ids, SOUND, { voters: VOTERS, firstStart: VOTERS })
  // Heard first, or the view would begin without the one that it does not need.
  script.beat('d')
  script.do('a', { kind: 'renew' })
  script.beat(...ids)
  expect(script.views).toEqual({ a: 1, b: 1, c: 1, d: 1 })
  return script
}

function says(script: Script, to: string, message: Message, from = 'd'): void {
  script.do(to, { kind: 'receive', from, message })
}

/** `c` holds the lock, is cut off, and its lease runs; the others hear this of it, and `a` wants the lock. */
function twoInside(message: Message): string | null {
  const script = withLiar()
  script.now = 10
  script.beat('c')
  script.request('c', 'L')
  script.passes = cutOff('c')
  for (const id of ['a', 'b']) says(script, id, message)
  script.request('a', 'L')
  for (let round = 0; round < 9; round += 1) {
    script.pass(1)
    for (const id of ['a', 'b']) says(script, id, message)
    if (script.twoHolders !== null) return script.twoHolders
  }
  expect(script.holds('c', 'L')).toHaveLength(1)
  return null
}

describe('the end of a session', () => {
  test('GONE counts only from the session it is about', () => {
    expect(twoInside({ type: 'gone', session: { voterId: 'c1', k: 1 } })).toBeNull()
  })

  test('a heartbeat with the voterId of another says nothing of it', () => {
    const higher = heartbeatOf('c1', { session: { voterId: 'c1', k: 9 }, at: 10, promised: 5, accepted: 1 })
    expect(twoInside(higher)).toBeNull()
  })

  test('of itself a node may say it, also to one that knows it from its disk alone', () => {
    const script = withLiar()
    script.restart('a')
    says(script, 'a', { type: 'gone', session: { voterId: 'c1', k: 1 } }, 'c')
    expect(script.node('a').owed).not.toHaveProperty('c1.1')
    says(script, 'a', { type: 'gone', session: { voterId: 'b1', k: 1 } }, 'c')
    expect(script.node('a').owed).toHaveProperty('b1.1')
  })
})

describe('a lease', () => {
  test('is acknowledged by each voter for itself', () => {
    const script = withLiar()
    script.passes = cutOff('c')
    script.now = 50
    script.beat('c')
    for (const voterId of ['a1', 'b1']) {
      says(script, 'c', { type: 'ack', session: { voterId: 'c1', k: 1 }, at: 50, voterId })
    }
    expect(script.node('c').deadline).toBe(100)
    says(script, 'c', { type: 'ack', session: { voterId: 'c1', k: 1 }, at: 50, voterId: 'b1' }, 'b')
    expect(script.node('c').deadline).toBe(150)
  })

  test('counts from no heartbeat that is not sent yet', () => {
    const script = withLiar()
    for (const voter of ['a', 'b']) {
      const ack = { type: 'ack', session: { voterId: 'c1', k: 1 }, at: 5000, voterId: `${voter}1` } as const
      says(script, 'c', ack, voter)
    }
    expect(script.node('c').deadline).toBe(100)
  })
})

/** `a` has asked for promises; what others answer is lost. */
function asking(script: Script): string {
  script.passes = cutOff('a')
  script.do('a', { kind: 'renew' })
  return script.node('a').proposal?.ballot ?? ''
}

function promise(ballot: string, voterId: string, change: Partial<PromiseMessage> = {}): PromiseMessage {
  const session = { voterId, k: 1 }
  return {
    type: 'promise',
    epoch: 2,
    ballot,
    session,
    mark: '',
    accepted: null,
    begun: 1,
    holds: {},
    wish: null,
    ...change,
  }
}

describe('a ballot', () => {
  test('REFUSE ends it only from voters of the view', () => {
    const script = withLiar()
    const ballot = asking(script)
    const refuse = { type: 'refuse', ballot, promised: { epoch: 3, ballot: 'd/d1.1/1' } } as const
    says(script, 'a', refuse)
    expect(script.node('a').proposal?.ballot).toBe(ballot)
    says(script, 'a', refuse, 'b')
    expect(script.node('a').proposal).toBeNull()
  })

  test('before the first view REFUSE counts from the configured voters', () => {
    const script = new Script([...VOTERS, 'd'], SOUND, { voters: VOTERS, firstStart: undefined })
    script.now = LEASE
    const ballot = asking(script)
    const refuse = { type: 'refuse', ballot, promised: { epoch: 3, ballot: 'd/d1.1/1' } } as const
    says(script, 'a', refuse)
    expect(script.node('a').proposal?.ballot).toBe(ballot)
    says(script, 'a', refuse, 'c')
    expect(script.node('a').proposal).toBeNull()
  })

  test('PROMISE counts only for its sender', () => {
    const script = withLiar()
    const ballot = asking(script)
    says(script, 'a', promise(ballot, 'b1', { accepted: script.node('a').durable.accepted }))
    expect(Object.keys(script.node('a').proposal?.promises ?? {})).toEqual(['a'])
  })

  test('PROMISE tells of no accepted record in which its sender does not vote', () => {
    const script = withLiar()
    const ballot = asking(script)
    const forged = { ...(script.node('a').begun as Roster), epoch: 99 }
    says(script, 'a', promise(ballot, 'd1', { accepted: forged }))
    expect(Object.keys(script.node('a').proposal?.promises ?? {})).toEqual(['a'])
    says(script, 'a', promise(ballot, 'd1'))
    expect(Object.keys(script.node('a').proposal?.promises ?? {})).toEqual(['a', 'd'])
  })

  test('ACCEPTED counts only for its sender', () => {
    const script = withLiar()
    script.passes = (_from, _to, { type }) => type !== 'install'
    script.do('a', { kind: 'renew' })
    const proposal = script.node('a').proposal
    expect(proposal?.record?.epoch).toBe(2)
    for (const voterId of ['b1', 'c1']) {
      says(script, 'a', { type: 'accepted', epoch: 2, ballot: proposal?.ballot ?? '', voterId })
    }
    expect(script.of('a', 'chosen').map(({ record }) => record.epoch)).toEqual([1])
  })

  test.each(['before', 'after'])(
    'that a view was chosen counts only from its proposer and its members, %s INSTALL',
    (when) => {
      const script = withLiar()
      script.passes = (_from, _to, { type }) => type !== 'accepted' && type !== 'begin'
      const lies = () => {
        says(script, 'b', { type: 'begin', epoch: 2 }, 'x')
        says(script, 'b', heartbeatOf('x1', { begun: 2, accepted: 2, promised: 2 }), 'x')
      }
      if (when === 'before') lies()
      script.do('a', { kind: 'renew' })
      if (when === 'after') lies()
      script.do('b', { kind: 'tick' })
      expect(script.views['b']).toBe(1)
      says(script, 'b', { type: 'begin', epoch: 2 }, 'a')
      expect(script.views['b']).toBe(2)
    },
  )
})

describe('STALE', () => {
  const lie = { type: 'stale', voterId: 'c1', k: 9, promised: 9, accepted: 9, mark: '' } as const

  test('counts only with a word of the node itself: no voter can stop it by a lie, nor all of them', () => {
    const script = withLiar()
    const { k, promised, accepted, mark } = present(script.node('a').known['c1'])
    for (const from of ['a', 'b', 'd']) {
      says(script, 'c', lie, from)
      says(script, 'c', { ...lie, mark }, from)
      says(script, 'c', { ...lie, mark: present(script.node('a').known['b1']).mark }, from)
      // Its own word, which says no more than its disk.
      says(script, 'c', { ...lie, k, promised, accepted, mark }, from)
    }
    expect(script.of('c', 'stale-state')).toEqual([])
    script.request('c', 'L')
    expect(script.holds('c', 'L')).toHaveLength(1)
  })

  test('with one it counts from everybody: it is true from any node', () => {
    const script = withLiar()
    const old = script.disk('c')
    script.restart('c')
    script.restart('c')
    script.beat('c')
    const word = present(script.node('a').known['c1'])
    script.disks['c'] = old
    script.restart('c')
    says(script, 'c', { type: 'stale', voterId: 'c1', ...word }, 'd')
    expect(script.of('c', 'stale-state')).toHaveLength(1)
  })

  test('where the directory is older than marks it counts from voters, with more than the disk says', () => {
    const script = withLiar()
    script.own = { c: { marks: undefined } }
    script.restart('c')
    says(script, 'c', lie)
    says(script, 'c', { ...lie, k: 1, promised: 1, accepted: 1 }, 'b')
    expect(script.of('c', 'stale-state')).toEqual([])
    says(script, 'c', lie, 'b')
    expect(script.of('c', 'stale-state')).toHaveLength(1)
  })
})

describe('no message ends a process', () => {
  /** On the link from `d`, which is a member. */
  const onLink = (script: Script, to: string, message: object) =>
    says(script, to, {
      type: 'link',
      epoch: 1,
      seq: script.node(to).links['d']?.nextIn ?? 1,
      payload: { kind: 'lock', name: 'L', from: 0, to: 0, message: message as { type: string } },
    })

  test('what the algorithm finds impossible costs a session: what it held is lost, and the node comes back', () => {
    const script = withLiar()
    script.request('a', 'L')
    const { k } = script.disk('a')
    onLink(script, 'a', { type: 'no such message' })
    expect(script.of('a', 'contradiction')).toHaveLength(1)
    expect(script.of('a', 'lost').map(({ why }) => why)).toEqual(['lapsed'])
    expect(script.disk('a').k).toBe(k + 1)
    script.pass(30)
    expect(script.node('b').begun?.members.map(({ id }) => id)).toEqual([...VOTERS, 'd'])
    script.request('a', 'L', 'again')
    expect(script.holds('a', 'L').map(({ caller }) => caller)).toEqual(['again'])
  })

  test('a record that does not know what a node holds, or knows of seats that there are not, either', () => {
    for (const table of [
      {},
      { L: [{ id: 'a', seat: 9, mode: 'exclusive', fence: { epoch: 1, counter: 1 } }] },
    ]) {
      const script = withLiar()
      script.request('a', 'L')
      const { begun } = script.node('a')
      const record = { ...(begun as ViewRecord), epoch: 2, table: table as ViewRecord['table'] }
      script.passes = () => false
      says(script, 'a', { type: 'install', record, ballot: 'd/d1.1/1' })
      says(script, 'a', { type: 'begin', epoch: 2 })
      expect(script.of('a', 'contradiction')).toHaveLength(1)
      expect(script.holds('a', 'L')).toEqual([])
      script.do('a', { kind: 'tick' })
      expect(script.of('a', 'contradiction')).toHaveLength(1)
    }
  })

  test('a node that claims what another holds costs that one its lock, and the others go on', () => {
    const script = withLiar()
    script.request('c', 'L')
    const claim = { seat: 0, mode: 'exclusive', fence: { epoch: 1, counter: 16 } } as const
    script.passes = (from, _to, { type }) => from !== 'd' || type !== 'promise'
    script.do('a', { kind: 'renew' })
    const ballot = script.node('a').proposal?.ballot ?? ''
    says(script, 'a', promise(ballot, 'd1', { holds: { L: [claim] } }))
    script.passes = () => true
    expect(script.of('a', 'contradiction')).toHaveLength(1)
    script.request('a', 'L')
    script.pass(40)
    expect(script.twoHolders).toBeNull()
    expect(script.grants('L').map(({ id }) => id)).toEqual(['c', 'a'])
    expect(script.of('c', 'lost')).toHaveLength(1)
    expect(script.node('a').begun?.members).toHaveLength(4)
  })
})

test('a link is between members: what others send on one is not taken', () => {
  const script = withLiar()
  script.request('a', 'L')
  const { links } = script.node('a')
  const steal = (from: string) =>
    says(
      script,
      'a',
      { type: 'link', epoch: 1, seq: links[from]?.nextIn ?? 1, payload: { kind: 'steal', name: 'L' } },
      from,
    )
  steal('x')
  expect(script.holds('a', 'L')).toHaveLength(1)
  steal('d')
  expect(script.holds('a', 'L')).toHaveLength(0)
})
