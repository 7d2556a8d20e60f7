import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Heard, News } from '../../src/lease/news.ts'
import type { MessageOf } from '../../src/protocol/messages.ts'

const LEASE = 1000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function heartbeat(from: string, begun = 1, isAnswered = true): Heard {
  const session = { voterId: `${from}1`, k: 1 }
  const said = { accepted: 1, promised: 1, mark: '', suspects: [], wish: null }
  const message: MessageOf<'heartbeat'> = { type: 'heartbeat', session, at: 0, lease: LEASE, begun, ...said }
  return { from, message, isAnswered, isTold: isAnswered }
}

function ack(from: string): Heard {
  const message: MessageOf<'ack'> = {
    type: 'ack',
    session: { voterId: 'a1', k: 1 },
    at: 0,
    voterId: `${from}1`,
  }
  return { from, message, isAnswered: false, isTold: false }
}

/** What is handed on, as who and what. */
function watched() {
  const handed: string[][] = []
  const news = new News(LEASE, (messages) => {
    handed.push(messages.map(({ from, message }) => `${message.type} of ${from}`))
  })
  return { news, handed }
}

test('what is new is handed on at once, and with it all that has waited, in order', () => {
  const { news, handed } = watched()
  news.add(heartbeat('b'), 0)
  news.add(ack('b'), 0)
  vi.advanceTimersByTime(1)
  expect(handed.splice(0)).toEqual([['heartbeat of b', 'ack of b']])
  news.add(heartbeat('b'), 400)
  news.add(ack('b'), 400)
  vi.advanceTimersByTime(10)
  expect(handed).toEqual([])
  news.add(heartbeat('b', 2), 410)
  vi.advanceTimersByTime(1)
  expect(handed).toEqual([['heartbeat of b', 'ack of b', 'heartbeat of b']])
})

test('what says nothing new waits until the program has spoken, or for a fifth of a lease', () => {
  const { news, handed } = watched()
  for (const from of ['b', 'c']) news.add(heartbeat(from), 0)
  vi.advanceTimersByTime(1)
  handed.length = 0
  news.soon()
  for (const from of ['b', 'c']) news.add(heartbeat(from), 500)
  vi.advanceTimersByTime(49)
  expect(handed).toEqual([])
  vi.advanceTimersByTime(1)
  expect(handed.splice(0)).toEqual([['heartbeat of b', 'heartbeat of c']])
  news.add(heartbeat('b'), 1000)
  vi.advanceTimersByTime(199)
  expect(handed).toEqual([])
  vi.advanceTimersByTime(1)
  expect(handed).toEqual([['heartbeat of b']])
})

test.each([
  ['an ack of a voter that has not acknowledged for long (R5)', ack('b'), 760],
  ['a heartbeat that the thread could not acknowledge', heartbeat('b', 1, false), 100],
])('%s is new', (_, heard, later) => {
  const { news, handed } = watched()
  for (const now of [0, later]) {
    news.add(heard, now)
    vi.advanceTimersByTime(1)
  }
  expect(handed).toHaveLength(2)
})

test('in another view everything is new', () => {
  const { news, handed } = watched()
  news.add(ack('b'), 0)
  news.forget()
  news.add(ack('b'), 10)
  vi.advanceTimersByTime(1)
  news.forget()
  news.add(ack('b'), 20)
  vi.advanceTimersByTime(1)
  expect(handed.flat()).toHaveLength(3)
})
