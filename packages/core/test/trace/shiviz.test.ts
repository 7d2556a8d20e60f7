import { get } from '@turnwise/core/bounds'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { atLeast, present } from '../../../../test/present.ts'
import { renderShiviz } from '../../src/trace/shiviz.ts'
import type { Trace } from '../../src/trace/trace.ts'
import {
  because,
  crash,
  type Deed,
  drop,
  leave,
  REPLY,
  receive,
  request,
  SAMPLE,
  send,
  traceOf,
  violation,
} from './sample.ts'

interface Entry {
  readonly host: string
  readonly clock: Readonly<Record<string, number>>
  readonly event: string
}

/** Reads a log as ShiViz does: by the pattern in its first line, after the empty second. */
function readLog(log: string): Entry[] {
  const [pattern, delimiter, ...lines] = atLeast(2, log.split('\n'))
  expect(delimiter).toBe('')
  return Array.from(lines.join('\n').matchAll(new RegExp(pattern, 'g')), ({ groups = {} }) => {
    const { host = '', clock = '', event = '' } = groups
    return { host, clock: JSON.parse(clock), event }
  })
}

test('a run of three nodes', () => {
  expect(renderShiviz(SAMPLE)).toBe(
    String.raw`(?<host>\S*) (?<clock>{.*})\n(?<event>.*)

n2 {"n2":1}
asks
n2 {"n2":2}
sends request 1 to n0
n2 {"n2":3}
sends request 1 to n1
n0 {"n0":1}
asks
n0 {"n0":2}
sends request 2 to n1
n0 {"n0":3}
sends request 2 to n2
n0 {"n0":4,"n2":2}
receives request 1 from n2
n0 {"n0":5,"n2":2}
sends reply to n2
n1 {"n1":1,"n2":3}
receives request 1 from n2
n1 {"n1":2,"n2":3}
sends reply to n2
n1 {"n0":2,"n1":3,"n2":3}
receives request 2 from n0
n1 {"n0":2,"n1":4,"n2":3}
sends reply to n0
n2 {"n0":3,"n2":4}
receives request 2 from n0
n2 {"n0":5,"n2":5}
receives reply from n0
n2 {"n0":5,"n1":2,"n2":6}
receives reply from n1
n2 {"n0":5,"n1":2,"n2":7}
enters (fence 5)
n0 {"n0":6,"n1":4,"n2":3}
receives reply from n1
n2 {"n0":5,"n1":2,"n2":8}
leaves
n2 {"n0":5,"n1":2,"n2":9}
sends reply to n0
n0 {"n0":7,"n1":4,"n2":9}
receives reply from n2
n0 {"n0":8,"n1":4,"n2":9}
enters (fence 6)
n0 {"n0":9,"n1":4,"n2":9}
leaves
`,
  )
})

test('faults are events of those they concern; what is lost teaches nobody anything', () => {
  const trace = traceOf(
    3,
    [0, request(0), send(1, 0, 1, REPLY), drop(1, 1)],
    [1, crash(2)],
    [2, { is: 'cut', from: 0, to: 1 }],
    [3, violation('two inside', 0, 1)],
    [3, violation('nobody in particular')],
    [4, receive(99, 1)],
  )
  expect(readLog(renderShiviz(trace))).toEqual([
    { host: 'n0', clock: { n0: 1 }, event: 'asks' },
    { host: 'n0', clock: { n0: 2 }, event: 'sends reply to n1' },
    { host: 'n1', clock: { n1: 1 }, event: 'reply from n0 to n1 is lost on the way' },
    { host: 'n2', clock: { n2: 1 }, event: 'crashes' },
    { host: 'n0', clock: { n0: 3 }, event: 'the channel from n0 to n1 is cut' },
    { host: 'n1', clock: { n1: 2 }, event: 'the channel from n0 to n1 is cut' },
    { host: 'n0', clock: { n0: 4 }, event: 'VIOLATION exclusion: two inside' },
    { host: 'n1', clock: { n1: 3 }, event: 'VIOLATION exclusion: two inside' },
    { host: 'judge', clock: { judge: 1 }, event: 'VIOLATION exclusion: nobody in particular' },
    { host: 'n1', clock: { n1: 4 }, event: 'receives an unknown message' },
  ])
})

