import { type Instance, NO_TROUBLE } from '@turnwise/checker/instance'
import type { Algorithm, NodeId } from '@turnwise/core/algorithm'
import { simulationConfig } from '@turnwise/simulator/configuration'
import { describe, expect, test } from 'vitest'
import { checkModel } from '../../../scripts/models.ts'
import { extent, isLong, isWhole, LONG } from '../../../test/extent.ts'
import {
  type Message,
  type Options,
  ricartAgrawalaMembership as rules,
  type State,
} from '../src/permission/ricart-agrawala-membership.ts'

/**
 * Every run of small worlds in which nodes come, go, or run again, each at any moment. A search knows no such
 * events; here they are what a node does when its timer `change` fires, which it may do at any time.
 */
type Change = 'join' | 'include' | 'leave' | 'restart'
type Changes = Readonly<Record<NodeId, Change>>

/** The ways to learn the highest number that depend on the requests of others. */
const BY_REQUESTS = ['one-from-each', 'growth', 'fourth']

function changing(changes: Changes): Algorithm<State, Message, Options> {
  const isNew = (node: NodeId) => changes[node] === 'join' || changes[node] === 'include'
  const newcomers = Object.keys(changes).map(Number).filter(isNew)
  return {
    ...rules,
    facts: { ...rules.facts, timers: { ...rules.facts.timers, change: 'pace', fallback: 'time-out' } },
    init: (self, setup) => rules.init(self, { ...setup, absent: newcomers }),
    start(_node, here) {
      if (here.self in changes && changes[here.self] !== 'leave') here.setTimer('change', 1)
    },
    release(node, here) {
      rules.release(node, here)
      // It has no more requests.
      if (changes[here.self] === 'leave') rules.leave?.(node, here)
    },
    timeout(node, here, timer) {
      if (timer === 'fallback') {
        // Nobody asks any more, and who waits for requests waits for ever: it learns by asking.
        if (node.standing === 'learning' && node.learning !== null) rules.timeout?.(node, here, 'learn')
      } else if (timer !== 'change') rules.timeout?.(node, here, timer)
      else if (changes[here.self] !== 'restart') {
        rules.join?.(node, here, changes[here.self] === 'join' ? 0 : null)
        if (BY_REQUESTS.includes(here.setup.options.learn)) here.setTimer('fallback', 1)
      } else if (!node.inside) rules.restart?.(node, here, true)
    },
    receive: presentOnly(),
  }
}

/** What is sent to a node that has not come yet is lost. */
function presentOnly(): typeof rules.receive {
  const handlers = Object.entries(rules.receive).map(([type, handle]) => {
    const present: typeof handle = (node: State, ...event: [never, never, NodeId]) => {
      if (node.standing !== 'outside') handle(node, ...event)
    }
    return [type, present]
  })
  return Object.fromEntries(handlers)
}

function check(
  nodes: number,
  requests: number,
  changes: Changes,
  more: Partial<Instance> & { set?: string[] } = {},
) {
  const { set = [], ...world } = more
  const algorithm = changing(changes)
  const { setup } = simulationConfig(algorithm, { nodes, set })
  const channels = 'unordered'
  const { failure, expected } = checkModel({
    algorithm,
    setup,
    requests,
    channels,
    timing: 'bounded',
    budgets: NO_TROUBLE,
    ...world,
  })
  return { fails: failure?.name ?? null, states: expected.states, length: expected.length }
}

function expectToHold({ fails, states }: ReturnType<typeof check>): void {
  expect(fails).toBeNull()
  expect(states).toBeGreaterThan(100)
}

describe('one change', () => {
  test.each<[string, number, number, Changes]>([
    ['a node is inserted by a broadcast', 3, 1, { 1: 'include' }],
    ['a node leaves', 3, 1, { 2: 'leave' }],
    ['one of two runs again', 2, 2, { 1: 'restart' }],
    ...extent<[string, number, number, Changes][]>(
      [],
      [
        ['a node is inserted through its sponsor', 3, 1, { 2: 'join' }],
        ['one with a smaller name is inserted through its sponsor', 3, 1, { 1: 'join' }],
        ['a node runs again', 3, 1, { 2: 'restart' }],
      ],
    ),
  ])('%s: all properties hold', (_what, nodes, requests, changes) => {
    expectToHold(check(nodes, requests, changes))
  })

  test.each([
    ['one-from-each', 3, 1],
    ['growth', 2, 3],
    ['time', 3, 1],
    ['fourth', 2, 5],
  ])('inserted through its sponsor, it learns the highest number by %s', (learn, nodes, requests) => {
    const channels = learn === 'fourth' ? 'fifo' : 'unordered'
    expectToHold(check(nodes, requests, { [nodes - 1]: 'join' }, { set: [`learn=${learn}`], channels }))
  })

  test.each<Change>(['join', 'include'])('%s: a message is lost, and one arrives twice', (change) => {
    expectToHold(check(2, 1, { 1: change }, { budgets: { ...NO_TROUBLE, drops: 1, duplicates: 1 } }))
  })

  test.each<Change>(extent(['leave'], ['join', 'include', 'leave']))('%s: a node crashes', (change) => {
    expectToHold(check(3, 1, { 2: change }, { budgets: { ...NO_TROUBLE, crashes: 1 } }))
  })
})

if (isLong)
  describe('two changes at once', () => {
    test.each<[string, Changes]>([
      ['one leaves, one is inserted through its sponsor', { 1: 'leave', 2: 'join' }],
      ['one leaves, one is inserted by a broadcast', { 1: 'leave', 2: 'include' }],
      ...(isWhole
        ? [
            ['one runs again, one is inserted through its sponsor', { 1: 'restart', 2: 'join' }] as [
              string,
              Changes,
            ],
          ]
        : []),
    ])('%s: all properties hold', (_what, changes) => expectToHold(check(3, 1, changes)))
  })

describe('a lost probe is a false suspicion', () => {
  const budgets = { ...NO_TROUBLE, crashes: 1, drops: 1 }

  test('a fence falls after 12 steps', LONG, () => {
    expect(check(3, 1, {}, { budgets })).toMatchObject({ fails: 'fences-rise', length: 12 })
  })

  test('with one more request two are inside', LONG, () => {
    expect(check(3, 2, {}, { budgets })).toMatchObject({ fails: 'exclusion', length: 13 })
  })
})
