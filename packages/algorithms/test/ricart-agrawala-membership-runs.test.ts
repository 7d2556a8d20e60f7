import type { TraceEvent } from '@turnwise/core/trace/trace'
import { scriptFrom } from '@turnwise/simulator/load'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import { ricartAgrawalaMembership } from '../src/permission/ricart-agrawala-membership.ts'
import { run } from './membership-run.ts'

/** Ricart and Agrawala (1981), section 7, over random runs, and beyond what is claimed. */

describe('random runs: nodes come, go, fail and come back, and no judge objects', () => {
  const HASTY = [
    ['wait=10', 'probe=7', 'rest=7', 'turn=20'],
    // Suspicions all the time: none of them is confirmed.
    ['wait=1', 'probe=7', 'rest=7', 'turn=20'],
  ]

  /** What happens to one node: each text is a fault, as a function of when. */
  const LIVES: ((node: number, at: number, later: number) => string[])[] = [
    (node, at) => [`add:${node}@${at}`],
    (node, at) => [`add:${node}@${at},via:0`],
    (node, at, later) => [`add:${node}@${at},via:0`, `remove:${node}@${at + later / 10}`],
    (node, at, later) => [`add:${node}@${at}`, `crash:${node}@${at + later / 10}`],
    (node, at, later) => [`remove:${node}@${at}`, `add:${node}@${at + later},via:0`],
    (node, at) => [`remove:${node}@${at}`],
    (node, at) => [`crash:${node}@${at}`],
    (node, at, later) => [`crash:${node}@${at}`, `restart:${node}@${at + later / 10}`],
    (node, at, later) => [`crash:${node}@${at}`, `restart:${node}@${at + later / 3},amnesia`],
  ]

  const worlds = fc.integer({ min: 2, max: 7 }).chain((nodes) =>
    fc.record({
      nodes: fc.constant(nodes),
      seed: fc.maxSafeNat(),
      load: fc.constantFrom('closed:1', 'closed:20', 'poisson:0.05', 'poisson:0.5', 'heavy'),
      latency: fc.constantFrom('constant:1', 'uniform:0,3'),
      channels: fc.constantFrom('fifo' as const, 'unordered' as const),
      set: fc.constantFrom<string[]>([], ...HASTY),
      fault: fc
        .uniqueArray(
          fc.record({
            node: fc.integer({ min: 1, max: nodes - 1 }),
            life: fc.constantFrom(...LIVES),
            at: fc.nat(60),
            later: fc.nat(300),
          }),
          { selector: ({ node }) => node, maxLength: nodes - 1 },
        )
        .map((lives) => lives.flatMap(({ node, life, at, later }) => life(node, at, later))),
    }),
  )

  /** How often a node said of itself that it had failed: because it had, or because it was told so. */
  function timesFailed(events: readonly TraceEvent[]): number {
    const announced = events.flatMap((event) =>
      event.is === 'send' && isAbout(event.message, event.from) ? [`${event.from} at ${event.at}`] : [],
    )
    return new Set(announced).size
  }

  function isAbout(message: { type: string; node?: number }, node: number): boolean {
    return message.type === 'failed' && message.node === node
  }

  test('exclusion, fences, progress; and nobody who is alive is taken for failed', () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const played = run({ ...world, entries: 80, inside: 'exponential:2' })
        expect(played).toMatchObject({ violations: [], unserved: 0, gaveUp: false })
        expect(timesFailed(played.events)).toBe(played.events.filter(({ is }) => is === 'restart').length)
      }),
      { numRuns: extent(40, 400) },
    )
  })
})

describe('what is unsafe, and not claimed', () => {
  test('the facts claim crashes, restarts, arrivals and departures, and a bound on delays', () => {
    const { faults, timing } = ricartAgrawalaMembership.facts
    expect([faults, timing]).toEqual([['crash', 'restart', 'add', 'remove'], 'bounded'])
  })

  test('a split: each side takes the other for failed', () => {
    const load = scriptFrom('0 request 0\n3 request 1', 3, 'script')
    const fault = ['split:0/1,2@2.5-2000']
    const { events, violations } = run({ nodes: 3, load, inside: 'constant:1000', fault })
    expect(violations[0]).toMatchObject({ judge: 'exclusion', nodes: [0, 1] })
    // Two hops; then, from the reply of node 2 on, both time-outs of node 1.
    const entered = events.filter((event) => event.is === 'enter')
    expect(entered.map(({ at, node }) => [node, at / 1e6])).toEqual([
      [0, 2],
      [1, 5 + 3 * 100 + 100],
    ])
  })

  test('a false suspicion: delays beyond the bound', () => {
    const wishes = {
      nodes: 4,
      load: 'heavy',
      inside: 'exponential:3',
      entries: 200,
      set: ['wait=2', 'probe=7'],
    }
    const seeds = Array.from({ length: 20 }, (_, i) => i + 1)
    const objects = (fault: string[]) =>
      seeds.find((seed) =>
        run({ ...wishes, seed, fault }).violations.some(({ judge }) => judge === 'exclusion'),
      )
    expect(objects([])).toBeUndefined()
    expect(objects(['spike:0.05,60'])).toBeDefined()
  })
})
