/** Nodes that fail and run again, join and leave, channels that fail and recover: each as often as its budget says. */
import { type Algorithm, impossible } from '@turnwise/core/algorithm'
import { happenings } from '@turnwise/core/trace/happening'
import { sentence } from '@turnwise/core/trace/sentence'
import { describe, expect, test } from 'vitest'
import { club } from '../../simulator/test/membership-toys.ts'
import { counterexample } from '../src/property.ts'
import {
  checked,
  failures,
  fences,
  instanceOf,
  propertyOf,
  type SmallWorld,
  searched,
  told,
  worldsOf,
} from './harness.ts'
import { desk, FENCE, FENCE_VALUE, fickle, toyFacts } from './toys.ts'

interface DiaryState {
  /** What the host told it, in order. */
  told: string[]
  fence: number
}

type DiaryMessage = { readonly type: 'hello' }

/** Writes down what happens to it. A node that asks greets all others and enters. */
const diary: Algorithm<DiaryState, DiaryMessage> = {
  facts: toyFacts('diary', { topology: 'connected', entries: 'k' }),
  options: {},
  shapes: { state: { told: 'data', fence: FENCE_VALUE }, messages: { hello: {} }, fence: FENCE },
  init: () => ({ told: [], fence: 0 }),
  request(node, here) {
    here.sendToOthers({ type: 'hello' })
    node.fence += 1
    here.enter(node.fence)
  },
  release: (node) => void node.told.push('release'),
  receive: { hello: (node, _here, _hello, from) => void node.told.push(`hello ${from}`) },
  suspect: (node, _here, peer) => void node.told.push(`suspect ${peer}`),
  restore: (node, _here, peer) => void node.told.push(`restore ${peer}`),
  restart: (node, _here, memory) => void node.told.push(memory ? 'restart' : 'amnesia'),
  join: (node, _here, sponsor) => void node.told.push(`join ${sponsor}`),
  leave: (node) => void node.told.push('leave'),
  linked: (node, _here, peer) => void node.told.push(`linked ${peer}`),
  unlinked: (node, _here, peer) => void node.told.push(`unlinked ${peer}`),
}

/** Remembers nothing, so that only what the host keeps tells worlds apart. */
const blank: Algorithm<DiaryState, DiaryMessage> = {
  ...diary,
  receive: { hello: () => {} },
  suspect: () => {},
  restore: () => {},
  restart: () => {},
  join: () => {},
  leave: () => {},
  linked: () => {},
  unlinked: () => {},
}

function without(...handlers: (keyof typeof blank)[]): typeof blank {
  const kept = Object.entries(blank).filter(([name]) => !handlers.some((handler) => handler === name))
  return Object.fromEntries(kept) as unknown as typeof blank
}

const undetected = without('suspect', 'restore')

const STILL = { requests: 0 }

function counted(algorithm: Parameters<typeof searched>[0], world: SmallWorld) {
  const search = searched(algorithm, { ...STILL, ...world })
  expect(search.isComplete).toBe(true)
  return { states: search.states, transitions: search.transitions }
}

/** All diaries that some node has in some world; there is a place inside for everyone. */
function diaries(world: SmallWorld): Set<string> {
  const found = new Set<string>()
  const search = searched(diary, { ...world, setup: { entries: world.nodes } })
  expect(search.isComplete).toBe(true)
  for (const { locals } of worldsOf(search)) {
    for (const { status, state } of locals) {
      if (status !== 'crashed' && status !== 'absent') found.add((state as DiaryState).told.join(', '))
    }
  }
  return found
}

