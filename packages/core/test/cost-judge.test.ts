import { get } from '@turnwise/core/bounds'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CostJudge, Samples } from '../src/judges/cost-judge.ts'

function summaryOf(values: readonly number[]) {
  const samples = new Samples()
  for (const value of values) samples.add(value)
  return samples.summary()
}

/** The smallest value that at least so many of a hundred do not exceed. */
function dumbQuantile(values: readonly number[], percent: number): number {
  const candidates = values.filter(
    (candidate) => 100 * values.filter((value) => value <= candidate).length >= percent * values.length,
  )
  return Math.min(...candidates)
}

describe('samples', () => {
  test('mean, quantiles and maximum are those of a list', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1000), { minLength: 1, maxLength: 150 }), (values) => {
        const sum = values.reduce((a, b) => a + b, 0)
        expect(summaryOf(values)).toEqual({
          mean: sum / values.length,
          p50: dumbQuantile(values, 50),
          p99: dumbQuantile(values, 99),
          max: Math.max(...values),
        })
      }),
    )
  })

  test('for every number of samples up to 1500, over the growth of the list', () => {
    for (let count = 1; count <= 1500; count += 1) {
      const summary = summaryOf(Array.from({ length: count }, (_, index) => count - index))
      expect([summary?.p50, summary?.p99, summary?.max]).toEqual([
        Math.ceil(count / 2),
        Math.ceil((99 * count) / 100),
        count,
      ])
    }
  })

  test('none, no summary', () => {
    expect(new Samples().summary()).toBeNull()
  })
})

describe('messages', () => {
  test('are counted by type', () => {
    const cost = new CostJudge(2)
    for (const type of ['request', 'reply', 'request']) cost.sent(type)
    expect([...cost.sentByType]).toEqual([
      ['request', 2],
      ['reply', 1],
    ])
    expect(cost.messages).toBe(3)
  })

  test('under way: the most at any time, copies counted', () => {
    const cost = new CostJudge(2)
    cost.tookOff(1)
    cost.tookOff(2)
    cost.landed()
    cost.tookOff(1)
    cost.landed()
    expect(cost.mostInFlight).toBe(3)
  })

  test('after the warm-up only what is sent from then on counts, but what is under way is still under way', () => {
    const cost = new CostJudge(2)
    cost.sent('request')
    cost.tookOff(5)
    for (let i = 0; i < 3; i += 1) cost.landed()
    cost.startCounting()
    expect([cost.messages, cost.mostInFlight]).toEqual([0, 2])
    cost.sent('reply')
    cost.tookOff(1)
    expect([cost.messages, cost.mostInFlight]).toEqual([1, 3])
  })
})

describe('response time', () => {
  // shows ricart-agrawala-1981 5.1 Definition of Delay, 5.2 Assumptions
  test('runs from the arrival of the caller to the entry; warm-up is left out', () => {
    const cost = new CostJudge(2)
    cost.requested(10, 0, 4)
    cost.entered(12, 0, true)
    cost.left(20)
    cost.requested(21, 1, 21)
    cost.entered(1000, 1, false)
    expect(cost.responses.summary()).toEqual({ mean: 8, p50: 8, p99: 8, max: 8 })
  })
})

describe('synchronization delay', () => {
  // shows ricart-agrawala-1981 5.1 Definition of Delay, 5.2 Assumptions
  test('from an exit to the next entry, where the next had asked before the exit', () => {
    const cost = new CostJudge(2)
    cost.requested(0, 0, 0)
    cost.entered(1, 0, true)
    cost.requested(2, 1, 2)
    cost.left(5)
    cost.entered(8, 1, true)
    expect(cost.syncDelay).toEqual({ mean: 3, max: 3 })
  })

  test('none where the next asked at the exit or after it: it was not kept waiting', () => {
    for (const asked of [5, 6]) {
      const cost = new CostJudge(2)
      cost.requested(0, 0, 0)
      cost.entered(1, 0, true)
      cost.left(5)
      cost.requested(asked, 1, asked)
      cost.entered(8, 1, true)
      expect(cost.syncDelay).toBeNull()
    }
  })

  test('none where the next caller had to wait for its own node to ask', () => {
    const cost = new CostJudge(1)
    cost.requested(0, 0, 0)
    cost.entered(1, 0, true)
    cost.left(5)
    cost.requested(5, 0, 2)
    cost.entered(8, 0, true)
    expect(cost.syncDelay).toBeNull()
    expect(cost.responses.summary()).toMatchObject({ max: 6 })
  })

  test('none while another is still inside', () => {
    const cost = new CostJudge(3)
    for (const node of [0, 1, 2]) cost.requested(0, node, 0)
    cost.entered(1, 0, true)
    cost.entered(2, 1, true)
    cost.left(3)
    cost.entered(6, 2, true)
    expect(cost.syncDelay).toBeNull()
  })

  test('an entry of the warm-up is not measured, but the exit after it counts', () => {
    const cost = new CostJudge(3)
    for (const node of [0, 1, 2]) cost.requested(0, node, 0)
    cost.entered(1, 0, false)
    cost.left(2)
    cost.entered(100, 1, false)
    cost.left(101)
    cost.entered(105, 2, true)
    expect(cost.syncDelay).toEqual({ mean: 4, max: 4 })
  })

  test('as a search through the whole history finds it', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(3), fc.nat(3)), { maxLength: 80 }), (choices) => {
        const history = historyFrom(choices)
        const cost = new CostJudge(4)
        for (const { at, node, does } of history) {
          if (does === 'ask') cost.requested(at, node, at)
          else if (does === 'enter') cost.entered(at, node, true)
          else cost.left(at)
        }
        const delays = dumbDelays(history)
        const sum = delays.reduce((a, b) => a + b, 0)
        expect(cost.syncDelay).toEqual(
          delays.length === 0 ? null : { mean: sum / delays.length, max: Math.max(...delays) },
        )
      }),
      { numRuns: 300 },
    )
  })
})

interface Deed {
  readonly at: number
  readonly node: number
  readonly does: 'ask' | 'enter' | 'leave'
}

/** Each choice moves one node a step on in asking, entering, leaving, after so much time. */
function historyFrom(choices: readonly (readonly [number, number])[]): Deed[] {
  const next = ['ask', 'ask', 'ask', 'ask'] as Deed['does'][]
  const after = { ask: 'enter', enter: 'leave', leave: 'ask' } as const
  let at = 0
  return choices.map(([node, pause]) => {
    at += pause
    const does = get(next, node)
    next[node] = after[does]
    return { at, node, does }
  })
}

/** For every entry: the last event before it that emptied the section, if nobody entered since. */
function dumbDelays(history: readonly Deed[]): number[] {
  return history.flatMap((entry, index) => {
    if (entry.does !== 'enter') return []
    const before = history.slice(0, index)
    const last = before.findLast(({ does }) => does !== 'ask')
    const inside = before.filter(({ does }) => does === 'enter').length - before.filter(isExit).length
    const asked = before.findLast(({ node, does }) => node === entry.node && does === 'ask')
    if (last === undefined || asked === undefined || inside > 0 || asked.at >= last.at) return []
    return [entry.at - last.at]
  })
}

function isExit({ does }: Deed): boolean {
  return does === 'leave'
}
