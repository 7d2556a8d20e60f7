import { InvalidInput } from '@turnwise/core/invalid-input'
import { describe, expect, test } from 'vitest'
import { present } from '../../../test/present.ts'
import { setsOfSize, sizeOfSets } from '../src/rooms/check/sets.ts'
import { type Answer, answering } from '../src/rooms/checking/answer.ts'
import { instanceOf, queryOf, readQuestion } from '../src/rooms/checking/check-question.ts'
import { momentAt } from '../src/run/moment.ts'
import { firstLook, openTrace, worldIn } from '../src/run/opened.ts'
import { propertiesAt } from '../src/run/properties.ts'
import { record } from '../src/run/recording-builder.ts'
import { playable, variants } from '../src/run/spec.ts'
import { variantTitle } from '../src/run/variant-title.ts'
import type { Query } from '../src/shell/address.ts'

const answers = new Map<string, Answer>()

/** Found once for all tests that ask the same. */
function answerTo(query: Query): Answer {
  const key = JSON.stringify(query)
  const known = answers.get(key) ?? searchFor(query)
  answers.set(key, known)
  return known
}

function searchFor(query: Query): Answer {
  const steps = answering(instanceOf(readQuestion(query)))
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

const failing = ({ properties }: Answer) =>
  properties.filter(({ holds }) => holds === false).map(({ name }) => name)

describe('what is asked', () => {
  test('Ricart-Agrawala holds for runs of any length, in the states that were counted independently', () => {
    const answer = answerTo({ algorithm: 'ricart-agrawala', requests: 'any' })
    expect(answer).toMatchObject({
      complete: true,
      states: 2622,
      failure: null,
      messages: { min: 4, max: 4 },
    })
    expect(failing(answer)).toEqual([])
  })

  test('Lamport needs channels that keep order', () => {
    const answer = answerTo({ algorithm: 'lamport', channels: 'unordered' })
    expect(failing(answer)).toEqual(['exclusion'])
    expect(answer.failure?.trace.events.at(-1)).toMatchObject({ is: 'violation', judge: 'exclusion' })
  })

  test('of several resources, a request wants any, or so many', () => {
    expect(setsOfSize(3, 2)).toBe('0,1/0,2/1,2')
    for (const size of [1, 2, 3, 4]) expect(sizeOfSets(setsOfSize(4, size), 4)).toBe(size)
    expect(['', 'any', '0,1 1,2'].map((sets) => sizeOfSets(sets, 3))).toEqual(['any', 'any', 'other'])
    const asked = { algorithm: 'bouabdallah-laforest', nodes: '2', resources: '2' }
    const [any, both] = [answerTo(asked), answerTo({ ...asked, sets: setsOfSize(2, 2) })]
    expect([any, both].map(failing)).toEqual([[], []])
    // With both in each request nobody is ever inside beside another: there is less that can happen.
    expect(both.states).toBeLessThan(any.states)
  })

  test('an election is asked about its result', () => {
    const { properties } = answerTo({ algorithm: 'bully', dead: '2' })
    expect(properties.map(({ name }) => name)).toContain('one-coordinator')
  })

  test.each<[Query, string]>([
    [{ algorithm: 'nobody' }, 'nobody'],
    [{ nodes: '9' }, 'nodes: '],
    [{ crashes: '-1' }, 'crashes: '],
    [{ requests: 'many' }, 'requests: '],
    [{ joins: '1' }, 'joins: '],
    [{ suspicions: '1' }, 'suspicions: '],
    [{ channels: 'pigeon' }, 'channels: '],
  ])('%o is refused in words', (query, words) => {
    const ask = () => instanceOf(readQuestion(query))
    expect(ask).toThrow(InvalidInput)
    expect(ask).toThrow(words)
  })
})

describe('the gallery', () => {
  test('has an address for each variant, and its world can be built', () => {
    for (const variant of variants) {
      expect(instanceOf(readQuestion(queryOf(variant))).algorithm.facts.name).toBe(
        variant.algorithm.facts.name,
      )
    }
  })

  test.each(
    variants
      .filter(({ algorithm: { facts } }) => ['maekawa-original', 'bully-never-off'].includes(facts.name))
      .map((variant) => [variant.algorithm.facts.name, variant] as const),
  )('%s fails as it says', (_, variant) => {
    expect(failing(answerTo(queryOf(variant)))).toContain(variant.fails)
  })

  test.each([
    'maekawa-original',
    'ricart-agrawala-without-tie-break',
    // With options and with a structure of its own: the record says which, or its states could not be found again.
    'helary-plouzeau-raynal-void-token',
    'sanders-base',
  ])('the violating run of %s opens in the theatre where it fails, with its states', (name) => {
    const variant = present(variants.find(({ algorithm }) => algorithm.facts.name === name))
    const { failure } = answerTo(queryOf(variant))
    if (failure === null) throw new Error('nothing fails')
    const { spec, played } = openTrace({ trace: failure.trace, notes: [] }, playable)
    const recording = record(played)
    expect(recording.noStates).toBeNull()
    const { algorithm } = worldIn(spec).config
    const moment = momentAt(recording, firstLook(recording), algorithm)
    expect(propertiesAt(recording, moment, algorithm).some(({ holds }) => holds === false)).toBe(true)
  })
})

test('a broken variant has a title that says what is broken', () => {
  for (const variant of variants) {
    expect(variantTitle(variant)).toMatch(/^[A-Z].+: [a-z][a-z ]+$/)
  }
  expect(new Set(variants.map(variantTitle)).size).toBe(variants.length)
})
