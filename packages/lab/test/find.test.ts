import { get } from '@turnwise/core/bounds'
import { sentence } from '@turnwise/core/trace/sentence'
import { expect, test } from 'vitest'
import { litBy } from '../src/rooms/theatre/find-row.tsx'
import { findSteps, nextFound, readSearch } from '../src/run/find.ts'
import { spaceTime } from '../src/scene/spacetime.ts'
import { watched } from './runs.ts'

const { recording } = watched({ load: 'script:0 request 0; 0 request 1', fault: ['crash:2@2.5'] })
const TYPES = ['request', 'reply']

const found = (text: string) =>
  findSteps(recording.happenings, readSearch(text, TYPES)).map((position) =>
    sentence(get(recording.happenings, position - 1)).replace(/ \(.*?\)/g, ''),
  )

test('a kind of message is found where it is sent and where it arrives, however it is written', () => {
  const requests = found('Request')
  expect(requests).toEqual(found('requests'))
  expect(requests.every((text) => /(sends|receives) request/.test(text))).toBe(true)
  expect(requests).toContain('0 asks; sends request to 1, 2')
  expect(requests).toContain('1 receives request from 0; sends reply to 0')
  expect(found('request')).toHaveLength(2 + 4)
})

test('both ends of a message, and what is done with it', () => {
  expect(found('reply from 2').every((text) => /sends reply|receives reply from 2/.test(text))).toBe(true)
  expect(found('reply from 2')).toHaveLength(4)
  expect(found('receives reply from node 2 to 0')).toEqual(['0 receives reply from 2; enters'])
  expect(found('sends request')).toEqual(['0 asks; sends request to 1, 2', '1 asks; sends request to 0, 2'])
  expect(found('from 0 to 0')).toEqual([])
})

test('nodes, verbs, and words of the reasons', () => {
  expect(found('node 2').every((text) => text.startsWith('2 '))).toBe(true)
  expect(found('node 2 crashes')).toEqual(['2 crashes'])
  expect(found('enters')).toHaveLength(2)
  expect(found('1 enters')).toHaveLength(1)
  expect(found('asks')).toHaveLength(2)
  // Both say who wins the tie, and only in their reasons.
  expect(found('"is smaller"')).toEqual([
    '1 receives request from 0; sends reply to 0',
    '0 receives request from 1',
  ])
  expect(found('is SMALLER')).toEqual(found('"is smaller"'))
})

test('several things to look for, and nothing at all', () => {
  expect(found('crashes or enters')).toHaveLength(3)
  expect(readSearch('  or the ', TYPES)).toEqual([])
  expect(found('nonsense')).toEqual([])
})

test('a word that names no message here is the verb', () => {
  expect(readSearch('release', TYPES)[0]?.acts).toEqual([['leave']])
  expect(readSearch('release', ['release'])[0]?.message?.types).toEqual(['release'])
})

test('goes from match to match, and round', () => {
  expect([0, 3, 9].map((position) => nextFound([3, 7, 9], position, 1))).toEqual([3, 7, 3])
  expect([0, 7, 10].map((position) => nextFound([3, 7, 9], position, -1))).toEqual([9, 3, 9])
  expect(nextFound([], 1, 1)).toBeNull()
})

test('words that every object knows are words like others', () => {
  const [wanted] = readSearch('constructor toString __proto__', TYPES)
  expect(wanted).toEqual({
    nodes: [],
    acts: [],
    words: ['constructor', 'tostring', '__proto__'],
    message: null,
  })
})

test('lights what was looked for: of a step that sends several messages only those', () => {
  const wanted = readSearch('request to 2', TYPES)
  const lit = litBy(findSteps(recording.happenings, wanted), wanted)
  const { arrows } = spaceTime(recording, { from: 0, to: 9_000_000 }, new Map())
  const bright = arrows.filter((arrow) => lit.hasArrow(arrow))
  expect(bright.map(({ type, from, to }) => `${type} ${from} ${to}`)).toEqual(['request 0 2', 'request 1 2'])
})
