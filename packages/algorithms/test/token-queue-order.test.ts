import { type Algorithm, impossible } from '@turnwise/core/algorithm'
import { describe, expect, test } from 'vitest'
import { checkModel, instanceOf, type Model } from '../../../scripts/models.ts'
import { extent } from '../../../test/extent.ts'
import { type Message, type State, tokenQueue } from '../src/token/token-queue.ts'

type Place = State['queue'][number]

/** A place that counts the exclusive entries since it came into the line. */
interface Counted extends Place {
  readonly passed?: number
}

/**
 * Says `impossible` where a place in line is passed by more exclusive entries than this. Only who has the token, and
 * with it the line, enters exclusively: so a place can count for itself, there and in the token.
 */
function passedAtMost(most: number): Algorithm<State, Message> {
  const { shapes, receive } = tokenQueue
  const PLACES = { list: { fields: { node: 'node', mode: 'data', passed: 'data' } } } as const
  const counting = (node: State, handle: () => void) => {
    const wasInside = node.inside
    handle()
    if (node.inside !== 'exclusive' || wasInside === 'exclusive') return
    node.queue = node.queue.map((place: Counted): Counted => {
      const passed = (place.passed ?? 0) + 1
      if (passed > most) impossible(`the place of node ${place.node} is passed ${passed} times`)
      return { ...place, passed }
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

function failing(most: number, model: Model): string | null {
  return checkModel(instanceOf(passedAtMost(most), model)).failure?.name ?? null
}

describe('a place in line is passed by n-1 exclusive entries at most, and that often, in runs of any length', () => {
  const worlds: readonly Model[] = [
    ...extent([2, 3], [2, 3, 4]).map((nodes): Model => ({ nodes, requests: 'any' })),
    { nodes: 2, requests: 'any', readers: 'some', withdrawals: extent(1, 3) },
    ...extent<Model[]>([], [{ nodes: 3, requests: 'any', readers: 'some' }]),
  ]

  test.each(worlds)('%j', (world) => {
    expect(failing(world.nodes - 1, world)).toBeNull()
    expect(failing(world.nodes - 2, world)).toBe('rules')
  })
})
