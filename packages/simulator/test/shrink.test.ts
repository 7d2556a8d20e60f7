import { catalogue } from '@turnwise/algorithms/catalogue'
import type { AnyAlgorithm } from '@turnwise/core/algorithm'
import type { TraceEvent } from '@turnwise/core/trace/trace'
import { expect, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import type { SimulationConfig } from '../src/engine.ts'
import { shrink } from '../src/shrink.ts'
import { Simulation } from '../src/simulation.ts'
import { commandOf, configOf, type Run } from './harness.ts'

/** Some never fall silent, and wait for what was lost until they are stopped: those are left out. */
function eventsOf(config: SimulationConfig): TraceEvent[] {
  const events: TraceEvent[] = []
  new Simulation({ ...config, record: (event) => void events.push(event) }).step(5000)
  return events
}

const judgeIn = (events: readonly TraceEvent[]) => events.find((event) => event.is === 'violation')?.judge

/** Whether every message was sent before it arrived, and arrived at most once unless it was doubled. */
function expectPossible(events: readonly TraceEvent[], isFifo: boolean, what: string): void {
  const copies = new Map<string, number>()
  const sent = new Map<number, { from: number; to: number | null }>()
  const last = new Map<string, number>()
  for (const event of events) {
    if (event.is === 'send') sent.set(event.id, event)
    if (event.is === 'duplicate') copies.set(`${event.id}`, (copies.get(`${event.id}`) ?? 1) + 1)
    if (event.is !== 'receive') continue
    const { id, node } = event
    const letter = sent.get(id)
    expect(letter, what).toBeDefined()
    const key = letter?.to === null ? `${id} to ${node}` : `${id}`
    expect(copies.get(key) ?? 1, what).toBeGreaterThan(0)
    copies.set(key, (copies.get(key) ?? 1) - 1)
    const channel = `${letter?.from}>${node}`
    if (isFifo) expect(id, what).toBeGreaterThanOrEqual(last.get(channel) ?? 0)
    last.set(channel, id)
  }
}

const TROUBLE = ['drop:0.1', 'duplicate:0.2', 'crash:1@6']

test('what fails under faults fails in a smaller run of the same world, by the same judge', () => {
  const total = { failed: 0, shrunk: 0, from: 0, to: 0 }
  for (const algorithm of catalogue.filter((_, i) => i % extent(4, 1) === 0)) {
    for (const fault of TROUBLE) {
      const run: Run = { algorithm, nodes: 4, entries: 24, load: 'heavy', faults: [fault] }
      const config = configOf(run)
      const events = eventsOf(config)
      const judge = judgeIn(events)
      if (judge === undefined) continue
      total.failed += 1
      const small = shrink(config, events)
      if (typeof small === 'string') continue
      const what = `${commandOf(run)} --shrink run.jsonl`
      expect(small.events, what).toContainEqual(expect.objectContaining({ is: 'violation', judge }))
      expect(small.violation.judge, what).toBe(judge)
      expect(small.to, what).toBeLessThanOrEqual(small.from)
      expectPossible(small.events, config.channels === 'fifo', what)
      total.shrunk += 1
      total.from += small.from
      total.to += small.to
    }
  }
  expect(total.failed).toBeGreaterThan(extent(10, 40))
  // The others draw at random.
  expect(total.shrunk / total.failed).toBeGreaterThan(0.9)
  expect(total.to / total.from).toBeLessThan(0.25)
})

test('Lamport without order among messages: two are inside, and every act is needed', () => {
  const lamport = catalogue.find(({ facts }) => facts.name === 'lamport') as AnyAlgorithm
  const config = configOf({
    algorithm: lamport,
    nodes: 4,
    entries: 200,
    load: 'heavy',
    channels: 'unordered',
    latency: 'exponential:1',
  })
  const small = shrink(config, eventsOf(config))
  if (typeof small === 'string') throw new Error(small)
  expect(small.violation).toMatchObject({ judge: 'exclusion' })
  expect(small.from).toBeGreaterThan(20)
  expect(shrink(config, small.events)).toMatchObject({ from: small.to, to: small.to })
})

test('a run that no judge objects to, and one that changes its members, are not shrunk', () => {
  const named = (name: string) => catalogue.find(({ facts }) => facts.name === name) as AnyAlgorithm
  const quiet = configOf({ algorithm: named('raymond'), nodes: 3 })
  expect(shrink(quiet, eventsOf(quiet))).toBe('no judge objects')
  const events: TraceEvent[] = [
    { at: 1, is: 'join', node: 2, sponsor: null },
    { at: 2, is: 'violation', judge: 'exclusion', nodes: [0], text: '' },
  ]
  expect(shrink(quiet, events)).toBe('a run with "join" cannot be played again act by act')
})
