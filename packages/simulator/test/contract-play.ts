import type { AnyAlgorithm } from '@turnwise/core/algorithm'
import { expect } from 'vitest'
import { complaintsAbout } from './dumb-judge.ts'
import { type Played, play, type Run } from './harness.ts'

/** Plays a run that must be right in every way. */
export function playWell(run: Run): Played {
  const played = play(run)
  expect(played.report.violations).toEqual([])
  expect(played.report.unserved).toBe(0)
  expect(complaintsAbout(played)).toEqual([])
  return played
}

export function statesOf<State>({ simulation }: Played): State[] {
  const { nodes } = simulation.config.setup
  return Array.from({ length: nodes }, (_, node) => simulation.stateOf(node) as State)
}

export function without(handler: 'suspect' | 'restore', algorithm: AnyAlgorithm): AnyAlgorithm {
  const copy = { ...algorithm }
  delete copy[handler]
  return copy
}

export const LATENCIES = ['constant:1', 'uniform:0,3', 'exponential:1']
