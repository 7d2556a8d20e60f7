import type { Algorithm, AnyAlgorithm, NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import type { TraceEvent } from '@turnwise/core/trace/trace'
import { describe, expect, test } from 'vitest'
import { Explored } from '../src/explored.ts'
import type { PropertyResult } from '../src/property.ts'
import type { Search } from '../src/search.ts'
import { type Lasso, starvation } from '../src/starvation.ts'
import {
  checked,
  failures,
  instanceOf,
  propertyOf,
  type SmallWorld,
  type SpelledWorld,
  told,
  worldsOf,
} from './harness.ts'
import { replay } from './stage-replay.ts'
import { heir, rightNeighbour, ring, treadmill } from './toys.ts'

const ANY = { nodes: 3, requests: null }
/** Past node 1, which waits for ever. */
const skipsOne = ring(({ self }) => (self === 0 ? 2 : 0))
/** Past the neighbour, if it feels like it. */
const wanders = ring((here) => (here.self + 1 + here.random(2)) % here.setup.nodes)
/** A node that asks again while the token is here gets it again. */
const greedy: AnyAlgorithm = {
  ...ring(rightNeighbour),
  release(node, here) {
    Object.assign(node, { using: false })
    here.setTimer('hop', 1)
  },
}

function lassoOf(search: Search): Lasso {
  const lasso = starvation(new Explored(search))
  if (lasso === null) throw new Error('nobody starves')
  return lasso
}

/** The loop of a told run, as one event for each step. */
function loopOf({ trace, repeatsFrom }: PropertyResult): TraceEvent[] {
  if (trace === null || repeatsFrom === null) throw new Error('nothing repeats')
  return trace.slice(repeatsFrom)
}

/** What has to happen in a world, sooner or later, as far as toys go: written as what `happensIn` writes. */
function owed({ locals, mail }: SpelledWorld): string[] {
  return [
    ...mail.map(({ from, to, message }) => `${to} hears ${message.type} from ${from}`),
    ...locals.filter(({ status }) => status === 'inside').map(({ node }) => `${node} leaves`),
    ...locals.flatMap(({ node, timers }) => timers.map((timer) => `${node} ${timer}`)),
  ]
}

function happensIn(events: readonly TraceEvent[], all: readonly TraceEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.is === 'leave') return [`${event.node} leaves`]
    if (event.is === 'timeout') return [`${event.node} ${event.timer}`]
    if (event.is !== 'receive') return []
    const sent = all.find((other) => other.is === 'send' && other.id === event.id)
    return sent?.is === 'send' ? [`${event.node} hears ${sent.message.type} from ${sent.from}`] : []
  })
}

/** A real lasso: it comes back to where it began, the node waits all the way, and nothing is put off for ever. */
function expectLasso(algorithm: AnyAlgorithm, world: SmallWorld): { node: NodeId; property: PropertyResult } {
  const result = checked(algorithm, world)
  const { search } = result.check
  const property = propertyOf(result, 'no-starvation')
  const { node, state, loop } = lassoOf(search)
  const states = [state, ...loop.map(({ to }) => to)]
  expect(states.at(-1)).toBe(state)
  expect(loop.length).toBeGreaterThan(0)
  const spelled = [...worldsOf(search)]
  const along = states.map((at) => get(spelled, at))
  for (const { locals } of along) expect(locals[node]?.status).toBe('waiting')
  const { edges } = new Explored(search)
  loop.forEach(({ to }, i) => {
    const targets = []
    for (let edge = edges.from(get(states, i)); edge < edges.to(get(states, i)); edge += 1)
      targets.push(edges.target(edge))
    expect(targets).toContain(to)
  })
  const always = owed(get(along, 0)).filter((what) => along.every((here) => owed(here).includes(what)))
  const happens = happensIn(loopOf(property), property.trace ?? [])
  expect(always.filter((what) => !happens.includes(what))).toEqual([])
  expect(property.reason).toBe(`node ${node} waits while the rest repeats for ever`)
  return { node, property }
}

describe('a token that turns for ever', () => {
  test('starves nobody: where it must come by, it comes by', () => {
    const result = checked(ring(rightNeighbour), ANY)
    expect(result.complete).toBe(true)
    expect(failures(result)).toEqual([])
  })

  test('starves nobody either if it is slow: what is under way arrives, but nobody knows when', () => {
    expect(failures(checked(ring(rightNeighbour), { ...ANY, channels: 'fifo' }))).toEqual([])
    expect(failures(checked(ring(rightNeighbour), { nodes: 2, requests: 3 }))).toEqual([])
  })

  test('past a node: it can never enter, and starves', () => {
    expect(failures(checked(skipsOne, ANY))).toEqual(['can-enter', 'no-starvation', 'sometimes-all-enter'])
    const { node, property } = expectLasso(skipsOne, ANY)
    expect(node).toBe(1)
    // The token is with node 0 or on its way to node 2 and back; nobody else comes into it.
    expect(new Set(told({ ...property, trace: loopOf(property) }).map((step) => step.split(' ')[0]))).toEqual(
      new Set(['0', '2']),
    )
  })

  // shows kessler-2024 Mutual Exclusion: basic requirements
  test('past a node by whim: it could always enter, and starves all the same', () => {
    expect(failures(checked(wanders, ANY))).toEqual(['no-starvation'])
    expectLasso(wanders, ANY)
  })

  // shows velazquez-1993 2 Requirements
  test('kept by a node that asks again and again: the others starve', () => {
    const { property, node } = expectLasso(greedy, ANY)
    expect(failures(checked(greedy, ANY))).toEqual(['no-starvation'])
    expect(node).not.toBe(0)
    expect(told({ ...property, trace: loopOf(property) })).toEqual(['0 timeout hop', '0 leave', '0 request'])
    // With a bounded number of requests it has to stop.
    expect(failures(checked(greedy, { nodes: 3, requests: 2 }))).toEqual([])
  })
})

