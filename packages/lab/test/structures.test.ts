import { InvalidInput } from '@turnwise/core/invalid-input'
import { favoured } from '@turnwise/core/structure/classic'
import { validate } from '@turnwise/core/structure/validate'
import { describe, expect, test } from 'vitest'
import {
  nextRelation,
  RELATIONS,
  readStructure,
  relationOf,
  resized,
  withRelation,
  writeStructure,
} from '../src/rooms/structures/editing.ts'

const figure2 = favoured(4)

describe('the address', () => {
  test('begins with the structure of the paper’s busy pair', () => {
    expect(readStructure({})).toMatchObject(figure2)
  })

  test('holds an edited structure whole', () => {
    const edited = withRelation(figure2, 2, 0, 'none')
    expect(readStructure(writeStructure(edited))).toMatchObject(edited)
  })

  test.each([
    { structure: 'pyramid' },
    { structure: 'ricart-agrawala', nodes: '40' },
    { structure: '0/9:0/1' },
  ])('%o is refused in words', (query) => {
    expect(() => readStructure(query)).toThrow(InvalidInput)
  })
})

describe('a press', () => {
  test('goes through all relations and comes back', () => {
    let structure = withRelation(figure2, 0, 3, 'none')
    const seen = RELATIONS.map(() => {
      structure = withRelation(structure, 0, 3, nextRelation(relationOf(structure, 0, 3)))
      return relationOf(structure, 0, 3)
    })
    expect(seen).toEqual(['asks', 'asks and tells', 'tells', 'none'])
  })

  test('changes nothing but what it is about', () => {
    const edited = withRelation(figure2, 0, 1, 'none')
    expect(edited.inform).toEqual(figure2.inform)
    expect(edited.request).toEqual([[0], ...figure2.request.slice(1)])
  })

  test('is judged by the theorem: two that share nothing must ask each other', () => {
    const [flaw] = validate(withRelation(figure2, 0, 1, 'none')).flaws
    expect(flaw).toMatchObject({ condition: 'b', pair: [0, 1] })
  })
})

test('a node more begins alone, a node less is forgotten by all', () => {
  const five = resized(figure2, 5)
  expect([five.inform[4], five.request[4]]).toEqual([[4], [4]])
  expect(resized(five, 4)).toMatchObject({ inform: figure2.inform, request: figure2.request })
  expect(resized(figure2, 1)).toMatchObject({ inform: [[0]], request: [[0]] })
})
