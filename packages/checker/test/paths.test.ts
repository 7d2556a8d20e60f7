/** Every counterexample is a run: played by hand on a stage, it breaks what the checker says it breaks. */
import { gallery } from '@turnwise/algorithms/broken/gallery'
import { lamport } from '@turnwise/algorithms/permission/lamport'
import type { AnyAlgorithm, NodeId } from '@turnwise/core/algorithm'
import type { Stage } from '@turnwise/simulator/stage'
import { describe, expect, test } from 'vitest'
import { extent, isLong } from '../../../test/extent.ts'
import type { PropertyResult } from '../src/property.ts'
import { checked, failures, fences, instanceOf, propertyOf, type SmallWorld } from './harness.ts'
import { happened, replay, tokensOn } from './stage-replay.ts'
import { copyingRing, desk, generousDesk, heir } from './toys.ts'
import { crowd, lender, stickler } from './world-toys.ts'

/** The judge of a run that objects where a property of all runs fails. */
const JUDGE: Partial<Record<PropertyResult['name'], string>> = {
  exclusion: 'exclusion',
  'no-deadlock': 'progress',
  'fences-rise': 'fence',
  rules: 'rules',
}

function failureOf(algorithm: AnyAlgorithm, world: SmallWorld): PropertyResult {
  const result = checked(algorithm, world)
  const [name] = failures(result)
  return name === undefined ? fences(algorithm, world) : propertyOf(result, name)
}

/** Plays it, and lets the judges say what they think of where it ends. */
function played(algorithm: AnyAlgorithm, world: SmallWorld, { trace }: PropertyResult): Stage {
  if (trace === null) throw new Error('no run was told')
  const stage = replay(instanceOf(algorithm, world), trace)
  expect(happened(stage.events)).toEqual(happened(trace))
  stage.jury.ended(trace.length, (node: NodeId) => stage.statusOf(node) === 'waiting')
  return stage
}

function expectReproduced(algorithm: AnyAlgorithm, world: SmallWorld): PropertyResult {
  const failure = failureOf(algorithm, world)
  expect(failure.holds).toBe(false)
  const stage = played(algorithm, world, failure)
  const judges = stage.jury.violations.map(({ judge }) => judge)
  if (failure.name === 'one-token') {
    expect(tokensOn(stage, algorithm)).toBeGreaterThan(1)
    return failure
  }
  expect(judges).toContain(JUDGE[failure.name])
  if (failure.name !== 'no-deadlock') {
    // The last step is the one that breaks it: without it, nobody objects yet.
    const { trace } = failure
    const last = trace?.at(-1)?.at
    const before = replay(instanceOf(algorithm, world), trace?.filter(({ at }) => at !== last) ?? [])
    expect(before.jury.violations).toEqual([])
  } else {
    const statuses = Array.from({ length: world.nodes }, (_, node) => stage.statusOf(node))
    expect(statuses).toContain('waiting')
    expect(statuses).not.toContain('inside')
    expect(stage.underWay.filter(({ to }) => stage.statusOf(to) !== 'crashed')).toEqual([])
  }
  return failure
}

/** A trace does not tell what was drawn, so a run with draws cannot be played again by hand. */
const DRAWS = new Set(['kakugawa-releases-another'])
/** A handler that finds something impossible ends the run: a stage lets its complaint through. */
const COMPLAINS = new Set([
  'bouabdallah-laforest-passes-first',
  'helary-plouzeau-raynal-dates-handler',
  'token-queue-loses-the-pointer',
])
/** The step that makes the second token also lets in a node that did not ask. A stage tells that entry, and the checker does not. */
const ENTERS_UNASKED = new Set(['raymond-piggyback-recovery-old-privilege'])
/** What can never happen again is seen in the whole graph of states, and not at the end of one run. */
const IN_THE_GRAPH = new Set(['can-enter', 'no-starvation'])
const replayable = gallery.filter(
  ({ algorithm: { facts }, fails, takesLong }) =>
    ![DRAWS, COMPLAINS, ENTERS_UNASKED].some((set) => set.has(facts.name)) &&
    !IN_THE_GRAPH.has(fails) &&
    takesLong !== true,
)

/** Their worlds take a third of the time of all. */
const LARGE = new Set([
  'mishra-srimani-unfrozen',
  'nishio-li-manning-earlier-ack',
  'ricart-agrawala-membership-unacknowledged',
])

describe('the run against a broken variant breaks the rule on a stage too', () => {
  const some = replayable.filter(({ algorithm: { facts } }, i) =>
    LARGE.has(facts.name) ? isLong : i % extent(3, 2, 1) === 0,
  )
  test.each(some.map((variant) => [variant.algorithm.facts.name, variant] as const))(
    '%s',
    (_name, { algorithm, instance, fails }) => {
      const { crashes = 0, withdrawals = 0, restarts = 0, unlinks = 0 } = instance
      const { links = 0, joins = 0, leaves = 0 } = instance
      const budgets = { crashes, withdrawals, restarts, unlinks, links, joins, leaves }
      const world = { ...instance, budgets }
      expect(expectReproduced(algorithm, world).name).toBe(fails)
    },
  )
})

describe('and so do others', () => {
  const one = { entries: 1 }
  test.each<[what: string, algorithm: AnyAlgorithm, world: SmallWorld, fails: PropertyResult['name']]>([
    ['lamport, two nodes', lamport, { nodes: 2, channels: 'unordered' }, 'exclusion'],
    ['lamport, three nodes', lamport, { nodes: 3, channels: 'unordered', requests: null }, 'exclusion'],
    ['too many permits', generousDesk, { nodes: 3, setup: { entries: 2 } }, 'exclusion'],
    ['a medium without order', crowd, { nodes: 2 }, 'exclusion'],
    ['a time-out too early', lender, { nodes: 2, timing: 'any' }, 'exclusion'],
    ['a false suspicion', heir(false), { nodes: 2, budgets: { suspicions: 1 } }, 'exclusion'],
    ['a lost message', desk, { nodes: 2, setup: one, budgets: { drops: 1 } }, 'no-deadlock'],
    ['a crash', desk, { nodes: 2, setup: one, budgets: { crashes: 1 } }, 'no-deadlock'],
    ['a message that arrives twice', desk, { nodes: 2, setup: one, budgets: { duplicates: 1 } }, 'rules'],
    ['a token copied', copyingRing, { nodes: 2 }, 'one-token'],
  ])('%s', (_what, algorithm, world, fails) => {
    expect(expectReproduced(algorithm, world).name).toBe(fails)
  })

  test('a handler that says what cannot happen: it says so again', () => {
    const failure = failureOf(stickler, { nodes: 2 })
    expect(failure).toMatchObject({ name: 'rules', reason: 'node 0 asks' })
    expect(() => replay(instanceOf(stickler, { nodes: 2 }), failure.trace ?? [])).toThrow('node 0 asks')
  })
})
