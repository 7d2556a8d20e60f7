import { randomStream } from '@turnwise/core/random'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EventQueue } from '../src/event-queue.ts'

interface Entry {
  readonly time: number
  readonly order: number
}

/** A list that is sorted anew whenever someone looks at it. */
class DumbQueue {
  readonly #entries: Entry[] = []
  #pushed = 0

  push(time: number): number {
    this.#pushed += 1
    this.#entries.push({ time, order: this.#pushed })
    return this.#pushed
  }

  pop(): Entry | undefined {
    this.#entries.sort((a, b) => a.time - b.time || a.order - b.order)
    return this.#entries.shift()
  }

  get length(): number {
    return this.#entries.length
  }
}

/** Pushes what names itself in every field, so that a mixed-up slot shows. */
function push(queue: EventQueue, time: number, order: number): void {
  queue.push(time, order % 11, order, -order, order * 3_000_000_000, { order })
}

function popped(queue: EventQueue) {
  if (!queue.pop()) return undefined
  const { time, kind, node, other, id, payload } = queue
  return { time, kind, node, other, id, payload }
}

function named(entry: Entry | undefined) {
  if (entry === undefined) return undefined
  const { time, order } = entry
  return { time, kind: order % 11, node: order, other: -order, id: order * 3_000_000_000, payload: { order } }
}

/** Pushes (a time) or pops (null), in step on both. */
function expectAlike(acts: readonly (number | null)[]): void {
  const queue = new EventQueue()
  const dumb = new DumbQueue()
  for (const time of acts) {
    if (time === null) expect(popped(queue)).toEqual(named(dumb.pop()))
    else push(queue, time, dumb.push(time))
    expect(queue.length).toBe(dumb.length)
  }
  while (dumb.length > 0) expect(popped(queue)).toEqual(named(dumb.pop()))
  expect(queue.pop()).toBe(false)
}

describe('the event queue against a sorted list', () => {
  test('interleaved pushes and pops, with many ties', () => {
    const act = fc.oneof({ weight: 3, arbitrary: fc.nat(8) }, { weight: 2, arbitrary: fc.constant(null) })
    fc.assert(fc.property(fc.array(act, { maxLength: 200 }), expectAlike), { numRuns: 200 })
  })

  test('times far apart and beyond 32 bits', () => {
    const act = fc.option(fc.maxSafeNat(), { freq: 4 })
    fc.assert(fc.property(fc.array(act, { maxLength: 100 }), expectAlike), { numRuns: 100 })
  })

  test('growth beyond its first size while it is used', () => {
    const random = randomStream(1, 'event queue')
    const acts: (number | null)[] = []
    for (let i = 0; i < 2600; i += 1) acts.push(random.chance(0.75) ? random.below(40) : null)
    expect(
      acts.filter((act) => act !== null).length - acts.filter((act) => act === null).length,
    ).toBeGreaterThan(1024)
    expectAlike(acts)
  })
})

describe('the event queue', () => {
  test('events of one tick come out in the order in which they were scheduled, over several growths', () => {
    const queue = new EventQueue()
    for (let order = 1; order <= 5000; order += 1) push(queue, 7, order)
    const orders = Array.from({ length: 5000 }, () => popped(queue)?.node)
    expect(orders).toEqual(Array.from({ length: 5000 }, (_, index) => index + 1))
  })

  test('an empty queue leaves the last event in its fields and says so', () => {
    const queue = new EventQueue()
    expect(queue.pop()).toBe(false)
    push(queue, 3, 1)
    expect(queue.pop()).toBe(true)
    expect(queue.pop()).toBe(false)
    expect(queue.time).toBe(3)
    expect(queue.length).toBe(0)
  })
})
