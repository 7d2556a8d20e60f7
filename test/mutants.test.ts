import { readFileSync } from 'node:fs'
import { get } from '@turnwise/core/bounds'
import { describe, expect, test } from 'vitest'
import { equivalents, equivalentsIn } from '../scripts/mutants/equivalents.ts'
import { applied, mutantsOf } from '../scripts/mutants/mutate.ts'
import { readRecords } from '../scripts/mutants/record.ts'

const TEXT = `import { get } from './bounds.ts'
const LONG = 100
export const it = {
  facts: { name: 'it', light: ({ nodes }) => beside(nodes), most: LONG },
  release(node, here) {
    if (node.count < 2 && !node.uses) here.send(1, 'x')
    here.because?.('node {self} has left', { count: 1 })
    if (node.token === null) return impossible('x')
  },
}
function beside(nodes: number) { return besides(nodes + 1) }
function besides(nodes: number) { return nodes - 1 }
`

const sources = new URL('../packages/algorithms/src/', import.meta.url)
const textOf = (file: string) => readFileSync(new URL(file, sources), 'utf8')

const changes = (text: string) =>
  mutantsOf(text).map(({ line, before, after }) => `${line}: ${before} -> ${after}`)

describe('mutants', () => {
  test('comparisons, constants, branches and statements are changed; facts, reasons and what only they use are not', () => {
    expect(changes(TEXT)).toEqual([
      '6: node.count < 2 && !node.uses -> true',
      '6: node.count < 2 && !node.uses -> false',
      '6: && -> ||',
      '6: < -> <=',
      '6: 2 -> 3',
      '6: !node.uses -> node.uses',
      "6: here.send(1, 'x') -> ;",
      '6: 1 -> 2',
      '8: node.token === null -> true',
      '8: === -> !==',
    ])
  })

  test('each is one change of the text', () => {
    const first = get(mutantsOf(TEXT), 0)
    expect(applied(TEXT, first)).toBe(TEXT.replace('node.count < 2 && !node.uses', 'true'))
  })

  test('what only chooses words is not changed, nor are functions that do nothing else', () => {
    const text = `function say(here, a) { const b = a + 1; if (a > b) here.because?.('x'); else here.because?.('y') }
export function act(node, here) { say(here, 1); if (node.a === 2) { here.because?.('z') } node.b = 3 }
export const IT_OPTIONS = { most: { default: 50 } }
export const timing: OptionSpecs<Options> = { wait: { default: 100 } }
export function cost(nodes: number): Prediction { return exactly(nodes - 1) }`
    expect(changes(text)).toEqual(['2: node.b = 3 -> ;', '2: 3 -> 4'])
  })

  test('facts that stand apart are not changed, nor what only they use', () => {
    const text = `const facts: Facts<Options> = { year: 2007, light: (setup) => ({ min: 0, max: across(setup) }) }
function across(nodes: number) { return 2 * nodes + 1 }
export const it = by(facts, 1)`
    expect(changes(text)).toEqual(['3: 1 -> 2'])
  })

  test('a function that only says one of several reasons may return', () => {
    const text = `function sayNone(here) { here.because?.('w') }
function sayWhom({ told }, here) {
  const few = told.length < 2
  if (told.length === 0) return
  switch (told.length) {
    case 1: return few ? here.because?.('x') : here.because?.('y')
    default: sayNone(here)
  }
}
export function act(node, here) { sayWhom(node, here); if (node.a) return; node.b = 3 }`
    expect(changes(text)).toEqual([
      '10: node.a -> true',
      '10: node.a -> false',
      '10: node.b = 3 -> ;',
      '10: 3 -> 4',
    ])
  })

  test('every mutant that is said to do the same exists, and is said once', () => {
    for (const file of new Set(equivalents.map((equivalent) => equivalent.file))) {
      const text = textOf(file)
      const found = equivalentsIn(file, text, mutantsOf(text))
      expect(found.filter(({ mutant }) => mutant === null)).toEqual([])
      expect(new Set(found.map(({ mutant }) => mutant)).size).toBe(found.length)
    }
  })

  test('a record is of the text as it stands', () => {
    for (const [file, { mutants }] of Object.entries(readRecords()))
      expect([file, mutantsOf(textOf(file)).length]).toEqual([file, mutants])
  })

  test('texts are not subtracted', () => {
    expect(changes(`const f = (a) => 'x' + a`)).toEqual([])
  })
})
