import { describe, expect, test } from 'vitest'
import { happenings } from '../../src/trace/happening.ts'
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
  send,
  traceOf,
  violation,
} from './sample.ts'

const REQUEST = { type: 'request' }

const sends = (count: number) => Array.from({ length: count }, (_, i) => send(i, 0, i + 1, REQUEST))

function lastSentence(trace: Trace): string {
  return Array.from(happenings(trace), sentence).at(-1) ?? ''
}

describe('sentences', () => {
  test.each<[string, Deed[]]>([
    ['0 asks', [request(0)]],
    ['0 asks to share', [{ is: 'request', node: 0, mode: 'shared' }]],
    ['0 enters to share (fence 3)', [{ is: 'enter', node: 0, mode: 'shared', fence: 3 }]],
    ['0 leaves', [leave(0)]],
    ['0 wants to be alone', [{ is: 'upgrade', node: 0 }]],
    ['0 no longer wants to be alone', [{ is: 'desist', node: 0 }]],
    ['0 shares from now on', [{ is: 'downgrade', node: 0 }]],
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
    ['0 joins', [{ is: 'join', node: 0, sponsor: null }]],
    ['0 joins through 1', [{ is: 'join', node: 0, sponsor: 1 }]],
    ['0 is to leave the system', [{ is: 'depart', node: 0 }]],
    ['0 is gone', [{ is: 'gone', node: 0 }]],
    ['0 has a channel to 1 now', [{ is: 'linked', node: 0, peer: 1 }]],
    ['0 has no channel to 1 any more', [{ is: 'unlinked', node: 0, peer: 1 }]],
    [
      'request from 0 to 1 finds nobody there (sent 0.000)',
      [send(1, 0, 1, REQUEST), { is: 'lose', id: 1, node: 1, why: 'absent' }],
    ],
    ['the channel from 0 to 1 is cut', [{ is: 'cut', from: 0, to: 1 }]],
    ['the channel from 0 to 1 heals', [{ is: 'heal', from: 0, to: 1 }]],
    ['VIOLATION exclusion: two inside', [violation('two inside', 0, 1)]],
    ['0 sends request to 1; broadcasts reply', [send(1, 0, 1, REQUEST), send(2, 0, null, REPLY)]],
    ['an unknown message is lost on the way', [drop(9, 0)]],
    ['0 hears that an unknown message was not delivered', [{ is: 'undelivered', id: 9, node: 0 }]],
    ['a message is duplicated', [{ is: 'duplicate', id: 9 }]],
    [
      '0 sends request to 1; request to 1 is corrupted into reply',
      [send(1, 0, 1, REQUEST), { is: 'corrupt', id: 1, message: REPLY }],
    ],
    [
      '0 asks; sends request to 1, 2; sends reply to 3; enters (fence 1)',
      [request(0), send(1, 0, 1, REQUEST), send(2, 0, 3, REPLY), send(3, 0, 2, REQUEST), enter(0, 1)],
    ],
  ])('%s', (expected, deeds) => {
    expect(lastSentence(traceOf(10, [0, ...deeds]))).toBe(expected)
  })

  test('a message that comes again, or changed, is told as such', () => {
    const start = [0, send(1, 0, 1, REQUEST)] as [number, ...Deed[]]
    const again = traceOf(2, start, [1, receive(1, 1)], [2, receive(1, 1)])
    expect(lastSentence(again)).toBe('1 receives request from 0 again (sent 0.000)')
    const changed = traceOf(2, start, [1, { is: 'corrupt', id: 1, message: REPLY }], [2, receive(1, 1)])
    expect(Array.from(happenings(changed), sentence).slice(1)).toEqual([
      'a message from 0 is corrupted into reply',
      '1 receives reply from 0 corrupted (sent 0.000)',
    ])
  })

  test('many receivers are counted', () => {
    expect(lastSentence(traceOf(10, [0, ...sends(6)]))).toBe('0 sends request to 1, 2, 3, 4, 5, 6')
    expect(lastSentence(traceOf(10, [0, ...sends(8)]))).toBe('0 sends request to 1, 2, 3, 4, 5, 6 and 2 more')
    expect(lastSentence(traceOf(10, [0, ...sends(9)]))).toBe('0 sends request to all 9 others')
  })
})
