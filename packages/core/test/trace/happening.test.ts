import { describe, expect, test } from 'vitest'
import { atLeast, present } from '../../../../test/present.ts'
import { type Happening, happenings } from '../../src/trace/happening.ts'
import type { Trace } from '../../src/trace/trace.ts'
import {
  because,
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
  return present([...happenings(trace)].at(-1))
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

  test('reasons belong to the call in which they were given, and to no other', () => {
    const trace = traceOf(
      2,
      [0, because(0, 'nothing has happened yet')],
      [1, request(0), because(0, 'it has no token'), send(1, 0, 1, REPLY), because(0, 'it asks for it')],
      [1, because(1, 'another node')],
      [2, because(0, 'another time'), receive(1, 1), because(1, 'it has the token')],
    )
    const told = [...happenings(trace)].map(({ reasons }) => reasons.map(({ words }) => words))
    expect(told).toEqual([['it has no token', 'it asks for it'], ['it has the token']])
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
  test.each<[string, Deed[], string]>([
    ['asked', [request(0)], 'waiting'],
    ['let in', [request(0), enter(0, 1)], 'inside'],
    ['left', [request(0), enter(0, 1), leave(0)], 'idle'],
    ['gave up', [request(0), { is: 'withdraw', node: 0 }], 'idle'],
    ['crashed', [request(0), crash(0)], 'crashed'],
    [
      'gone',
      [
        { is: 'depart', node: 0 },
        { is: 'gone', node: 0 },
      ],
      'absent',
    ],
    ['joined', [{ is: 'join', node: 0, sponsor: null }], 'idle'],
    [
      'back again',
      [
        { is: 'gone', node: 0 },
        { is: 'join', node: 0, sponsor: null },
      ],
      'idle',
    ],
    ['crashed, then lost its caller', [request(0), crash(0), { is: 'withdraw', node: 0 }], 'crashed'],
    ['crashed while paused', [{ is: 'pause', node: 0 }, crash(0), { is: 'resume', node: 0 }], 'crashed'],
    ['paused while crashed', [crash(0), { is: 'pause', node: 0 }], 'crashed'],
    ['restarted', [request(0), enter(0, 1), crash(0), { is: 'restart', node: 0, memory: true }], 'idle'],
    ['paused', [request(0), { is: 'pause', node: 0 }], 'paused'],
    ['resumed', [request(0), { is: 'pause', node: 0 }, { is: 'resume', node: 0 }], 'waiting'],
    ['let in while paused', [request(0), { is: 'pause', node: 0 }, enter(0, 1)], 'paused'],
  ])('%s', (_, deeds, expected) => {
    expect(last(traceOf(2, [0, ...deeds])).statuses[0]).toBe(expected)
  })

  test('who was seen and is seen again was there at first', () => {
    const [first] = atLeast(
      1,
      happenings(
        traceOf(
          2,
          [0, request(0)],
          [1, { is: 'unseen', node: 0 }],
          [2, { is: 'join', node: 0, sponsor: null }],
        ),
      ),
    )
    expect(first.statuses).toEqual(['waiting', 'idle'])
  })

  test('are shared until one changes', () => {
    const [asked, received, entered] = atLeast(
      3,
      happenings(traceOf(2, [0, request(0)], [1, send(1, 1, 0, REPLY)], [2, receive(1, 0), enter(0, 1)])),
    )
    expect(received.statuses).toBe(asked.statuses)
    expect(entered.statuses).not.toBe(asked.statuses)
    expect(asked.statuses).toEqual(['waiting', 'idle'])
  })
})
