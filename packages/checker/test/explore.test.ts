import { get } from '@turnwise/core/bounds'
import { expect, test } from 'vitest'
import { explore, plain } from '../src/index.ts'

/** Two counters, each of which can be raised to `most`. */
function counters(most: number, violation: (state: readonly number[]) => string | null) {
  return plain<readonly number[]>({
    initial: [0, 0],
    *steps(state) {
      for (const i of [0, 1])
        if (get(state, i) < most) yield { name: `raise ${i}`, to: state.with(i, get(state, i) + 1) }
    },
    violation,
  })
}

test('every world is seen once, and every step between them', () => {
  const explored = explore(counters(3, () => null))
  expect(explored).toMatchObject({ isComplete: true, states: 16, transitions: 24, depth: 6, violation: null })
})

test('what is wrong is told by a shortest run', () => {
  const { isComplete, violation } = explore(counters(9, ([a = 0, b = 0]) => (a * b === 2 ? 'two' : null)))
  expect(isComplete).toBe(false)
  expect(violation?.finding).toBe('two')
  expect(violation?.steps).toHaveLength(3)
  expect(violation?.steps.toSorted().at(1)).toMatch(/^raise [01]$/)
})

test('the first world can be wrong too', () => {
  const { violation } = explore(counters(1, () => 'always'))
  expect(violation).toEqual({ finding: 'always', steps: ['it begins so'] })
})

test('the watcher can end it', () => {
  const { isComplete, states } = explore(
    counters(10_000, () => null),
    ({ expanded }) => expanded < 8192,
  )
  expect(isComplete).toBe(false)
  expect(states).toBeGreaterThan(8192)
})
