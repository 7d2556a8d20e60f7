import { expect, test } from 'vitest'
import { formulaText } from '../src/run/counters.ts'
import { known, type RunSpec, worldOf } from '../src/run/spec.ts'
import { letterLabel, sentenceOf } from '../src/run/words.ts'
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
