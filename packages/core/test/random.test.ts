import { get, increase } from '@turnwise/core/bounds'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { firstDraws, randomStream, sample } from '../src/random.ts'

const WORD = 2 ** 32

/** The same generator in arithmetic without a fixed width, cut to 32 bits after every step. */
function dumbStream(seed: number, label: string): () => number {
  const cut = (value: bigint) => BigInt.asUintN(32, value)
  const hash = (start: bigint) => {
    let h = cut(0x811c9dc5n ^ start)
    for (const character of label) h = cut((h ^ BigInt(character.charCodeAt(0))) * 0x01000193n)
    h = cut((h ^ (h >> 16n)) * 0x85ebca6bn)
    h = cut((h ^ (h >> 13n)) * 0xc2b2ae35n)
    return h ^ (h >> 16n)
  }
  const low = cut(BigInt(seed))
  let a = hash(low)
  let b = hash(cut(BigInt(seed) >> 32n) ^ 0x9e3779b9n)
  let c = low
  let counter = 1n
  const next = () => {
    const result = cut(a + b + counter)
    counter = cut(counter + 1n)
    a = b ^ (b >> 9n)
    b = cut(c + (c << 3n))
    c = cut((cut(c << 21n) | (c >> 11n)) + result)
    return Number(result)
  }
  for (let i = 0; i < 15; i += 1) next()
  return next
}

/** Pearson's statistic of counts that should all be equal. */
function chiSquare(counts: readonly number[]): number {
  const expected = counts.reduce((sum, count) => sum + count, 0) / counts.length
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
}

describe('the numbers of a stream', () => {
  // Written down once: a run replays on every engine only if these never change.
  test.each([
    [1, 'latency', [908489195, 4026162955, 2358945394, 2191081479]],
    [1, 'load', [1549878395, 2283162532, 3673285514, 2208314526]],
    [2, 'latency', [1389965527, 3329891703, 689866098, 2341904762]],
    [0, '', [3994810421, 2877360728, 1812904533, 3578452792]],
    [Number.MAX_SAFE_INTEGER, 'faults', [1260087476, 4141144475, 1449902500, 19915049]],
  ])('seed %i, label "%s"', (seed, label, expected) => {
    const random = randomStream(seed, label)
    expect(expected.map(() => random.below(WORD))).toEqual(expected)
  })

  test('the first numbers of labels that begin alike are those of their streams', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.string(), fc.string(), (seed, prefix, rest) => {
        expect(firstDraws(seed, prefix)(rest)).toBe(randomStream(seed, prefix + rest).below(WORD))
      }),
    )
  })

  test('fractions take 27 bits of one number and 26 of the next, small numbers the remainder', () => {
    const fractions = randomStream(1, 'latency')
    expect(fractions.fraction()).toBe(
      (Math.floor(908489195 / 32) * 2 ** 26 + Math.floor(4026162955 / 64)) / 2 ** 53,
    )
    expect(fractions.fraction()).toBe(0.54923477403932)
    const small = randomStream(1, 'latency')
    expect(Array.from({ length: 4 }, () => small.below(10))).toEqual([5, 5, 4, 9])
  })

  test('are those of the same generator written without fixed width', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.string({ unit: 'grapheme-ascii', maxLength: 12 }), (seed, label) => {
        const random = randomStream(seed, label)
        const dumb = dumbStream(seed, label)
        for (let i = 0; i < 20; i += 1) expect(random.below(WORD)).toBe(dumb())
      }),
    )
  })

  test('differ between seeds that differ in one bit, high bits too, and between labels', () => {
    const first = (seed: number, label: string) => randomStream(seed, label).below(WORD)
    const seeds = [0, ...Array.from({ length: 53 }, (_, bit) => 2 ** bit)]
    const labels = ['latency', 'load', 'faults', 'inside', 'algorithm', 'topology', '']
    const all = seeds.flatMap((seed) => labels.map((label) => first(seed, label)))
    expect(new Set(all).size).toBe(all.length)
  })
})

