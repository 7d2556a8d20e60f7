import type { AnyAlgorithm } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { describe, expect, test } from 'vitest'
import { atLeast } from '../../../test/present.ts'
import type { Search } from '../src/search.ts'
import { checked, failures, propertyOf, searched, told, worldsOf } from './harness.ts'
import { desk, fickle, type HeirState, heir } from './toys.ts'

const ONE = { entries: 1 }

describe('withdrawn requests', () => {
  test('an algorithm that can take a request back is asked to, and the node may ask again', () => {
    const result = checked(fickle, { nodes: 2, requests: 2, channels: 'fifo', budgets: { withdrawals: 2 } })
    expect(result.complete).toBe(true)
    expect(failures(result)).toEqual([])
    const statuses = new Set(
      [...worldsOf(result.check.search)].flatMap(({ locals }) => locals.map(({ status }) => status)),
    )
    expect([...statuses].toSorted()).toEqual(['idle', 'inside', 'waiting'])
  })

  test('if it does so badly, that is found', () => {
    const forgets: AnyAlgorithm = { ...fickle, withdraw: () => {} }
    const result = checked(forgets, { nodes: 2, budgets: { withdrawals: 1 } })
    // The permit comes all the same, for nobody.
    expect(failures(result)).toEqual(['rules'])
    expect(propertyOf(result, 'rules').reason).toBe('node 1 enters without having asked')
  })

  test('one that cannot gets its grant back as soon as it lets the node in', () => {
    const result = checked(desk, { nodes: 2, setup: ONE, budgets: { withdrawals: 1 } })
    expect(result.complete).toBe(true)
    expect(failures(result)).toEqual([])
    const worlds = [...worldsOf(result.check.search)]
    const unwanted = worlds.filter(({ locals }) => locals.some(({ status }) => status === 'inside unwanted'))
    expect(unwanted.length).toBeGreaterThan(0)
    // While it holds the grant it is inside, for all the algorithm knows.
    for (const { locals } of unwanted)
      expect(locals.filter(({ status }) => status.startsWith('inside'))).toHaveLength(1)
  })

  test('a caller that gave up does not wait any more: its lost request does no harm', () => {
    const { check } = checked(desk, { nodes: 2, setup: ONE, budgets: { withdrawals: 2, drops: 1 } })
    const deadlock = propertyOf(check.result, 'no-deadlock')
    expect(told(deadlock)).not.toContain('1 withdraw')
    expect(deadlock.reason).toBe('node 1 waits, and nothing can happen but new requests')
  })

  test('no more often than allowed', () => {
    const result = checked(fickle, { nodes: 3, budgets: { withdrawals: 1 } })
    const most = Math.max(
      ...[...worldsOf(result.check.search)].map(
        ({ mail }) => mail.filter(({ message }) => message.type === 'cancel').length,
      ),
    )
    expect(most).toBe(1)
  })
})

describe('lost messages', () => {
  test('each can be the one', () => {
    const deadlock = propertyOf(checked(desk, { nodes: 2, setup: ONE, budgets: { drops: 1 } }), 'no-deadlock')
    expect(deadlock.reason).toBe('node 1 waits, and nothing can happen but new requests')
    expect(told(deadlock)).toEqual(['1 request', '0 lose ask'])
    expect(deadlock.trace?.find(({ is }) => is === 'lose')).toMatchObject({ why: 'drop', node: 0 })
  })
})

describe('messages that arrive twice', () => {
  test('the second time they are as they were the first time', () => {
    const rules = propertyOf(checked(desk, { nodes: 2, setup: ONE, budgets: { duplicates: 1 } }), 'rules')
    expect(rules.reason).toBe('node 1 enters without having asked')
    expect(told(rules)).toEqual(['1 request', '0 receive ask', '1 receive permit', '1 receive permit'])
    const doubled = rules.trace?.filter(({ is }) => is === 'duplicate' || is === 'receive')
    expect(doubled?.map((event) => ('id' in event ? `${event.is} ${event.id}` : ''))).toEqual([
      'receive 1',
      'duplicate 2',
      'receive 2',
      'receive 2',
    ])
  })
})

