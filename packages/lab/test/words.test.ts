import { askableOf } from '@turnwise/checker/property'
import { expect, test } from 'vitest'
import { citation } from '../src/run/citation.ts'
import { formulaText } from '../src/run/counters.ts'
import { letterLabel, sentenceOf } from '../src/run/event-sentences.ts'
import { propertyTitle } from '../src/run/property-title.ts'
import { known, playable, type RunSpec, variants, worldOf } from '../src/run/spec.ts'
import { variantTitle } from '../src/run/variant-title.ts'
import { specOf, watched } from './runs.ts'

test('sentences and labels of the page say nothing of fences', () => {
  for (const algorithm of ['maekawa', 'raymond', 'token-queue']) {
    const { happenings, letters } = watched({ algorithm }).recording
    const told = happenings.map(sentenceOf)
    expect(told.some((text) => text.includes('enters'))).toBe(true)
    expect(told.filter((text) => text.includes('fence'))).toEqual([])
    for (const { message } of letters) expect(letterLabel(message)).toContain(message.type)
  }
  expect(letterLabel({ type: 'token', fence: 7, free: true } as never)).toBe('token free')
})

test('a formula has the values of its letters, and the letters are in it', () => {
  const told = (algorithm: string, changes: Partial<RunSpec> = {}) => {
    const { algorithm: protocol, setup } = worldOf(specOf({ algorithm, nodes: 7, ...changes })).config
    return formulaText(protocol, setup)
  }
  expect(told('maekawa', { quorum: 'projective' })).toBe('3(K-1) to 7(K-1), quorum size K = 3')
  expect(told('maekawa', { quorum: 'grid' })).toBe('3(K-1) to 7(K-1), quorum size K = 3 to 5')
  expect(told('gifford-voting')).toBe('3q to 6q, other nodes of a quorum q = 3')
  expect(told('agrawal-el-abbadi')).toBe('3q to 6q, other nodes of a path q = 2, about log2(n)')
  expect(told('raymond', { topology: 'line' })).toMatch(/at most 2D; diameter D = 6$/)
  expect(told('sanders')).toMatch(/; \|I\| = 2, \|R\| = 2$/)
  expect(told('ricart-agrawala')).toBe('2(n-1)')
  for (const { facts } of known) {
    const { setup } = worldOf(specOf({ algorithm: facts.name, nodes: 7 })).config
    const letters = 'letters' in facts.messages ? (facts.messages.letters?.(setup) ?? {}) : {}
    for (const [letter, { min, max }] of Object.entries(letters)) {
      expect(facts.messages.formula, facts.name).toContain(letter)
      expect(min, `${facts.name}: ${letter}`).toBeLessThanOrEqual(max)
    }
  }
})

/** Names of algorithms and of properties as commands have them, with a hyphen, so that no sentence has them by chance. */
const askable = [...new Set(known.flatMap((protocol): string[] => askableOf(protocol)))]
const sources = variants.flatMap(({ published }) => published?.match(/[a-z-]+-\d{4}/g) ?? [])
const slugs = [...playable.map(({ facts }) => facts.name), ...askable, ...sources].filter((name) =>
  name.includes('-'),
)
const slugIn = (text: string) => slugs.filter((slug) => text.includes(slug))

test('a reader meets titles, and no names as commands have them', () => {
  expect(citation('velazquez-1993 §5, after Maekawa 1985; the failure in sanders-1987 §5')).toBe(
    'Velazquez 1993, §5, after Maekawa 1985; the failure in Sanders 1987, §5',
  )
  expect(citation('kessler-2024, the ring')).toBe('Kessler 2024, the ring')
  for (const variant of variants) {
    const { rule, failure, repair, published, fails } = variant
    const told = [
      rule,
      failure,
      repair,
      citation(published ?? ''),
      propertyTitle(fails),
      variantTitle(variant),
    ]
    expect(slugIn(told.join(' ')), variant.algorithm.facts.name).toEqual([])
  }
  for (const { facts } of known) expect(slugIn(`${facts.title} ${facts.idea}`), facts.name).toEqual([])
  for (const name of askable) expect(propertyTitle(name)).not.toContain('-')
})
