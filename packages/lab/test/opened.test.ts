import { readFileSync } from 'node:fs'
import { gallery } from '@turnwise/algorithms/broken/gallery'
import { get } from '@turnwise/core/bounds'
import { judgeTrace } from '@turnwise/core/judges/of-trace'
import { readTrace } from '@turnwise/core/trace/trace'
import { describe, expect, test } from 'vitest'
import { pack, packTexts, unpack } from '../src/rooms/theatre/packed.ts'
import { momentAt } from '../src/run/moment.ts'
import { firstLook, oneTrace, openTrace, traceText, worldIn } from '../src/run/opened.ts'
import { play } from '../src/run/play-whole.ts'
import { propertiesAt } from '../src/run/properties.ts'
import { record } from '../src/run/recording-builder.ts'
import { retrace } from '../src/run/retrace.ts'
import { known, worldOf } from '../src/run/spec.ts'
import { readRecords } from '../src/worker/read-record.ts'
import { specOf } from './runs.ts'

const traceOf = (texts: readonly string[]) => oneTrace(texts.map(readTrace))

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

  test.each(['grid', undefined])('opens as the run it was, with its quorums (%s)', (quorum) => {
    const spec = specOf({ algorithm: 'maekawa', nodes: 7, entries: 10, quorum })
    const played = play(spec, [])
    const { played: again, spec: found } = openTrace(traceOf([traceText(played)]), all)
    expect(again.events).toEqual(played.events)
    expect(again.states).toEqual(played.states)
    // The usual words need not be said.
    expect([found.quorum, found.channels, found.topology]).toEqual([quorum, undefined, undefined])
  })

  test('of a broken variant opens where it breaks', () => {
    const algorithm = 'ricart-agrawala-without-tie-break'
    const spec = specOf({ algorithm, nodes: 3, load: 'heavy', entries: 6 })
    const { played } = openTrace(traceOf([traceText(play(spec, [], all))]), all)
    const recording = record(played)
    const { violations } = recording
    const position = firstLook(recording)
    expect(violations[0]?.judge).toBe('exclusion')
    expect(position).toBe(get(violations, 0).position)
  })

  test('of a deadlock that the checker found tells it once', () => {
    const file = new URL('../src/lessons/runs/maekawa-deadlock.trace', import.meta.url)
    const { played, spec } = openTrace(traceOf([readFileSync(file, 'utf8')]), all)
    const recording = record(played)
    const { algorithm } = worldIn(spec).config
    const end = momentAt(recording, recording.happenings.length, algorithm)
    const failing = propertiesAt(recording, end, algorithm).filter(({ holds }) => holds === false)
    expect(failing.map(({ title }) => title)).toEqual(['No deadlock', 'Everyone gets a turn'])
  })

  test('is judged if nobody did', () => {
    const played = play(specOf(), [])
    const bare = { ...played, events: played.events.filter(({ is }) => is !== 'leave') }
    expect(judgeTrace(bare).violations).toBeGreaterThan(0)
    const { played: opened } = openTrace(traceOf([traceText(bare)]), all)
    expect(record(opened).violations[0]?.judge).toBe('exclusion')
    expect(opened.states).toEqual([])
  })

  test('that is none is refused in one line', () => {
    expect(() => traceOf(['{"a":1}'])).toThrow('line 1 is not the header')
    const strange = traceText({
      ...play(specOf(), []),
      header: { ...play(specOf(), []).header, algorithm: 'strange' },
    })
    expect(() => openTrace(traceOf([strange]), all)).toThrow('"strange" is not an algorithm')
  })

  test('fits into an address, or is kept beside it', async () => {
    const text = traceText(play(specOf(), []))
    const texts = async (word: string) => {
      const files = await unpack(word)
      return files === null ? null : Promise.all(files.map((file) => file.text()))
    }
    const word = await packTexts([text])
    expect(word).toMatch(/^z[\w-]+$/)
    expect(word.length).toBeLessThan(3000)
    expect(await texts(word)).toEqual([text])
    expect(await unpack(word.slice(0, 40))).toBeNull()
    expect(await unpack('file99')).toBeNull()
    const long = Array.from({ length: 20_000 }, (_, i) => String((i * 7919) % 10_007)).join(' ')
    const name = await packTexts([long])
    expect(name).toMatch(/^file\d+$/)
    expect(await texts(name)).toEqual([long])
    // What cannot fit is not read to find that out.
    const large = {
      size: 50_000_000,
      text: () => Promise.reject(new Error('it was read')),
    } as unknown as Blob
    expect(await unpack(await pack([large]))).toEqual([large])
  })
})

describe('files', () => {
  const played = play(specOf({ nodes: 4, entries: 40 }), [])
  const file = (name: string, text: string) => new File([text], name)

  test('are read piece by piece, with what has been read', async () => {
    const text = traceText(played)
    const bytes: number[] = []
    const [trace] = await readRecords([file('run.jsonl', text)], (read) => bytes.push(read.bytes / read.of))
    expect(trace).toEqual(readTrace(text))
    expect(bytes.at(-1)).toBe(1)
  })

  test('are cut anywhere, in the middle of a letter too', async () => {
    const text = traceText({
      ...played,
      header: { ...played.header, settings: { ...played.header.settings, lock: 'Schlüssel 🔑' } },
    })
    const bytes = new TextEncoder().encode(text)
    const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, i) =>
      bytes.slice(7 * i, 7 * i + 7),
    )
    const stream = () =>
      new ReadableStream({
        start(controller) {
          for (const piece of pieces) controller.enqueue(piece)
          controller.close()
        },
      })
    const cut = { size: bytes.length, stream } as unknown as Blob
    expect(await readRecords([cut], () => {})).toEqual([readTrace(text)])
  })

  test.each([
    ['{"a":1}\n', 'line 1 is not the header of a turnwise trace'],
    ['', 'line 1 is not a JSON object'],
    ['\u0089PNG\r\n', 'line 1 is not a JSON object'],
    ['x'.repeat(200_000), 'line 1 is not the header of a turnwise trace'],
    [`${traceText(played).slice(0, 400)}\nnonsense\n`, 'is not a JSON object'],
  ])('that are no trace are refused by name, with what can be opened: %#', async (text, why) => {
    const reading = readRecords([file('picture.png', text)], () => {})
    await expect(reading).rejects.toThrow(/^"picture\.png": .*\. A trace is what turnwise simulate --trace/)
    await expect(reading).rejects.toThrow(why)
  })
})
