import { algorithmNamed } from '@turnwise/algorithms/catalogue'
import { describe, expect, test } from 'vitest'
import { configOf, only, play } from './harness.ts'

const algorithm = algorithmNamed('ricart-agrawala')

describe('a share of requests reads', () => {
  test('as many as were asked for, whatever the load', () => {
    for (const load of ['light', 'heavy', 'poisson:0.3', 'closed:2', 'hot:3,1']) {
      const { events } = play({ algorithm, nodes: 5, load, readers: 0.25, entries: 2000 })
      const asks = only(events, 'request')
      const reads = asks.filter(({ mode }) => mode === 'shared').length
      expect(asks).toHaveLength(2000)
      // Four standard deviations of 2,000 draws.
      expect(Math.abs(reads - 500)).toBeLessThan(80)
    }
  })

  test('none and all are exact', () => {
    const modes = (readers: number) =>
      new Set(only(play({ algorithm, nodes: 3, readers }).events, 'request').map(({ mode }) => mode))
    expect(modes(0)).toEqual(new Set(['exclusive']))
    expect(modes(1)).toEqual(new Set(['shared']))
  })

  test('who asks when does not depend on who reads', () => {
    const asked = (readers: number) =>
      only(play({ algorithm, nodes: 7, load: 'light', readers }).events, 'request').map(({ node }) => node)
    expect(asked(0.5)).toEqual(asked(0))
  })

  // shows ricart-agrawala-1981 6.6 Readers and Writers
  test('readers are inside together, a writer alone', () => {
    const { report } = play({ algorithm, nodes: 6, load: 'heavy', readers: 0.8, entries: 300 })
    expect(report.violations).toEqual([])
    expect(report.maxInside).toBeGreaterThan(1)
    expect(play({ algorithm, nodes: 6, load: 'heavy', readers: 1, entries: 60 }).report.maxInside).toBe(6)
  })
})

describe('what cannot be read is refused in one line', () => {
  const refusal = (name: string, wishes: { readers: number; load?: readonly string[] }) => () =>
    configOf({ algorithm: algorithmNamed(name), nodes: 3, ...wishes })

  test('an algorithm without a shared mode', () => {
    expect(refusal('lamport', { readers: 0.5 })).toThrow(
      'readers: lamport has no shared mode, so no request can read',
    )
    expect(refusal('lamport', { readers: 0 })).not.toThrow()
  })

  test('a share that is none', () => {
    expect(refusal('ricart-agrawala', { readers: 1.5 })).toThrow(
      'readers: "1.5" is not a share of requests that read: a number, 0 or more, at most 1',
    )
  })

  test('a script, which says it line by line', () => {
    expect(refusal('ricart-agrawala', { readers: 0.5, load: ['0 request 1 shared'] })).toThrow(
      'readers: a script says itself who shares',
    )
  })
})
