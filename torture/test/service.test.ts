import { expect, test } from 'vitest'
import type { Request } from '../src/history.ts'
import { gapsAfter, planService, STRIKES, type Strike, summaryOf } from '../src/service.ts'

const ids = 'a b c d e f g'.split(' ')
const rounds = planService({ seed: 1, ids, leaseMs: 1000, milliseconds: 600_000 })

test('each fault has its rounds, and is done to the node inside, and to a majority where it says so', () => {
  const strikes = rounds.map(({ struck }) => struck?.strike)
  expect(new Set(strikes)).toEqual(new Set(Object.keys(STRIKES)))
  for (const { steps, repairs, struck } of rounds) {
    const of = (what: string) => steps.filter(({ deed }) => deed.do === what)
    const [stops, kills] = [of('stop').length, of('kill').length]
    const expected: Record<Strike, readonly [number, number]> = {
      stop: [1, 0],
      kill: [0, 1],
      majority: [0, 4],
      'majority-ready': [0, 4],
      'stop-and-kill': [1, 4],
      'stop-and-kill-ready': [1, 4],
    }
    expect([stops, kills]).toEqual(expected[struck?.strike ?? 'stop'])
    expect(of('start')).toHaveLength(kills)
    expect(repairs).toHaveLength(stops)
    // A step that waits for the victim to be inside must not come after its end.
    if (stops === 0) expect(of('kill').at(-1)?.deed).toMatchObject({ id: struck?.victim })
    for (const { deed } of [...of('stop'), ...of('kill')])
      expect('meets' in deed && deed.meets?.inside).toBe(struck?.victim)
  }
})

function turn(
  id: string,
  name: string,
  from: number | null,
  until: number,
  more: Partial<Request> = {},
): Request {
  const rest = { life: 1, turn: 1, permits: 1, asked: 0, leaves: 0, fence: 1n, leaseUntil: until } as const
  return {
    ...rest,
    id,
    name,
    mode: 'exclusive',
    from,
    until,
    isSettled: true,
    isOver: true,
    end: null,
    ...more,
  }
}

test('a gap is from the fault to the next who is let in where the victim was inside alone', () => {
  const turns = [
    turn('a', 'orders', 100, 500),
    turn('a', 'orders', 1000, 2000),
    turn('b', 'orders', 2600, 2700),
    turn('a', 'orders', 2500, 2550, { life: 2 }),
    turn('a', 'catalogue', 1000, 2000, { mode: 'shared' }),
    turn('b', 'catalogue', 2001, 2100),
    turn('a', 'archive', 1000, 2000),
    turn('b', 'archive', null, 3000),
  ]
  const struck = { strike: 'kill', victim: 'a' } as const
  expect(gapsAfter(turns, struck, 2000)).toEqual([{ strike: 'kill', name: 'orders', milliseconds: 500 }])
  expect(gapsAfter(turns, struck, 800)).toEqual([])
})

test('median and maximum are told in leases', () => {
  const gap = (strike: Strike, milliseconds: number) => ({ strike, name: 'orders', milliseconds })
  const gaps = [gap('stop', 500), gap('stop', 3000), gap('stop', 1000), gap('kill', 250)]
  expect(summaryOf(gaps, 500)).toEqual([
    { strike: 'stop', count: 3, median: 2, most: 6 },
    { strike: 'kill', count: 1, median: 0.5, most: 0.5 },
  ])
})
