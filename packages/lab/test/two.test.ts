import { get } from '@turnwise/core/bounds'
import { describe, expect, test } from 'vitest'
import { readBeside, writeBeside } from '../src/rooms/theatre/beside.ts'
import { FIRST, readQuery, writeQuery } from '../src/rooms/theatre/theatre-query.ts'
import { handPlace, withHand } from '../src/run/forks.ts'
import { readHands } from '../src/run/hand.ts'
import { nextEntry } from '../src/run/moment.ts'
import { oneTrace, openTrace } from '../src/run/opened.ts'
import { wordsOf } from '../src/run/recorded-words.ts'
import { record } from '../src/run/recording-builder.ts'
import { playable } from '../src/run/spec.ts'
import { tallyOf } from '../src/run/tally.ts'
import { commonTimeline } from '../src/run/timeline.ts'
import { endOf } from '../src/scene/spacetime.ts'
import { specOf, type Watched, watched } from './runs.ts'

const LOAD = 'script:0 request 0; 0.5 request 1; 20 request 2'
const ra = watched({ load: LOAD }).recording
const token = watched({ load: LOAD, algorithm: 'suzuki-kasami' }).recording

describe('two runs on one axis of time', () => {
  const timeline = commonTimeline(ra, token)

  test('every event of both is a step, in the order of time, and equal times are one', () => {
    const last = timeline.happenings.length
    expect(timeline.places[last]).toEqual([ra.happenings.length, token.happenings.length])
    const times = timeline.happenings.map(({ at }) => at)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    timeline.places.forEach(([one, two], position) => {
      if (position === 0) return
      const [before, after] = [get(timeline.happenings, position - 1).at, timeline.happenings[position]?.at]
      for (const [run, place] of [
        [ra, one],
        [token, two],
      ] as const) {
        expect(run.happenings[place - 1]?.at ?? 0).toBeLessThanOrEqual(before)
        if (after !== undefined) expect(run.happenings[place]?.at ?? after).toBeGreaterThanOrEqual(before)
      }
    })
    // Both ask at the same times: that is what makes them comparable.
    expect(timeline.places[1]).toEqual([1, 1])
  })

  test('a run beside itself goes step by step with itself', () => {
    const same = commonTimeline(ra, ra)
    expect(same.places).toEqual(same.places.map((_, position) => [position, position]))
    expect(nextEntry(same, 0)).toBe(nextEntry(ra, 0))
  })

  test('positions of each run are found again', () => {
    token.happenings.forEach((_, i) => {
      const position = timeline.positionOf(1, i + 1)
      expect(timeline.places[position]?.[1]).toBe(i + 1)
      expect(timeline.places[position - 1]?.[1]).toBe(i)
    })
  })

  test('what one run has of a time to which the other has not come yet waits for it', () => {
    const half = { ...token, happenings: token.happenings.slice(0, 4), isWhole: false }
    const begun = commonTimeline(ra, half)
    expect(begun.isWhole).toBe(false)
    expect(begun.places).toEqual(timeline.places.slice(0, begun.places.length))
  })
})

describe('what a run has cost', () => {
  test('messages, entries and the mean wait, of those that have entered', () => {
    const { recording } = watched({ load: 'script:0 request 0', nodes: 3 })
    expect(tallyOf(recording)(0)).toMatchObject({ messages: 0, entries: 0, perEntry: null, meanWait: null })
    expect(tallyOf(recording)(1)).toMatchObject({ messages: 2, entries: 0 })
    // There and back takes two units.
    const end = tallyOf(recording)(recording.happenings.length)
    expect(end).toEqual({ messages: 4, entries: 1, perEntry: 4, hasWaiting: false, meanWait: 2 })
  })

  test('a node that crashed has not waited for an entry', () => {
    const { recording } = watched({
      algorithm: 'suzuki-kasami',
      load: 'script:0 request 0; 0.1 request 1',
      inside: 'constant:5',
      fault: ['crash:1@2'],
    })
    expect(recording.waits).toHaveLength(2)
    const { entries, meanWait } = tallyOf(recording)(recording.happenings.length)
    expect([entries, meanWait]).toEqual([1, 0])
  })

  test('elections end with a coordinator', () => {
    const { recording } = watched({ algorithm: 'bully', nodes: 4, load: 'one' })
    expect(tallyOf(recording)(recording.happenings.length).meanWait).toBeGreaterThan(0)
  })
})

