import { get } from '@turnwise/core/bounds'
import { describe, expect, test } from 'vitest'
import type { Message } from '../../src/algorithm.ts'
import { renderDiagram } from '../../src/trace/diagram.ts'
import { crash, enter, REPLY, receive, request, requestAt, rows, send, traceOf } from './sample.ts'

/** The row in which one message arrives. */
function row(from: number, to: number, width: number): string {
  const trace = traceOf(4, [0, send(1, from, to, requestAt(2))], [1, receive(1, to)])
  return get(rows(renderDiagram(trace, { width, from: 1 })), 0)
}

/** What is written on the arrow of a message. */
function label(message: Message): string | undefined {
  const trace = traceOf(2, [0, send(1, 0, 1, message)], [1, receive(1, 1)])
  return /●─*(.*?)─*▶/.exec(renderDiagram(trace, { from: 1 }).split('\n').at(-2) ?? '')?.[1]
}

describe('arrows', () => {
  test.each([
    [0, 1, '│●─request 2─▶│             │             │'],
    [1, 0, '│◀─request 2─●│             │             │'],
    [3, 2, '│             │             │◀─request 2─●│'],
    [0, 3, '│●──request 2─┼─────────────┼────────────▶│'],
    [3, 0, '│◀────────────┼─────────────┼──request 2─●│'],
    [1, 3, '│             │●──request 2─┼────────────▶│'],
  ])('from %i to %i', (from, to, arrow) => {
    expect(row(from, to, 100)).toBe(`1.000  ${arrow}    ${to} receives request from ${from} (sent 0.000)`)
  })

  test.each([
    [90, '│●─request▶│          │          │', '│●request 2┼──────────┼─────────▶│'],
    [80, '│●requ…▶│       │       │', '│●reque…┼───────┼──────▶│'],
    [70, '│●r▶│   │   │', '│●re┼───┼──▶│'],
    [60, '│●▶│  │  │', '│●r┼──┼─▶│'],
  ])('on %i columns', (width, near, far) => {
    expect(row(0, 1, width)).toBe(`1.000  ${near}    1 receives request from 0 (sent 0.000)`)
    expect(row(0, 3, width)).toBe(`1.000  ${far}    3 receives request from 0 (sent 0.000)`)
  })

  test('cross lanes without hiding who is inside, waiting or down', () => {
    const trace = traceOf(
      5,
      [0, request(1), enter(1, 1)],
      [0, request(2)],
      [0, crash(3)],
      [1, send(1, 0, 4, REPLY)],
      [2, receive(1, 4)],
    )
    expect(rows(renderDiagram(trace)).at(-1)).toBe(
      '2.000  │●──reply──█──────────┆──────────×─────────▶│    4 receives reply from 0 (sent 1.000)',
    )
  })

  test('to the sender itself, on an ordered medium', () => {
    const trace = traceOf(2, [0, request(1), send(1, 1, null, REPLY)], [1, receive(1, 0)], [1, receive(1, 1)])
    expect(rows(renderDiagram(trace))).toEqual([
      '0.000  │              ┆    1 asks; broadcasts reply',
      '1.000  │◀────reply───●┆    0 receives reply from 1 (sent 0.000)',
      '1.000  │              ┆◀●  1 receives reply from 1 (sent 0.000)',
    ])
  })

  test('are missing for a message whose send is not in the trace', () => {
    expect(rows(renderDiagram(traceOf(2, [1, receive(9, 0)])))).toEqual([
      '1.000  │              │    0 receives an unknown message',
    ])
  })
})

describe('what a message carries', () => {
  test.each([
    ['a number', { type: 'locked', count: 3 }, 'locked 3'],
    ['a short text', { type: 'vote', answer: 'yes' }, 'vote yes'],
    ['a flag that is set', { type: 'token', free: true, old: false }, 'token free'],
    ['a timestamp', { type: 'ask', stamp: { time: 2, node: 1 } }, 'ask 2.1'],
    ['no more than fits', { type: 'inform', a: 12, b: 345678 }, 'inform 12'],
    ['nothing large', { type: 'token', queue: [1, 2], last: null, owed: {} }, 'token'],
    ['a type that is too long', { type: 'acknowledgement', count: 1 }, 'acknowledge…'],
    ['no type', { type: '' }, 'message'],
  ])('%s', (_, message, expected) => {
    expect(label(message)).toBe(expected)
  })
})
