import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { OrderJudge } from '../src/judges/order-judge.ts'
import { randomStream } from '../src/random.ts'

const NODES = 6

type Act = { readonly asks: number } | { readonly enters: number }

/** Numbers below NODES: an idle node asks, a waiting node enters. */
function actsFrom(choices: readonly number[]): Act[] {
  const waiting = new Set<number>()
  return choices.map((node) => {
    if (waiting.delete(node)) return { enters: node }
    waiting.add(node)
    return { asks: node }
  })
}

/** For every request, how many later ones entered before it; entries up to `warmup` are not measured. */
function dumbBypass(acts: readonly Act[], warmup = 0): number {
  const requests: { node: number; entered: number }[] = []
  let entries = 0
  for (const act of acts) {
    if ('asks' in act) requests.push({ node: act.asks, entered: Number.POSITIVE_INFINITY })
    else {
      entries += 1
      const own = requests.findLast(({ node }) => node === act.enters)
      if (own !== undefined) own.entered = entries
    }
  }
  let most = 0
  requests.forEach((request, number) => {
    if (request.entered <= warmup) return
    const overtaking = requests.slice(number + 1).filter(({ entered }) => entered < request.entered)
    most = Math.max(most, overtaking.length)
  })
  return most
}

function judge(acts: readonly Act[], warmup = 0): OrderJudge {
  const order = new OrderJudge(NODES)
  const waiting = new Set<number>()
  let entries = 0
  for (const act of acts) {
    if ('asks' in act) {
      waiting.add(act.asks)
      order.requested(act.asks)
    } else {
      entries += 1
      waiting.delete(act.enters)
      order.entered(act.enters, entries > warmup)
    }
  }
  order.ended((node) => waiting.has(node))
  return order
}

describe('bypassing', () => {
  // shows velazquez-1993 2 Requirements
  test('is counted as by comparing every pair of requests', () => {
    const choices = fc.array(fc.nat(NODES - 1), { maxLength: 120 })
    fc.assert(
      fc.property(choices, fc.nat(10), (list, warmup) => {
        const acts = actsFrom(list)
        expect(judge(acts, warmup).mostBypassed).toBe(dumbBypass(acts, warmup))
      }),
      { numRuns: 300 },
    )
  })

  test('beyond the first size of its tree', () => {
    const random = randomStream(1, 'order')
    // Node 0 is let in rarely, so that it is overtaken across the growth.
    const acts = actsFrom(
      Array.from({ length: 7000 }, () => (random.chance(0.01) ? 0 : 1 + random.below(NODES - 1))),
    )
    const most = dumbBypass(acts)
    expect(most).toBeGreaterThan(50)
    expect(judge(acts).mostBypassed).toBe(most)
  })

  test.each([1022, 1023, 1024, 1025, 2047, 2048, 2049])(
    'of request %i, around the growth of its tree',
    (number) => {
      const order = new OrderJudge(2)
      for (let request = 1; request < number; request += 1) {
        order.requested(1)
        order.entered(1, true)
      }
      order.requested(0)
      for (let later = 0; later < 3; later += 1) {
        order.requested(1)
        order.entered(1, true)
      }
      order.entered(0, true)
      expect(order.mostBypassed).toBe(3)
    },
  )

  test('of the last request before the growth, entered before it', () => {
    const order = new OrderJudge(3)
    for (let request = 1; request < 1023; request += 1) {
      order.requested(1)
      order.entered(1, true)
    }
    order.requested(0)
    order.requested(1)
    order.entered(1, true)
    order.entered(0, true)
    expect(order.mostBypassed).toBe(1)
  })

  test('first come first served has none', () => {
    const order = new OrderJudge(3)
    for (const node of [0, 1, 2]) order.requested(node)
    for (const node of [0, 1, 2]) order.entered(node, true)
    expect(order.mostBypassed).toBe(0)
  })

  test('one that waits to the end was overtaken too, unless it gave up', () => {
    const starved = (stillWaiting: boolean) => {
      const order = new OrderJudge(2)
      order.requested(0)
      for (let i = 0; i < 4; i += 1) {
        order.requested(1)
        order.entered(1, true)
      }
      order.ended((node) => node === 0 && stillWaiting)
      return order.mostBypassed
    }
    expect([starved(true), starved(false)]).toEqual([4, 0])
  })
})

describe("Jain's index", () => {
  const jainOf = (nodes: number, ...entries: number[]) => {
    const order = new OrderJudge(nodes)
    for (const node of entries) {
      order.requested(node)
      order.entered(node, true)
    }
    return order.jain
  }

  test('1 when all entered equally often, 1/n when one did alone, null when none did', () => {
    expect(jainOf(4, 0, 1, 2, 3, 3, 2, 1, 0)).toBe(1)
    expect(jainOf(4, 2, 2, 2)).toBe(1 / 4)
    expect(jainOf(4)).toBeNull()
  })

  test('(sum)^2 / (n * sum of squares)', () => {
    expect(jainOf(3, 0, 0, 0, 1, 2, 2)).toBeCloseTo(36 / (3 * (9 + 1 + 4)), 12)
  })

  test('leaves the warm-up out', () => {
    const order = new OrderJudge(2)
    for (const [node, counted] of [
      [0, false],
      [0, false],
      [0, true],
      [1, true],
    ] as const) {
      order.requested(node)
      order.entered(node, counted)
    }
    expect(order.jain).toBe(1)
  })
})
