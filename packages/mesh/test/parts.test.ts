import { describe, expect, test } from 'vitest'
import { SOUND } from '../broken/under.ts'
import type { Effect } from '../src/protocol/events.ts'
import { handle, start } from '../src/protocol/node.ts'
import { blank, debtFor, isMajority, type Roster, reachedByMajority } from '../src/protocol/record.ts'
import { home } from '../src/protocol/view-worlds.ts'
import { Script } from './script.ts'
import '../check/texts.ts'

const settings = { algorithm: 'central-coordinator', lease: 100, drift: 0 }

function roster(voters: string[], oldVoters: string[] | null = null): Roster {
  const named = (ids: string[]) => ids.map((id) => ({ id, voterId: id }))
  return {
    epoch: 1,
    voters: named(voters),
    oldVoters: oldVoters === null ? null : named(oldVoters),
    members: [],
    settings,
  }
}

describe('majorities', () => {
  test('a joint view needs one of each set', () => {
    expect(isMajority(roster(['a', 'b', 'c']), ['a', 'c'])).toBe(true)
    expect(isMajority(roster(['a', 'b']), ['a'])).toBe(false)
    expect(isMajority(roster(['a', 'b', 'c2'], ['a', 'b', 'c1']), ['b', 'c2'])).toBe(false)
    expect(isMajority(roster(['a', 'b', 'c2'], ['a', 'b', 'c1']), ['a', 'b'])).toBe(true)
  })

  test('the value that a majority reaches', () => {
    expect(reachedByMajority(roster(['a', 'b', 'c']), { a: 5, b: 9 })).toBe(5)
    expect(reachedByMajority(roster(['a', 'b', 'c']), { b: 9 })).toBe(Number.NEGATIVE_INFINITY)
    expect(reachedByMajority(roster(['a', 'b', 'c2'], ['a', 'b', 'c1']), { a: 1, b: 8, c2: 9 })).toBe(1)
  })

  test('D for the default lease and drift', () => {
    expect(Math.round(debtFor(2000, 0.002))).toBe(2008)
  })
})

test('a home moves only if it leaves', () => {
  const ids = ['a', 'b', 'c', 'd']
  for (const name of ['L', 'M', 'N', 'O', 'P']) {
    const first = home(name, ids)
    for (const left of ids) {
      const next = home(
        name,
        ids.filter((id) => id !== left),
      )
      if (left !== first) expect(next).toBe(first)
    }
  }
})

describe('what is on disk before an answer leaves', () => {
  const kinds = (effects: Effect[]) =>
    effects.map((effect) => (effect.kind === 'send' ? effect.message.type : effect.kind))
  const config = {
    peers: ['a', 'b'],
    voters: ['a', 'b'],
    firstStart: ['a', 'b'],
    settings,
    localTurns: 16,
    roundTrip: 4,
  }

  test('a session, a promise, an accepted record', () => {
    const { node, effects } = start('a', config, blank('a1'), 0)
    expect(kinds(effects)).toEqual(['persist'])
    const prepare = { type: 'prepare', epoch: 1, ballot: 'b', insists: false } as const
    expect(kinds(handle(node, { kind: 'receive', from: 'b', message: prepare }, 1))).toEqual([
      'persist',
      'heartbeat',
      'promise',
    ])
    const record = { ...roster(['a1', 'b1']), table: {} }
    const install = { type: 'install', record, ballot: 'b' } as const
    expect(kinds(handle(node, { kind: 'receive', from: 'b', message: install }, 2))).toEqual([
      'persist',
      'heartbeat',
      'accepted',
    ])
  })

  test('a proposer promises itself before it asks', () => {
    const { node } = start('a', config, blank('a1'), 0)
    expect(kinds(handle(node, { kind: 'renew' }, 1))).toEqual(['persist', 'prepare'])
  })
})

describe('one node alone (R24)', () => {
  const alone = () => {
    const script = new Script(['a'], SOUND)
    script.do('a', { kind: 'renew' })
    script.beat('a')
    script.request('a', 'L', 'first')
    script.request('a', 'L', 'second')
    return script
  }

  test('callers follow each other under one hold, with rising fences (R5)', () => {
    const script = alone()
    expect(script.holds('a', 'L')).toMatchObject([{ caller: 'first', fence: { counter: 16 } }])
    script.do('a', { kind: 'release', name: 'L', caller: 'first' })
    expect(script.holds('a', 'L')).toMatchObject([{ caller: 'second', fence: { counter: 17 } }])
  })

  test('a hold stays what it is through a view change (R14)', () => {
    const script = alone()
    script.do('a', { kind: 'renew' })
    expect(script.node('a').begun).toMatchObject({ epoch: 2, table: { L: [{ id: 'a' }] } })
    expect(script.holds('a', 'L')).toMatchObject([{ caller: 'first', fence: { epoch: 1 } }])
  })
})
