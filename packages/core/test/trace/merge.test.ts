import { describe, expect, test } from 'vitest'
import { InvalidInput } from '../../src/invalid-input.ts'
import { judgeTrace } from '../../src/judges/of-trace.ts'
import { happenings } from '../../src/trace/happening.ts'
import { mergeParts } from '../../src/trace/merge.ts'
import { sentence } from '../../src/trace/sentence.ts'
import { readTrace, type Trace, writeTraceLine } from '../../src/trace/trace.ts'
import { type Deed, enter, leave, REPLY, receive, request, SAMPLE, send, traceOf } from './sample.ts'

/** What one node of three recorded, with times in units. */
function part(node: number, ...timeline: [time: number, ...deeds: Deed[]][]): Trace {
  const { header, events } = traceOf(3, ...timeline)
  return { header: { ...header, settings: { lock: 'L', ids: 'a, b, c', part: node } }, events }
}

const gone = (node: number): Deed => ({ is: 'gone', node })
const story = (trace: Trace) => [...happenings(trace)].map((each) => `${each.at / 1e6} ${sentence(each)}`)

describe('parts become one run', () => {
  test('that begins at 0, by time', () => {
    const { trace, notes } = mergeParts([
      part(1, [11, receive(7, 1), enter(1, 3)], [12, leave(1)], [13, gone(1)]),
      part(0, [10, leave(0), send(7, 0, 1, REPLY)], [14, gone(0)]),
      part(2, [9, request(2)], [15, gone(2)]),
    ])
    expect(trace.header.settings).toEqual({ lock: 'L', ids: 'a, b, c', start: 9_000_000 })
    expect(story(trace)).toEqual([
      '0 2 asks',
      '1 0 leaves; sends reply to 1',
      '2 1 receives reply from 0 (sent 1.000); enters (fence 3)',
      '3 1 leaves',
      '4 1 is gone',
      '5 0 is gone',
      '6 2 is gone',
    ])
    expect(notes).toEqual([])
  })

  test('a clock that is behind is put right, with all that its node did', () => {
    const { trace, notes } = mergeParts([
      part(0, [10, leave(0), send(7, 0, 1, REPLY)], [14, gone(0)]),
      part(1, [5, request(1)], [6.5, receive(7, 1), enter(1, 3)], [7, leave(1)], [8, gone(1)]),
      part(2, [11, gone(2)]),
    ])
    expect(story(trace).slice(0, 3)).toEqual([
      '0 1 asks',
      '1.5 0 leaves; sends reply to 1',
      '1.5 1 receives reply from 0 (sent 1.500); enters (fence 3)',
    ])
    expect(notes).toEqual(['the clock of node 1 (b) is behind, so it is shown 3500 ms later'])
    expect(judgeTrace(trace).violations).toBe(0)
  })

  test('a clock that was set during the run', () => {
    const { trace, notes } = mergeParts([
      part(0, [10, request(0), send(1, 0, 1, REPLY)], [11, receive(2, 0)], [12, gone(0)]),
      part(1, [5, receive(1, 1)], [20, leave(1), send(2, 1, 0, REPLY)], [21, gone(1)]),
      part(2, [30, gone(2)]),
    ])
    expect(notes).toEqual(['a clock was set during the run: times of different nodes cannot be compared'])
    expect(story(trace).map((line) => line.slice(line.indexOf(' ') + 1, -1))).toEqual([
      '0 asks; sends reply to ',
      '1 receives reply from 0 (sent 0.000',
      '1 leaves; sends reply to ',
      '0 receives reply from 1 (sent 10.000',
      '0 is gon',
      '1 is gon',
      '2 is gon',
    ])
  })

  test('what was found out late stands where it happened', () => {
    const { trace } = mergeParts([
      part(0, [1, enter(0, 1)], [9, receive(3, 0)], [4, leave(0)], [10, gone(0)]),
    ])
    expect(trace.events.map(({ is }) => is)).toEqual(['enter', 'leave', 'receive', 'gone'])
  })

  test('a node that was started again has two parts', () => {
    const { trace } = mergeParts([
      part(0, [5, request(0)], [6, gone(0)]),
      part(0, [1, enter(0, 1)]),
      part(1, [3, enter(1, 2)], [4, gone(1)]),
    ])
    // Its recording was begun by hand, and does not tell that it is back.
    expect(trace.events.map(({ is }) => is)).toEqual([
      'enter',
      'unseen',
      'enter',
      'gone',
      'join',
      'request',
      'gone',
    ])
    // A node that is not seen any more may have left.
    expect(judgeTrace(trace).violations).toBe(0)
  })

  test('what never arrives is lost with its view, to nobody if its receiver is not seen any more', () => {
    const view = (node: number, epoch: number): Deed => ({
      is: 'proceed',
      node,
      step: `view ${epoch} of a, b`,
    })
    const { trace } = mergeParts([
      part(0, [1, view(0, 1)], [2, request(0), send(1, 0, 1, REPLY), send(2, 0, 2, REPLY)], [5, view(0, 2)]),
      part(1, [1, view(1, 1)], [2, request(1), send(3, 1, 0, REPLY)], [3, leave(1)]),
    ])
    expect(story(trace).slice(-4, -1)).toEqual([
      '4 reply from 0 to 1 finds nobody there (sent 1.000)',
      '4 reply from 1 to 0 is lost on the way (sent 1.000)',
      '4 0 proceeds with view 2 of a, b',
    ])
  })

  test('of the next view is not lost, however late its receiver begins it', () => {
    const view = (node: number, epoch: number): Deed => ({
      is: 'proceed',
      node,
      step: `view ${epoch} of a, b`,
    })
    const { trace } = mergeParts([
      part(0, [1, view(0, 1)], [3, view(0, 2)], [4, request(0), send(1, 0, 1, REPLY)]),
      part(1, [1, view(1, 1)], [5, view(1, 2)]),
    ])
    expect(trace.events.some(({ is }) => is === 'lose')).toBe(false)
  })

  test('what is missing is named', () => {
    const { notes } = mergeParts([part(0, [1, receive(5, 0)], [2, request(0)]), part(2, [1, gone(2)])])
    expect(notes).toEqual([
      'there is no part of node 1 (b)',
      'the part of node 0 (a) ends at 1.000 without a farewell',
      '1 message arrives of which no part says that it was sent',
    ])
  })

  test('messages that nobody can have sent first', () => {
    const { trace, notes } = mergeParts([
      part(0, [1, receive(1, 0)], [2, request(0), send(2, 0, 1, REPLY)], [3, gone(0)]),
      part(1, [1, receive(2, 1)], [2, request(1), send(1, 1, 0, REPLY)], [3, gone(1)]),
      part(2, [1, gone(2)]),
    ])
    expect(trace.events).toHaveLength(9)
    expect(notes.at(-1)).toMatch(/^the parts contradict each other/)
  })
})

