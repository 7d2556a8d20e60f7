import { gallery } from '@turnwise/algorithms/broken/gallery'
import { judgeTrace } from '@turnwise/core/judges/of-trace'
import { describe, expect, test } from 'vitest'
import { pack, unpack } from '../src/rooms/theatre/packed.ts'
import { record } from '../src/run/ledger.ts'
import { firstLook, openTrace, traceFrom, traceText } from '../src/run/opened.ts'
import { play } from '../src/run/play.ts'
import { retrace } from '../src/run/retrace.ts'
import { known, worldOf } from '../src/run/spec.ts'
import { specOf } from './runs.ts'

describe('states of a record', () => {
  test.each(known.map(({ facts }) => facts.name))('%s: found again as they were', (algorithm) => {
    const spec = specOf({ algorithm, nodes: 4, entries: 8, latency: 'uniform:0.5,2' })
    const played = play(spec, [])
    const { algorithm: protocol, setup } = worldOf(spec).config
    expect(retrace(played, protocol, setup)).toEqual(played.states)
  })

  test('crashes, restarts and pauses are followed too', () => {
    const spec = specOf({ algorithm: 'thomas-majority', nodes: 5, entries: 20 })
    const played = play(spec, [
      { after: 10, at: 0, act: { does: 'crash', node: 1 } },
      { after: 12, at: 0, act: { does: 'pause', node: 2 } },
      { after: 20, at: 0, act: { does: 'resume', node: 2 } },
      { after: 24, at: 0, act: { does: 'restart', node: 1, memory: false } },
    ])
    const { algorithm, setup } = worldOf(spec).config
    expect(retrace(played, algorithm, setup)).toEqual(played.states)
  })

  test('nothing is claimed where the record tells something else', () => {
    const spec = specOf({ nodes: 3 })
    const played = play(spec, [])
    const { algorithm, setup } = worldOf(spec).config
    const events = played.events.map((event) =>
      event.is === 'send' && event.id === 5 ? { ...event, message: { type: 'nonsense' } } : event,
    )
    expect(retrace({ ...played, events }, algorithm, setup)).toBeNull()
    const lamport = worldOf({ ...spec, algorithm: 'lamport' }).config
    expect(retrace(played, lamport.algorithm, lamport.setup)).toBeNull()
  })
})

describe('a record', () => {
  const all = [...known, ...gallery.map(({ algorithm }) => algorithm)]

  test('opens as the run it was', () => {
    const spec = specOf({ algorithm: 'maekawa', nodes: 7, entries: 10 })
    const played = play(spec, [])
    const { played: again, spec: found } = openTrace(traceFrom([traceText(played)]), all)
    expect(again.events).toEqual(played.events)
    expect(again.states).toEqual(played.states)
    expect(found.quorum).toBe('projective')
  })

  test('of a broken variant opens where it breaks', () => {
    const algorithm = 'ricart-agrawala-without-tie-break'
    const spec = specOf({ algorithm, nodes: 3, load: 'heavy', entries: 6 })
    const { played } = openTrace(traceFrom([traceText(play(spec, [], all))]), all)
    const recording = record(played)
    const { violations } = recording
    const position = firstLook(recording)
    expect(violations[0].judge).toBe('exclusion')
    expect(position).toBe(violations[0].position)
  })

  test('is judged if nobody did', () => {
    const played = play(specOf(), [])
    const bare = { ...played, events: played.events.filter(({ is }) => is !== 'leave') }
    expect(judgeTrace(bare).violations).toBeGreaterThan(0)
    const { played: opened } = openTrace(traceFrom([traceText(bare)]), all)
    expect(record(opened).violations[0].judge).toBe('exclusion')
    expect(opened.states).toEqual([])
  })

  test('that is none is refused in one line', () => {
    expect(() => traceFrom(['{"a":1}'])).toThrow('line 1 is not the header')
    const strange = traceText({
      ...play(specOf(), []),
      header: { ...play(specOf(), []).header, algorithm: 'strange' },
    })
    expect(() => openTrace(traceFrom([strange]), all)).toThrow('"strange" is not an algorithm')
  })

  test('fits into an address, or is kept beside it', async () => {
    const text = traceText(play(specOf(), []))
    const word = await pack([text])
    expect(word).toMatch(/^z[\w-]+$/)
    expect(word.length).toBeLessThan(3000)
    expect(await unpack(word)).toEqual([text])
    expect(await unpack(word.slice(0, 40))).toBeNull()
    expect(await unpack('file99')).toBeNull()
    const long = Array.from({ length: 20_000 }, (_, i) => String((i * 7919) % 10_007)).join(' ')
    const name = await pack([long])
    expect(name).toMatch(/^file\d+$/)
    expect(await unpack(name)).toEqual([long])
  })
})
