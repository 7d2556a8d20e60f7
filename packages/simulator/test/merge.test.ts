import { algorithmNamed } from '@turnwise/algorithms/catalogue'
import { judgeTrace } from '@turnwise/core/judges/of-trace'
import { mergeParts } from '@turnwise/core/trace/merge'
import { TRACE_VERSION, type Trace, type TraceEvent } from '@turnwise/core/trace/trace'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import { play } from './harness.ts'

const nodeOf = (event: TraceEvent) => ('from' in event ? event.from : 'node' in event ? event.node : -1)

/** What every node of a run would have recorded by a clock of its own. */
function partsOf(events: readonly TraceEvent[], skews: readonly number[]): Trace[] {
  return skews.map((skew, node) => ({
    header: {
      format: 'turnwise-trace',
      version: TRACE_VERSION,
      algorithm: 'any',
      nodes: skews.length,
      seed: 0,
      entries: 1,
      settings: { lock: 'L', ids: skews.map((_, i) => `n${i}`).join(', '), part: node },
    },
    events: events
      .filter((event) => nodeOf(event) === node)
      .map((event) => ({ ...event, at: event.at + skew })),
  }))
}

const timeless = (event: TraceEvent) => JSON.stringify({ ...event, at: 0 })

/** Its own events in its order, without the end that the merge adds. */
function told(events: readonly TraceEvent[], node: number): string[] {
  return events.filter((event) => nodeOf(event) === node && event.is !== 'unseen').map(timeless)
}

const runs = fc.record({
  name: fc.constantFrom(
    'carvalho-roucairol',
    'ricart-agrawala',
    'suzuki-kasami',
    'raymond',
    'maekawa',
    'lamport',
  ),
  seed: fc.nat(1000),
  load: fc.constantFrom('light', 'heavy', 'closed:2'),
  latency: fc.constantFrom('constant:1', 'exponential:1', 'uniform:0.1,3'),
})
const skews = fc.array(fc.integer({ min: -20_000_000, max: 20_000_000 }), { minLength: 2, maxLength: 7 })

describe('parts of a simulated run, by clocks that differ', () => {
  test('merge to a run in which nothing arrives before it is sent, and nobody else is inside', () => {
    fc.assert(
      fc.property(runs, skews, ({ name, ...run }, skew) => {
        const { events } = play({ algorithm: algorithmNamed(name), nodes: skew.length, ...run })
        const parts = partsOf(events, skew)
        const { trace, notes } = mergeParts(parts)
        const sent = new Set<number>()
        let last = 0
        for (const event of trace.events) {
          expect(event.at).toBeGreaterThanOrEqual(last)
          last = event.at
          if (event.is === 'send') sent.add(event.id)
          if (event.is === 'receive') expect(sent).toContain(event.id)
        }
        for (const [node, part] of parts.entries()) {
          expect(told(trace.events, node)).toEqual(part.events.map(timeless))
        }
        expect(judgeTrace(trace).violations).toBe(0)
        expect(notes.some((note) => /contradict|was set|no part/.test(note))).toBe(false)
      }),
      { numRuns: extent(25, 100) },
    )
  })

  test('any of them may be missing', () => {
    fc.assert(
      fc.property(runs, skews, fc.nat(), ({ name, ...run }, skew, lost) => {
        const { events } = play({ algorithm: algorithmNamed(name), nodes: skew.length, ...run })
        const missing = lost % skew.length
        const parts = partsOf(events, skew).filter((_, node) => node !== missing)
        const { trace, notes } = mergeParts(parts)
        expect(notes).toContain(`there is no part of node ${missing} (n${missing})`)
        for (const { header, events: own } of parts) {
          expect(told(trace.events, Number(header.settings['part']))).toEqual(own.map(timeless))
        }
      }),
      { numRuns: 30 },
    )
  })

  test('by clocks that agree it is the run itself', () => {
    const { events } = play({
      algorithm: algorithmNamed('maekawa'),
      nodes: 7,
      latency: 'exponential:1',
      seed: 3,
    })
    const { trace, notes } = mergeParts(partsOf(events, [0, 0, 0, 0, 0, 0, 0]))
    const start = Number(trace.header.settings['start'])
    const before = (a: TraceEvent, b: TraceEvent) => a.at - b.at || nodeOf(a) - nodeOf(b)
    // What happens in one tick at two nodes may stand either way.
    expect(
      trace.events
        .filter(({ is }) => is !== 'unseen')
        .map((event) => ({ ...event, at: event.at + start }))
        .toSorted(before),
    ).toEqual(events.toSorted(before))
    expect(notes.every((note) => note.includes('farewell'))).toBe(true)
  })
})
