import { expect, test } from 'vitest'
import { Silence } from '../../src/host/silence.ts'
import type { MessageOf } from '../../src/protocol/messages.ts'
import { handle, start } from '../../src/protocol/node.ts'
import { blank } from '../../src/protocol/record.ts'

const S = 500

function node() {
  const settings = { algorithm: 'carvalho-roucairol', lease: 2 * S, drift: 0 }
  const config = { peers: ['a', 'b', 'c'], voters: ['a', 'b', 'c'], settings, roundTrip: 1 }
  return start('a', config, blank('v'), 0).node
}

function heartbeat(suspects: readonly string[] = []): MessageOf<'heartbeat'> {
  return {
    type: 'heartbeat',
    session: { voterId: 'w', k: 1 },
    at: 0,
    lease: 2 * S,
    begun: null,
    accepted: null,
    promised: 0,
    mark: '',
    suspects,
    wish: null,
  }
}

test('a peer that was never heard is dialled anew after S, one that falls silent as soon as it is missed', () => {
  const silence = new Silence()
  const a = node()
  expect(silence.due(a, 0)).toEqual([])
  handle(a, { kind: 'receive', from: 'b', message: heartbeat() }, 10)
  expect(silence.due(a, S - 1)).toEqual([])
  expect(silence.due(a, S)).toEqual(['c'])
  expect(silence.due(a, S + 10)).toEqual(['b'])
  expect(silence.due(a, 2 * S)).toEqual([])
  expect(silence.due(a, 2 * S + 10)).toEqual(['b'])
  handle(a, { kind: 'receive', from: 'b', message: heartbeat() }, 2 * S)
  expect(silence.due(a, 2 * S + 20)).toEqual([])
})

/** When c, which is never heard, is dialled anew from one time until another. */
function dialled(silence: Silence, a: ReturnType<typeof node>, from: number, until: number): number[] {
  const times: number[] = []
  for (let now = from; now <= until; now += S) if (silence.due(a, now).includes('c')) times.push(now / S)
  return times
}

test('as long as it does not help a peer is dialled less and less often, and as often as ever once it was heard', () => {
  const silence = new Silence()
  const a = node()
  expect(dialled(silence, a, 0, 20 * S)).toEqual([1, 3, 7, 11, 15, 19])
  handle(a, { kind: 'receive', from: 'c', message: heartbeat() }, 20 * S)
  expect(dialled(silence, a, 20 * S, 26 * S)).toEqual([21, 22, 24])
})

test('a peer that is heard, and says for S that it does not hear us, is dialled anew', () => {
  const silence = new Silence()
  const a = node()
  for (let now = 0; now <= 4 * S; now += S / 2) {
    handle(a, { kind: 'receive', from: 'b', message: heartbeat(['a', 'c']) }, now)
    expect(silence.due(a, now).includes('b')).toBe([S, 3 * S].includes(now))
  }
})
