import { expect, test } from 'vitest'
import { partsFrom } from '../src/command.ts'
import { readOptions, smallText } from '../src/mutants.ts'
import { type PlanOptions, plan } from '../src/plan.ts'
import { roundWith } from '../src/rerun.ts'
import { smallerRound } from '../src/shrink.ts'

const options: PlanOptions = {
  seed: 7,
  ids: ['a', 'b', 'c', 'd', 'e'],
  leaseMs: 1000,
  milliseconds: 300_000,
}

test('what is left out by halves and one by one leaves the parts without which it does not fail', async () => {
  const tried: string[] = []
  const small = await smallerRound(9, ['exclusion'], async (parts) => {
    tried.push(parts.join())
    return parts.includes(2) && parts.includes(7) ? ['exclusion', 'fence'] : []
  })
  expect(small?.parts).toEqual([2, 7])
  expect(small?.trials).toBe(tried.length)
  expect(tried[0]).toBe('1,2,3,4,5,6,7,8,9')
})

test('another judge is another failure, and a round that does not fail again is not made smaller', async () => {
  const served = await smallerRound(4, ['exclusion'], async (parts) => [
    parts.length === 4 ? 'exclusion' : 'served',
  ])
  expect(served?.parts).toEqual([1, 2, 3, 4])
  expect(await smallerRound(4, ['exclusion'], async () => [])).toBeNull()
})

test('a failure that comes every other time is still found', async () => {
  let runs = 0
  const small = await smallerRound(4, ['fence'], async (parts) => {
    runs += 1
    return runs % 2 === 0 && parts.includes(3) ? ['fence'] : []
  })
  expect(small?.parts).toEqual([3])
})

test('it ends, however large the round: then what was kept last', async () => {
  const small = await smallerRound(500, ['fence'], async (parts) => (parts.length > 400 ? ['fence'] : []))
  expect(small?.trials).toBeLessThanOrEqual(40)
  expect(small?.parts.length).toBeGreaterThan(400)
})

test('all parts are the whole round, and none is a calm one', () => {
  for (const { number, parts = 0, steps, repairs } of plan(options)) {
    const all = Array.from({ length: parts }, (_, i) => i + 1)
    expect(roundWith(options, number, all)).toMatchObject({ steps, repairs })
    expect(roundWith(options, number, [])).toMatchObject({ steps: [], repairs: [], parts })
  }
})

test('parts are read from words, and belong to a round', () => {
  expect(partsFrom('1,4')).toEqual([1, 4])
  expect(() => partsFrom('1,x')).toThrow('"x" is not a part of a round: a whole number, 1 or more')
  const given = { rounds: '6', seed: '1' }
  expect(() => readOptions({ ...given, parts: '1' })).toThrow(
    '--parts: they are of one round: say which with --round',
  )
  expect(() => readOptions({ ...given, round: '7' })).toThrow('--round: "7" is not a round of the schedule')
  const aim = { nodes: 3, leaseMs: 2000, beginWith: null } as const
  const trial = { rule: 'no-table', aim, rounds: 2, judges: ['exclusion'], seconds: 9 }
  const asked = readOptions({ ...given, rules: 'no-table', shrink: true })
  expect(smallText({ ...trial, small: { parts: [2, 5], trials: 8 } }, asked)).toBe(
    'enough: npm run torture -- --mutants --rules no-table --rounds 6 --seed 1 --round 2 --parts 2,5',
  )
  expect(smallText({ ...trial, small: 'why' }, asked)).toBe('why')
})
