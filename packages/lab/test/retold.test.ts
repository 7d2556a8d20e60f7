import type { Trace } from '@turnwise/core/trace/trace'
import { describe, expect, test } from 'vitest'
import { answering } from '../src/rooms/check/answer.ts'
import { instanceOf, readQuestion } from '../src/rooms/check/question.ts'
import { runOf } from '../src/rooms/check/run-of.ts'
import { momentAt } from '../src/run/moment.ts'
import { play } from '../src/run/play.ts'
import { propertiesAt } from '../src/run/properties.ts'
import { record } from '../src/run/recording.ts'
import { retell } from '../src/run/retold.ts'
import { known, type RunSpec, worldOf } from '../src/run/spec.ts'
import type { Query } from '../src/shell/address.ts'

const specOf = (algorithm: string): RunSpec => ({
  algorithm,
  nodes: 4,
  seed: 3,
  load: 'poisson:0.3',
  entries: 8,
  latency: 'uniform:0.5,2',
  inside: 'constant:1',
  fault: [],
  set: [],
})

describe('a trace told again goes through the states of the run', () => {
  // Kakugawa's nodes draw their quorums, and a trace does not hold what was drawn: its states are not told.
  const retellable = known.map(({ facts }) => facts.name).filter((name) => name !== 'kakugawa')

  test.each(retellable.map((name) => [name]))('%s', (name) => {
    const spec = specOf(name)
    const { algorithm, setup } = worldOf(spec).config
    const played = play(spec, [])
    const original = record(played)
    const retold = record(retell({ header: played.header, events: played.events }, algorithm, setup))
    const statesAt = (recording: typeof original, position: number) =>
      momentAt(recording, position, algorithm).nodes.map(({ state }) => state)
    for (const share of [0, 0.3, 0.7, 1]) {
      const position = Math.floor(share * original.happenings.length)
      expect(statesAt(retold, position)).toEqual(statesAt(original, position))
    }
  })
})

function counterexample(query: Query): { trace: Trace; query: Query } {
  const steps = answering(instanceOf(readQuestion(query)))
  for (;;) {
    const { done, value } = steps.next()
    if (done !== true) continue
    if (value.failure === null) throw new Error('nothing fails')
    return { trace: value.failure.trace, query }
  }
}

describe('a counterexample in the theatre', () => {
  test('ends at the step that breaks the property, with the states that led to it', () => {
    const { trace, query } = counterexample({ algorithm: 'lamport', channels: 'unordered' })
    const { recording, world } = runOf(readQuestion(query), trace)
    const { algorithm } = world.config
    const end = momentAt(recording, recording.happenings.length, algorithm)
    expect(end.inside).toHaveLength(2)
    expect(end.nodes.every(({ state }) => state !== null)).toBe(true)
    const exclusion = (position: number) =>
      propertiesAt(recording, momentAt(recording, position, algorithm), algorithm).find(
        ({ name }) => name === 'exclusion',
      )?.holds
    expect(exclusion(recording.happenings.length)).toBe(false)
    expect(exclusion(recording.happenings.length - 2)).toBe(true)
  })
})
