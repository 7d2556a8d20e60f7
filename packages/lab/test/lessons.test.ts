import { readTrace } from '@turnwise/core/trace/trace'
import { describe, expect, test } from 'vitest'
import { LONG } from '../../../test/extent.ts'
import { type Lesson, placeSteps, readingTime, stepAt } from '../src/lessons/lesson.ts'
import { lessons } from '../src/lessons/lessons.ts'
import { answering } from '../src/rooms/checking/answer.ts'
import { checkable, instanceOf, readQuestion } from '../src/rooms/checking/question.ts'
import { openTrace, traceText } from '../src/run/opened.ts'
import { play } from '../src/run/play-whole.ts'
import type { Recording } from '../src/run/recording.ts'
import { record } from '../src/run/recording-builder.ts'
import type { Query } from '../src/shell/address.ts'

function recordingOf({ shows }: Lesson): Recording {
  if ('run' in shows) return record(play(shows.run, []))
  return record(openTrace({ trace: readTrace(shows.found), notes: [] }, checkable).played)
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

test('a long sentence is left longer to be read', () => {
  expect(readingTime({ position: 0, says: 'word '.repeat(40).trim() })).toBe(12_000)
  expect(readingTime({ position: 0, says: 'short' })).toBe(2500)
})
