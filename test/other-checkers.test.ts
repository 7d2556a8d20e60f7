import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readRecord } from '../scripts/tla/record.ts'
import { commandOf, difference, ours, RUNS, type Run, theirs } from '../scripts/tla/runs.ts'
import { findTool, type Tool } from '../scripts/tla/tool.ts'

const tool = (await findTool()) as Tool

const quick = RUNS.filter((run) => run.quick === true)

describe('another checker finds the same in a model of the paper', () => {
  test.each(quick.map((run) => [commandOf(run), run] as const))('%s', (_, run) => {
    const [mine, other] = [ours(run), theirs(run, tool)]
    expect(difference(mine, other)).toBeNull()
    expect(other.states).toBeGreaterThan(10)
  })

  test('a rule that only the model leaves out is a difference', () => {
    const { without: _, ...right } = quick.find(({ without }) => without === 'tie break') as Run
    const run = { ...right, algorithm: 'ricart-agrawala' }
    const broken = theirs({ ...run, without: 'tie break' }, tool)
    expect(difference(ours(run), broken)).toBe('ours says "holds", theirs "exclusion fails after 6 steps"')
  })

  test('so are states that only one of them has', () => {
    const holds = { states: 78, fails: null }
    expect(difference(holds, { states: 79, fails: null })).toBe('ours has 78 states, theirs 79')
    expect(difference(holds, holds)).toBeNull()
  })

  test('a module with a mistake in it is an error, not a result', () => {
    expect(() =>
      tool({ text: 'MODULE', constants: {}, invariants: ['Exclusion'], constraint: null }),
    ).toThrow(/^tla-checker: /)
  })
})

describe('the record', () => {
  const record = readRecord()

  test('has every run, and no difference', () => {
    expect(record.map(({ run }) => run)).toEqual(RUNS)
    expect(record.map(({ ours, theirs }) => difference(ours, theirs)).filter(Boolean)).toEqual([])
  })

  test('our checker still finds what it has', () => {
    for (const { run, ours: recorded } of record.filter(({ ours }) => ours.states < 3000))
      expect([commandOf(run), ours(run)]).toEqual([commandOf(run), recorded])
  })

  test('has ten algorithms, and every module', () => {
    const modules = readdirSync(new URL('../packages/algorithms/tla/', import.meta.url))
    const used = new Set(RUNS.map(({ module }) => `${module}.tla`))
    expect([...used].toSorted()).toEqual(modules.toSorted())
    expect(used.size).toBeGreaterThanOrEqual(10)
  })
})
