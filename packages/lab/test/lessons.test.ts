import { sentence } from '@turnwise/core/trace/sentence'
import { readTrace } from '@turnwise/core/trace/trace'
import { describe, expect, test } from 'vitest'
import { LONG } from '../../../test/extent.ts'
import { type Lesson, type PlacedStep, placeSteps, readingTime, stepAt } from '../src/lessons/lesson.ts'
import { questionAt } from '../src/lessons/lesson-question.ts'
import { lessons } from '../src/lessons/lessons.ts'
import { readPredictions, scoreOf, scoreText, withAnswer } from '../src/lessons/predictions.ts'
import { answering } from '../src/rooms/checking/answer.ts'
import { checkable, instanceOf, readQuestion } from '../src/rooms/checking/check-question.ts'
import { openTrace, traceText } from '../src/run/opened.ts'
import { play } from '../src/run/play-whole.ts'
import type { Recording } from '../src/run/recording.ts'
import { record } from '../src/run/recording-builder.ts'
import type { Query } from '../src/shell/address.ts'

function recordingOf({ shows }: Lesson): Recording {
  if ('run' in shows) return record(play(shows.run, []))
  return record(openTrace({ trace: readTrace(shows.found), notes: [] }, checkable).played)
}

/** The answer to the question before a step, read from the sentences of the run. */
function happensIn({ happenings }: Recording, { position, asks }: PlacedStep): string {
  const told = happenings.slice(position - 1).map((happening) => sentence(happening))
  if (asks === 'enters') return `Node ${/^\d+/.exec(told.find((text) => text.includes('enters')) ?? '')?.[0]}`
  if (asks === 'elects') {
    const chosen = told.find((text) => text.includes('is now coordinator'))
    return `Node ${/^\d+/.exec(chosen ?? '')?.[0]}`
  }
  const [, ...deeds] = (told[0] ?? '').split('; ')
  const words = deeds
    .join(', and ')
    .replaceAll(/ \(fence \d+\)/g, '')
    .replaceAll(
      / to (\d+(?:, \d+)+)/g,
      (_, list: string) => ` to nodes ${list.replace(/, (\d+)$/, ' and $1')}`,
    )
    .replaceAll(/ to (\d)/g, ' to node $1')
  return words === '' ? 'It sends nothing for now' : `It ${words}`
}

/** The shortest counterexample, searched for. */
function foundAnew(check: Query): string {
  const question = readQuestion(check)
  const steps = answering(instanceOf(question))
  for (;;) {
    const { done, value } = steps.next()
    if (done !== true) continue
    if (value.failure === null) throw new Error('nothing fails')
    return traceText(value.failure.trace)
  }
}

describe.each(lessons.map((lesson) => [lesson.id, lesson] as const))('%s', (_, lesson) => {
  const recording = recordingOf(lesson)
  const placed = placeSteps(lesson, recording)

  test('finds every step in its run, in this order', () => {
    const missing = lesson.steps.filter((__, index) => placed[index] === null)
    expect(missing).toEqual([])
  })

  test('asks a few questions, whose right answer is what happens', () => {
    const asked = placed.flatMap((step) => {
      const question = step === null ? null : questionAt(recording, step)
      return step === null || question === null ? [] : [{ step, question }]
    })
    expect(asked.length).toBeGreaterThanOrEqual(2)
    expect(asked.length).toBeLessThanOrEqual(lesson.steps.length / 2)
    for (const { step, question } of asked) {
      const { choices, right, asks } = question
      expect(choices.length, asks).toBeGreaterThanOrEqual(3)
      expect(choices.filter((choice) => choice === right)).toHaveLength(1)
      expect(new Set(choices).size).toBe(choices.length)
      expect(right, asks).toBe(happensIn(recording, step))
    }
  })

  test('says whole sentences', () => {
    for (const { says } of lesson.steps) expect(says).toMatch(/^[A-Z].*[.?!]$/s)
  })

  test('ends where the run has shown what it is about', () => {
    const { violations, happenings } = recording
    const fails = lesson.id === 'two-tokens' || 'check' in lesson.shows
    expect(violations.length > 0).toBe(fails)
    expect(placed.at(-1)?.position ?? 0).toBeGreaterThan(happenings.length / 3)
  })
})

for (const { id, shows } of lessons) {
  if (!('check' in shows)) continue
  // The search for the deadlock takes seconds.
  const far = id === 'maekawa-deadlock' ? LONG : {}
  test(`${id} is given on the run that the checker finds; vitest -u writes it`, far, async () => {
    await expect(foundAnew(shows.check)).toMatchFileSnapshot(`../src/lessons/runs/${id}.trace`)
  })
}

test('there is a lesson for each of the eight that a visitor should see', () => {
  expect(lessons.map(({ id }) => id)).toEqual(
    expect.arrayContaining([
      'ricart-agrawala',
      'maekawa-deadlock',
      'maekawa-cure',
      'path-reversal',
      'flooding',
      'lost-token',
      'two-tokens',
      'bully',
      'lamport-order',
    ]),
  )
  expect(new Set(lessons.map(({ id }) => id)).size).toBe(lessons.length)
})

test('the step that is told is the last that was reached', () => {
  const steps = [2, 5, 9].map((position) => ({ position, says: 'so' }))
  expect([0, 2, 4, 5, 8, 9, 40].map((position) => stepAt(steps, position))).toEqual([0, 0, 0, 1, 1, 2, 2])
})

test('questions: the wrong answers are what else could be', () => {
  const lesson = lessons.find(({ id }) => id === 'raymond')
  if (lesson === undefined) throw new Error('no lesson raymond')
  const recording = recordingOf(lesson)
  const questions = placeSteps(lesson, recording).flatMap(
    (step) => questionAt(recording, step as PlacedStep) ?? [],
  )
  expect(questions[1]).toEqual({
    asks: 'Node 2 receives request from node 6. What does it do?',
    right: 'It sends nothing for now',
    choices: [
      'It sends nothing for now',
      'It sends privilege to node 6',
      'It sends request to node 0',
      'It sends request to node 6',
    ],
  })
})

test('the score counts first answers, of a lesson or of all, and storage may hold anything', () => {
  let all = withAnswer({}, 'raymond', 2, false)
  all = withAnswer(all, 'raymond', 2, true)
  all = withAnswer(withAnswer(all, 'raymond', 3, true), 'bully', 2, true)
  expect(scoreText(scoreOf(all, 'raymond'))).toBe('1 of 2 predicted')
  expect(scoreText(scoreOf(all, null))).toBe('2 of 3 predicted')
  expect(readPredictions(JSON.stringify(all))).toEqual(all)
  expect(readPredictions('{"bully":{"1":"yes","2":true}}')).toEqual({ bully: { 2: true } })
  for (const kept of [null, '', 'no JSON', 'null', '{"bully":null}'])
    expect(readPredictions(kept)).toEqual({})
})

test('a long sentence is left longer to be read', () => {
  expect(readingTime({ position: 0, says: 'word '.repeat(40).trim() })).toBe(12_000)
  expect(readingTime({ position: 0, says: 'short' })).toBe(2500)
})