describe('worlds counted by hand, where nobody asks', () => {
  test('restarts: runs, dead, runs, dead for good', () => {
    const world = { nodes: 1, memory: 'kept', budgets: { crashes: 2, restarts: 1 } } as const
    expect(counted(undetected, world)).toEqual({ states: 4, transitions: 3 })
    // With or without its memory makes no difference to who remembers nothing: one more step, no more worlds.
    expect(counted(undetected, { ...world, memory: 'either' })).toEqual({ states: 4, transitions: 4 })
    // Runs, dead; then it remembers how it came back: two worlds, and dead.
    expect(counted(diary, { ...world, memory: 'either' })).toEqual({ states: 5, transitions: 5 })
    expect(counted(diary, { ...world, memory: 'lost' })).toEqual({ states: 4, transitions: 3 })
  })

  test('restarts, two nodes: each may die and come back, and then none', () => {
    // Both run; one of two is dead; both run again.
    const world = { nodes: 2, memory: 'kept', budgets: { crashes: 1, restarts: 1 } } as const
    expect(counted(undetected, world)).toEqual({ states: 4, transitions: 4 })
  })

  test('channels: one end hears, the other hears', () => {
    // Whole; gone and one knows, both know; back and one knows, both know.
    expect(counted(blank, { nodes: 2, budgets: { unlinks: 1, links: 1 } })).toEqual({
      states: 5,
      transitions: 4,
    })
    expect(counted(blank, { nodes: 2, budgets: { unlinks: 1 } })).toEqual({ states: 3, transitions: 2 })
    // On a line of three one channel is new, in a ring none.
    expect(counted(blank, { nodes: 3, topology: 'line', budgets: { links: 1 } }).states).toBe(3)
    expect(counted(blank, { nodes: 3, topology: 'ring', budgets: { links: 1 } }).states).toBe(1)
    // Any of three fails, and nothing else: the first world and two for each.
    expect(counted(blank, { nodes: 3, topology: 'ring', budgets: { unlinks: 1 } }).states).toBe(7)
  })

  test('joins: it joins, then both ends of its channel hear', () => {
    // Through nobody or through node 0: two steps to one world.
    expect(counted(blank, { nodes: 2, budgets: { joins: 1 } })).toEqual({ states: 4, transitions: 4 })
    expect(counted(without('linked'), { nodes: 2, budgets: { joins: 1 } })).toEqual({
      states: 2,
      transitions: 2,
    })
  })

  test('leaves: it is told, it is gone, the other hears; the last member stays', () => {
    expect(counted(blank, { nodes: 2, budgets: { leaves: 1 } })).toEqual({ states: 7, transitions: 6 })
    expect(counted(blank, { nodes: 2, budgets: { leaves: 2 } })).toEqual({ states: 7, transitions: 6 })
    expect(counted(blank, { nodes: 1, budgets: { leaves: 1 } })).toEqual({ states: 1, transitions: 0 })
  })

  test('leaves and joins: who has left may come again', () => {
    // Node 1 is absent: it joins (3 worlds more), then node 0 or 1 leaves (3 each). Alone node 0 does not leave.
    expect(counted(blank, { nodes: 2, budgets: { joins: 1, leaves: 1 } }).states).toBe(10)
    // Both are there; one of them leaves (3 worlds each), and comes again: 3 worlds, the same for both.
    expect(counted(blank, { nodes: 2, budgets: { joins: 1, leaves: 1 }, setup: { absent: [] } }).states).toBe(
      10,
    )
  })
})

describe('as often as the budget says', () => {
  const most = (world: SmallWorld, what: RegExp) =>
    Math.max(...[...diaries({ ...STILL, ...world })].map((page) => page.split(what).length - 1))

  test.each([1, 2, 3])('%d', (times) => {
    const world = { nodes: 2, memory: 'kept' } as const
    expect(most({ ...world, budgets: { crashes: 3, restarts: times } }, /restart/)).toBe(times)
    expect(most({ ...world, budgets: { unlinks: times, links: 3 } }, /\bunlinked/)).toBe(times)
    expect(most({ ...world, budgets: { unlinks: 3, links: times } }, /\blinked/)).toBe(times)
    // Node 0 hears of every coming and going of the other.
    expect(most({ ...world, budgets: { joins: times, leaves: 3 } }, /\blinked/)).toBe(times)
    expect(most({ ...world, budgets: { joins: 3, leaves: times } }, /\bunlinked/)).toBe(times)
  })
})