test.each<[Trace[], string]>([
  [[part(0, [1, gone(0)]), SAMPLE], 'file 2 is a whole run; only parts that nodes recorded can be merged'],
  [
    [
      part(0, [1, gone(0)]),
      { ...part(1), header: { ...part(1).header, settings: { lock: 'M', ids: 'a, b, c', part: 1 } } },
    ],
    'the parts are not of one run: lock is L and M',
  ],
  [
    [part(0, [1, request(0)], [3, gone(0)]), part(0, [2, gone(0)])],
    'two parts of node 0 tell of the same time',
  ],
])('parts that do not belong together %#', (parts, complaint) => {
  expect(() => mergeParts(parts)).toThrow(new InvalidInput(complaint))
})

describe('a file of a part', () => {
  const text = [part(0).header, ...part(0, [1, request(0)], [2, leave(0)]).events]
    .map(writeTraceLine)
    .join('')

  test('may break off in its last line', () => {
    expect(readTrace(text).torn).toBeUndefined()
    const torn = readTrace(text.slice(0, -5))
    expect(torn.torn).toBe(3)
    expect(torn.events.map(({ is }) => is)).toEqual(['request'])
  })

  test('and nowhere else, and no other file may', () => {
    expect(() => readTrace(text.replace('"is":"request"', '"is'))).toThrow('line 2 is not a JSON object')
    const whole = [SAMPLE.header, ...SAMPLE.events].map(writeTraceLine).join('')
    expect(() => readTrace(whole.slice(0, -5))).toThrow('is not a JSON object')
  })

  test('is of a node', () => {
    expect(() => readTrace(text.replace('"part":0', '"part":3'))).toThrow(
      'line 1: part 3 is not a node from 0 to 2',
    )
  })
})

describe('judges of a recorded run', () => {
  test('two inside, and what they say stands where it happened', () => {
    const { trace, violations } = judgeTrace(traceOf(2, [1, enter(0, 1)], [2, enter(1, 2)], [3, leave(0)]))
    expect(violations).toBe(1)
    expect(story(trace)).toEqual([
      '1 0 enters (fence 1)',
      '2 1 enters (fence 2)',
      '2 VIOLATION exclusion: nodes 0, 1 are inside together; one is allowed',
      '3 0 leaves',
    ])
  })

  test.each([
    ['9223372036854775807', '9223372036854775806', 1],
    ['9223372036854775806', '9223372036854775807', 0],
    [5, '9223372036854775807', 0],
  ])('fences of any size: %s, then %s', (first, second, violations) => {
    const grant = (node: number, fence: number | string): Deed => ({
      is: 'enter',
      node,
      mode: 'exclusive',
      fence,
    })
    const trace = traceOf(2, [1, grant(0, first)], [2, leave(0)], [3, grant(1, second)])
    expect(judgeTrace(trace).violations).toBe(violations)
    expect(readTrace([trace.header, ...trace.events].map(writeTraceLine).join(''))).toEqual(trace)
  })
})