test('the loop of a run can be played on a stage as often as one likes, and changes nothing but the fences', () => {
  const property = propertyOf(checked(skipsOne, ANY), 'no-starvation')
  const { trace, repeatsFrom } = property
  if (trace === null || repeatsFrom === null) throw new Error('nothing repeats')
  const instance = instanceOf(skipsOne, ANY)
  const begins = replay(instance, trace.slice(0, repeatsFrom))
  const ends = replay(instance, trace)
  const situation = (stage: typeof ends) => ({
    states: stage.states.map((state) => ({ ...state, token: 'token' in state && state.token !== null })),
    underWay: stage.underWay.map(({ from, to, message }) => ({ from, to, type: message.type })),
    statuses: stage.states.map((_, node) => stage.statusOf(node)),
  })
  expect(situation(ends)).toEqual(situation(begins))
  expect(ends.statusOf(1)).toBe('waiting')
  expect(ends.jury.entries).toBeGreaterThan(begins.jury.entries)
})

describe('fairness', () => {
  test('everything that can always happen happens in the loop, though it changes nothing', () => {
    // Both tick for ever, and each tick leads back to the same state: the run must show both.
    const { property } = expectLasso(treadmill, { nodes: 2 })
    expect(told({ ...property, trace: loopOf(property) }).toSorted()).toEqual([
      '0 timeout tick',
      '1 timeout tick',
    ])
    expect(told(property).slice(0, 2)).toEqual(['0 request', '1 receive wake'])
  })

  /** A node that asks enters after a while of its own, and nags the other, which nags back, for ever. */
  const patient = (restarts: boolean): AnyAlgorithm => {
    const toy: Algorithm<{ waits: boolean }, { readonly type: 'wake' }> = {
      facts: { ...treadmill.facts, entries: 'k', timers: { tick: 'time-out', nag: 'time-out' } },
      options: {},
      shapes: { ...treadmill.shapes, state: { waits: 'data' } },
      init: () => ({ waits: false }),
      request(node, here) {
        node.waits = true
        here.setTimer('tick', 1)
        here.sendToOthers({ type: 'wake' })
      },
      release: () => {},
      timeout(node, here, timer) {
        if (timer === 'nag') return here.sendToOthers({ type: 'wake' })
        node.waits = false
        here.enter(1)
      },
      receive: {
        wake(node, here) {
          if (restarts && node.waits) here.setTimer('tick', 1)
          here.setTimer('nag', 1)
        },
      },
    }
    return toy
  }

  test('a timer that runs on fires, bound or not, but not one that is started anew for ever', () => {
    const starves = (restarts: boolean, timing: 'bounded' | 'any') =>
      failures(checked(patient(restarts), { nodes: 2, timing, setup: { entries: 2 } })).includes(
        'no-starvation',
      )
    expect(starves(false, 'bounded')).toBe(false)
    expect(starves(true, 'bounded')).toBe(true)
    expect(starves(false, 'any')).toBe(false)
    expect(starves(true, 'any')).toBe(true)
  })

  test('a crash is noticed: a node that waits for that does not starve', () => {
    const result = checked(heir(true), { nodes: 2, budgets: { crashes: 1 } })
    expect(result.complete).toBe(true)
    expect(failures(result)).toEqual([])
    const deaf: AnyAlgorithm = { ...heir(true), suspect: () => {} }
    expect(failures(checked(deaf, { nodes: 2, budgets: { crashes: 1 } }))).toEqual([
      'can-enter',
      'no-starvation',
    ])
    expectLasso(deaf, { nodes: 2, budgets: { crashes: 1 } })
  })
})

describe('can-enter', () => {
  test.each([{ withdrawals: 1 }, { crashes: 1 }, { withdrawals: 2, crashes: 1 }])(
    'a request that could be taken back, or die with its node, has still to be let in: %o',
    (budgets) => {
      const result = checked(treadmill, { nodes: 2, budgets })
      expect(failures(result)).toContain('can-enter')
      expect(told(propertyOf(result, 'can-enter'))).toEqual(['0 request'])
    },
  )
})
