import { get } from '@turnwise/core/bounds'
import { expect, test } from 'vitest'
import { aftermathOf, aftermathText, differenceText, firstDifference } from '../src/run/difference.ts'
import { watched } from './runs.ts'

const right = watched().recording

test('a rule and its broken variant: the step in which they part, with both reasons', () => {
  const broken = watched({ algorithm: 'ricart-agrawala-without-tie-break' }).recording
  const difference = firstDifference(right, broken)
  expect(difference).toMatchObject({ hidden: null, position: 6 })
  expect(difference && differenceText(difference)).toBe(
    'The runs part at step 6, at 1.000: in the first, node 0 receives request from 1 (Node 0 keeps its reply to node 1 back: both have number 1, and node 0 is smaller); in the second, node 0 receives request from 1 and sends reply to 1.',
  )
  expect(aftermathText(aftermathOf(right, broken))).toBe(
    'The second violates a property (mutual exclusion): nodes 0, 1 are inside together; one is allowed. Both send equally many messages of each type. The order of entry is the same.',
  )
})

test('a branch and the run it left part at the hand', () => {
  const at = get(right.happenings, 4).at
  const { recording } = watched({}, [{ after: get(right.steps, 4), at, act: { does: 'crash', node: 2 } }])
  const difference = firstDifference(right, recording)
  expect(difference?.position).toBe(6)
  expect(difference?.steps[1]?.cause).toMatchObject({ is: 'crash', node: 2 })
  expect(difference && differenceText(difference)).toContain('in the second, node 2 crashes.')
  expect(aftermathOf(right, recording).entry).not.toBeNull()
})

test('equal runs do not part, and nothing is said while they are still being played', () => {
  expect(firstDifference(right, watched().recording)).toBeNull()
  const begun = { ...right, happenings: right.happenings.slice(0, 5), isWhole: false }
  expect(firstDifference(right, begun)).toBeUndefined()
  expect(aftermathText(aftermathOf(right, right))).toBe(
    'Both send equally many messages of each type. The order of entry is the same.',
  )
})

test('a run that is over earlier', () => {
  const short = { ...right, happenings: right.happenings.slice(0, 5) }
  const difference = firstDifference(right, short)
  expect(difference?.steps[1]).toBeNull()
  expect(difference && differenceText(difference)).toMatch(
    /^The runs part at step 6, at 1\.000: .*in the second, nothing happens any more\./,
  )
})

test('a variable that differs before anybody can see it', () => {
  const states = right.states.map((list, node) =>
    node === 1 ? list.map(({ from, state }) => ({ from, state: { ...state, extra: from > 2 } })) : list,
  )
  const other = {
    ...right,
    states: right.states.map((list, node) =>
      node === 1 ? list.map(({ from, state }) => ({ from, state: { ...state, extra: false } })) : list,
    ),
  }
  const changed = { ...right, states, happenings: right.happenings.slice(0, 9) }
  const { hidden } = firstDifference(other, changed) ?? { hidden: null }
  expect(hidden).toMatchObject({ node: 1, variables: ['extra'] })
  expect(hidden?.position).toBeGreaterThan(2)
  expect(hidden?.position).toBeLessThan(10)
})
