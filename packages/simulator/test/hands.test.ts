import { algorithmNamed, catalogue, electionNamed } from '@turnwise/algorithms/catalogue'
import { get } from '@turnwise/core/bounds'
import { randomStream } from '@turnwise/core/random'
import { TICKS_PER_UNIT, type TraceEvent } from '@turnwise/core/trace/trace'
import { expect, test } from 'vitest'
import { type RunWishes, simulationConfig } from '../src/configuration.ts'
import { electionConfig } from '../src/election-configuration.ts'
import { ElectionSimulation } from '../src/election-simulation.ts'
import type { Act } from '../src/hands.ts'
import { scriptFrom } from '../src/load.ts'
import { Simulation } from '../src/simulation.ts'

const unit = TICKS_PER_UNIT

/** Node 0 of three asks at time 0; everything takes one unit. */
function begun(name = 'ricart-agrawala', wishes: RunWishes = {}) {
  const events: TraceEvent[] = []
  const load = scriptFrom('0 request 0', 3, 'script')
  const config = simulationConfig(algorithmNamed(name), { nodes: 3, load, ...wishes })
  const simulation = new Simulation({ ...config, record: (event) => events.push(event) })
  simulation.step(1)
  return { simulation, events, act: (act: Act, at = 0) => simulation.hands.act(act, at) }
}

const told = (events: readonly TraceEvent[], is: TraceEvent['is']) =>
  events.filter((event) => event.is === is)

test('a request by hand is served beside the load', () => {
  const { simulation, events, act } = begun()
  act({ does: 'request', node: 1, mode: 'exclusive' }, 0.5 * unit)
  expect(events.at(-1)).toMatchObject({ at: 0.5 * unit, is: 'send', from: 1 })
  simulation.runToEnd()
  expect(told(events, 'enter').map((event) => 'node' in event && event.node)).toEqual([0, 1])
  expect(simulation.jury.violations).toEqual([])
})

test('a hand acts between the events before and after', () => {
  const { events, act } = begun()
  act({ does: 'crash', node: 2 }, 7 * unit)
  expect(events.at(-1)).toEqual({ at: unit, is: 'crash', node: 2 })
})

test('a node that is inside leaves when told to', () => {
  const { simulation, events, act } = begun('ricart-agrawala', { inside: 'constant:100' })
  while (told(events, 'enter').length === 0) simulation.step(1)
  act({ does: 'release', node: 0 })
  expect(told(events, 'leave')).toEqual([{ at: 2 * unit, is: 'leave', node: 0 }])
  simulation.runToEnd()
  expect(told(events, 'leave')).toHaveLength(1)
})

test('a crash makes the others wait, a restart with memory does not give the lost request back', () => {
  const { simulation, events, act } = begun()
  act({ does: 'crash', node: 2 })
  simulation.runToEnd()
  expect(told(events, 'lose')).toHaveLength(1)
  expect(simulation.jury.progress.findings.count).toBe(1)
})

test('a paused node goes on where it stopped', () => {
  const { simulation, events, act } = begun()
  act({ does: 'pause', node: 1 })
  simulation.step(3)
  expect(told(events, 'enter')).toHaveLength(0)
  act({ does: 'resume', node: 1 }, 5 * unit)
  simulation.runToEnd()
  expect(told(events, 'enter')).toHaveLength(1)
})

test('a message is delivered now, delayed, lost or doubled', () => {
  const { simulation, events, act } = begun()
  act({ does: 'deliver', id: 1, to: 1 }, 0.25 * unit)
  expect(told(events, 'receive')).toEqual([{ at: 0.25 * unit, is: 'receive', id: 1, node: 1 }])
  act({ does: 'duplicate', id: 2, to: 2 }, 0.25 * unit)
  act({ does: 'delay', id: 3, to: 0, by: 10 }, 0.5 * unit)
  simulation.runToEnd()
  const received = told(events, 'receive').map((event) => ({ id: 'id' in event && event.id, at: event.at }))
  expect(received.filter(({ id }) => id === 2).map(({ at }) => at / unit)).toEqual([1, 1.25])
  expect(received.find(({ id }) => id === 3)?.at).toBe(11.25 * unit)

  const other = begun()
  other.act({ does: 'drop', id: 2, to: 2 })
  other.simulation.runToEnd()
  expect(told(other.events, 'lose')).toEqual([{ at: 0, is: 'lose', id: 2, node: 2, why: 'drop' }])
  expect(told(other.events, 'enter')).toHaveLength(0)
})