describe('a node that runs again', () => {
  const crashing = { nodes: 2, budgets: { crashes: 1, restarts: 1 } } as const

  test('with its memory, without it, or either', () => {
    const pages = (memory: SmallWorld['memory']) => [
      ...diaries({ ...crashing, ...STILL, ...(memory && { memory }) }),
    ]
    expect(pages('kept').some((page) => page.startsWith('amnesia'))).toBe(false)
    expect(pages('lost').some((page) => page.startsWith('restart'))).toBe(false)
    for (const page of ['restart', 'amnesia']) expect(pages('either')).toContain(page)
  })

  test('releases what it held before anything else happens, and was not inside since the crash', () => {
    expect(diaries({ ...crashing, memory: 'kept' })).toContain('restart, release')
    let held = 0
    const search = searched(diary, { ...crashing, memory: 'kept', setup: { entries: 2 } })
    for (const { locals } of worldsOf(search)) {
      for (const { status, churn } of locals) {
        if (status !== 'inside no more') continue
        held += 1
        expect(churn?.due).toEqual([{ is: 'leave' }])
      }
    }
    expect(held).toBeGreaterThan(5)
    const alone = checked(diary, { nodes: 1, memory: 'kept', budgets: { crashes: 1, restarts: 1 } })
    expect(failures(alone)).toEqual([])
  })

  test('takes its request back where there is a rule for that', () => {
    const statuses = (algorithm: typeof desk) =>
      new Set(
        [...worldsOf(searched(algorithm, { ...crashing, memory: 'kept', setup: { entries: 1 } }))].flatMap(
          ({ locals }) => locals.filter(({ churn }) => churn?.due.length === 0).map(({ status }) => status),
        ),
      )
    expect(statuses(fickle)).not.toContain('waiting unwanted')
    expect(statuses(desk)).toContain('waiting unwanted')
    expect(statuses(desk)).toContain('inside unwanted')
  })

  test('finds what was sent to it before the crash, if that has not arrived meanwhile', () => {
    const pages = diaries({ ...crashing, memory: 'kept' })
    for (const page of ['hello 0', 'restart, hello 0', 'hello 0, restart']) expect(pages).toContain(page)
    const result = checked(desk, { ...crashing, memory: 'kept', setup: { entries: 1 } })
    const deadlock = propertyOf(result, 'no-deadlock')
    expect(told(deadlock)).toEqual(['1 request', '0 crash', '0 lose ask', '0 restart'])
    expect(deadlock.trace?.find(({ is }) => is === 'lose')).toMatchObject({ why: 'crash', node: 0 })
  })

  test('is suspected and trusted again by everyone, however soon it is back', () => {
    const pages = [...diaries({ ...crashing, ...STILL, memory: 'kept' })]
    expect(pages).toContain('suspect 0, restore 0')
    expect(pages.filter((page) => page.startsWith('restore'))).toEqual([])
    const last = [...worldsOf(searched(diary, { ...crashing, ...STILL, memory: 'kept' }))].at(-1)
    expect(last?.locals.map(({ state }) => (state as DiaryState).told.at(-1)).toSorted()).toEqual([
      expect.stringMatching(/restart|restore/),
      expect.stringMatching(/restart|restore/),
    ])
  })

  test('comes back if it can: that it is away is no deadlock yet', () => {
    const patient: typeof desk = { ...desk, receive: { ...desk.receive } }
    const world = { nodes: 2, memory: 'kept', setup: { entries: 1 } } as const
    const forGood = checked(patient, { ...world, budgets: { crashes: 1 } })
    expect(told(propertyOf(forGood, 'no-deadlock'))).toEqual(['1 request', '0 crash'])
    const back = checked(patient, { ...world, budgets: { crashes: 1, restarts: 1 } })
    expect(told(propertyOf(back, 'no-deadlock'))).toContain('0 restart')
  })

  test('counts from the beginning if it has lost its memory, wherever the others are', () => {
    const world = { nodes: 1, requests: 2, budgets: { crashes: 1, restarts: 1 } }
    expect(fences(diary, { ...world, memory: 'kept' }).holds).toBe(true)
    const stale = fences(diary, { ...world, memory: 'lost' })
    expect(stale.reason).toBe('node 0 enters with fence 1 after fence 1')
    expect(told(stale)).toEqual(['0 request', '0 crash', '0 restart', '0 request'])
  })
})

