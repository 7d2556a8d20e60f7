import { type Instance, NO_TROUBLE } from '@turnwise/checker/instance'
import type { Algorithm, AnyAlgorithm } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { simulationConfig } from '@turnwise/simulator/configuration'
import { Stage } from '@turnwise/simulator/stage'
import { describe, expect, test } from 'vitest'
import { checkModel } from '../../../scripts/models.ts'
import { isDue } from '../../../test/extent.ts'
import { type Message, raymondRecovery, type State } from '../src/token/raymond-recovery.ts'
import { measured } from './measured.ts'

/** What Velazquez (1993, section 4) says of the recovery in Raymond's algorithm. */

const ASK = { mode: 'exclusive', priority: 0 } as const

describe('a node that failed and comes back without memory', () => {
  test.each(['line', 'star', 'tree:2', 'tree:4'])(
    'asks its neighbours: two messages each, on a %s',
    (topology) => {
      const { setup } = simulationConfig(raymondRecovery, { nodes: 13, topology })
      for (let node = 0; node < 13; node += 1) {
        const stage = new Stage(raymondRecovery, setup)
        stage.crash(node)
        stage.restart(node, false)
        stage.deliverAll()
        const degree = setup.topology.neighbours(node).length
        expect(Object.fromEntries(stage.jury.cost.sentByType)).toEqual({ restart: degree, advise: degree })
      }
    },
  )

  test('knows what it knew, if nothing was under way', () => {
    const { setup } = simulationConfig(raymondRecovery, { nodes: 7 })
    for (let node = 0; node < 7; node += 1) {
      const stage = new Stage(raymondRecovery, setup)
      stage.request(5)
      stage.deliverAll()
      stage.request(3)
      stage.request(6)
      stage.deliverAll()
      const before = structuredClone(stage.states[node]) as State
      if (stage.statusOf(node) !== 'idle') continue
      stage.crash(node)
      stage.restart(node, false)
      stage.deliverAll()
      const { holder, asked, queue } = stage.states[node] as State
      expect({ holder, asked, queue: queue.toSorted() }).toEqual({
        holder: before.holder,
        asked: before.asked,
        queue: before.queue.toSorted(),
      })
    }
  })

  test('makes no second privilege, though the first began here', () => {
    const { setup } = simulationConfig(raymondRecovery, { nodes: 3, topology: 'line' })
    const stage = new Stage(raymondRecovery, setup)
    stage.request(2)
    stage.deliverAll()
    stage.crash(0)
    stage.restart(0, false)
    expect(stage.states[0]).toMatchObject({ fence: null })
    stage.request(0)
    stage.deliverAll()
    expect(stage.statusOf(0)).toBe('waiting')
    stage.release(2)
    stage.deliverAll()
    expect(stage.statusOf(0)).toBe('inside')
    expect(stage.jury.violations).toEqual([])
  })
})

describe('runs with failures', () => {
  /** Over the seeds the node holds, waits, or is on the way. */
  // shows velazquez-1993 4 Raymond, piggyback and recovery
  test.each(['', ',amnesia'])('one node after the other fails and comes back%s', (amnesia) => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const nodes = 3 + (seed % 6)
      const fault = [3.3, 40.7, 81.1].flatMap((at, i) => {
        const node = (seed * 5 + 2 * i) % nodes
        return [
          `crash:${node}@${at + seed / 7}`,
          `restart:${node}@${at + seed / 7 + get([0.1, 4, 15], seed % 3)}${amnesia}`,
        ]
      })
      const wishes = {
        nodes,
        seed,
        fault,
        entries: 80,
        topology: get(['line', 'star', 'tree:2'], seed % 3),
        load: seed % 2 === 0 ? 'heavy' : 'closed:5',
        latency: 'uniform:0,3',
      }
      const name = seed % 4 === 0 ? 'raymond-piggyback-recovery' : 'raymond-recovery'
      expect(measured(name, wishes)).toMatchObject({ unserved: 0, gaveUp: false })
    }
  })

  // shows velazquez-1993 4 Raymond, piggyback and recovery
  test.each([
    [
      'two neighbours that fail together',
      ['crash:0@3.3', 'crash:1@3.3', 'restart:0@5', 'restart:1@5,amnesia'],
    ],
    [
      'one that comes back while a split keeps it from a neighbour',
      ['crash:1@3', 'restart:1@5,amnesia', 'split:0/1,2@4-20'],
    ],
  ])('%s: no second privilege is made, and somebody waits for ever', (_who, fault) => {
    const wishes = { nodes: 3, topology: 'line', fault, load: 'heavy', entries: 30 }
    expect(() => measured('raymond-recovery', wishes)).toThrow(/ progress: /)
  })
})

