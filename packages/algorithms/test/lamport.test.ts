import { expect, test } from 'vitest'
import { measured, SIZES } from './measured.ts'

/** What Velazquez (1993, section 5) says of Lamport's algorithm. */

// shows ricart-agrawala-1981 1 Introduction
// shows velazquez-1993 5 Lamport
test('every entry costs exactly 3(n-1) messages: a request, a reply and a release for each other node', () => {
  for (const load of ['light', 'heavy']) {
    for (const nodes of SIZES) {
      const { messages } = measured('lamport', { nodes, load, entries: 40, latency: 'uniform:0.5,1.5' })
      const each = 40 * (nodes - 1)
      expect(messages.byType).toEqual({ release: each, reply: each, request: each })
    }
  }
})

test('replies that a later request already stands for can be saved: 2(n-1) to 3(n-1)', () => {
  for (const nodes of SIZES) {
    const heavy = measured('lamport', { nodes, load: 'heavy', entries: 100, set: ['savereplies=true'] })
    expect(heavy.messages.perEntry).toBeGreaterThanOrEqual(2 * (nodes - 1))
    expect(heavy.messages.perEntry).toBeLessThan(3 * (nodes - 1))
    const light = measured('lamport', { nodes, load: 'light', entries: 20, set: ['savereplies=true'] })
    expect(light.messages.perEntry).toBe(3 * (nodes - 1))
  }
})

// shows velazquez-1993 5 Lamport
// shows claim permissions-in-order
test('entries follow timestamps, so nobody is overtaken by a request made after its own was known', () => {
  const { fairness, syncDelay } = measured('lamport', { nodes: 10, load: 'heavy', entries: 500 })
  expect(fairness.maxBypass).toBe(0)
  expect(syncDelay).toEqual({ mean: 1, max: 1 })
})
