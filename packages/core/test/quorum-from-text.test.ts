import { get } from '@turnwise/core/bounds'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { InvalidInput } from '../src/invalid-input.ts'
import {
  defaultQuorums,
  QUORUM_FORMS,
  quorumsFrom,
  quorumsFromLists,
} from '../src/quorum/quorum-from-text.ts'

describe('quorumsFrom', () => {
  test.each(QUORUM_FORMS.split(', '))('reads %s', (form) => {
    const quorums = quorumsFrom(form, 13)
    expect(quorums.kind).toBe(form)
    expect(quorums.nodes).toBe(13)
  })

  test.each(['foo', '', 'Grid', 'grid:3', 'toString'])('refuses "%s" and names what is allowed', (text) => {
    const refusal = new InvalidInput(`"${text}" is not one of ${QUORUM_FORMS}`)
    expect(() => quorumsFrom(text, 7)).toThrow(refusal)
    expect(() => quorumsFrom(text, 7)).toThrow(InvalidInput)
  })

  test('says of a plane that does not exist how its quorums were made instead', () => {
    expect(quorumsFrom('projective', 7).fallback).toBeUndefined()
    expect(quorumsFrom('projective', 6).fallback).toContain('no projective plane of 6 points')
    expect(quorumsFrom('projective', 43).fallback).toContain('no projective plane of 43 points')
  })
})

test('by default a plane where there is one, else a grid, and a majority of less than four', () => {
  for (let n = 1; n <= 14; n += 1) {
    const expected = n < 4 ? 'majority' : n === 7 || n === 13 ? 'projective' : 'grid'
    expect(defaultQuorums(n).kind, `n=${n}`).toBe(expected)
  }
  expect(defaultQuorums(43).kind).toBe('grid')
})

describe('quorumsFromLists', () => {
  const twoOfThree = [
    [1, 0],
    [2, 1],
    [2, 0],
  ]

  test('sorts members and leaves what it was given alone', () => {
    const quorums = quorumsFromLists(twoOfThree)
    expect([0, 1, 2].map((node) => quorums.of(node))).toEqual([
      [0, 1],
      [1, 2],
      [0, 2],
    ])
    expect(twoOfThree[0]).toEqual([1, 0])
    expect(quorums.nodes).toBe(3)
  })

  test('is not changed by a later change of the lists', () => {
    const lists = [[0], [1, 0]]
    const quorums = quorumsFromLists(lists)
    get(lists, 1).push(7)
    expect(quorums.of(1)).toEqual([0, 1])
  })

  test('takes the name it is given', () => {
    expect(quorumsFromLists(twoOfThree).kind).toBe('file')
    expect(quorumsFromLists(twoOfThree, 'my.json').kind).toBe('my.json')
  })

  test.each([
    { lists: [], complaint: 'no quorums given: there must be one for each node' },
    { lists: [[0], []], complaint: 'the quorum of node 1 is empty: it must name a node' },
    { lists: [[0], [0, 2]], complaint: 'the quorum of node 1: 2 is not a node from 0 to 1' },
    { lists: [[-1], [0]], complaint: 'the quorum of node 0: -1 is not a node from 0 to 1' },
    { lists: [[0], [0.5]], complaint: 'the quorum of node 1: 0.5 is not a node from 0 to 1' },
    { lists: [[Number.NaN]], complaint: 'the quorum of node 0: NaN is not a node from 0 to 0' },
    { lists: [[0], [1, 0, 1]], complaint: 'the quorum of node 1 names node 1 twice' },
  ])('refuses $lists: $complaint', ({ lists, complaint }) => {
    expect(() => quorumsFromLists(lists)).toThrow(new InvalidInput(complaint))
    expect(() => quorumsFromLists(lists)).toThrow(InvalidInput)
  })

  test('of any proper lists gives the same members, rising', () => {
    const lists = fc
      .integer({ min: 1, max: 8 })
      .chain((n) => fc.array(fc.uniqueArray(fc.nat(n - 1), { minLength: 1 }), { minLength: n, maxLength: n }))
    fc.assert(
      fc.property(lists, (members) => {
        const quorums = quorumsFromLists(members)
        members.forEach((list, node) => {
          expect(quorums.of(node)).toEqual(list.toSorted((a, b) => a - b))
        })
      }),
      { seed: 1 },
    )
  })
})