/** A record is opened, and the same rules are played beside it. */
function again({ recording: { header, events } }: Watched): Watched {
  const { spec, played } = openTrace(oneTrace([{ header, events: [...events] }]), playable)
  const words = wordsOf(record(played), spec)
  if (typeof words === 'string') throw new Error(words)
  return watched(words.spec, words.hands)
}

describe('a record beside a run', () => {
  test('its header has the words to play it again, if a simulator wrote it', () => {
    const run = watched({ algorithm: 'maekawa', nodes: 4, load: 'heavy', entries: 6, fault: ['crash:3@40'] })
    expect(again(run).recording.happenings).toEqual(run.recording.happenings)
  })

  test('its header has the hands that were laid on it, and they act again', () => {
    // Node 2 is silent, so fewer enter than ask, until it restarts after the end.
    const spec = specOf({ algorithm: 'maekawa', nodes: 4, load: 'heavy', entries: 6 })
    const first = readHands('5@1000000.crash.2,9@2500000.cut.0.1,9@2500000.heal.0.1')
    const { recording } = watched(spec, first)
    const last = recording.happenings.length
    const act = { does: 'restart', node: 2, memory: true } as const
    const { after } = handPlace(recording, last)
    const run = watched(spec, withHand(first, { after, at: endOf(recording), act }))
    expect(run.played.refused).toEqual([])
    expect(run.recording.happenings.length).toBeGreaterThan(last)
    expect(again(run).recording.happenings).toEqual(run.recording.happenings)
  })

  test('one of a checker or a mesh has no words, nor has a shrunk one or one with hands of a later version', () => {
    const { header, ...recording } = ra
    const why = (settings: typeof header.settings) =>
      wordsOf({ ...recording, header: { ...header, settings } }, FIRST)
    expect(why({ found: 'exclusion', channels: 'fifo' })).toContain('does not say its load and delays')
    expect(why({ ...header.settings, shrunk: 'from 9 steps' })).toContain('part of a run')
    expect(why({ ...header.settings, hands: '3@5.crash.1,4@5.freeze.1' })).toContain('cannot read')
  })

  test('its word stands in the address of the second, beside a run or another record', () => {
    const text = writeBeside({ spec: FIRST, hands: [], trace: 'zAb;c' }, FIRST)
    expect(readBeside(text, FIRST)).toEqual({ spec: FIRST, hands: [], trace: 'zAb;c' })
    const asked = readQuery({ trace: 'zX', beside: text, at: '4' })
    expect(writeQuery(asked)).toEqual({ trace: 'zX', beside: text, at: '4', find: undefined })
  })
})

describe('the second run in the address', () => {
  test('has the seed, load, nodes and delays of the first, and is read as it was written', () => {
    const first = { ...FIRST, nodes: 7, seed: 5, load: 'heavy' }
    const second = { ...readBeside('maekawa', first).spec, quorum: 'grid' }
    const text = writeBeside({ spec: second, hands: [] }, first)
    expect(text).toBe('maekawa;quorum:grid')
    expect(readBeside(text, first)).toEqual({ spec: second, hands: [] })
    expect(second).toMatchObject({ nodes: 7, seed: 5, load: 'heavy', latency: FIRST.latency })
    const asked = readQuery(writeQuery({ spec: first, hands: [], position: 3, beside: text }))
    expect(asked.beside).toBe(text)
  })

  test('settings, hands, and a word of the first that the second goes without', () => {
    const first = specOf({ algorithm: 'sanders', structure: 'maekawa' })
    const hands = [{ after: 3, at: 5, act: { does: 'crash', node: 1 } as const }]
    const beside = { spec: { ...first, structure: undefined, set: ['a=1', 'b=2'] }, hands }
    const text = writeBeside(beside, first)
    expect(text).toBe('sanders;structure:;set:a=1 b=2;hands:3@5.crash.1')
    expect(readBeside(text, first)).toEqual(beside)
  })

  test('a broken variant keeps all settings of its rule, and nonsense is left out', () => {
    const first = specOf({ algorithm: 'lamport', channels: 'fifo' })
    expect(readBeside('lamport-without-hearing-all', first).spec).toEqual({
      ...first,
      algorithm: 'lamport-without-hearing-all',
    })
    expect(readBeside('lamport;k:many;;what:ever', first)).toEqual({ spec: first, hands: [] })
  })
})
