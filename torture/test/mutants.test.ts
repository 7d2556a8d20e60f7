import { get } from '@turnwise/core/bounds'
import { expect, test } from 'vitest'
import { MUST, missing, readOptions, rowOf } from '../src/mutants.ts'
import type { Trial } from '../src/trial.ts'

const DEFAULTS = { rounds: '6', seed: '1' }
const aim = { nodes: 3, leaseMs: 2000, beginWith: 'forgetful' } as const
const trial: Trial = { rule: get(MUST, 0), aim, rounds: 2, judges: ['exclusion', 'fence'], seconds: 24.4 }

test('all rules are tried unless some are named, and what cannot be meant is refused in one line', () => {
  const all = readOptions(DEFAULTS)
  expect(all).toMatchObject({ rounds: 6, seed: 1, rules: expect.arrayContaining(['no-table', ...MUST]) })
  expect(readOptions({ ...DEFAULTS, rules: 'no-table,no-freeze', rounds: '2' })).toMatchObject({
    rules: ['no-table', 'no-freeze'],
    rounds: 2,
  })
  expect(() => readOptions({ ...DEFAULTS, rules: 'leases' })).toThrow(
    /^--rules: "leases" is not one of lease-from-rec/,
  )
  expect(() => readOptions({ ...DEFAULTS, rounds: '0' })).toThrow(
    /^--rounds: "0" is not a number of rounds: /,
  )
})

test('at a place the broken rules are those of places', () => {
  const all = readOptions({ ...DEFAULTS, at: 'etcd' })
  expect(all).toMatchObject({ at: 'etcd', rules: expect.arrayContaining(['dead-without-seal']) })
  expect(all.rules).not.toContain('no-table')
  expect(() => readOptions({ ...DEFAULTS, at: 'tea' })).toThrow(/^--at: "tea" is not one of directory, /)
})

test('a row tells in which round it was found and by whom, or in how many it was not', () => {
  expect(rowOf(trial)).toBe(
    '| `accept-at-once` | 3 nodes, 2 s, forgetful | round 2 | exclusion, fence | 24 s |',
  )
  expect(rowOf({ ...trial, judges: [] })).toContain('| not in 2 | – |')
})

test('a rule that must be caught and was not is named, and no other', () => {
  const others = { ...trial, rule: 'no-freeze', judges: [] }
  expect(missing([trial, others])).toEqual([])
  expect(missing([{ ...trial, judges: [] }, others])).toEqual(['accept-at-once'])
})