describe('crashes', () => {
  test('who waits for a dead node waits for ever, unless told', () => {
    const deadlock = propertyOf(
      checked(desk, { nodes: 2, setup: ONE, budgets: { crashes: 1 } }),
      'no-deadlock',
    )
    expect(told(deadlock)).toEqual(['1 request', '0 crash'])
  })

  test('an algorithm that hears of crashes goes on without the dead', () => {
    const result = checked(heir(false), { nodes: 2, budgets: { crashes: 1 } })
    expect(result.complete).toBe(true)
    expect(failures(result)).toEqual([])
  })

  test('nothing is under way to the dead; they wait for nothing and are not inside', () => {
    let dead = 0
    for (const { locals, mail } of worldsOf(searched(heir(false), { nodes: 2, budgets: { crashes: 2 } }))) {
      for (const { node, status, state, timers, requestsLeft } of locals) {
        if (status !== 'crashed') continue
        dead += 1
        expect(mail.filter(({ to }) => to === node)).toEqual([])
        expect({ state, timers, requestsLeft }).toEqual({ state: {}, timers: [], requestsLeft: 0 })
      }
    }
    expect(dead).toBeGreaterThan(10)
  })

  test('what the dead sent arrives', () => {
    const worlds = [...worldsOf(searched(heir(false), { nodes: 2, budgets: { crashes: 1 } }))]
    const posthumous = worlds.flatMap(({ locals, mail }) =>
      mail.filter(({ from }) => get(locals, from).status === 'crashed'),
    )
    expect(new Set(posthumous.map(({ message }) => message.type))).toEqual(new Set(['ask', 'permit', 'back']))
  })

  test('no more than allowed, and each node once', () => {
    const most = (crashes: number) =>
      Math.max(
        ...[...worldsOf(searched(heir(false), { nodes: 2, budgets: { crashes } }))].map(
          ({ locals }) => locals.filter(({ status }) => status === 'crashed').length,
        ),
      )
    expect([most(0), most(1), most(2), most(5)]).toEqual([0, 1, 2, 2])
  })
})

describe('suspicions', () => {
  /** Whether some world has a node that suspects a dead one, and one that suspects a living one. */
  function suspected(search: Search) {
    let rightly = false
    let wrongly = false
    for (const { locals } of worldsOf(search)) {
      for (const { status, state, suspected: peers } of locals) {
        if (status === 'crashed') continue
        // Each is told once, and the algorithm has heard of it.
        expect((state as HeirState).dead.toSorted((a, b) => a - b)).toEqual(peers)
        if (peers.some((peer) => get(locals, peer).status === 'crashed')) rightly = true
        if (peers.some((peer) => get(locals, peer).status !== 'crashed')) wrongly = true
      }
    }
    return { rightly, wrongly }
  }

  test('come only after a crash', () => {
    const [calm, troubled] = atLeast(
      2,
      [0, 1].map((crashes) => searched(heir(false), { nodes: 2, budgets: { crashes } })),
    )
    expect([calm.isComplete, troubled.isComplete]).toEqual([true, true])
    expect(suspected(calm)).toEqual({ rightly: false, wrongly: false })
    expect(suspected(troubled)).toEqual({ rightly: true, wrongly: false })
  })

  test('but false ones as often as the budget says', () => {
    const search = searched(heir(false), { nodes: 2, budgets: { suspicions: 1 } })
    expect(suspected(search)).toEqual({ rightly: false, wrongly: true })
    for (const { locals } of worldsOf(search))
      expect(locals.flatMap((local) => local.suspected).length).toBeLessThan(2)
    const exclusion = propertyOf(checked(heir(false), { nodes: 2, budgets: { suspicions: 1 } }), 'exclusion')
    expect(exclusion.reason).toBe('nodes 0, 1 are inside together')
    expect(told(exclusion)).toEqual(['0 request', '1 request', '1 suspect 0'])
  })
})
