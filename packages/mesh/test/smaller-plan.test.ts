import { expect, test } from 'vitest'
import { brokenRules } from '../broken/rules.ts'
import { SOUND } from '../broken/under.ts'
import { planFor } from './simulation/plan.ts'
import { type Failing, smallerPlan, wishesFor } from './simulation/smaller-plan.ts'
import { simulate } from './simulation/voters.ts'

test('a run under a broken rule fails by the same judge without most of its faults, and as the command that replays it', () => {
  const broken = brokenRules.find(({ name }) => name === 'no-freeze')
  const rules = { ...SOUND, ...broken?.change }
  const fails: Failing = (plan) => simulate(plan, rules).violation
  const plan = planFor(broken?.seed ?? 0, broken?.world)
  const small = smallerPlan(plan, fails, 0)
  expect(fails(small)?.judge).toBe(fails(plan)?.judge)
  const faults = ({
    crashes,
    cuts,
    pauses,
    renewals,
    leaves,
    wishes,
    loss,
    duplication,
    tail,
  }: typeof plan) =>
    [crashes, cuts, pauses, renewals, leaves, wishes, loss, duplication, tail].filter((each) => each > 0)
      .length
  expect(faults(small)).toBeLessThan(faults(plan))
  expect(small.end).toBeLessThan(plan.end)
  expect(planFor(small.seed, wishesFor(small, planFor(small.seed)))).toEqual(small)
})
