import colours from 'picocolors'
import { describe, expect, test } from 'vitest'
import { isExcused, tooManyExcused } from '../src/excuses.ts'
import type { RoundReport } from '../src/torture.ts'
import { endedText, excessOf } from '../src/torture-report.ts'

const paint = colours.createColors(false)

describe('a round is excused', () => {
  test('if all were served after the bound, or not at all, and no judge holds that against the mesh', () => {
    expect(isExcused(30_001, 30_000, false)).toBe(true)
    expect(isExcused(null, 30_000, false)).toBe(true)
  })

  test('and not if they were served in time, or a judge found that they were not', () => {
    expect(isExcused(30_000, 30_000, false)).toBe(false)
    expect(isExcused(null, 30_000, true)).toBe(false)
  })
})

test('one is forgiven in any run, then a fifth of all rounds, and no more', () => {
  const isTooMany = (excused: number, rounds: number) => tooManyExcused(excused, rounds) !== null
  expect([0, 1].map((excused) => isTooMany(excused, 1))).toEqual([false, false])
  expect([1, 2].map((excused) => isTooMany(excused, 9))).toEqual([false, true])
  expect([2, 3].map((excused) => isTooMany(excused, 10))).toEqual([false, true])
  expect([11, 12].map((excused) => isTooMany(excused, 57))).toEqual([false, true])
  expect(tooManyExcused(3, 4)).toBe(
    'a stall of the machine excuses 3 of 4 rounds, and at most one round and 20 % of a run may be',
  )
})

describe('the report', () => {
  const round = { number: 1, steps: [], lasts: 5000, repairs: [], calm: 3000 }
  const counts = { turns: 1, lost: 0, stolen: 0, givenUp: 0, refused: 0, views: 1 }
  const late: RoundReport = {
    round,
    served: 42_000,
    counts,
    findings: [],
    unjudged: null,
    isExcused: true,
    gaps: [],
  }
  const soon: RoundReport = { ...late, served: 900, isExcused: false }

  test('tells of a round that was excused, and of no other', () => {
    expect(endedText(late, { paint })).toContain(
      'all served 42.0 s after the repair, too late, which a stall of the machine excuses;',
    )
    expect(endedText(soon, { paint })).toContain('all served 900 ms after the repair; so far')
  })

  test('counts them', () => {
    expect(excessOf([soon, late, soon])).toBeNull()
    expect(excessOf([late, soon, late])).toContain('excuses 2 of 3 rounds')
  })
})
