import { readdirSync } from 'node:fs'
import { listOptions } from '@turnwise/core/options'
import { expect, test } from 'vitest'
import { algorithmNamed, catalogue, electionNamed, elections } from '../src/catalogue.ts'
import { readAlgorithmText } from '../src/former-settings.ts'
import { citation } from '../src/references.ts'
import { knownAlgorithm, load } from '../src/texts.ts'

const FAMILIES = ['token', 'permission', 'quorum', 'multi', 'zones', 'election']
/** Shared engines, which are no algorithms by themselves. */
const ENGINES = [
  'arbiter',
  'arbiter-state',
  'arbiter-settled',
  'token-queue-line',
  'token-queue-places',
  'suzuki-kasami-places',
  'suzuki-kasami-settled',
  'ricart-agrawala-token-settled',
  'token-queue-state',
  'bully-rules',
  'ring-election-rules',
  'substitution',
  'voting',
  'helary-plouzeau-raynal-election',
  'helary-plouzeau-raynal-section-7',
  'helary-plouzeau-raynal-section-7-channels',
  'helary-plouzeau-raynal-section-7-state',
  'mishra-srimani-regeneration',
  'naimi-trehel-recovery-state',
  'nishio-li-manning-membership',
  'nishio-li-manning-regeneration',
  'fence-leap',
  'pairwise',
  'priority',
  'prime-product',
  'ring',
  'ricart-agrawala-numbering',
  'ricart-agrawala-failure',
  'ricart-agrawala-insertion',
  'ricart-agrawala-membership-state',
  'composable',
  'seat',
]

const source = new URL('../src/', import.meta.url)
const stems = FAMILIES.flatMap((family) =>
  readdirSync(source)
    .filter((folder) => folder === family)
    .flatMap((folder) => readdirSync(new URL(`${folder}/`, source)))
    .map((file) => ({ family, stem: file.replace('.ts', '') })),
).filter(({ stem }) => !ENGINES.includes(stem))

test('every file of an algorithm is in the catalogue, under its own name and family', () => {
  const listed = [...catalogue, ...elections].map(({ facts }) => ({ family: facts.family, stem: facts.name }))
  const order = (a: { stem: string }, b: { stem: string }) => (a.stem < b.stem ? -1 : 1)
  expect(listed.toSorted(order)).toEqual(stems.toSorted(order))
})

test('every algorithm of the catalogue can be loaded by its name', async () => {
  for (const algorithm of catalogue) {
    await load([algorithm.facts.name])
    expect(knownAlgorithm(algorithm.facts.name)).toBe(algorithm)
  }
  await expect(load(['raymnd'])).rejects.toThrow('"raymnd" is not an algorithm: did you mean raymond?')
  await expect(load(['constructor'])).rejects.toThrow('"constructor" is not an algorithm')
  expect(() => knownAlgorithm('no such')).toThrow('"no such" is not an algorithm')
})

// shows kessler-2024 Mutual Exclusion: two basic approaches
test('the catalogue is ordered by family, then by year', () => {
  const rank = ({ facts }: (typeof catalogue)[number]) => FAMILIES.indexOf(facts.family) * 10_000 + facts.year
  expect(catalogue.map(rank)).toEqual(catalogue.map(rank).toSorted((a, b) => a - b))
  const years = elections.map(({ facts }) => facts.year)
  expect(years).toEqual(years.toSorted((a, b) => a - b))
})

test('every token algorithm says where its tokens are, so that the checker counts them', () => {
  const silent = catalogue.filter(({ facts, tokens }) => facts.family === 'token' && tokens === undefined)
  expect(silent.map(({ facts }) => facts.name)).toEqual([])
})

test('names are found, and an unknown one is told what there is', () => {
  for (const algorithm of catalogue) expect(algorithmNamed(algorithm.facts.name)).toBe(algorithm)
  for (const election of elections) expect(electionNamed(election.facts.name)).toBe(election)
  expect(() => algorithmNamed('bully')).toThrow('"bully" is an election: use turnwise elect')
  expect(() => electionNamed('raymond')).toThrow('"raymond" is a mutual exclusion algorithm, not an election')
  expect(() => electionNamed('buly')).toThrow('"buly" is not an election: ring-election, bully')
  expect(() => algorithmNamed('raymnd')).toThrow(/"raymnd" is not an algorithm: did you mean raymond\?/)
})

test.each([
  ['ricart-agrawala modulus=5', 'ricart-agrawala-modulo modulus=5'],
  ['ricart-agrawala modulus=0 increment=2', 'ricart-agrawala increment=2'],
  ['ricart-agrawala increment=2', 'ricart-agrawala increment=2'],
  ['ricart-agrawala-modulo modulus=5', 'ricart-agrawala-modulo modulus=5'],
  ['raymond piggyback=true', 'raymond-piggyback'],
  ['raymond piggyback=false recovery=true', 'raymond-recovery'],
  ['raymond recovery=true piggyback=true', 'raymond-piggyback-recovery'],
  ['nishio-li-manning T=1 detector=true', 'nishio-li-manning-detection T=1'],
  ['helary-plouzeau-raynal reconfiguration=true', 'helary-plouzeau-raynal-reconfiguration'],
  ['helary-plouzeau-raynal reconfiguration=true regeneration=true', 'helary-plouzeau-raynal-regeneration'],
  ['raymond piggyback=true piggyback=false', 'raymond'],
  ['raymond piggyback=maybe', 'raymond piggyback=maybe'],
  ['raymond piggyback', 'raymond piggyback'],
  ['lamport modulus=5', 'lamport modulus=5'],
])('%s is asked for as %s now', (former, now) => {
  const { name, settings } = readAlgorithmText(former)
  expect([name, ...settings].join(' ')).toBe(now)
  expect(algorithmNamed(name).facts.name).toBe(name)
})

test('facts are complete', () => {
  for (const { facts, options } of [...catalogue, ...elections]) {
    expect(facts.idea.length).toBeGreaterThan(80)
    expect(facts.sources.length).toBeGreaterThan(0)
    for (const source of facts.sources) expect(citation(source)).not.toBe(source)
    const specs = listOptions(options).map(([, spec]) => spec)
    for (const { about, title } of specs) {
      expect(about.length).toBeGreaterThan(10)
      // The page has room for so much above a field.
      expect(title).toMatch(/^[A-Z].{3,30}$/)
    }
    expect(new Set(specs.map(({ title }) => title)).size, facts.name).toBe(specs.length)
  }
})
