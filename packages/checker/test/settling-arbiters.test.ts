/** Sanders' algorithm, where a FAIL or INQUIRE that comes too late is settled: against the full search, and with bounded gaps. */
import { variant as base } from '@turnwise/algorithms/broken/sanders-base'
import { variant as missingFail } from '@turnwise/algorithms/broken/sanders-missing-fail'
import { variant as oneShot } from '@turnwise/algorithms/broken/sanders-one-shot-inquire'
import { variant as untagged } from '@turnwise/algorithms/broken/sanders-untagged'
import { variant as keepsFails } from '@turnwise/algorithms/innocent/sanders-keeps-fails'
import { sanders } from '@turnwise/algorithms/quorum/sanders'
import type { AnyAlgorithm } from '@turnwise/core/algorithm'
import { describe, expect, test } from 'vitest'
import { extent, LONG } from '../../../test/extent.ts'
import { check } from '../src/index.ts'
import { askableOf } from '../src/property.ts'
import { settlingFlaw } from '../src/settling-flaw.ts'
import { instanceOf, type SmallWorld, searched } from './harness.ts'
import { fails, quotient, stepsBetween, verdicts } from './settled-worlds.ts'

const PLENTY = 1_000_000

const WORLDS: SmallWorld[] = [
  { nodes: 2, requests: 2 },
  { nodes: 3, requests: 1 },
  ...extent<SmallWorld[]>(
    [],
    [{ nodes: 3, requests: 1, structure: 'ricart-agrawala' }],
    [{ nodes: 3, requests: 2 }],
  ),
]

describe.each(WORLDS)('sanders, %o', (world) => {
  test('every step is that of the settled world, or a settled receipt', () => {
    const { flaw, isComplete } = settlingFlaw(instanceOf(sanders, world), PLENTY)
    expect({ flaw, isComplete }).toEqual({ flaw: null, isComplete: true })
  })

  test('the full search has the same worlds and steps, but for settled receipts', () => {
    const full = searched(sanders, world)
    const settled = searched(sanders, { ...world, settled: true })
    const { worlds, steps } = quotient(full, settled)
    expect(worlds).toEqual(new Set(Array.from({ length: settled.states }, (_, state) => state)))
    expect(steps).toEqual(stepsBetween(settled, (state) => state))
    expect(settled.states).toBeLessThan(full.states)
  })

  test('the same verdicts and costs', () => {
    expect(verdicts(sanders, { ...world, settled: true })).toEqual(verdicts(sanders, world))
  })

  test('with bounded gaps no world and no step is missing', () => {
    const settled = searched(sanders, { ...world, settled: true })
    const gapped = searched(sanders, { ...world, settled: true, gaps: 2 })
    const { worlds, steps } = quotient(settled, gapped)
    expect(worlds).not.toContain(-1)
    const found = stepsBetween(gapped, (state) => state)
    expect([...steps].filter((step) => !found.has(step))).toEqual([])
  })
})

describe.each([base, missingFail, oneShot, untagged, keepsFails])('$algorithm.facts.name', (variant) => {
  const algorithm = variant.algorithm as AnyAlgorithm
  const world = { nodes: 3 } as const

  test('property by property: the same verdict as the full search, or none', LONG, () => {
    for (const property of askableOf(algorithm)) {
      const inFull = fails(algorithm, world, property)
      const inSettled = fails(algorithm, { ...world, settled: true }, property)
      if (inSettled !== null) expect([property, inSettled]).toEqual([property, inFull])
    }
  })
})

test('runs of any length come to an end although channels keep no order', () => {
  const world = { nodes: 2, requests: 'any', channels: 'unordered', gaps: 2 } as const
  expect(check(sanders, { ...world, mostStates: 20_000 }).complete).toBe(false)
  const { complete, properties } = check(sanders, { ...world, settled: true })
  expect(complete).toBe(true)
  expect(properties.filter(({ holds }) => holds !== true).map(({ name }) => name)).toEqual(['fences-rise'])
})