describe('below', () => {
  test('is uniform: ten values', () => {
    const random = randomStream(1, 'uniform')
    const counts = Array.from({ length: 10 }, () => 0)
    for (let i = 0; i < 100_000; i += 1) increase(counts, random.below(10))
    // The 99.9 % quantile with 9 degrees of freedom.
    expect(chiSquare(counts)).toBeLessThan(27.88)
  })

  test('is uniform where a plain remainder would not be', () => {
    // Of 2^32 values a remainder by 3 * 2^30 hits the first third twice as often as the others.
    const random = randomStream(1, 'uniform')
    const counts = [0, 0, 0]
    for (let i = 0; i < 30_000; i += 1) increase(counts, Math.floor(random.below(3 * 2 ** 30) / 2 ** 30))
    expect(chiSquare(counts)).toBeLessThan(13.82)
  })

  test('pairs of draws are uniform too', () => {
    const random = randomStream(1, 'pairs')
    const counts = Array.from({ length: 64 }, () => 0)
    for (let i = 0; i < 64_000; i += 1) increase(counts, 8 * random.below(8) + random.below(8))
    // The 99.9 % quantile with 63 degrees of freedom.
    expect(chiSquare(counts)).toBeLessThan(103.4)
  })

  test('stays below its bound, and 1 leaves no choice', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.integer({ min: 1, max: WORD }), (seed, bound) => {
        const random = randomStream(seed, 'bounds')
        for (let i = 0; i < 10; i += 1) {
          const drawn = random.below(bound)
          expect(Number.isInteger(drawn) && drawn >= 0 && drawn < bound).toBe(true)
        }
        expect(random.below(1)).toBe(0)
      }),
    )
  })

  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, WORD + 1])('refuses the bound %d', (bound) => {
    expect(() => randomStream(1, 'x').below(bound)).toThrow(new RangeError(`cannot draw below ${bound}`))
  })
})

describe('fraction and chance', () => {
  test('fractions are multiples of 2^-53 in [0, 1) with mean and variance of the uniform law', () => {
    const random = randomStream(1, 'fractions')
    let sum = 0
    let squares = 0
    let proper = 0
    for (let i = 0; i < 100_000; i += 1) {
      const drawn = random.fraction()
      if (drawn >= 0 && drawn < 1 && Number.isInteger(drawn * 2 ** 53)) proper += 1
      sum += drawn
      squares += drawn * drawn
    }
    expect(proper).toBe(100_000)
    const mean = sum / 100_000
    // Four standard errors.
    expect(Math.abs(mean - 1 / 2)).toBeLessThan(4 * Math.sqrt(1 / 12 / 100_000))
    expect(squares / 100_000 - mean * mean).toBeCloseTo(1 / 12, 3)
  })

  test('chance comes true as often as it says; 0 never, 1 always', () => {
    const random = randomStream(1, 'chances')
    const share = (probability: number) => {
      let hits = 0
      for (let i = 0; i < 20_000; i += 1) if (random.chance(probability)) hits += 1
      return hits / 20_000
    }
    expect(share(0)).toBe(0)
    expect(share(1)).toBe(1)
    for (const probability of [0.01, 0.3, 0.9]) {
      const error = Math.sqrt((probability * (1 - probability)) / 20_000)
      expect(Math.abs(share(probability) - probability)).toBeLessThan(4 * error)
    }
  })
})

describe('sample', () => {
  test('as many as wanted, all different, in rising order, below the bound', () => {
    const wanted = fc
      .integer({ min: 1, max: 60 })
      .chain((bound) => fc.tuple(fc.integer({ min: 0, max: bound }), fc.constant(bound)))
    fc.assert(
      fc.property(fc.maxSafeNat(), wanted, (seed, [count, bound]) => {
        const chosen = sample(randomStream(seed, 'sample'), count, bound)
        expect(chosen).toHaveLength(count)
        chosen.forEach((value, index) => {
          expect(value).toBeGreaterThan(index === 0 ? -1 : get(chosen, index - 1))
          expect(value).toBeLessThan(bound)
        })
      }),
    )
  })

  test('the same for the same seed', () => {
    expect(sample(randomStream(1, 'sample'), 5, 20)).toEqual([1, 2, 8, 12, 18])
    expect(sample(randomStream(2, 'sample'), 5, 20)).toEqual([0, 1, 6, 11, 13])
  })

  test('every choice equally likely: the twenty ways to take 3 of 6', () => {
    const random = randomStream(1, 'choices')
    const counts = new Map<string, number>()
    for (let i = 0; i < 20_000; i += 1) {
      const choice = sample(random, 3, 6).join()
      counts.set(choice, (counts.get(choice) ?? 0) + 1)
    }
    expect(counts.size).toBe(20)
    // The 99.9 % quantile with 19 degrees of freedom.
    expect(chiSquare([...counts.values()])).toBeLessThan(43.82)
  })
})
