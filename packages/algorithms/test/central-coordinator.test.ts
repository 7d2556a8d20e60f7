import { expect, test } from 'vitest'
import { measured, SIZES } from './measured.ts'

/** What the lecture (Kessler 2024) says of the central coordinator. */

// shows kessler-2024 Central Coordinator Algorithm: cost
// shows velazquez-1993 2 Centralized and distributed approach
test('request, grant and release: three messages, none for the coordinator', () => {
  for (const nodes of SIZES) {
    const notTheCoordinator = measured('central-coordinator', { nodes, load: 'hot:0,1', entries: 30 })
    expect(notTheCoordinator.messages.byType).toEqual({ grant: 30, release: 30, request: 30 })
    expect(measured('central-coordinator', { nodes, load: 'hot:1,0', entries: 30 }).messages.total).toBe(0)
  }
})

// shows kessler-2024 Central Coordinator Algorithm: cost
test('an exit reaches the next in two message delays, over the coordinator', () => {
  const { syncDelay } = measured('central-coordinator', { nodes: 9, load: 'heavy', entries: 200 })
  expect(syncDelay?.max).toBe(2)
})

// shows kessler-2024 Central Coordinator Algorithm: rules
test('the coordinator serves in the order in which requests reach it', () => {
  const { fairness } = measured('central-coordinator', { nodes: 9, load: 'heavy', entries: 500 })
  expect(fairness.maxBypass).toBeLessThanOrEqual(1)
})
