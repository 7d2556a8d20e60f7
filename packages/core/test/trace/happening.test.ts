import { describe, expect, test } from 'vitest'
import { type Happening, happenings } from '../../src/trace/happening.ts'
import { sentence } from '../../src/trace/sentence.ts'
import type { Trace } from '../../src/trace/trace.ts'
import {
  crash,
  type Deed,
  drop,
  enter,
  leave,
  REPLY,
  receive,
  request,
  requestAt,
  SAMPLE,
  send,
  traceOf,
  violation,
} from './sample.ts'

function shape(trace: Trace): string[] {
  return Array.from(happenings(trace), ({ cause, consequences }) =>
    [cause, ...consequences].map((event) => event.is).join(' '),
  )
}

function last(trace: Trace): Happening {
  const all = [...happenings(trace)]
  return all[all.length - 1]
}

describe('causes and consequences', () => {
  test('what a handler did stands with the event that called it', () => {
    expect(shape(SAMPLE)).toEqual([
      'request send send',
      'request send send',
      'receive send',
      'receive send',
      'receive send',
      'receive',
      'receive',
      'receive enter',
      'receive',
      'leave send',
      'receive enter',
      'leave',
    ])
  })

  test('no event is told twice or left out', () => {
    const told = [...happenings(SAMPLE)].flatMap(({ cause, consequences }) => [cause, ...consequences])
    expect(told).toEqual(SAMPLE.events)
  })

  test('a loss or a violation in the middle of a handler does not end what the handler does', () => {
    const trace = traceOf(3, [
      0,
      request(0),
      send(1, 0, 1, REPLY),
      drop(1, 1),
      send(2, 0, 2, REPLY),
      { is: 'duplicate', id: 2 },
      enter(0, 1),
      violation('two inside', 0, 1),
    ])
    expect(shape(trace)).toEqual(['request send send duplicate enter', 'lose', 'violation'])
  })

  test('what another node does, or what happens later, is no consequence', () => {
    const trace = traceOf(
      2,
      [0, request(0), send(1, 1, 0, REPLY), send(2, 1, 0, REPLY)],
      [1, enter(1, 1)],
      [2, { is: 'duplicate', id: 1 }],
    )
    expect(shape(trace)).toEqual(['request', 'send send', 'enter', 'duplicate'])
  })

  test('the sender does what follows from a failed delivery, whichever end is named', () => {
    for (const node of [0, 1]) {
      const trace = traceOf(
        2,
        [0, request(0), send(1, 0, 1, REPLY)],
        [1, { is: 'undelivered', id: 1, node }, send(2, 0, 1, REPLY)],
      )
      expect(last(trace)).toMatchObject({ node: 0, transit: { from: 0, to: 1 } })
      expect(last(trace).consequences).toHaveLength(1)
    }
  })
})

describe('messages', () => {
  const sent = [0, request(0), send(1, 0, null, requestAt(1))] as [number, ...Deed[]]

  test('a copy of a broadcast knows where it arrived', () => {
    expect(last(traceOf(3, sent, [1, receive(1, 2)])).transit).toEqual({
      id: 1,
      from: 0,
      to: 2,
      message: requestAt(1),
      corrupted: false,
      sentAt: 0,
      again: false,
    })
  })

  test('a second copy at the same node is told apart, one at another node is not', () => {
    const trace = traceOf(3, sent, [1, receive(1, 2)], [2, receive(1, 1)], [3, receive(1, 2)])
    const again = [...happenings(trace)].slice(1).map(({ transit }) => transit?.again)
    expect(again).toEqual([false, false, true])
  })

  test('what arrives is what the corruption made of it', () => {
    const trace = traceOf(3, sent, [0, { is: 'corrupt', id: 1, message: REPLY }], [1, receive(1, 2)])
    expect(last(trace).transit).toMatchObject({ message: REPLY, corrupted: true })
  })

  test('one that was never sent is unknown', () => {
    expect(last(traceOf(3, [1, receive(5, 2)])).transit).toBeNull()
    expect(last(traceOf(3, [1, { is: 'duplicate', id: 5 }]))).toMatchObject({ transit: null, concerns: [] })
  })
})

