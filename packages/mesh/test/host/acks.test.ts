import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Acks } from '../../src/host/acks.ts'
import { LINK_LIMIT } from '../../src/protocol/links.ts'
import type { Message, MessageOf } from '../../src/protocol/messages.ts'

const ack = (upTo: number, epoch = 1): MessageOf<'link-ack'> => ({ type: 'link-ack', epoch, upTo })
const link = (epoch = 1): MessageOf<'link'> => ({
  type: 'link',
  epoch,
  seq: 9,
  payload: { kind: 'steal', name: 'L' },
})

let sent: [string, Message][] = []
let acks: Acks

beforeEach(() => {
  vi.useFakeTimers()
  sent = []
  acks = new Acks(5, (to, message) => sent.push([to, message]))
})
afterEach(() => {
  vi.useRealTimers()
})

test('the last ack rides on the next message to its peer, once', () => {
  acks.hold('b', ack(1))
  acks.hold('b', ack(2))
  expect(acks.onto('c', link())).toEqual(link())
  expect(acks.onto('b', link())).toEqual({ ...link(), upTo: 2 })
  expect(acks.onto('b', link())).toEqual(link())
  vi.advanceTimersByTime(20)
  expect(sent).toEqual([])
})

test('one that nothing takes along leaves by itself, in time', () => {
  acks.hold('b', ack(1))
  vi.advanceTimersByTime(5)
  acks.hold('b', ack(2))
  acks.hold('c', ack(7))
  expect(sent).toEqual([])
  vi.advanceTimersByTime(5)
  expect(sent).toEqual([['b', ack(2)]])
  vi.advanceTimersByTime(5)
  expect(sent.slice(1)).toEqual([['c', ack(7)]])
  acks.hold('b', ack(3))
  vi.advanceTimersByTime(10)
  expect(sent).toHaveLength(3)
  vi.advanceTimersByTime(50)
  expect(sent).toHaveLength(3)
})

test('one that is waited for leaves at once, and what is due to others stays', () => {
  acks.hold('b', ack(1))
  acks.hold('b', ack(2))
  acks.hold('c', ack(7))
  acks.leave('b')
  acks.leave('b')
  acks.leave('nobody')
  expect(sent).toEqual([['b', ack(2)]])
  expect(acks.onto('b', link())).toEqual(link())
  expect(acks.onto('c', link())).toEqual({ ...link(), upTo: 7 })
})

test('one that was taken along in time does not make the next one leave early', () => {
  acks.hold('b', ack(1))
  vi.advanceTimersByTime(5)
  acks.onto('b', link())
  acks.hold('b', ack(2))
  vi.advanceTimersByTime(5)
  expect(sent).toEqual([])
  vi.advanceTimersByTime(5)
  expect(sent).toEqual([['b', ack(2)]])
})

test('one of many messages does not wait, and leaves long before the link is full', () => {
  const many = LINK_LIMIT / 4
  for (let upTo = 1; upTo < many; upTo += 1) acks.hold('b', ack(upTo))
  expect(sent).toEqual([])
  acks.hold('b', ack(many))
  expect(sent).toEqual([['b', ack(many)]])
  vi.advanceTimersByTime(50)
  expect(sent).toHaveLength(1)
})

test('an ack of another view does not ride', () => {
  acks.hold('b', ack(4, 1))
  expect(acks.onto('b', link(2))).toEqual(link(2))
  vi.advanceTimersByTime(10)
  expect(sent).toEqual([['b', ack(4, 1)]])
})

test('nothing is said after the end', () => {
  acks.hold('b', ack(1))
  acks.stop()
  vi.advanceTimersByTime(50)
  expect(sent).toEqual([])
})
