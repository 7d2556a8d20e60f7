import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { checkModel, instanceOf, modelFiles } from '../../../scripts/models.ts'
import { isLong } from '../../../test/extent.ts'
import { brokenElections, gallery } from '../broken/gallery.ts'
import { innocents } from '../innocent/innocents.ts'
import { algorithmNamed, catalogue, electionNamed, elections } from '../src/catalogue.ts'

const stems = readdirSync(new URL('../innocent/', import.meta.url))
  .map((file) => file.replace('.ts', ''))
  .filter((stem) => stem !== 'innocents')

test('the registry has every file, named like it, and made from an algorithm of the catalogue', () => {
  expect(innocents.map(({ name }) => name).toSorted()).toEqual(stems.toSorted())
  const names = [...catalogue, ...elections].map(({ facts }) => facts.name)
  for (const { of } of innocents) expect(names).toContain(of)
  const broken = [...gallery, ...brokenElections].map(({ algorithm }) => algorithm.facts.name)
  expect(broken.filter((name) => stems.includes(name))).toEqual([])
})

test('a rule is at work in a variant of that name, or in the catalogue', () => {
  for (const { name, algorithm, of } of innocents) expect([name, of]).toContain(algorithm.facts.name)
})

/** A variant whose runs are those of the original, one for one, would acquit a rule that was never tried. */
describe('the suspected rule does something: the worlds of the variant are not those of the original', () => {
  const same = new Set([
    // These say the same in other words; that the worlds are the same is the point.
    'ricart-agrawala-defers-inside',
    'suzuki-kasami-exactly-next',
    // No copy of a request comes late among three nodes; on larger rings the test of section 6 runs it.
    'helary-plouzeau-raynal-forgets-served',
  ])
  const original = (of: string) =>
    elections.some(({ facts }) => facts.name === of) ? electionNamed(of) : algorithmNamed(of)

  // Those that are the same are the same in all their models, which takes longer; and one differs in a large one only.
  const variants = innocents.filter(
    ({ algorithm, of, name }) =>
      algorithm.facts.name !== of &&
      (isLong || !(same.has(name) || name === 'carvalho-roucairol-asks-with-clock')),
  )

  test.each(variants.map(({ name, of }) => [name, of] as const))('%s', (name, of) => {
    const file = modelFiles().find((models) => models.algorithm === name)
    const differs = (file?.models ?? [])
      .filter(({ slow }) => slow !== true)
      .toSorted((a, b) => (a.expected?.states ?? 0) - (b.expected?.states ?? 0))
      .some((model) => {
        const { transitions } = checkModel(instanceOf(original(of), model)).expected
        return transitions !== model.expected?.transitions
      })
    expect(differs).toBe(!same.has(name))
  })
})
