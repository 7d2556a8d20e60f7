import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Checker, Found, Run } from '../scripts/others/checker.ts'
import { readRecord } from '../scripts/others/record.ts'
import { commandOf, difference, findOthers, isPromela, ours, RUNS, theirs } from '../scripts/others/runs.ts'

const others = await findOthers()
const quick = RUNS.filter((run) => run.quick === true)
const compared = (run: Run) => difference(ours(run), theirs(run, others) as Found)

// SPIN has to compile each model: continuous integration runs it by `npm run others`, and here is its record.
describe('another checker finds the same in a model of the paper', () => {
  const inTla = quick.filter(({ model }) => !isPromela(model))
  test.each(inTla.map((run) => [commandOf(run), run] as const))('%s', (_, run) => {
    expect(compared(run)).toBeNull()
  })

  test('a rule that only the model leaves out is a difference', () => {
    const { without: _, ...right } = inTla.find(({ without }) => without === 'tie break') as Run
    const run = { ...right, algorithm: 'ricart-agrawala' }
    const broken = theirs({ ...run, without: 'tie break' }, others) as Found
    expect(difference(ours(run), broken)).toBe('ours says "holds", theirs "exclusion fails after 6 steps"')
  })

  test('so are states that only one of them has', () => {
    const holds = { states: 78, fails: null }
    expect(difference(holds, { states: 79, fails: null })).toBe('ours has 78 states, theirs 79')
    expect(difference(holds, holds)).toBeNull()
  })

  test('a model with a mistake in it is an error, not a result', () => {
    const [run] = quick as [Run]
    expect(() => (others.tla as Checker)(run, 'MODULE')).toThrow(/^tla-checker: /)
  })

  test('a checker that is missing says so', () => {
    const [run] = quick as [Run]
    expect(theirs(run, { ...others, tla: 'it is not there' })).toBe('it is not there')
  })
})

describe('the record', () => {
  const record = readRecord()

  test('has every run, and no difference', () => {
    expect(record.map(({ run }) => run)).toEqual(RUNS)
    expect(record.map(({ ours, theirs }) => difference(ours, theirs)).filter(Boolean)).toEqual([])
  })

  test('our checker still finds what it has', () => {
    for (const { run, ours: recorded } of record.filter(({ ours }) => ours.states < 800))
      expect([commandOf(run), ours(run)]).toEqual([commandOf(run), recorded])
  })

  test('has every model', () => {
    const models = ['spin', 'tla'].flatMap((folder) =>
      readdirSync(new URL(`../packages/algorithms/${folder}/`, import.meta.url)),
    )
    expect([...new Set(RUNS.map(({ model }) => model))].toSorted()).toEqual(models.toSorted())
  })
})
