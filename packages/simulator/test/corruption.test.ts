import type { Message } from '@turnwise/core/algorithm'
import { randomStream } from '@turnwise/core/random'
import { describe, expect, test } from 'vitest'
import { corrupted } from '../src/corruption.ts'
import { freeze } from './harness.ts'

const TYPES = ['request', 'reply', 'token']

/** What becomes of a message under many seeds. */
function corruptions<M extends Message>(message: M, types = TYPES): M[] {
  freeze(message)
  return Array.from(
    { length: 200 },
    (_, seed) => corrupted(message, types, randomStream(seed, 'faults')) as M,
  )
}

describe('a corrupted message', () => {
  test('has another number, near the old one', () => {
    const numbers = new Set(corruptions({ type: 'request', number: 5 }).map(({ number }) => number))
    expect([...numbers].toSorted()).toEqual([2, 3, 4, 6, 7, 8])
  })

  test('has a flag turned, or something for nothing', () => {
    expect(new Set(corruptions({ type: 'reply', late: false }).map(({ late }) => late))).toEqual(
      new Set([true]),
    )
    const something = new Set(corruptions({ type: 'reply', to: null }).map(({ to }) => to))
    expect([...something].toSorted()).toEqual([0, 1, 2, 3])
  })

  // shows velazquez-1993 2.1 The model, failures
  test('differs in exactly one place, however deep, and the original stays as it was', () => {
    const message = { type: 'token', token: { queue: [1, 2], served: [7, 8, 9], fence: 3 } }
    const places = new Set<string>()
    for (const { type, token } of corruptions(message)) {
      expect(type).toBe('token')
      const now = [...token.queue, ...token.served, token.fence]
      const differing = [1, 2, 7, 8, 9, 3].flatMap((value, index) => (value === now[index] ? [] : [index]))
      expect(differing).toHaveLength(1)
      places.add(differing.join())
    }
    expect(places.size).toBe(6)
    expect(message).toEqual({ type: 'token', token: { queue: [1, 2], served: [7, 8, 9], fence: 3 } })
  })

  test('with nothing but a type becomes one of another type, if there is another', () => {
    const types = new Set(corruptions({ type: 'reply' }).map(({ type }) => type))
    expect([...types].toSorted()).toEqual(['request', 'token'])
    expect(corruptions({ type: 'reply' }, ['reply'])[0]).toEqual({ type: 'reply' })
  })

  test('leaves texts alone', () => {
    const modes = new Set(corruptions({ type: 'ask', mode: 'shared', node: 1 }).map(({ mode }) => mode))
    expect(modes).toEqual(new Set(['shared']))
  })
})
