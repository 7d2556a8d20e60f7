import type { NodeId } from '@turnwise/core/algorithm'
import type { Stage } from '@turnwise/simulator/stage'
import { expect } from 'vitest'

/** One entry with nobody else about, from silence to silence: what it cost. */
export function enterAlone(stage: Stage, node: NodeId): number {
  const before = stage.jury.cost.messages
  stage.request(node)
  stage.deliverAll()
  stage.release(node)
  stage.deliverAll()
  expect(stage.jury.violations).toEqual([])
  return stage.jury.cost.messages - before
}
