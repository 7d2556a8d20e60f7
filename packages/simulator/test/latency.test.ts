import { InvalidInput } from '@turnwise/core/invalid-input'
import { randomStream } from '@turnwise/core/random'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  drawTicks,
  type Latency,
  latencyFromFile,
  lawFrom,
  lawOf,
  sameLatency,
  writeLaw,
} from '../src/latency.ts'
import { play, receipts } from './harness.ts'
import { permits } from './toy-desk.ts'

const UNIT = 1_000_000

function draws(text: string, count: number): number[] {
  const random = randomStream(1, `drawing ${text}`)
  const law = lawFrom(text)
  return Array.from({ length: count }, () => drawTicks(law, random))
}

function moments(values: readonly number[]): { mean: number; deviation: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return { mean, deviation: Math.sqrt(squares / (values.length - 1)) }
}

describe('laws as they are written', () => {
  test.each([
    ['constant:2.5', { kind: 'constant', value: 2.5 }],
    ['uniform:0,3', { kind: 'uniform', low: 0, high: 3 }],
    ['uniform:.5,1e1', { kind: 'uniform', low: 0.5, high: 10 }],
    ['exponential:4', { kind: 'exponential', mean: 4 }],
  ])('%s', (text, law) => {
    expect(lawFrom(text)).toEqual(law)
  })

  test('what is written can be read again', () => {
    const value = fc.double({ min: 1e-3, max: 1e6, noNaN: true })
    const laws = fc.oneof(
      fc.record({ kind: fc.constant('constant' as const), value }),
      fc.record({ kind: fc.constant('exponential' as const), mean: value }),
      fc
        .record({ kind: fc.constant('uniform' as const), low: value, more: value })
        .map(({ kind, low, more }) => ({
          kind,
          low,
          high: low + more,
        })),
    )
    fc.assert(
      fc.property(laws, (law) => {
        expect(lawFrom(writeLaw(law))).toEqual(law)
      }),
    )
  })

  test.each([
    ['', '"" is not one of constant:D, uniform:LOW,HIGH, exponential:MEAN'],
    ['constant', '"constant" is not one of constant:D, uniform:LOW,HIGH, exponential:MEAN'],
    ['normal:1', '"normal:1" is not one of constant:D, uniform:LOW,HIGH, exponential:MEAN'],
    ['constant:0', '"0" is not a duration: a number, more than 0'],
    ['constant:-1', '"-1" is not a duration: a number, more than 0'],
    ['constant:Infinity', '"Infinity" is not a duration: a number, more than 0'],
    ['uniform:1', '"uniform:1" is not of the form uniform:LOW,HIGH'],
    ['uniform:1,2,3', '"uniform:1,2,3" is not of the form uniform:LOW,HIGH'],
    ['uniform:2,1', '"1" is not a duration longer than 2: a number, more than 2'],
    ['uniform:1,1', '"1" is not a duration longer than 1: a number, more than 1'],
    ['exponential:0', '"0" is not a mean duration: a number, more than 0'],
  ])('"%s" is refused', (text, message) => {
    expect(() => lawFrom(text)).toThrow(new InvalidInput(message))
  })
})

describe('drawing', () => {
  test('every duration is a whole number of ticks, at least one', () => {
    const laws = [
      'constant:1',
      'constant:0.0000001',
      'uniform:0,0.000002',
      'uniform:0,5',
      'exponential:0.000001',
    ]
    for (const text of [...laws, 'exponential:3']) {
      const drawn = draws(text, 2000)
      expect(drawn.filter((ticks) => !Number.isSafeInteger(ticks) || ticks < 1)).toEqual([])
    }
  })

  test('constant is constant, and rounded to the nearest tick', () => {
    expect(new Set(draws('constant:1.2345678', 100))).toEqual(new Set([1_234_568]))
  })

  test('uniform stays within its bounds and has its mean and deviation', () => {
    const drawn = draws('uniform:2,5', 20_000)
    expect(Math.min(...drawn)).toBeGreaterThanOrEqual(2 * UNIT)
    expect(Math.max(...drawn)).toBeLessThanOrEqual(5 * UNIT)
    const { mean, deviation } = moments(drawn)
    // Four standard errors.
    expect(Math.abs(mean - 3.5 * UNIT)).toBeLessThan((4 * deviation) / Math.sqrt(20_000))
    expect(deviation / UNIT).toBeCloseTo(3 / Math.sqrt(12), 1)
  })

  test('exponential has its mean, as large a deviation, and its tail', () => {
    const drawn = draws('exponential:4', 20_000)
    const { mean, deviation } = moments(drawn)
    expect(Math.abs(mean - 4 * UNIT)).toBeLessThan((4 * deviation) / Math.sqrt(20_000))
    expect(deviation / (4 * UNIT)).toBeCloseTo(1, 1)
    const late = drawn.filter((ticks) => ticks > 8 * UNIT).length / drawn.length
    expect(late).toBeCloseTo(Math.exp(-2), 2)
  })

  test('a constant law draws no random number, so it shifts nothing', () => {
    const random = randomStream(1, 'x')
    drawTicks(lawFrom('constant:1'), random)
    expect(random.fraction()).toBe(randomStream(1, 'x').fraction())
  })
})

