import type { AnyAlgorithm } from '@turnwise/core/algorithm'
import { simulationConfig } from '@turnwise/simulator/configuration'
import { type Envelope, Stage } from '@turnwise/simulator/stage'
import { describe, expect, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import { variant as heardInTime } from '../broken/ricart-agrawala-membership-heard-in-time.ts'
import { variant as highestReceived } from '../broken/ricart-agrawala-membership-highest-received.ts'
import { comingLater } from '../src/broken-variant.ts'
import { ricartAgrawalaMembership, type State } from '../src/permission/ricart-agrawala-membership.ts'
import { enterAlone } from './alone.ts'
import { measured, SIZES } from './measured.ts'
import { run } from './membership-run.ts'

/** What Ricart and Agrawala (1981) say in section 7 of nodes that come, go and fail. */

/** A group of all nodes but the last, which is there and new to it. */
function stageOf(group: number, { newcomers = 0, set = [] as string[] } = {}): Stage {
  const nodes = group + newcomers
  const { setup } = simulationConfig(ricartAgrawalaMembership, { nodes, set })
  const absent = Array.from({ length: newcomers }, (_, i) => group + i)
  return new Stage(ricartAgrawalaMembership, { ...setup, absent })
}

function stateOf(stage: Stage, node: number): State {
  return stage.states[node] as State
}

/** Messages sent while something is done, and everything delivered. */
function costOf(stage: Stage, doing: () => void): number {
  const before = stage.jury.cost.messages
  doing()
  stage.deliverAll()
  expect(stage.jury.violations).toEqual([])
  return stage.jury.cost.messages - before
}

describe('without faults', () => {
  test('an entry costs 2(n-1) messages, and nobody is suspected, whatever the law of delays', () => {
    for (const latency of ['constant:10', 'uniform:0,20', 'exponential:1', 'exponential:10']) {
      for (const load of ['light', 'heavy', 'poisson:5']) {
        for (const nodes of extent([1, 2, 5, 16], [1, 2, 5, 16, 50])) {
          const { messages } = measured('ricart-agrawala-membership', { nodes, latency, load, entries: 200 })
          expect(messages.perEntry).toBe(2 * (nodes - 1))
          expect(
            Object.keys(messages.byType).filter((type) => type !== 'request' && type !== 'reply'),
          ).toEqual([])
        }
      }
    }
  })

  // shows ricart-agrawala-1981 7.1 Node Numbers
  test('it is ricart-agrawala, message by message', () => {
    for (const nodes of SIZES) {
      const wishes = { nodes, load: 'closed:5', latency: 'exponential:1', entries: 100 }
      const { messages, syncDelay } = measured('ricart-agrawala-membership', wishes)
      const base = measured('ricart-agrawala', wishes)
      expect([messages.byType, syncDelay]).toEqual([base.messages.byType, base.syncDelay])
    }
  })
})

describe('insertion through a sponsor (7.2.2)', () => {
  /** JOIN; the sponsor's entry; INSERT and ACK to and from its N-1 others; WELCOME and its ACK. */
  const insertion = (group: number) => 1 + 2 * (group - 1) + 2 * (group - 1) + 2

  // shows ricart-agrawala-1981 7.2.2 Reconcile participant lists
  test.each([
    ['ask', (group: number) => 2 * group],
    ['one-from-each', () => 0],
    ['growth', () => 0],
    ['time', () => 0],
    ['fourth', () => 0],
  ])('costs 4N-1 messages, and what it takes to learn the highest number: %s', (learn, learning) => {
    for (const group of SIZES) {
      const stage = stageOf(group, { newcomers: 1, set: [`learn=${learn}`] })
      expect(insertion(group)).toBe(4 * group - 1)
      expect(costOf(stage, () => stage.add(group, 0))).toBe(4 * group - 1 + learning(group))
      expect(stateOf(stage, group).standing).toBe(learn === 'ask' ? 'member' : 'learning')
      for (const state of stage.states) expect((state as State).names).toHaveLength(group)
    }
  })

  test('a sponsor that is inside for itself need not ask again: 2(N-1) fewer', () => {
    const stage = stageOf(5, { newcomers: 1, set: ['learn=time'] })
    stage.request(0)
    stage.deliverAll()
    expect(costOf(stage, () => stage.add(5, 0))).toBe(1)
    expect(costOf(stage, () => stage.release(0))).toBe(4 * 5 - 1 - 2 * 4 - 1)
    expect(stateOf(stage, 1).names).toEqual([0, 2, 3, 4, 5])
  })

  test('several new nodes are introduced together, and to each other', () => {
    const stage = stageOf(3, { newcomers: 3 })
    stage.request(1)
    stage.deliverAll()
    for (const newcomer of [3, 4, 5]) stage.add(newcomer, 0)
    stage.deliverAll()
    stage.release(1)
    stage.deliverAll()
    stage.states.forEach((state, node) => {
      expect(state).toMatchObject({ standing: 'member', names: [0, 1, 2, 3, 4, 5].filter((n) => n !== node) })
    })
  })

  test('after it an entry costs 2(N-1) in the larger group, for the new node too', () => {
    const stage = stageOf(4, { newcomers: 1 })
    stage.add(4, 2)
    stage.deliverAll()
    for (const node of [0, 4]) expect(enterAlone(stage, node)).toBe(2 * 4)
  })

  test('without a sponsor: one message to each name of the range, one answer from each of the group', () => {
    for (const group of SIZES) {
      const stage = stageOf(group, { newcomers: 3 })
      expect(costOf(stage, () => stage.add(group, null))).toBe(group + 2 + group)
      expect(stateOf(stage, group).standing).toBe('member')
    }
  })
})

describe('two sponsors at once (7.2.2)', () => {
  const { receive } = ricartAgrawalaMembership
  /** The sponsor goes on as if all had acknowledged; nothing else is changed. */
  const unacknowledged: typeof ricartAgrawalaMembership = {
    ...ricartAgrawalaMembership,
    release(node, here) {
      ricartAgrawalaMembership.release(node, here)
      const { question, ours, awaiting } = node
      if (question !== 'insert') return
      for (const other of awaiting) receive.ack(node, here, { type: 'ack', number: ours }, other)
    },
  }

  test.each([
    ['that wait for acknowledgements: safe', ricartAgrawalaMembership, false],
    ['that do not: their new nodes never hear of each other, and are inside together', unacknowledged, true],
  ])('%s', (_what, algorithm, fails) => {
    const fault = ['add:2@4,via:0', 'add:3@4.5,via:1']
    const wishes = { nodes: 4, load: 'closed:1', entries: 60, latency: 'uniform:0,3', fault }
    const objects = Array.from(
      { length: 100 },
      (_, i) => run({ ...wishes, seed: i + 1 }, algorithm).violations,
    )
    expect(objects.flat().some(({ judge }) => judge === 'exclusion')).toBe(fails)
  })
})

describe('the highest sequence number (7.2.3)', () => {
  /** Nodes 0 and 1 have asked some times, and node 2 has been inserted and waits to enter. */
  function newcomerWaits(learn: string): Stage {
    const stage = stageOf(2, { newcomers: 1, set: [`learn=${learn}`] })
    for (const node of [0, 1, 0]) enterAlone(stage, node)
    stage.add(2, 0)
    stage.deliverAll()
    if (learn !== 'ask') expect(stateOf(stage, 2)).toMatchObject({ standing: 'learning', highest: 0 })
    stage.request(2)
    stage.deliverAll()
    return stage
  }

  // shows ricart-agrawala-1981 7.2.3 Set highest sequence number
  test.each([
    // Numbers 1 to 4 are the entries of the two and the sponsor's.
    ['one-from-each', [0, 0, 0, 1], 8],
    ['growth', [1, 1, 1], 7],
    ['fourth', [0, 1, 0, 1, 0, 1, 0], 11],
  ])('%s: it enters after the requests of %j', (learn, requests, highest) => {
    const stage = newcomerWaits(learn)
    for (const node of requests) {
      expect(stage.statusOf(2)).toBe('waiting')
      expect(stateOf(stage, 2).ours).toBeNull()
      enterAlone(stage, node)
    }
    expect(stage.statusOf(2)).toBe('inside')
    expect(stateOf(stage, 2).ours).toBe(highest + 1)
    expect(stage.jury.violations).toEqual([])
  })

  // shows ricart-agrawala-1981 7.2.3 Set highest sequence number
  test('ask: it enters at once, above all numbers', () => {
    const stage = newcomerWaits('ask')
    expect(stage.statusOf(2)).toBe('inside')
    expect(stateOf(stage, 2).ours).toBe(5)
  })

  // shows ricart-agrawala-1981 7.2.3 Set highest sequence number
  test('time: it waits, then copies the number of a node nearby, with two messages', () => {
    const stage = newcomerWaits('time')
    expect(stage.statusOf(2)).toBe('waiting')
    // 2 for the number, 2(N-1) for the entry.
    expect(costOf(stage, () => stage.timeout(2, 'learn'))).toBe(2 + 4)
    expect(stateOf(stage, 2).ours).toBe(5)
    expect(stage.statusOf(2)).toBe('inside')
  })

  // shows ricart-agrawala-1981 7.2.3 Set highest sequence number
  test('until then it answers the requests of others', () => {
    const stage = newcomerWaits('growth')
    enterAlone(stage, 0)
    expect(stage.statusOf(0)).toBe('idle')
    expect(stage.statusOf(2)).toBe('waiting')
  })

  // shows ricart-agrawala-1981 Appendix, the fourth request
  test('all ways but `fourth` on any channels, `fourth` on ordered ones: safe, and served while others ask', () => {
    for (const learn of ['ask', 'one-from-each', 'growth', 'time', 'fourth']) {
      for (let seed = 1; seed <= extent(6, 30); seed += 1) {
        const { violations, unserved } = run({
          nodes: 5,
          seed,
          load: 'closed:3',
          entries: 150,
          latency: 'uniform:0,3',
          inside: 'exponential:1',
          channels: learn === 'fourth' ? 'fifo' : 'unordered',
          fault: ['add:1@6,via:0', 'add:3@9,via:2'],
          set: [`learn=${learn}`],
        })
        expect(violations.filter(({ judge }) => judge !== 'progress')).toEqual([])
        // What waits when all requests have been issued learns nothing more from them.
        if (learn === 'ask' || learn === 'time') expect(unserved).toBe(0)
      }
    }
  })

  test('numbers that leave out the own one let two in', () => {
    const seeds = Array.from({ length: 200 }, (_, i) => i + 1)
    const wishes = {
      nodes: 3,
      entries: 15,
      load: 'closed:1',
      inside: 'exponential:1',
      latency: 'exponential:1',
    }
    const found = seeds.find((seed) =>
      run({ ...wishes, seed }, highestReceived.algorithm).violations.some(
        ({ judge }) => judge === 'exclusion',
      ),
    )
    expect(found).toBeDefined()
  })

  test('a new node that goes by what it heard in time (4) may enter with a number already used', () => {
    const violationsOf = (algorithm: AnyAlgorithm) => {
      const stage = new Stage(algorithm, simulationConfig(algorithm, { nodes: 4, set: ['learn=time'] }).setup)
      raiseUnheard(stage)
      stage.timeout(2, 'learn')
      stage.deliverAll()
      expect(stage.statusOf(2)).toBe('inside')
      return stage.jury.violations.map(({ judge }) => judge)
    }
    expect(violationsOf(heardInTime.algorithm)).toEqual(['fence'])
    expect(violationsOf(comingLater(ricartAgrawalaMembership, 2, 0))).toEqual([])
  })
})

/** 1 knows the new node 2 and asks it too; 3 hears that request, and asks with a higher number before it hears of 2. */
function raiseUnheard(stage: Stage): void {
  const deliver = (type: string, from: number, to: number) => {
    const isIt = (letter: Envelope) =>
      letter.message.type === type && letter.from === from && letter.to === to
    stage.deliver(stage.underWay.find(isIt) as Envelope)
  }
  stage.request(2)
  stage.timeout(2, 'come')
  deliver('join', 2, 0)
  for (const peer of [1, 3]) deliver('request', 0, peer)
  for (const peer of [1, 3]) deliver('reply', peer, 0)
  deliver('insert', 0, 1)
  stage.request(1)
  deliver('request', 1, 3)
  stage.request(3)
  stage.deliverAll()
  stage.release(1)
  stage.deliverAll()
  stage.release(3)
}

describe('removal (7.3)', () => {
  // shows ricart-agrawala-1981 7.3 Removal of Nodes
  test('costs 2(N-1) messages, and entries are cheaper afterwards', () => {
    for (const group of SIZES) {
      const stage = stageOf(group)
      expect(costOf(stage, () => stage.remove(group - 1))).toBe(2 * (group - 1))
      expect(stage.statusOf(group - 1)).toBe('absent')
      expect(enterAlone(stage, 0)).toBe(2 * (group - 2))
    }
  })

  test('two that leave at the same time do not wait for each other', () => {
    const stage = stageOf(4)
    stage.remove(1)
    stage.remove(2)
    stage.deliverAll()
    expect([stage.statusOf(1), stage.statusOf(2)]).toEqual(['absent', 'absent'])
    expect(stateOf(stage, 0).names).toEqual([3])
  })

  test('coming and going without failures: nobody is taken for failed', () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const { sent, violations, unserved } = run({
        nodes: 6,
        seed,
        load: 'closed:2',
        entries: 120,
        latency: 'uniform:0,3',
        fault: ['add:1@6,via:0', 'remove:2@7', 'add:3@7', 'remove:4@8', 'add:5@9,via:4', 'remove:1@30'],
      })
      expect([violations, unserved, sent('failed'), sent('are-you-there')]).toEqual([[], 0, 0, 0])
    }
  })
})