describe('every run in which one node fails once, as far as small worlds go', () => {
  interface Mortal extends State {
    life: 'may fail' | 'is down' | 'is back' | 'never fails'
  }

  /**
   * The checker knows no restarts, so the node that may fail does so by itself: at any moment but inside it stops
   * listening, and at any later moment comes back without memory. A caller that waited asks again.
   */
  function mortal(victim: number, rules: Algorithm<State, Message>): AnyAlgorithm {
    const { facts, shapes, receive } = rules
    const deaf = <Args extends unknown[]>(handle: (node: Mortal, ...event: Args) => void) => {
      return (node: Mortal, ...event: Args) => {
        if (node.life !== 'is down') handle(node, ...event)
      }
    }
    const algorithm: Algorithm<Mortal, Message> = {
      ...rules,
      facts: { ...facts, timers: { fate: 'pace' } },
      shapes: { ...shapes, state: { ...shapes.state, life: 'data' } },
      tokens: {
        held: (node) => (node.life === 'is down' || node.fence === null ? 0 : 1),
        carried: () => 0,
      },
      init: (self, setup) => ({
        ...rules.init(self, setup),
        life: self === victim ? 'may fail' : 'never fails',
      }),
      start: (node, here) => void (node.life === 'may fail' && here.setTimer('fate', 1)),
      request(node, here, ask) {
        if (node.life === 'is down') node.queue = [here.self]
        else rules.request(node, here, ask)
      },
      timeout(node, here) {
        if (node.using) return here.setTimer('fate', 1)
        const waits = node.queue.includes(here.self)
        if (node.life === 'may fail') {
          Object.assign(node, rules.init(here.self, here.setup), { fence: null, life: 'is down' })
          node.queue = waits ? [here.self] : []
          here.setTimer('fate', 1)
        } else {
          Object.assign(node, rules.init(here.self, here.setup), { life: 'is back' })
          rules.restart?.(node, here, false)
          if (waits) rules.request(node, here, ASK)
        }
      },
      receive: {
        request: deaf(receive.request),
        privilege: deaf(receive.privilege),
        restart: deaf(receive.restart),
        advise: deaf(receive.advise),
      },
    }
    return algorithm
  }

  function instanceFor(algorithm: AnyAlgorithm, nodes: number, requests: number): Instance {
    const { setup } = simulationConfig(algorithm, { nodes, topology: 'line' })
    return { algorithm, setup, requests, channels: 'unordered', timing: 'any', budgets: NO_TROUBLE }
  }

  const worlds = [
    { nodes: 2, victim: 0, requests: 2, states: 743 },
    { nodes: 2, victim: 1, requests: 2, states: 778 },
    { nodes: 3, victim: 0, requests: 1, states: 1535 },
    { nodes: 3, victim: 1, requests: 1, states: 5184 },
    { nodes: 3, victim: 2, requests: 1, states: 1618 },
    { nodes: 3, victim: 1, requests: 2, states: 43_199 },
  ]
  test.each(worlds.filter(({ states }) => isDue(states, 10_000, 1e6)))(
    'node $victim of $nodes, $requests requests each',
    ({ nodes, victim, requests, states }) => {
      const { failure, expected } = checkModel(instanceFor(mortal(victim, raymondRecovery), nodes, requests))
      expect(failure?.reason ?? null).toBeNull()
      expect(expected.states).toBe(states)
    },
  )
})
