import { describe, expect, test } from 'vitest'
import { InvalidInput } from '../src/invalid-input.ts'
import { allowedValues, listOptions, type OptionSpecs, readOptions } from '../src/options.ts'

interface Options {
  loud: boolean
  pace: number
  share: number
  mood: 'calm' | 'hasty'
}

const SPECS: OptionSpecs<Options> = {
  loud: { kind: 'flag', default: false, title: 'Loud', about: 'say it twice' },
  pace: { kind: 'integer', default: 3, min: 1, title: 'Pace', about: 'how fast' },
  share: { kind: 'integer', default: 50, min: 0, max: 100, title: 'Share', about: 'how much' },
  mood: { kind: 'choice', default: 'calm', choices: ['calm', 'hasty'], title: 'Mood', about: 'how' },
}

const complaint = (...settings: string[]) => {
  try {
    readOptions(SPECS, settings)
  } catch (error) {
    if (error instanceof InvalidInput) return error.message
  }
  return null
}

describe('reading options', () => {
  test('what is not set has its default', () => {
    expect(readOptions(SPECS, [])).toEqual({ loud: false, pace: 3, share: 50, mood: 'calm' })
  })

  test('what is set has its value and its type; the last one counts', () => {
    expect(readOptions(SPECS, ['loud=true', 'pace=12', 'mood=hasty', 'share=0', 'pace=7'])).toEqual({
      loud: true,
      pace: 7,
      share: 0,
      mood: 'hasty',
    })
    expect(readOptions(SPECS, ['loud=false'])).toMatchObject({ loud: false })
  })

  test.each([
    ['loud', '"loud" is not of the form NAME=VALUE'],
    ['=true', '"=true" is not of the form NAME=VALUE'],
    ['speed=3', '"speed" is not an option of this algorithm, which has loud, pace, share, mood'],
    ['toString=3', '"toString" is not an option of this algorithm, which has loud, pace, share, mood'],
    ['loud=yes', '"yes" is not a value of loud: true or false'],
    ['loud=', '"" is not a value of loud: true or false'],
    ['pace=0', '"0" is not a value of pace: a whole number, 1 or more'],
    ['pace=1.5', '"1.5" is not a value of pace: a whole number, 1 or more'],
    ['share=101', '"101" is not a value of share: a whole number, 0 to 100'],
    ['mood=calm=er', '"calm=er" is not a value of mood: calm or hasty'],
  ])('%s is refused', (setting, message) => {
    expect(complaint(setting)).toBe(message)
  })

  test('an algorithm without options says so', () => {
    expect(() => readOptions({}, ['pace=1'])).toThrow(
      new InvalidInput('"pace" is not an option of this algorithm, which has none'),
    )
  })
})

test('options are listed in the order of their declaration, with what they allow', () => {
  expect(listOptions(SPECS).map(([name, spec]) => `${name} ${allowedValues(spec)}`)).toEqual([
    'loud true|false',
    'pace 1..',
    'share 0..100',
    'mood calm|hasty',
  ])
})

describe('a list of whole numbers', () => {
  const specs: OptionSpecs<{ votes: readonly number[] }> = {
    votes: { kind: 'list', default: [2], min: 0, title: 'Votes', about: 'who has how many' },
  }

  test('is read number by number, each within its bound', () => {
    expect(readOptions(specs, [])).toEqual({ votes: [2] })
    expect(readOptions(specs, ['votes=2,0,1'])).toEqual({ votes: [2, 0, 1] })
    for (const [text, item] of [
      ['1,x', 'x'],
      ['1,', ''],
      ['-1', '-1'],
    ]) {
      const refusal = `"${item}" is not a value of votes: a whole number, 0 or more`
      expect(() => readOptions(specs, [`votes=${text}`])).toThrow(new InvalidInput(refusal))
    }
  })

  test('is written as such', () => {
    expect(listOptions(specs).map(([, spec]) => allowedValues(spec))).toEqual(['0..,…'])
  })
})