describe('failure (7.4)', () => {
  // shows ricart-agrawala-1981 7.4 Node Failures
  test('a failed node costs the one that waits for it a probe and N-2 notices, and one reply less', () => {
    for (const group of SIZES) {
      const stage = stageOf(group)
      stage.crash(group - 1)
      const cost = costOf(stage, () => {
        stage.request(0)
        stage.deliverAll()
        stage.timeout(0, 'answer')
        stage.deliverAll()
        stage.timeout(0, 'probe')
      })
      expect(stage.statusOf(0)).toBe('inside')
      expect(cost).toBe(2 * (group - 1) - 1 + 1 + (group - 2))
      for (let node = 0; node < group - 1; node += 1)
        expect(stateOf(stage, node).names).toHaveLength(group - 2)
    }
  })

  // shows ricart-agrawala-1981 7.4 Node Failures
  test('the time-out is no limit on a stay inside: all who are alive say so, and the wait begins anew', () => {
    const stage = stageOf(3)
    stage.request(1)
    stage.deliverAll()
    stage.request(0)
    stage.deliverAll()
    for (let period = 0; period < 3; period += 1)
      expect(costOf(stage, () => stage.timeout(0, 'answer'))).toBe(2)
    expect(stateOf(stage, 0)).toMatchObject({ names: [1, 2], awaiting: [1], silent: null })
    stage.release(1)
    stage.deliverAll()
    expect(stage.statusOf(0)).toBe('inside')
  })

  // shows ricart-agrawala-1981 7.2.1 Restart interval
  test('a node that comes back says so to all names, rests, and asks all to include it', () => {
    for (const group of SIZES) {
      const stage = stageOf(group, { newcomers: 1 })
      stage.crash(1)
      expect(costOf(stage, () => stage.restart(1, false))).toBe(group)
      for (const node of [0, group - 1]) if (node !== 1) expect(stateOf(stage, node).names).not.toContain(1)
      expect(costOf(stage, () => stage.timeout(1, 'rest'))).toBe(group + (group - 1))
      expect(stateOf(stage, 1).standing).toBe('member')
    }
  })

  test('all fail, and those who come back are a group again', () => {
    const fault = [0, 1, 2].flatMap((node) => [`crash:${node}@20`, `restart:${node}@${40 + node}`])
    const wishes = { nodes: 3, load: 'closed:3', latency: 'uniform:0,3', entries: 60, fault }
    expect(run(wishes)).toMatchObject({ violations: [], unserved: 0, gaveUp: false })
  })
})
