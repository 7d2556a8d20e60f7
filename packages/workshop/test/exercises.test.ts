import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import { rightText, startingText } from '../src/exercise.ts'
import { exerciseNamed, exercises } from '../src/exercises.ts'
import { grade, verdict } from '../src/grade.ts'

const home = new URL('../../algorithms/', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, home), 'utf8')
const materials = { read, load: (module: string) => import(module).catch(() => null) }

describe.each(exercises)('$slug', (exercise) => {
  test('the starting text fails as it should', async () => {
    const graded = await grade(exercise, await startingText(exercise, read), materials)
    expect(graded.is, verdict(graded)).toBe('failed')
    expect(verdict(graded)).toContain(`${exercise.fails} fails: `)
  })

  test('the right text passes', async () => {
    const right = exercise.slug === 'from-scratch' ? coordinator() : await rightText(exercise, read)
    const worlds = extent(exercise.worlds.slice(0, 1), exercise.worlds)
    expect(verdict(await grade({ ...exercise, worlds }, right, materials))).toMatch(
      /^passed: every property holds in /,
    )
  })
})

/** An answer that does not import the catalogue. */
function coordinator(): string {
  return read('src/permission/central-coordinator.ts')
}

test('nobody passes by claiming less', async () => {
  const exercise = exerciseNamed('tie-break')
  const text = await startingText(exercise, read)
  const two = await grade(exercise, text.replace('entries: 1', "entries: 'k'"), materials)
  expect(verdict(two)).toContain('exclusion fails')
  const borrowed = "export { ricartAgrawala } from '@turnwise/algorithms/permission/ricart-agrawala'"
  expect(verdict(await grade(exercise, borrowed, materials))).toBe(
    'line 1: "@turnwise/algorithms/permission/ricart-agrawala" cannot be imported here: the rules are to be your own',
  )
  const unshaped = text.replace('      highest: 0,\n', '      highest: 0,\n      extra: 0,\n')
  expect(verdict(await grade(exercise, unshaped, materials))).toBe(
    'the state has a field extra, and shapes.state does not name it',
  )
  const broken = await grade(exercise, 'export cost a = 1', materials)
  expect(broken).toMatchObject({ is: 'faulty', why: { place: { line: 1, column: 8 } } })
})

test('an unknown exercise', () => {
  expect(() => exerciseNamed('tiebreak')).toThrow('"tiebreak" is not an exercise: did you mean tie-break?')
  expect(() => exerciseNamed('xyz')).toThrow('"xyz" is not an exercise: the-desk, tie-break, ')
})
