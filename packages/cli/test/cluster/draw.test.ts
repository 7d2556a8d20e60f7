import colours from 'picocolors'
import { describe, expect, test } from 'vitest'
import { present } from '../../../../test/present.ts'
import { draw, type Frame } from '../../src/cluster/draw.ts'
import type { NodeRow, NodeState } from '../../src/cluster/snapshot.ts'

const paint = colours.createColors(false)

function node(id: string, state: NodeState, more: Partial<NodeRow> = {}): NodeRow {
  const figures = { turns: 31, turnsPerSecond: 2.41, sent: 208, messagesPerTurn: 6.71, p50: 91.4, p99: 1234 }
  return { id, state, leaseLeft: 1900, holds: [], ...figures, ...more }
}

const frame: Frame = {
  algorithm: 'carvalho-roucairol',
  leaseMs: 2000,
  latency: null,
  zones: [],
  handOffs: 0,
  elapsed: 72_400,
  for: null,
  selected: 1,
  page: '',
  note: null,
  place: null,
  view: { epoch: 3, members: ['a', 'c', 'd', 'e'] },
  names: [
    {
      name: 'orders',
      holder: 'c',
      holderState: 'in view',
      leaseLeft: 1900,
      waiters: ['a', 'd', 'e'],
      fence: '3298534883376',
      turns: 42,
    },
    {
      name: 'invoices',
      holder: 'b',
      holderState: 'killed',
      leaseLeft: 1100,
      waiters: ['e', 'd'],
      fence: '2199023255712',
      turns: 39,
    },
    { name: 'backups', holder: null, holderState: null, leaseLeft: 0, waiters: [], fence: null, turns: 0 },
  ],
  nodes: [
    node('a', 'in view'),
    node('b', 'killed', { leaseLeft: 1100, holds: ['invoices'], turnsPerSecond: 0 }),
    node('c', 'paused', { leaseLeft: 0, holds: ['orders'] }),
    node('d', 'cut off', { leaseLeft: 400 }),
    node('e', 'starting', { turns: 0, turnsPerSecond: 0, messagesPerTurn: null, p50: null, p99: null }),
  ],
  all: { turns: 124, turnsPerSecond: 9.6, sent: 832, messagesPerTurn: 6.71, p50: 91.4, p99: 1234 },
  happenings: [
    { at: 0, kind: 'view', text: 'view 1: a b c d e' },
    {
      at: 70_512,
      kind: 'fault',
      text: 'b is killed with kill -9 while it holds invoices, orders and backups',
    },
    { at: 72_390, kind: 'view', text: 'view 3: a c d e, without b' },
  ],
}

const lines = (columns: number, rows = 24, change: Partial<Frame> = {}) =>
  draw({ ...frame, ...change }, { columns, rows, paint })

describe('the table', () => {
  test.each([60, 100, 160])('at %d columns', (columns) => {
    expect(`\n${lines(columns).join('\n')}\n`).toMatchSnapshot()
  })

  test.each([40, 60, 79, 80, 100, 160, 400])('no line is longer than %d columns', (columns) => {
    for (const line of lines(columns, 30, { for: 90_000, note: 'x'.repeat(500) })) {
      expect(line.length).toBeLessThan(columns)
    }
  })

  test.each([4, 8, 12, 16, 24, 50])('no more lines than %d, and the keys are the last', (rows) => {
    const shown = lines(100, rows)
    expect(shown.length).toBeLessThanOrEqual(rows)
    expect(shown.at(-1)).toMatch(/q quit$/)
  })

  test('the latest happenings are those that are shown', () => {
    const many = Array.from({ length: 50 }, (_, i) => ({ at: i, kind: 'view' as const, text: `thing ${i}.` }))
    const text = lines(100, 24, { happenings: many }).join('\n')
    expect(text).toContain('thing 49.')
    expect(text).not.toContain('thing 1.')
  })

  test('what changes moves nothing else: every row begins its columns where it did', () => {
    const before = lines(100)
    const after = lines(100, 24, {
      names: frame.names.map((name) => ({ ...name, holder: null, holderState: null, waiters: ['a'] })),
    })
    expect(after.length).toBe(before.length)
    expect(after.slice(9)).toEqual(before.slice(9))
    expect(after[3]).toBe(before[3])
  })

  test('where the nodes meet, whether it answers, and the key for an engine that was started here', () => {
    const place = {
      name: 'etcd://127.0.0.1:2379/turnwise',
      silentFor: null,
      why: null,
      engine: 'running',
    } as const
    const text = lines(120, 30, { place }).join('\n')
    expect(text).toContain('meets at   etcd://127.0.0.1:2379/turnwise\n')
    expect(text).toContain('e engine: kill -9, start')
    const away = { ...place, silentFor: 1234, why: 'refused', engine: 'dead' } as const
    expect(lines(120, 30, { place: away })[2]).toBe(
      'meets at   etcd://127.0.0.1:2379/turnwise, killed, no answer for 1.2 s',
    )
    // Nobody votes there, and in a directory nobody is cut off.
    const alone = { ...place, name: './locks', engine: null } as const
    const shown = lines(120, 30, { place: alone }).join('\n')
    expect(shown).not.toMatch(/majority|cut off {3}h heal|engine/)
  })

  test('before the first view it says what it waits for', () => {
    expect(lines(100, 24, { view: null })[1]).toContain('starting 5 processes')
  })

  test('why nobody may be let in just now', () => {
    const standing = (states: readonly NodeState[], leaseLeft = 1000, members = 'abc') =>
      lines(100, 24, {
        nodes: states.map((state, i) => node(present('abc'[i]), state, { leaseLeft })),
        view: { epoch: 3, members: members.split('') },
      })[1]
    expect(standing(['in view', 'in view', 'in view'])).toBe('view 3       a b c')
    expect(standing(['in view', 'killed', 'in view'])).toBe(
      'view 3       a b c  until the lease of b has ended',
    )
    expect(standing(['in view', 'paused', 'in view'], 0)).toBe(
      'view 3       a b c  a view without b is being made',
    )
    expect(standing(['in view', 'cut off', 'in view'], 0, 'ac')).toBe('view 3       a · c')
    expect(standing(['in view', 'cut off', 'killed'])).toBe(
      'view 3       a b c  1 of 3 are no majority: nobody enters',
    )
  })

  test('the address of the page stays whole and in sight on 80 by 24, with its token, and so does a note', () => {
    const page = `page: http://0.0.0.0:65535/?token=${'0123456789abcdef'.repeat(2)}#/live`
    const many = Array.from({ length: 50 }, (_, i) => ({ at: i, kind: 'view' as const, text: `thing ${i}.` }))
    const shown = lines(80, 24, { page, note: 'b runs: k kills it', happenings: many })
    expect(shown).toHaveLength(24)
    expect(shown.slice(-4, -2)).toEqual(['b runs: k kills it', page])
  })

  test('why a key did nothing stands above the keys', () => {
    expect(lines(100, 24, { note: 'b is dead already: r starts it again' }).at(-2)).toBe(
      'b is dead already: r starts it again',
    )
  })
})