test('reasons stand beside what happened', () => {
  const trace = traceOf(2, [0, request(0), because(0, 'it has the token'), because(0, 'it enters')])
  expect(renderShiviz(trace).split('\n')).toContain('asks (It has the token. It enters.)')
})

test('a text with a newline or braces stays one event', () => {
  const trace = traceOf(1, [0, violation('n0 {"n0":9}\nfalse', 0)], [1, request(0)])
  expect(readLog(renderShiviz(trace)).map(({ event }) => event)).toEqual([
    'VIOLATION exclusion: n0 {"n0":9} false',
    'asks',
  ])
})

/**
 * Runs in which every event is one entry of the log: local events, messages to one or to all, received in any
 * order, some twice, some never. A choice picks what happens next; its meaning depends on what is possible.
 */
const RUNS: fc.Arbitrary<Trace> = fc
  .tuple(fc.integer({ min: 2, max: 5 }), fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat()), { maxLength: 40 }))
  .map(([nodes, choices]) => {
    const flying: { id: number; to: number }[] = []
    const deeds = choices.map(([what, who, whom], id): Deed => {
      const node = who % nodes
      switch (what % 5) {
        case 0:
          return request(node)
        case 1:
          return leave(node)
        case 2: {
          const to = (node + 1 + (whom % (nodes - 1))) % nodes
          flying.push({ id, to })
          return send(id, node, to, REPLY)
        }
        case 3:
          for (let to = 0; to < nodes; to += 1) flying.push({ id, to })
          return send(id, node, null, REPLY)
        default: {
          if (flying.length === 0) return request(node)
          const index = who % flying.length
          const { id: arriving, to } = get(flying, index)
          // One in three stays in flight, to arrive once more.
          if (whom % 3 !== 0) flying.splice(index, 1)
          return receive(arriving, to)
        }
      }
    })
    return traceOf(nodes, ...deeds.map((deed, time): [number, Deed] => [time, deed]))
  })

/** Happened before, found the plain way: own node's order, send before receive, and whatever follows from these. */
function pasts({ events }: Trace): Set<number>[] {
  const lastAt = new Map<number, number>()
  const sentBy = new Map<number, number>()
  const result: Set<number>[] = []
  events.forEach((event, i) => {
    const node = 'node' in event ? event.node : 'from' in event ? event.from : -1
    const before = [lastAt.get(node), event.is === 'receive' ? sentBy.get(event.id) : undefined]
    const past = new Set<number>()
    for (const direct of before) {
      if (direct === undefined) continue
      past.add(direct)
      for (const earlier of get(result, direct)) past.add(earlier)
    }
    result.push(past)
    lastAt.set(node, i)
    if (event.is === 'send') sentBy.set(event.id, i)
  })
  return result
}

function isBefore(a: Entry, b: Entry): boolean {
  const hosts = [...Object.keys(a.clock), ...Object.keys(b.clock)]
  const atMost = hosts.every((host) => (a.clock[host] ?? 0) <= (b.clock[host] ?? 0))
  return atMost && hosts.some((host) => (a.clock[host] ?? 0) < (b.clock[host] ?? 0))
}

describe('vector clocks', () => {
  test('are ordered exactly as the events are by cause', () => {
    fc.assert(
      fc.property(RUNS, (trace) => {
        const entries = readLog(renderShiviz(trace))
        const past = pasts(trace)
        expect(entries).toHaveLength(trace.events.length)
        entries.forEach((late, i) => {
          entries.forEach((early, j) => expect(isBefore(early, late)).toBe(get(past, i).has(j)))
        })
      }),
    )
  })

  test('count the events of their own node without a gap, and name no node before its first event', () => {
    fc.assert(
      fc.property(RUNS, (trace) => {
        const counts = new Map<string, number>()
        for (const { host, clock } of readLog(renderShiviz(trace))) {
          expect(clock[host]).toBe((counts.get(host) ?? 0) + 1)
          counts.set(host, present(clock[host]))
          for (const [other, count] of Object.entries(clock)) {
            expect(count).toBeGreaterThan(0)
            expect(count).toBeLessThanOrEqual(counts.get(other) ?? 0)
          }
        }
      }),
    )
  })
})
