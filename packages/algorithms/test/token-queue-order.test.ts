import { type Algorithm, type Here, impossible } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { describe, expect, test } from 'vitest'
import { checkModel, instanceOf, type Model } from '../../../scripts/models.ts'
import { extent } from '../../../test/extent.ts'
import { type Message, type Options, type State, tokenQueue } from '../src/token/token-queue.ts'

type Place = State['queue'][number]

/** A place that counts the exclusive entries since it came into the line. */
interface Counted extends Place {
  readonly overtaken?: number
}

/**
 * Says `impossible` where a place in line is passed by more exclusive entries than this. Only who has the token, and
 * with it the line, enters exclusively: so a place can count for itself, there and in the token.
 */
function passedAtMost(most: number): Algorithm<State, Message, Options> {
  const { shapes, receive } = tokenQueue
  const PLACES = {
    list: { fields: { node: 'node', mode: 'data', level: 'data', passed: 'data', overtaken: 'data' } },
  } as const
  const counting = (node: State, handle: () => void) => {
    const wasInside = node.inside
    handle()
    if (node.inside !== 'exclusive' || wasInside === 'exclusive') return
    node.queue = node.queue.map((place: Counted): Counted => {
      const overtaken = (place.overtaken ?? 0) + 1
      if (overtaken > most) impossible(`the place of node ${place.node} is overtaken ${overtaken} times`)
      return { ...place, overtaken }
    })
  }
  return {
    ...tokenQueue,
    shapes: {
      ...shapes,
      state: { ...shapes.state, queue: PLACES },
      messages: {
        ...shapes.messages,
        token: { ...shapes.messages.token, places: PLACES },
      },
    },
    request: (node, here, ask) => counting(node, () => tokenQueue.request(node, here, ask)),
    withdraw: (node, here) => counting(node, () => tokenQueue.withdraw?.(node, here)),
    proceed: (node, here, step) => counting(node, () => tokenQueue.proceed?.(node, here, step)),
    receive: {
      ...receive,
      request: (node, here, message, from) =>
        counting(node, () => receive.request(node, here, message, from)),
      token: (node, here, message, from) => counting(node, () => receive.token(node, here, message, from)),
      returned: (node, here, message, from) =>
        counting(node, () => receive.returned(node, here, message, from)),
    },
  }
}

/** Each node has its own opinion of which zone the others are in. */
function withOpinions(
  algorithm: Algorithm<State, Message, Options>,
  opinions: readonly (readonly number[])[],
): Algorithm<State, Message, Options> {
  const { receive } = algorithm
  const seen = (here: Here<Message, Options>): Here<Message, Options> => ({
    ...here,
    self: here.self,
    setup: { ...here.setup, zoneOfNode: get(opinions, here.self) },
    send: (to, message) => here.send(to, message),
    enter: (fence) => here.enter(fence),
    proceed: (step) => here.proceed(step),
  })
  return {
    ...algorithm,
    request: (node, here, ask) => algorithm.request(node, seen(here), ask),
    withdraw: (node, here) => algorithm.withdraw?.(node, seen(here)),
    proceed: (node, here, step) => algorithm.proceed?.(node, seen(here), step),
    receive: {
      ...receive,
      request: (node, here, message, from) => receive.request(node, seen(here), message, from),
      token: (node, here, message, from) => receive.token(node, seen(here), message, from),
    },
  }
}

function failing(most: number, model: Model): string | null {
  return checkModel(instanceOf(passedAtMost(most), model)).failure?.name ?? null
}

describe('exclusive entries overtake a place in line at most so often, and that often, in runs of any length', () => {
  const equal: readonly Model[] = [
    ...extent([2, 3], [2, 3, 4]).map((nodes): Model => ({ nodes, requests: 'any' })),
    { nodes: 2, requests: 'any', readers: 'some', withdrawals: extent(1, 3) },
    ...extent<Model[]>([], [{ nodes: 3, requests: 'any', readers: 'some' }]),
  ]

  test.each(equal)('all requests are equal: n-1 %j', (world) => {
    expect(failing(world.nodes - 1, world)).toBeNull()
    expect(failing(world.nodes - 2, world)).toBe('rules')
  })

  const urgent: readonly (readonly [passes: number, world: Model])[] = [
    [1, { nodes: 2, requests: 'any', priorities: 2 }],
    [3, { nodes: 2, requests: 'any', priorities: 2 }],
    [1, { nodes: 2, requests: 'any', priorities: 2, readers: 'some', withdrawals: 1 }],
    ...extent<[number, Model][]>([], [[1, { nodes: 3, requests: 'any', priorities: 2 }]]),
  ]

  test.each(urgent)('some are more urgent: n-1+passes, with %i %j', (passes, world) => {
    const set = [`passes=${passes}`]
    expect(failing(world.nodes - 1 + passes, { ...world, set })).toBeNull()
    expect(failing(world.nodes - 2 + passes, { ...world, set })).toBe('rules')
  })

  test('near ones go first: n-1+passes, and n-1+localTurns where two zones have fewer', () => {
    const world = (...set: string[]): Model => ({ nodes: 3, requests: 'any', set: ['zones=2', ...set] })
    expect(failing(3, world('localTurns=2', 'passes=1'))).toBeNull()
    expect(failing(2, world('localTurns=2', 'passes=1'))).toBe('rules')
    expect(failing(3, world('localTurns=1', 'passes=5'))).toBeNull()
    expect(failing(2, world('localTurns=1', 'passes=5'))).toBe('rules')
  })

  test('nodes that disagree about zones: the same bound, and every other property', () => {
    const model: Model = { nodes: 3, requests: 'any', set: ['localTurns=2', 'passes=1'] }
    const OPINIONS = [
      [0, 0, 1],
      [1, 0, 0],
      [0, 1, 0],
    ]
    const checked = (most: number) =>
      checkModel(instanceOf(withOpinions(passedAtMost(most), OPINIONS), model)).failure?.name ?? null
    expect(checked(3)).toBeNull()
    expect(checked(2)).toBe('rules')
  })

  test('with passes=0 none', () => {
    expect(failing(2, { nodes: 3, requests: 'any', priorities: 2, set: ['passes=0'] })).toBeNull()
  })
})
