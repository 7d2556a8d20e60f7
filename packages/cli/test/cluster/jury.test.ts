import { describe, expect, test } from 'vitest'
import { Jury } from '../../src/cluster/jury.ts'
import type { Word } from '../../src/cluster/up-messages.ts'

const name = 'orders'
const enters = (at: number, fence: number): Word => ({
  is: 'enters',
  name,
  at,
  fence: String(fence),
  waitedMs: 1,
})
const leaves = (at: number): Word => ({ is: 'leaves', name, at })
const loses = (at: number): Word => ({ is: 'loses', name, at })
const beats = (at: number): Word => {
  return { is: 'beats', at, epoch: 1, members: ['a', 'b'], leaseLeft: 1, sent: 0, place: null, holds: [name] }
}

function findings(words: readonly (readonly [id: string, word: Word | 'dies'])[]): string[] {
  const jury = new Jury(['a', 'b', 'c'])
  for (const [id, word] of words) {
    if (word === 'dies') jury.died(id)
    else jury.hears(id, word)
  }
  jury.judge()
  return jury.findings.flatMap(({ first }) => first.map(({ text }) => text))
}

describe('the judges of real processes', () => {
  test('one after the other is well, in whatever order it is reported', () => {
    const words = [
      ['a', enters(10, 1)],
      ['a', leaves(20)],
      ['b', enters(21, 2)],
      ['b', leaves(30)],
    ] as const
    expect(findings(words)).toEqual([])
    expect(findings([words[2], words[3], words[0], words[1]])).toEqual([])
    expect(findings([words[0], words[2], words[1], words[3]])).toEqual([])
  })

  test('two inside together are found, once', () => {
    const words = [
      ['a', enters(10, 1)],
      ['b', enters(15, 2)],
      ['a', beats(16)],
      ['a', leaves(20)],
      ['b', leaves(25)],
    ] as const
    expect(findings(words)).toEqual(['a and b hold orders together'])
  })

  test('two that entered and were only confirmed by beats are found too', () => {
    expect(
      findings([
        ['a', enters(10, 1)],
        ['a', beats(30)],
        ['b', enters(20, 2)],
      ]),
    ).toEqual(['a and b hold orders together'])
  })

  test('what was lost counts until it was last confirmed', () => {
    expect(
      findings([
        ['a', enters(10, 1)],
        ['a', beats(12)],
        ['b', enters(100, 2)],
        ['b', leaves(110)],
        ['a', loses(200)],
      ]),
    ).toEqual([])
  })

  test('the dead are not inside, and may be so again when they are back', () => {
    expect(
      findings([
        ['a', enters(10, 1)],
        ['a', 'dies'],
        ['b', enters(100, 2)],
        ['b', leaves(110)],
        ['a', enters(120, 3)],
        ['a', leaves(130)],
      ]),
    ).toEqual([])
  })

  test('a fence that does not rise is found', () => {
    const late = 'b enters orders with fence 2 after a had 2'
    expect(
      findings([
        ['a', enters(10, 2)],
        ['a', leaves(11)],
        ['b', enters(20, 2)],
      ]),
    ).toEqual([late])
    expect(
      findings([
        ['b', enters(20, 2)],
        ['a', enters(10, 2)],
      ]),
    ).toEqual([late])
  })

  test('a node that was not served since the last fault is named', () => {
    const jury = new Jury(['a', 'b'])
    jury.hears('a', enters(10, 1))
    jury.hears('b', enters(5, 1))
    expect(jury.unserved(['a', 'b'], [name], 7)).toEqual([{ id: 'b', name }])
    expect(jury.unserved(['a'], [name, 'mail'], 7)).toEqual([{ id: 'a', name: 'mail' }])
  })
})
