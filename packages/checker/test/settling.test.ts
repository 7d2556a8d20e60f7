/** Searches in which settled messages are received at once, against the full ones: the same worlds but for such receipts, and the same verdicts. */
import { variant as untested } from '@turnwise/algorithms/broken/ricart-agrawala-token-untested'
import { variant as withoutTick } from '@turnwise/algorithms/broken/ricart-agrawala-token-without-tick'
import { variant as interruptible } from '@turnwise/algorithms/broken/suzuki-kasami-interruptible-release'
import { variant as exactlyNext } from '@turnwise/algorithms/innocent/suzuki-kasami-exactly-next'
import { lamport } from '@turnwise/algorithms/permission/lamport'
import { ricartAgrawalaToken } from '@turnwise/algorithms/token/ricart-agrawala-token'
import { suzukiKasami } from '@turnwise/algorithms/token/suzuki-kasami'
import type { Algorithm, AnyAlgorithm } from '@turnwise/core/algorithm'
import { describe, expect, test } from 'vitest'
import { extent, LONG } from '../../../test/extent.ts'
import { check } from '../src/index.ts'
import { askableOf } from '../src/property.ts'
import { settlingFlaw } from '../src/settling-flaw.ts'
import { instanceOf, type SmallWorld, searched } from './harness.ts'
import { fails, quotient, stepsBetween, verdicts } from './settled-worlds.ts'
import { happened, replay } from './stage-replay.ts'
import { FENCE, FENCE_VALUE, toyFacts } from './toys.ts'

const PLENTY = 1_000_000

const WORLDS: { algorithm: AnyAlgorithm; world: SmallWorld }[] = [
  { algorithm: suzukiKasami, world: { nodes: 3, requests: 1 } },
  { algorithm: suzukiKasami, world: { nodes: 3, requests: 1, channels: 'fifo' } },
  { algorithm: ricartAgrawalaToken, world: { nodes: 3, requests: 1 } },
  ...extent<{ algorithm: AnyAlgorithm; world: SmallWorld }[]>(
    [],
    [
      { algorithm: suzukiKasami, world: { nodes: 3, requests: 1, set: ['scan=ascending'] } },
      { algorithm: suzukiKasami, world: { nodes: 3, requests: 2, channels: 'fifo' } },
      { algorithm: ricartAgrawalaToken, world: { nodes: 3, requests: 1, channels: 'fifo' } },
    ],
    [
      { algorithm: suzukiKasami, world: { nodes: 3, requests: 2 } },
      { algorithm: ricartAgrawalaToken, world: { nodes: 3, requests: 2 } },
    ],
  ),
]

describe.each(WORLDS)('$algorithm.facts.name, $world', ({ algorithm, world }) => {
  test('every step is that of the settled world, or a settled receipt', () => {
    const { flaw, isComplete } = settlingFlaw(instanceOf(algorithm, world), PLENTY)
    expect({ flaw, isComplete }).toEqual({ flaw: null, isComplete: true })
  })

  test('the full search has the same worlds and steps, but for settled receipts', () => {
    const full = searched(algorithm, world)
    const settled = searched(algorithm, { ...world, settled: true })
    const { worlds, steps } = quotient(full, settled)
    expect(worlds).toEqual(new Set(Array.from({ length: settled.states }, (_, state) => state)))
    expect(steps).toEqual(stepsBetween(settled, (state) => state))
    expect(settled.states).toBeLessThan(full.states)
  })

  test('the same verdicts and costs', () => {
    expect(verdicts(algorithm, { ...world, settled: true })).toEqual(verdicts(algorithm, world))
  })
})

const changed = (rules: Partial<typeof suzukiKasami>): AnyAlgorithm => ({ ...suzukiKasami, ...rules })

const { request, privilege } = suzukiKasami.receive

/** Suzuki-Kasami with a mistake. The settled messages stay as they are. */
const MISTAKES: Record<string, AnyAlgorithm> = {
  'interruptible release': interruptible.algorithm,
  'exactly next': exactlyNext.algorithm as AnyAlgorithm,
  'the holder passes the token on while it is inside': changed({
    receive: {
      privilege,
      request(node, here, message, from) {
        node.using = false
        request(node, here, message, from)
      },
    },
  }),
  'the token forgets its queue': changed({
    receive: {
      request,
      privilege: (node, here, { type, token }, from) =>
        privilege(node, here, { type, token: { ...token, queue: [] } }, from),
    },
  }),
  'a holder that leaves looks at nobody': changed({
    release(node) {
      node.using = false
    },
  }),
  'the holder keeps a copy of the token': changed({
    release(node, here) {
      const { token } = node
      suzukiKasami.release(node, here)
      if (here.self === 0) node.token = token
    },
  }),
  'the fence stands still': changed({
    receive: {
      request,
      privilege: (node, here, { type, token }, from) =>
        privilege(node, here, { type, token: { ...token, fence: 0 } }, from),
    },
  }),
}

/** What turns out to be no mistake. */
const HARMLESS = new Set(['exactly next', 'the token forgets its queue'])