describe('who comes and goes', () => {
  test('a message that finds nobody there comes back, after the news that the channel is gone', () => {
    const pages = new Set<string>()
    const world = { nodes: 2, setup: { entries: 2 }, budgets: { unlinks: 1 } }
    const chatty: typeof club = {
      ...club,
      facts: { ...club.facts, entries: 'k' },
      request(node, here) {
        here.sendToOthers({ type: 'coming?' })
        club.request(node, here, { mode: 'exclusive', priority: 0 })
      },
    }
    for (const { locals } of worldsOf(searched(chatty, world))) {
      for (const { state } of locals) if ('told' in state) pages.add((state as DiaryState).told.join(', '))
    }
    expect(pages).toContain('start, unlinked 1, coming? to 1 came back')
    expect([...pages].filter((page) => page.startsWith('start, coming?'))).toEqual([])
  })

  test('one that leaves asks no more, and is there until nothing of it is under way', () => {
    let leaving = 0
    for (const { locals, mail } of worldsOf(searched(club, { nodes: 2, budgets: { leaves: 1 } }))) {
      for (const { node, status, churn } of locals) {
        if (churn?.isLeaving === true) {
          leaving += 1
          expect(status).toBe('idle')
        }
        if (status === 'absent')
          expect(mail.filter(({ from, to }) => from === node || to === node)).toEqual([])
      }
    }
    expect(leaving).toBeGreaterThan(2)
  })

  test('one that crashes while it leaves does not come back', () => {
    const world = {
      nodes: 2,
      ...STILL,
      memory: 'kept',
      budgets: { crashes: 1, restarts: 1, leaves: 1 },
    } as const
    const pages = [...diaries(world)]
    expect(pages.filter((page) => page.includes('leave, restart'))).toEqual([])
    expect(pages.some((page) => page.includes('restart, leave'))).toBe(true)
  })

  test('a crashed node hears of channels when it runs again', () => {
    const world = { nodes: 2, ...STILL, budgets: { crashes: 1, restarts: 1, unlinks: 1 } } as const
    const pages = [...diaries({ ...world, memory: 'kept' })]
    expect(pages).toContain('restart, unlinked 1')
    expect([...diaries({ ...world, memory: 'lost' })]).toContain('amnesia, unlinked 1')
  })
})

test('a run with a crash and a restart, told in words', () => {
  const world = { nodes: 2, setup: { entries: 1 }, budgets: { crashes: 1, restarts: 1 } } as const
  const deadlock = propertyOf(checked(desk, { ...world, memory: 'kept' }), 'no-deadlock')
  const trace = counterexample(instanceOf(desk, world), deadlock)
  expect(trace === null ? [] : [...happenings(trace)].map((happening) => sentence(happening))).toEqual([
    '1 asks; sends ask to 0',
    '0 crashes',
    'ask from 1 to 0 is lost to a crash (sent 1.000)',
    '0 restarts with its memory',
    'VIOLATION no-deadlock: node 1 waits, and nothing can happen but new requests',
  ])
})

test('a run with nodes and channels that come and go, told in words', () => {
  /** Wants nobody whom it once had a channel to. */
  const touchy: typeof club = {
    ...club,
    linked(node, here, peer) {
      if (node.told.includes(`unlinked ${peer}`)) impossible('once was enough')
      club.linked?.(node, here, peer)
    },
  }
  const run = (budgets: SmallWorld['budgets']) => {
    const world = { nodes: 2, requests: 0, ...(budgets && { budgets }) }
    const trace = counterexample(instanceOf(touchy, world), propertyOf(checked(touchy, world), 'rules'))
    return trace === null ? [] : [...happenings(trace)].map((happening) => sentence(happening))
  }
  expect(run({ unlinks: 1, links: 1 })).toEqual([
    '0 has no channel to 1 any more',
    '1 has no channel to 0 any more',
    '0 has a channel to 1 now',
    'VIOLATION rules: once was enough',
  ])
  expect(run({ joins: 2, leaves: 1 })).toEqual([
    '1 joins',
    '0 has a channel to 1 now',
    '1 has a channel to 0 now',
    '1 is to leave the system; sends farewell to 0',
    '0 receives farewell from 1 (sent 4.000); sends well to 1',
    '1 receives well from 0 (sent 5.000)',
    '1 is gone',
    '0 has no channel to 1 any more',
    '1 joins',
    '0 has a channel to 1 now',
    'VIOLATION rules: once was enough',
  ])
})
