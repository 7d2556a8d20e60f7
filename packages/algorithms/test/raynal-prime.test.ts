import { get, increase } from '@turnwise/core/bounds'
import { simulationConfig } from '@turnwise/simulator/configuration'
import { reportOf } from '@turnwise/simulator/report'
import { Simulation } from '@turnwise/simulator/simulation'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isTurnOf, productOf } from '../src/permission/prime-product.ts'
import { raynalPrime } from '../src/permission/raynal-prime.ts'
import { measured, SIZES } from './measured.ts'

/** What Velazquez (1993, section 5) says of Raynal's algorithm and of its modification. */

const PRIMES = [2n, 3n, 5n, 7n, 11n, 13n]

describe('exponents stand for fractions', () => {
  /** The fraction as the paper has it: T = Q / A_i, in whole numbers. */
  function isQuotient(turns: readonly number[], first: number, node: number): boolean {
    let numerator = 1n
    let denominator = 1n
    turns.forEach((taken, other) => {
      numerator *= get(PRIMES, other) ** BigInt(taken + (other === first ? 0 : 1))
      denominator *= get(PRIMES, (other + 1) % turns.length) ** BigInt(taken)
    })
    const q = PRIMES.slice(0, turns.length).reduce((product, prime) => product * prime, 1n)
    return numerator * get(PRIMES, node) === q * denominator
  }

  // shows velazquez-1993 5 Raynal
  test('the product names a node by its exponents if and only if T = Q / A', () => {
    const worlds = fc.record({
      turns: fc.array(fc.nat(2), { minLength: 1, maxLength: PRIMES.length }),
      first: fc.nat(),
      node: fc.nat(),
    })
    let named = 0
    fc.assert(
      fc.property(worlds, ({ turns, ...nodes }) => {
        const first = nodes.first % turns.length
        const node = nodes.node % turns.length
        const isNamed = isTurnOf(node, productOf(turns, first))
        if (isNamed) named += 1
        expect(isNamed).toBe(isQuotient(turns, first, node))
      }),
      { numRuns: 3000 },
    )
    expect(named).toBeGreaterThan(30)
  })

  test('turn by turn, the product names one node: the next on the ring', () => {
    for (let nodes = 1; nodes <= PRIMES.length; nodes += 1) {
      for (let first = 0; first < nodes; first += 1) {
        const turns = Array.from({ length: nodes }, () => 0)
        for (let turn = 0; turn < 4 * nodes; turn += 1) {
          const due = (first + turn) % nodes
          const named = turns.map((_, node) => isTurnOf(node, productOf(turns, first)))
          expect(named).toEqual(turns.map((_, node) => node === due))
          expect(turns.map((_, node) => isQuotient(turns, first, node))).toEqual(named)
          increase(turns, due)
        }
      }
    }
  })
})

describe('as published', () => {
  test('the turn goes round: everyone enters, in the order of the ring', () => {
    const { fairness } = measured('raynal-prime', { nodes: 9, load: 'heavy', entries: 90 })
    expect(fairness).toMatchObject({ jain: 1, maxBypass: 0 })
  })

  test('a lone entry of the first node costs one poll, 2(n-1) messages', () => {
    for (const nodes of SIZES) {
      const { messages } = measured('raynal-prime', { nodes, load: 'hot:1,0', entries: 1 })
      expect(messages.byType).toEqual({ reply: nodes - 1, request: nodes - 1 })
    }
  })

  // shows claim raynal-bound
  test('2(n-1)² messages are no bound: who stays inside for long is asked again and again', () => {
    for (const nodes of [3, 5, 9]) {
      const wishes = { nodes, load: 'heavy', entries: 5 * nodes, inside: 'constant:20' }
      expect(measured('raynal-prime', wishes).messages.perEntry).toBeGreaterThan(2 * (nodes - 1) ** 2)
    }
  })

  // shows velazquez-1993 5 Raynal
  test('if the first node does not ask nobody enters, and polling ends after ten polls without news', () => {
    for (const nodes of [2, 5, 13]) {
      const load = `hot:0,1${',0'.repeat(nodes - 2)}`
      const config = simulationConfig(raynalPrime, { nodes, load, entries: 1 })
      const { unserved, violations, messages } = reportOf(new Simulation(config).runToEnd())
      expect(unserved).toBe(1)
      expect(violations.map(({ judge }) => judge)).toEqual(['progress'])
      // The first poll is news.
      expect(messages.total).toBe(11 * 2 * (nodes - 1))
    }
  })
})

describe('modified', () => {
  test('a turn costs n-1 messages; where everyone asks, so does an entry', () => {
    for (const nodes of SIZES) {
      const { messages, syncDelay } = measured('raynal-prime-modified', {
        nodes,
        load: 'heavy',
        entries: 4 * nodes,
      })
      expect(messages.total).toBe(4 * nodes * (nodes - 1))
      expect(syncDelay).toEqual({ mean: 1, max: 1 })
    }
  })

  // shows velazquez-1993 5 Raynal, modified
  // shows claim raynal-modified-bound
  test('the farthest node waits for n-1 turns, (n-1)² messages, and tells of its own', () => {
    for (const nodes of SIZES) {
      const alone = `hot:${'0,'.repeat(nodes - 1)}1`
      const { messages } = measured('raynal-prime-modified', { nodes, load: alone, entries: 1 })
      expect(messages.total).toBe((nodes - 1) ** 2 + (nodes - 1))
    }
  })
})