test('on a fifo channel nothing overtakes what is held back', () => {
  const { simulation, events, act } = begun('lamport', { channels: 'fifo' })
  act({ does: 'delay', id: 1, to: 1, by: 5 })
  act({ does: 'request', node: 1, mode: 'exclusive' }, 0.5 * unit)
  simulation.runToEnd()
  const arrivals = events.flatMap((event) => {
    if (event.is !== 'receive' || event.node !== 1) return []
    const sent = events.find((other) => other.is === 'send' && other.id === event.id)
    return sent?.is === 'send' && sent.from === 0 ? [event.id] : []
  })
  expect(arrivals).toEqual(arrivals.toSorted((a, b) => a - b))
  expect(arrivals.length).toBeGreaterThan(1)
  expect(simulation.jury.violations).toEqual([])
})

test('a message is not delivered before an earlier one of its fifo channel', () => {
  const { simulation, events, act } = begun('lamport', { channels: 'fifo' })
  act({ does: 'delay', id: 1, to: 1, by: 5 })
  act({ does: 'request', node: 1, mode: 'exclusive' }, 0.5 * unit)
  const toOne = () => events.flatMap((event) => (event.is === 'send' && event.to === 1 ? [event] : []))
  const answer = () => toOne().find(({ from, id }) => from === 0 && id > 1)
  while (answer() === undefined && !simulation.step(1));
  expect(() => act({ does: 'deliver', id: answer()?.id ?? 0, to: 1 })).toThrow('keep their order')
})

test('a cut loses what is sent one way until it is healed', () => {
  const { simulation, events, act } = begun()
  act({ does: 'cut', from: 1, to: 0 })
  simulation.runToEnd()
  expect(told(events, 'lose')).toMatchObject([{ node: 0, why: 'cut' }])
  const other = begun()
  other.act({ does: 'cut', from: 1, to: 0 })
  other.act({ does: 'heal', from: 1, to: 0 })
  other.simulation.runToEnd()
  expect(told(other.events, 'enter')).toHaveLength(1)
})

test('a hand ends what the schedule began, once', () => {
  const { simulation, events, act } = begun('lamport', { fault: ['cut:0>1@0-50', 'pause:2@0-50'] })
  while (told(events, 'pause').length === 0) simulation.step(1)
  act({ does: 'heal', from: 0, to: 1 })
  act({ does: 'resume', node: 2 })
  act({ does: 'pause', node: 1 })
  simulation.runToEnd()
  expect(told(events, 'heal')).toEqual([{ at: 0, is: 'heal', from: 0, to: 1 }])
  expect(told(events, 'resume')).toEqual([{ at: 0, is: 'resume', node: 2 }])
})

test('an election is called by hand', () => {
  const events: TraceEvent[] = []
  const config = electionConfig(electionNamed('bully'), { nodes: 4, initiators: '0' })
  const simulation = new ElectionSimulation({ ...config, record: (event) => events.push(event) })
  simulation.hands.act({ does: 'elect', node: 2 }, 0)
  simulation.runToEnd()
  expect(simulation.elected).toBe(2)
  expect(() => simulation.hands.act({ does: 'release', node: 1 }, 0)).toThrow('is an election')
})