describe.each(Object.entries(MISTAKES))('%s', (name, algorithm) => {
  const world = { nodes: 3, requests: 1 } as const

  test('the same verdict', () => {
    const full = check(algorithm, world)
    const settled = check(algorithm, { ...world, settled: true })
    const said = ({ properties }: typeof full) => properties.map(({ name, holds }) => [name, holds])
    expect(said(settled)).toEqual(said(full))
    expect(full.holds).toBe(HARMLESS.has(name))
    const steps = (trace: typeof full.counterexample) => new Set(trace?.events.map(({ at }) => at)).size
    expect(steps(settled.counterexample)).toBe(steps(full.counterexample))
  })

  test('property by property, so that none hides behind another: the same verdict, or none', LONG, () => {
    for (const property of askableOf(algorithm)) {
      const inFull = fails(algorithm, world, property)
      const inSettled = fails(algorithm, { ...world, settled: true }, property)
      if (inSettled !== null) expect([property, inSettled]).toEqual([property, inFull])
    }
  })

  test.each(['unordered', 'fifo'] as const)('a run against it is a run of the algorithm, %s', (channels) => {
    const { failure } = check(algorithm, { ...world, channels, settled: true })
    if (failure === null || failure.name === 'fences-rise') return
    const events = (failure.trace ?? []).filter(({ is }) => is !== 'violation')
    expect(events).not.toEqual([])
    const played = replay(instanceOf(algorithm, { ...world, channels }), events).events
    expect(happened(played)).toEqual(happened(events))
  })
})

test.each([untested, withoutTick])(
  '$algorithm.facts.name: the same verdicts as in the full search, or none',
  LONG,
  (variant) => {
    const { algorithm } = variant
    const world = { nodes: 3 }
    for (const property of askableOf(algorithm)) {
      const inSettled = fails(algorithm, { ...world, settled: true }, property)
      if (inSettled !== null)
        expect([property, inSettled]).toEqual([property, fails(algorithm, world, property)])
    }
  },
)

test('with logical clocks no request of Ricart and Agrawala is settled: it raises the clock of its receiver', () => {
  const world = { nodes: 3, set: ['stamps=clock'] }
  expect(searched(ricartAgrawalaToken, { ...world, settled: true }).states).toBe(
    searched(ricartAgrawalaToken, world).states,
  )
})

type Claim = NonNullable<typeof suzukiKasami.settled>

/** Requests of which some make a difference. */
const WRONG: Record<string, Claim> = {
  'all requests': (_states, underWay) => underWay.map(({ message }) => message.type === 'request'),
  'all messages': (_states, underWay) => underWay.map(() => true),
  'requests that are not served yet, to nodes without the token': (states, underWay) =>
    underWay.map(({ message, to }) => message.type === 'request' && states[to]?.token === null),
  'requests that were served, while the token is under way': (states, underWay, setup) =>
    underWay.map(
      (posted, i) =>
        suzukiKasami.settled?.(states, underWay, setup)[i] === true &&
        states.every(({ token }) => token === null) &&
        posted.message.type === 'request',
    ),
}

describe.each(Object.entries(WRONG))('if %s counted as settled', (_, settled) => {
  test('the comparison finds it, and the check is refused', () => {
    const wrong = { ...suzukiKasami, settled }
    expect(settlingFlaw(instanceOf(wrong, { nodes: 3 }), PLENTY).flaw).not.toBeNull()
    expect(() => check(wrong, { nodes: 3, settled: true })).toThrow(/^settle: /)
  })
})

test('a rule that was changed so that a late request makes a difference: the check is refused', () => {
  const lowers = changed({
    receive: {
      privilege,
      request(node, here, message, from) {
        const before = node.requested[from] ?? 0
        request(node, here, message, from)
        if (message.number < before) node.requested[from] = message.number
      },
    },
  })
  expect(() => check(lowers, { nodes: 3, requests: 'any', settled: true })).toThrow(
    'settle: settled messages change this step: node 2: receive a request from node 1, sends 0',
  )
})

/** Node 0 sends noise, then a key. Node 1 enters with the key, though node 0 is inside. */
const noisy: Algorithm<{ fence: number }, { readonly type: 'noise' | 'key' }> = {
  facts: toyFacts('noisy', {}),
  options: {},
  shapes: { state: { fence: FENCE_VALUE }, messages: { noise: {}, key: {} }, fence: FENCE },
  settled: (_states, underWay) => underWay.map(({ message }) => message.type === 'noise'),
  init: () => ({ fence: 0 }),
  request(_node, here) {
    if (here.self !== 0) return
    here.send(1, { type: 'noise' })
    here.send(1, { type: 'key' })
    here.enter(1)
  },
  release: () => undefined,
  receive: { noise: () => undefined, key: (_node, here) => here.enter(2) },
}

test('in a fifo channel a run has the settled messages that are in front of another', () => {
  const run = (channels: 'fifo' | 'unordered') =>
    check(noisy, { nodes: 2, channels, settled: true, only: ['exclusion'] }).counterexample
  const received = (channels: 'fifo' | 'unordered') =>
    run(channels)?.events.filter(({ is }) => is === 'receive').length
  expect([received('fifo'), received('unordered')]).toEqual([2, 1])
  expect([run('fifo'), run('unordered')].map((trace) => trace?.header.settings['found'])).toEqual([
    'a run against exclusion',
    'a shortest run against exclusion',
  ])
})

test('runs of any length come to an end, and all is decided', () => {
  for (const channels of ['unordered', 'fifo'] as const)
    expect(check(suzukiKasami, { nodes: 3, requests: 'any', channels, settled: true }).holds).toBe(true)
})

test('where nothing is proved, it is refused', () => {
  const refusals: [AnyAlgorithm, Partial<SmallWorld>, string][] = [
    [lamport, {}, 'settle: lamport does not say which messages are settled'],
    [suzukiKasami, { budgets: { drops: 1 } }, 'settle: with drops nothing is proved about settled messages'],
    [
      suzukiKasami,
      { setup: { dead: [1] } },
      'settle: with dead nodes nothing is proved about settled messages',
    ],
    [suzukiKasami, { room: 1 }, 'settle: a bound on channels would leave out other worlds'],
    [suzukiKasami, { reduced: true }, 'settle: with a reduction nothing is proved about settled messages'],
  ]
  for (const [algorithm, world, complaint] of refusals)
    expect(() => instanceOf(algorithm, { ...world, nodes: 2, settled: true })).toThrow(complaint)
})
