import { expect, test } from 'vitest'
import { readGlossary } from '../glossary.ts'
import { known, worldOf } from '../src/run/spec.ts'
import { specOf } from './runs.ts'

const glossary = readGlossary()

test('variables have the names of their papers', () => {
  expect(glossary['ricart-agrawala']?.['highest']?.paper).toBe('Highest_Sequence_Number')
  expect(glossary['raymond']?.['holder']?.paper).toBe('HOLDER')
  expect(glossary['naimi-trehel']?.['next']?.paper).toBe('NEXT')
  expect(glossary['naimi-trehel']?.['requesting']?.paper).toBeNull()
})

test('nearly every algorithm explains some of its variables', () => {
  const explained = known.filter(({ facts }) => {
    const { algorithm, setup } = worldOf(specOf({ algorithm: facts.name })).config
    const fields = Object.keys(algorithm.init(0, setup))
    return fields.some((field) => (glossary[facts.name]?.[field]?.about ?? '') !== '')
  })
  expect(explained.length).toBeGreaterThan(0.9 * known.length)
})
