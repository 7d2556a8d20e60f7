/**
 * A failing run made smaller: kinds of faults are left out one after the other, then names and nodes, and the end comes right after the failure.
 * Each such change draws other random numbers, so a plan that does not fail any more is tried with a few other seeds before it is given up.
 */
import type { Plan } from './plan.ts'

/** What a run came to, as far as it matters here: the judge that objected, and when. */
export type Failing = (plan: Plan) => { readonly judge: string; readonly at: number } | null

/** Chances, and mean times between faults: 0 is never. The first ones to go are those that make a run hard to follow. */
const FAULTS = [
  'drift',
  'duplication',
  'tail',
  'loss',
  'suspends',
  'wishes',
  'outages',
  'leaves',
  'renewals',
  'pauses',
  'cuts',
  'crashes',
  'lostState',
  'restored',
  'longCuts',
  'oneWay',
  'forGood',
  'updates',
  'downgrades',
  'shared',
  'steals',
  'priorities',
  'zones',
  'write',
] as const satisfies readonly (keyof Plan)[]

export function smallerPlan(failing: Plan, fails: Failing, seeds = 20): Plan {
  const judge = fails(failing)?.judge
  let plan = failing
  for (let before: Plan | null = null; before !== plan; ) {
    before = plan
    for (const change of changes(plan)) plan = tried({ ...plan, ...change }, fails, judge, seeds) ?? plan
  }
  return endingAt(plan, fails)
}

/** This plan, or one like it with another seed, if it fails by the same judge. */
function tried(plan: Plan, fails: Failing, judge: string | undefined, seeds: number): Plan | null {
  for (let more = 0; more <= seeds; more += 1) {
    const other = more === 0 ? plan : { ...plan, seed: more }
    if (fails(other)?.judge === judge) return other
  }
  return null
}

function* changes(plan: Plan): Generator<Partial<Plan>> {
  for (const fault of FAULTS) if (plan[fault] !== 0) yield { [fault]: 0 }
  if (plan.slow.length > 0) yield { slow: [] }
  if (plan.leases.length > 0) yield { leases: [] }
  if (plan.names.length > 1) yield { names: plan.names.slice(0, 1) }
  const nodes = plan.nodes - 1
  if (nodes > 1) yield { nodes, voters: Math.min(plan.voters, nodes), slow: [], leases: [] }
}

function endingAt(plan: Plan, fails: Failing): Plan {
  const found = fails(plan)
  const end = Math.ceil((found?.at ?? plan.end) + 1)
  const shorter = { ...plan, end, mustEnterFrom: null }
  return found !== null && fails(shorter)?.judge === found.judge ? shorter : plan
}

/** The wishes that make this plan of what its seed draws. */
export function wishesFor(plan: Plan, drawn: Plan): Partial<Plan> {
  const differs = (key: string) =>
    JSON.stringify(plan[key as keyof Plan]) !== JSON.stringify(drawn[key as keyof Plan])
  return Object.fromEntries(Object.entries(plan).filter(([key]) => differs(key)))
}
