import { get } from '@turnwise/core/bounds'
import { Simulation } from '@turnwise/simulator/simulation'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FrameGate } from '../src/rooms/theatre/frame-gate.ts'
import { Places } from '../src/rooms/theatre/places.ts'
import type { Hand } from '../src/run/hand.ts'
import { stateAt } from '../src/run/moment.ts'
import { headOf, playParts } from '../src/run/play.ts'
import { play } from '../src/run/play-whole.ts'
import type { Recording } from '../src/run/recording.ts'
import { RecordingBuilder, record } from '../src/run/recording-builder.ts'
import { worldOf } from '../src/run/spec.ts'
import { shape } from '../src/scene/svg-shape.ts'
import { PatchReader, PatchWriter } from '../src/worker/patch.ts'
import { specOf } from './runs.ts'

const algorithms = fc.constantFrom('ricart-agrawala', 'maekawa', 'raymond', 'suzuki-kasami', 'lamport')
const specs = fc
  .record({ algorithm: algorithms, nodes: fc.integer({ min: 3, max: 7 }), seed: fc.nat(1000) })
  .map((words) => specOf({ ...words, entries: 20, latency: 'uniform:0.5,3' }))

const crash = (after: number, node: number): Hand => ({ after, at: 0, act: { does: 'crash', node } })

/** As the page gets it: in parts of this size, the states as patches that were copied on their way. */
function received(spec: ReturnType<typeof specOf>, hands: readonly Hand[], partOf: number): Recording[] {
  const world = worldOf(spec)
  const builder = new RecordingBuilder(headOf(spec, world, hands))
  const [writer, reader] = [new PatchWriter(), new PatchReader()]
  const parts = playParts(world, hands, { partOf })
  const grown: Recording[] = []
  for (;;) {
    const { done, value } = parts.next()
    if (done === true) {
      builder.end(value)
      return [...grown, builder.recording()]
    }
    const sent = structuredClone({ ...value, states: value.states.map((change) => writer.write(change)) })
    builder.add({ ...sent, states: sent.states.map((patch) => reader.read(patch)) })
    grown.push({ ...builder.recording(), happenings: [...builder.recording().happenings] })
  }
}

describe('a run in parts', () => {
  test('is the same run, however it is cut', () => {
    fc.assert(
      fc.property(specs, fc.integer({ min: 1, max: 300 }), fc.nat(30), (spec, partOf, after) => {
        const hands = [crash(after, 1)]
        const grown = received(spec, hands, partOf)
        const whole = record(play(spec, hands))
        expect(grown.at(-1)).toEqual(whole)
        for (const { happenings, isWhole } of grown.slice(0, -1)) {
          expect(isWhole).toBe(false)
          expect(happenings).toEqual(whole.happenings.slice(0, happenings.length))
        }
      }),
      { numRuns: 40 },
    )
  })

  test('the states at any event are those of a simulation from the beginning', () => {
    fc.assert(
      fc.property(specs, fc.integer({ min: 1, max: 300 }), fc.nat(), (spec, partOf, choice) => {
        const recording = received(spec, [], partOf).at(-1) as Recording
        const position = choice % (recording.happenings.length + 1)
        // What happens in one step of the simulation happens together.
        const steps = position === 0 ? 0 : get(recording.steps, position - 1)
        const last = recording.steps.findLastIndex((step) => step <= steps) + 1
        const world = worldOf(spec)
        if (world.is !== 'exclusion') throw new Error('not an election')
        const simulation = new Simulation(world.config)
        for (let step = 0; step < steps; step += 1) simulation.step(1)
        for (let node = 0; node < spec.nodes; node += 1)
          expect(stateAt(recording, node, last).state).toEqual(simulation.stateOf(node))
      }),
      { numRuns: 60 },
    )
  })

  test('a variable that did not change is the same value after its way, across parts too', () => {
    const recording = received(specOf({ nodes: 5, entries: 20 }), [], 7).at(-1) as Recording
    const changes = recording.states.flatMap((list) =>
      list.slice(1).map(({ state }, i) => [get(list, i).state, state]),
    )
    expect(changes.length).toBeGreaterThan(50)
    for (const [before, after] of changes as [Record<string, unknown>, Record<string, unknown>][])
      for (const field of Object.keys(after))
        if (JSON.stringify(before[field]) === JSON.stringify(after[field]))
          expect(before[field]).toBe(after[field])
  })

  test('a variable that is gone is gone', () => {
    const [writer, reader] = [new PatchWriter(), new PatchReader()]
    const states = [{ a: 1, b: [2] }, { a: 1 }, { a: 1, c: null }]
    expect(states.map((state, event) => reader.read(writer.write({ event, node: 0, state })).state)).toEqual(
      states,
    )
  })
})

describe('a frame', () => {
  /** A screen whose frames are drawn by hand. */
  function screen() {
    let waiting: (() => void)[] = []
    const draw = () => {
      const due = waiting
      waiting = []
      for (const then of due) then()
    }
    return { gate: new FrameGate((then) => waiting.push(then)), draw }
  }

  test('has one change, whatever a mouse reports meanwhile, and the last one is never lost', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5), { minLength: 1, maxLength: 20 }), (reports) => {
        const { gate, draw } = screen()
        const done: number[] = []
        let reported = 0
        for (const count of reports) {
          const before = done.length
          for (let i = 0; i < count; i += 1) {
            reported += 1
            const position = reported
            gate.pass(() => done.push(position))
          }
          expect(done.length - before).toBeLessThanOrEqual(1)
          const drawn = done.length
          draw()
          expect(done.length - drawn).toBeLessThanOrEqual(1)
        }
        draw()
        expect(done.at(-1) ?? 0).toBe(reported)
        expect(done).toEqual(done.toSorted((a, b) => a - b))
      }),
    )
  })

  test('takes a change at once if it had none', () => {
    const { gate, draw } = screen()
    const done: string[] = []
    gate.pass(() => done.push('step'))
    expect(done).toEqual(['step'])
    draw()
    gate.pass(() => done.push('step'))
    expect(done).toEqual(['step', 'step'])
  })
})

describe('places', () => {
  const list = (...names: string[]) =>
    shape(
      'g',
      'letters',
      {},
      names.map((name) => shape('circle', name, { className: name.charAt(0), id: name })),
    )
  const keysOf = (places: Places, ...names: string[]) =>
    Object.fromEntries(
      places
        .put(list(...names))
        .children.map((child) => (typeof child === 'string' ? [] : [child.attributes['id'], child.key])),
    ) as Record<string, string>

  test('who stays keeps its place, and a place that is free goes to one of the same kind', () => {
    const places = new Places()
    const first = keysOf(places, 'a1', 'a2', 'b1')
    const next = keysOf(places, 'b2', 'a3', 'a2')
    expect(next['a2']).toBe(first['a2'])
    expect(next['a3']).toBe(first['a1'])
    expect(next['b2']).toBe(first['b1'])
    expect(new Set(Object.values(keysOf(places, 'a1', 'a2', 'a3', 'a4'))).size).toBe(4)
  })
})