describe('statuses', () => {
  const statuses = (...deeds: Deed[]) => last(traceOf(2, [0, ...deeds])).statuses[0]

  test.each<[string, Deed[], string]>([
    ['asked', [request(0)], 'waiting'],
    ['let in', [request(0), enter(0, 1)], 'inside'],
    ['left', [request(0), enter(0, 1), leave(0)], 'idle'],
    ['gave up', [request(0), { is: 'withdraw', node: 0 }], 'idle'],
    ['crashed', [request(0), crash(0)], 'crashed'],
    ['crashed, then lost its caller', [request(0), crash(0), { is: 'withdraw', node: 0 }], 'crashed'],
    ['crashed while paused', [{ is: 'pause', node: 0 }, crash(0), { is: 'resume', node: 0 }], 'crashed'],
    ['paused while crashed', [crash(0), { is: 'pause', node: 0 }], 'crashed'],
    ['restarted', [request(0), enter(0, 1), crash(0), { is: 'restart', node: 0, memory: true }], 'idle'],
    ['paused', [request(0), { is: 'pause', node: 0 }], 'paused'],
    ['resumed', [request(0), { is: 'pause', node: 0 }, { is: 'resume', node: 0 }], 'waiting'],
    ['let in while paused', [request(0), { is: 'pause', node: 0 }, enter(0, 1)], 'paused'],
  ])('%s', (_, deeds, expected) => {
    expect(statuses(...deeds)).toBe(expected)
  })

  test('are shared until one changes', () => {
    const [asked, received, entered] = happenings(
      traceOf(2, [0, request(0)], [1, send(1, 1, 0, REPLY)], [2, receive(1, 0), enter(0, 1)]),
    )
    expect(received.statuses).toBe(asked.statuses)
    expect(entered.statuses).not.toBe(asked.statuses)
    expect(asked.statuses).toEqual(['waiting', 'idle'])
  })
})

describe('sentences', () => {
  const message = { type: 'request' }

  test.each<[string, Deed[]]>([
    ['0 asks', [request(0)]],
    ['0 asks to share', [{ is: 'request', node: 0, mode: 'shared' }]],
    ['0 enters to share (fence 3)', [{ is: 'enter', node: 0, mode: 'shared', fence: 3 }]],
    ['0 leaves', [leave(0)]],
    ['0 withdraws its request', [{ is: 'withdraw', node: 0 }]],
    ['0 sees its timer retry run out', [{ is: 'timeout', node: 0, timer: 'retry' }]],
    ['0 proceeds with check', [{ is: 'proceed', node: 0, step: 'check' }]],
    [
      '0 calls an election; takes 3 as coordinator',
      [
        { is: 'elect', node: 0 },
        { is: 'elected', node: 0, coordinator: 3 },
      ],
    ],
    ['3 is now coordinator', [{ is: 'elected', node: 3, coordinator: 3 }]],
    ['0 suspects 1', [{ is: 'suspect', node: 0, peer: 1 }]],
    ['0 trusts 1 again', [{ is: 'restore', node: 0, peer: 1 }]],
    ['0 crashes', [crash(0)]],
    ['0 is paused', [{ is: 'pause', node: 0 }]],
    ['0 resumes', [{ is: 'resume', node: 0 }]],
    ['0 restarts with its memory', [{ is: 'restart', node: 0, memory: true }]],
    ['0 restarts without its memory', [{ is: 'restart', node: 0, memory: false }]],
    ['the channel from 0 to 1 is cut', [{ is: 'cut', from: 0, to: 1 }]],
    ['the channel from 0 to 1 heals', [{ is: 'heal', from: 0, to: 1 }]],
    ['VIOLATION exclusion: two inside', [violation('two inside', 0, 1)]],
    ['0 sends request to 1; broadcasts reply', [send(1, 0, 1, message), send(2, 0, null, REPLY)]],
    ['an unknown message is lost on the way', [drop(9, 0)]],
    ['0 hears that an unknown message was not delivered', [{ is: 'undelivered', id: 9, node: 0 }]],
    ['a message is duplicated', [{ is: 'duplicate', id: 9 }]],
    [
      '0 sends request to 1; request to 1 is corrupted into reply',
      [send(1, 0, 1, message), { is: 'corrupt', id: 1, message: REPLY }],
    ],
    [
      '0 asks; sends request to 1, 2; sends reply to 3; enters (fence 1)',
      [request(0), send(1, 0, 1, message), send(2, 0, 3, REPLY), send(3, 0, 2, message), enter(0, 1)],
    ],
  ])('%s', (expected, deeds) => {
    expect(sentence(last(traceOf(10, [0, ...deeds])))).toBe(expected)
  })

  test('a message that comes again, or changed, is told as such', () => {
    const start = [0, send(1, 0, 1, message)] as [number, ...Deed[]]
    const again = traceOf(2, start, [1, receive(1, 1)], [2, receive(1, 1)])
    expect(sentence(last(again))).toBe('1 receives request from 0 again (sent 0.000)')
    const changed = traceOf(2, start, [1, { is: 'corrupt', id: 1, message: REPLY }], [2, receive(1, 1)])
    expect(Array.from(happenings(changed), sentence).slice(1)).toEqual([
      'a message from 0 is corrupted into reply',
      '1 receives reply from 0 corrupted (sent 0.000)',
    ])
  })

  test('many receivers are counted', () => {
    const sends = (count: number) => Array.from({ length: count }, (_, i) => send(i, 0, i + 1, message))
    expect(sentence(last(traceOf(10, [0, ...sends(6)])))).toBe('0 sends request to 1, 2, 3, 4, 5, 6')
    expect(sentence(last(traceOf(10, [0, ...sends(8)])))).toBe(
      '0 sends request to 1, 2, 3, 4, 5, 6 and 2 more',
    )
    expect(sentence(last(traceOf(10, [0, ...sends(9)])))).toBe('0 sends request to all 9 others')
  })
})
