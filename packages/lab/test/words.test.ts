import { expect, test } from 'vitest'
import { letterLabel, sentenceOf } from '../src/run/words.ts'
import { watched } from './runs.ts'

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
