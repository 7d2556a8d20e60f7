import type { Ask, NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { readOptions } from '@turnwise/core/options'
import { arrange } from '@turnwise/core/setup'
import { TICKS_PER_UNIT, type TraceEvent } from '@turnwise/core/trace/trace'
import { type RunWishes, simulationConfig } from '@turnwise/simulator/configuration'
import { scriptFrom } from '@turnwise/simulator/load'
import { Simulation } from '@turnwise/simulator/simulation'
import { Stage } from '@turnwise/simulator/stage'
import { describe, expect, test } from 'vitest'
import { modelFiles } from '../../../scripts/models.ts'
import { extent } from '../../../test/extent.ts'
import { ricartAgrawala } from '../src/permission/ricart-agrawala.ts'
import { measured, SIZES } from './measured.ts'

/** What Ricart and Agrawala (1981) say of their algorithm, section by section. */

// shows helary-plouzeau-raynal-1988 1 Introduction
// shows kessler-2024 Ricart-Agrawala Algorithm: problems
// shows ricart-agrawala-1981 4 Message Traffic, 4.1 Concurrent Processing
// shows velazquez-1993 5 Ricart-Agrawala
describe('section 4: exactly 2(n-1) messages per entry, whatever the load', () => {
  for (const load of ['light', 'heavy', 'poisson:0.3', 'closed:2']) {
    test(load, () => {
      for (const nodes of SIZES) {
        const { messages } = measured('ricart-agrawala', {
          nodes,
          load,
          entries: 60,
          latency: 'exponential:1',
        })
        expect(messages.total).toBe(60 * 2 * (nodes - 1))
        expect(messages.byType['request'] ?? 0).toBe(60 * (nodes - 1))
        expect(messages.byType['reply'] ?? 0).toBe(60 * (nodes - 1))
      }
    })
  }
})

describe('section 5: delays', () => {
  // shows ricart-agrawala-1981 5.3.1 Bound 1, 5.4 Compliance
  test('bound 1: without conflict a request waits one round trip', () => {
    const { responseTime } = measured('ricart-agrawala', { nodes: 9, load: 'light', entries: 50 })
    expect(responseTime).toEqual({ mean: 2, p50: 2, p99: 2, max: 2 })
  })

  // shows ricart-agrawala-1981 5.3.3 Bound 3, 5.4 Compliance
  test('bound 3: after an exit the next that waits enters one message delay later', () => {
    const { syncDelay } = measured('ricart-agrawala', { nodes: 9, load: 'heavy', entries: 200 })
    expect(syncDelay).toEqual({ mean: 1, max: 1 })
  })

  // shows ricart-agrawala-1981 5.3.2 Bound 2, 5.4 Compliance
  test('bound 2: of two that ask at once the loser waits for the winner, half the time the earlier one', () => {
    // Node 1 asks a quarter of a unit before node 0, but both choose number 1 and the tie goes to node 0.
    const script = scriptFrom('0 request 1\n0.25 request 0', 2, 'script')
    const { responseTime } = measured('ricart-agrawala', { nodes: 2, load: script })
    // Node 0 enters a round trip after it asked, at 2.25, stays for 1; node 1 enters at 4.25.
    expect(responseTime).toMatchObject({ p50: 2, max: 4.25 })
  })
})

// shows ricart-agrawala-1981 2.4 Discussion
// shows claim permissions-in-order
test('section 2.4: the order is first come, first served up to messages under way', () => {
  const { fairness } = measured('ricart-agrawala', { nodes: 10, load: 'heavy', entries: 500 })
  expect(fairness.jain).toBeCloseTo(1, 3)
})

// shows ricart-agrawala-1981 1 Introduction
test('section 1: messages may arrive in another order than they were sent', () => {
  for (let seed = 1; seed <= extent(5, 20); seed += 1) {
    measured('ricart-agrawala', {
      nodes: 5,
      load: 'heavy',
      entries: 200,
      latency: 'exponential:1',
      channels: 'unordered',
      seed,
    })
  }
})

/** Everything that happens in a run. */
function eventsOf(wishes: RunWishes): TraceEvent[] {
  const config = simulationConfig(ricartAgrawala, wishes)
  const events: TraceEvent[] = []
  new Simulation({ ...config, record: (event) => void events.push(event) }).runToEnd()
  return events
}

// shows ricart-agrawala-1981 2.4 Discussion, nobody twice
test('section 2.4: once all others have processed a request, nobody enters twice before it is granted', () => {
  const nodes = 5
  let overtakers = 0
  for (let seed = 1; seed <= extent(5, 20); seed += 1) {
    const wishes = { nodes, load: 'closed:1', entries: 200, latency: 'exponential:3', channels: 'unordered' }
    /** Who has not processed the request of each node yet, and who has entered since all have. */
    const waiting = new Map<NodeId, { unprocessed: number; entered: Set<NodeId> }>()
    const requests = new Map<number, NodeId>()
    for (const event of eventsOf({ ...wishes, seed })) {
      if (event.is === 'request') waiting.set(event.node, { unprocessed: nodes - 1, entered: new Set() })
      if (event.is === 'send' && event.message.type === 'request') requests.set(event.id, event.from)
      if (event.is === 'receive') {
        const request = waiting.get(requests.get(event.id) ?? -1)
        if (request !== undefined) request.unprocessed -= 1
      }
      if (event.is !== 'enter') continue
      waiting.delete(event.node)
      for (const { unprocessed, entered } of waiting.values()) {
        if (unprocessed > 0) continue
        expect(entered).not.toContain(event.node)
        entered.add(event.node)
        overtakers += 1
      }
    }
  }
  expect(overtakers).toBeGreaterThan(0)
})

// shows ricart-agrawala-1981 5.4 Compliance
test('section 5.4: no entry is later than the bounds make it, under any load', () => {
  for (const load of ['light', 'heavy', 'poisson:0.1', 'poisson:2', 'closed:3']) {
    const asked = new Map<NodeId, number>()
    let lastExit = Number.NEGATIVE_INFINITY
    for (const event of eventsOf({ nodes: 6, load, entries: 150 })) {
      if (event.is === 'request') asked.set(event.node, event.at)
      if (event.is === 'leave') lastExit = event.at
      if (event.is !== 'enter') continue
      // Bounds 1 and 2: a round trip after the request. Bound 3: one message after the last exit.
      const roundTrip = (asked.get(event.node) as number) + 2 * TICKS_PER_UNIT
      expect(event.at).toBe(Math.max(roundTrip, lastExit + TICKS_PER_UNIT))
    }
  }
})

describe('appendix: how many entries may precede a request', () => {
  /** What the checker has found for runs of any length: these records are checked again by the models' test. */
  const overtaking = (name: string, nodes: number, channels: 'fifo' | 'unordered') =>
    modelFiles()
      .find(({ algorithm }) => algorithm === name)
      ?.models.find(
        (model) =>
          model.nodes === nodes &&
          model.requests === 'any' &&
          (model.channels ?? 'unordered') === channels &&
          model.set === undefined,
      )?.expected?.maxOvertaking

  test('without order N(N+1)/2 - 1, with order 2(N-1): bounds that are reached', () => {
    for (const nodes of [2, 3, 4])
      expect(overtaking('ricart-agrawala', nodes, 'unordered')).toBe((nodes * (nodes + 1)) / 2 - 1)
    for (const nodes of [2, 3]) expect(overtaking('ricart-agrawala', nodes, 'fifo')).toBe(2 * (nodes - 1))
  })

  test('the printed code, which does not record the number sent, has no bound without order', () => {
    for (const nodes of [2, 3]) expect(overtaking('ricart-agrawala-printed', nodes, 'unordered')).toBeNull()
  })
})

describe('section 6.5: other increments', () => {
  /** Two nodes ask at the same moment, again and again: how often node 0 comes first. */
  function shareOfNode0(increment: number, rounds: number): number {
    const script = Array.from(
      { length: rounds },
      (_, round) => `${20 * round} request 0\n${20 * round} request 1`,
    )
    const load = scriptFrom(script.join('\n'), 2, 'script')
    const entered = eventsOf({ nodes: 2, load, set: [`increment=${increment}`] }).flatMap((event) =>
      event.is === 'enter' ? [event.node] : [],
    )
    expect(entered.length).toBe(2 * rounds)
    return entered.filter((node, turn) => turn % 2 === 0 && node === 0).length / rounds
  }

  // shows ricart-agrawala-1981 6.5 Sequence Number Incrementation (1)
  test('ties favour the smaller node; a random increment from 0 to r makes them rare', () => {
    expect(shareOfNode0(0, 100)).toBe(1)
    const rounds = extent(1000, 4000)
    for (const r of [1, 3, 9, 99]) {
      // Numbers are equal once in r + 1 times; else either is the smaller one.
      const expected = 1 / 2 + 1 / (2 * (r + 1))
      const threeSigma = 3 * Math.sqrt((expected * (1 - expected)) / rounds)
      expect(Math.abs(shareOfNode0(r, rounds) - expected), `r = ${r}`).toBeLessThan(threeSigma)
    }
  })

  // shows ricart-agrawala-1981 6.5 Sequence Number Incrementation (1)
  test('the cost is the same whatever the increments', () => {
    for (const set of [['increment=5'], ['steps=1,7,2'], ['priority=3'], ['steps=1,5', 'delay=4']]) {
      const { messages } = measured('ricart-agrawala', { nodes: 6, load: 'heavy', entries: 60, set })
      expect(messages.total).toBe(60 * 10)
    }
  })

  function stageWith(nodes: number, set: string[]): Stage {
    const options = readOptions(ricartAgrawala.options, set)
    return new Stage(ricartAgrawala, arrange(ricartAgrawala.facts, { nodes, options }).setup)
  }

  const entries = ({ events }: Stage) => events.flatMap((event) => (event.is === 'enter' ? [event.node] : []))

  // shows ricart-agrawala-1981 6.5 Sequence Number Incrementation (2)
  test('an urgent request comes before ordinary ones that were made at the same time', () => {
    const ask = (priority: number): Ask => ({ mode: 'exclusive', priority })
    const order = (set: string[]) => {
      const stage = stageWith(3, set)
      ;[0, 1, 5].forEach((priority, node) => stage.request(node, ask(priority)))
      for (let turn = 0; turn < 3; turn += 1) {
        stage.deliverAll()
        stage.release(get(entries(stage), turn))
      }
      return entries(stage)
    }
    expect(order([])).toEqual([0, 1, 2])
    expect(order(['priority=5'])).toEqual([2, 1, 0])
  })

  /** Node 1 asks again as soon as it has left: how often it enters before node 0, which asked with step 8. */
  function turnsBefore(set: string[]): number {
    const stage = stageWith(2, ['steps=8,1', ...set])
    const ask: Ask = { mode: 'exclusive', priority: 0 }
    stage.request(0, ask)
    for (let turns = 0; ; turns += 1) {
      stage.request(1, ask)
      stage.deliverAll()
      if (entries(stage).length === turns) return turns
      if (entries(stage).at(-1) === 0) return turns
      stage.release(1)
    }
  }

  // shows ricart-agrawala-1981 6.5 Sequence Number Incrementation (2)
  test('a node with small increments enters first, and by leaving requests unread until its numbers reach theirs', () => {
    expect(turnsBefore([])).toBe(1)
    expect(turnsBefore(['delay=1000'])).toBe(7)
  })

  // shows ricart-agrawala-1981 6.5 Sequence Number Incrementation (2)
  test('a longer delay gives more turns to the node that may put others off, and they wait no longer than it says', () => {
    const nodes = 4
    const runs = [1, 5, 20, 60].map((delay) => {
      const wishes = { nodes, load: 'heavy', entries: 200, set: ['steps=1,50', `delay=${delay}`] }
      const { fairness, responseTime } = measured('ricart-agrawala', wishes)
      // A visit and a message for each node, once the request is read.
      expect(responseTime?.max).toBeLessThanOrEqual(delay + 2 * nodes)
      return fairness.jain as number
    })
    expect(runs[0]).toBe(1)
    expect(runs).toEqual(runs.toSorted((a, b) => b - a))
    expect(runs.at(-1)).toBeLessThan(0.5)
  })
})