test.each<[string, Act, string]>([
  ['a node that is not there', { does: 'crash', node: 3 }, '"3" is not a node from 0 to 2'],
  ['a second request', { does: 'request', node: 0, mode: 'exclusive' }, 'has a request already'],
  [
    'a shared one where there is no shared mode',
    { does: 'request', node: 1, mode: 'shared' },
    'has no shared mode',
  ],
  ['an exit of a node that waits', { does: 'release', node: 0 }, 'node 0 is not inside'],
  ['a restart of the living', { does: 'restart', node: 1, memory: true }, 'has not crashed'],
  ['going on without a pause', { does: 'resume', node: 1 }, 'node 1 is not paused'],
  ['an unknown message', { does: 'drop', id: 99, to: 1 }, 'is not under way'],
  ['a delay of nothing', { does: 'delay', id: 1, to: 1, by: 0 }, '"0" is not a delay'],
  ['a channel to itself', { does: 'cut', from: 1, to: 1 }, 'to another node'],
  ['healing what is whole', { does: 'heal', from: 1, to: 0 }, '1>0 is not cut'],
  ['an election where there is none', { does: 'elect', node: 1 }, 'is no election'],
])('%s is refused, and nothing has changed', (_, act, complaint) => {
  const { simulation, events, act: attempt } = begun('lamport')
  const untouched = begun('lamport')
  expect(() => attempt(act, 0.5 * unit)).toThrow(complaint)
  simulation.runToEnd()
  untouched.simulation.runToEnd()
  expect(events).toEqual(untouched.events)
})

test('whatever hands do, no algorithm throws, and the same hands make the same run', () => {
  for (const algorithm of catalogue) {
    const run = () => {
      const events: TraceEvent[] = []
      const config = simulationConfig(algorithm, { nodes: 4, load: 'heavy', entries: 12 })
      const simulation = new Simulation({ ...config, record: (event) => events.push(event) })
      const random = randomStream(7, 'hands')
      for (let i = 0; i < 60 && !simulation.isOver; i += 1) {
        simulation.step(1 + random.below(3))
        try {
          simulation.hands.act(gentleAct(random.below(6), random.below(4), random.below(4), i), 0)
        } catch (error) {
          expect(error).toHaveProperty('name', 'InvalidInput')
        }
      }
      while (!simulation.step(1000) && simulation.events < 5000);
      return events
    }
    const [one, other] = [run(), run()]
    // Texts are compared in a tenth of the time.
    if (JSON.stringify(one) !== JSON.stringify(other)) expect(one, algorithm.facts.name).toEqual(other)
  }
})

/** What no algorithm may break under: delays, requests, exits, pauses. */
function gentleAct(kind: number, node: number, id: number, step: number): Act {
  switch (kind) {
    case 0:
      return { does: 'request', node, mode: 'exclusive' }
    case 1:
      return { does: 'release', node }
    case 2:
      return { does: 'pause', node }
    case 3:
      return { does: 'resume', node }
    case 4:
      return { does: 'deliver', id: step + id, to: node }
    default:
      return { does: 'delay', id: step + id, to: node, by: 2 }
  }
}

test('what a node has before it happens when told to: a timer that runs, and nothing that does not', () => {
  const events: TraceEvent[] = []
  const config = electionConfig(electionNamed('bully'), { nodes: 4, initiators: '0', fault: ['crash:3@0'] })
  const simulation = new ElectionSimulation({ ...config, record: (event) => events.push(event) })
  const running = () => simulation.hands.ahead().filter(({ act }) => act.does === 'timeout')
  while (running().length === 0) simulation.step(1)
  const first = get(running(), 0)
  const { act } = first
  const now = events.at(-1)?.at ?? 0
  expect(first.at).toBeGreaterThan(now)
  simulation.hands.act(act, now)
  expect(told(events, 'timeout').at(-1)).toMatchObject({ at: now, node: act.node })
  const again = () => simulation.hands.act({ does: 'timeout', node: act.node, timer: 'no such' }, now)
  expect(again).toThrow(`node ${act.node} has no such timeout before it`)
  const crashed = () => simulation.hands.act({ ...act, node: 3 }, now)
  expect(crashed).toThrow('node 3 cannot act: it is down')
  simulation.runToEnd()
  expect(simulation.hands.ahead()).toEqual([])
})