describe('a latency file', () => {
  const lawsOf = (latency: Latency, nodes: number) => (a: number, b: number) =>
    writeLaw(lawOf(latency, a, b, nodes))

  test('gives laws to channels, one way or both, and one to the rest', () => {
    const file = { default: 'uniform:1,2', links: { '0>1': 'constant:5', '1-2': 'exponential:3' } }
    const law = lawsOf(latencyFromFile(file, 3), 3)
    expect(law(0, 1)).toBe('constant:5')
    expect(law(1, 0)).toBe('uniform:1,2')
    expect([law(1, 2), law(2, 1)]).toEqual(['exponential:3', 'exponential:3'])
    expect(law(0, 2)).toBe('uniform:1,2')
  })

  test('needs neither: then every channel takes one unit', () => {
    expect(lawsOf(latencyFromFile({}, 2), 2)(0, 1)).toBe('constant:1')
  })

  test('a later line wins over an earlier one', () => {
    const law = lawsOf(latencyFromFile({ links: { '0-1': 'constant:2', '0>1': 'constant:3' } }, 2), 2)
    expect([law(0, 1), law(1, 0)]).toEqual(['constant:3', 'constant:2'])
  })

  test.each([
    [[], 'it is not an object'],
    [null, 'it is not an object'],
    ['constant:1', 'it is not an object'],
    [{ links: {}, speed: 1 }, '"speed" is not one of its fields: default and links, or zones and of'],
    [{ default: 1 }, 'default is not a text such as "constant:1"'],
    [{ default: 'fast' }, '"fast" is not one of constant:D, uniform:LOW,HIGH, exponential:MEAN'],
    [{ links: null }, 'links is not an object'],
    [{ links: { '0+1': 'constant:1' } }, 'links: "0+1" is not A>B or A-B with two nodes from 0 to 2'],
    [{ links: { '0>3': 'constant:1' } }, 'links: "0>3" is not A>B or A-B with two nodes from 0 to 2'],
    [{ links: { '3>0': 'constant:1' } }, 'links: "3>0" is not A>B or A-B with two nodes from 0 to 2'],
    [{ links: { '1-1': 'constant:1' } }, 'links: "1-1" is not A>B or A-B with two nodes from 0 to 2'],
    [{ links: { '0>1': 5 } }, 'links: "0>1" has no law such as "constant:1"'],
  ])('%j is refused', (file, message) => {
    expect(() => latencyFromFile(file, 3)).toThrow(new InvalidInput(message))
  })

  test('one law for all says so', () => {
    expect(sameLatency(lawFrom('uniform:1,2'))).toMatchObject({ text: 'uniform:1,2', links: new Map() })
  })

  test('is what messages take', () => {
    const latency = { default: 'constant:1', links: { '1>0': 'constant:5', '0>2': 'constant:7' } }
    const { events } = play({ algorithm: permits, nodes: 3, latency, load: ['0 request 1', '20 request 2'] })
    expect(receipts(events)).toEqual([
      [5, 0, 'ask'],
      [6, 1, 'permit'],
      [12, 0, 'back'],
      [21, 0, 'ask'],
      [28, 2, 'permit'],
      [30, 0, 'back'],
    ])
  })
})
