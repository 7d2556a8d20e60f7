import { algorithmNamed } from '@turnwise/algorithms/catalogue'
import type { TraceEvent } from '@turnwise/core/trace/trace'
import { describe, expect, test } from 'vitest'
import { play, type Run } from './harness.ts'

const RUN: Run = {
  algorithm: algorithmNamed('ricart-agrawala'),
  nodes: 5,
  load: 'heavy',
  entries: 40,
  latency: 'exponential:2',
  inside: 'uniform:1,3',
  seed: 11,
}

function lines(run: Run): string[] {
  return play(run).events.map((event) => JSON.stringify(event))
}

/** What happened before a time in units. */
function before(units: number, run: Run): readonly TraceEvent[] {
  return play(run).events.filter(({ at }) => at < units * 1_000_000)
}

describe('a run is a function of its configuration', () => {
  test('the same twice, line by line', () => {
    expect(lines(RUN)).toEqual(lines(RUN))
  })

  test('another for another seed', () => {
    expect(lines({ ...RUN, seed: 12 })).not.toEqual(lines(RUN))
  })

  test('seeds beyond 32 bits count too', () => {
    expect(lines({ ...RUN, seed: 11 + 2 ** 32 })).not.toEqual(lines(RUN))
  })

  test('its first draws are written down: another engine must make the same', () => {
    const receipts = play({ ...RUN, entries: 1 }).events.filter(({ is }) => is === 'receive')
    expect(receipts.map(({ at }) => at)).toEqual([
      1289105, 1502644, 1545442, 1716098, 3199661, 3463263, 4479810, 6984422,
    ])
  })
})

describe('adding a fault does not change the latencies', () => {
  test.each(['drop:1e-9', 'duplicate:1e-9', 'corrupt:1e-9', 'spike:1e-9,50'])(
    '%s that never happens',
    (fault) => {
      const { simulation } = play({ ...RUN, faults: [fault] })
      expect(simulation.firedFaults.size).toBe(0)
      expect(lines({ ...RUN, faults: [fault] })).toEqual(lines(RUN))
    },
  )

  test.each(['crash:4@60', 'pause:4@60-70', 'cut:0-1@60-70', 'split:0,1/2,3,4@60-70'])(
    '%s: all is as it was up to then, and not after',
    (fault) => {
      const { simulation } = play({ ...RUN, faults: [fault] })
      expect(simulation.firedFaults.size).toBe(1)
      expect(before(60, { ...RUN, faults: [fault] })).toEqual(before(60, RUN))
      expect(before(60, RUN).length).toBeGreaterThan(100)
      expect(lines({ ...RUN, faults: [fault] })).not.toEqual(lines(RUN))
    },
  )
})
