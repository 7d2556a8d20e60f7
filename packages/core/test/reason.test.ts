import { expect, test } from 'vitest'
import { namesIn, nodesWhere, reasonText } from '../src/reason.ts'

test('a reason is a sentence about a node, with what decided', () => {
  const words =
    'node {self} keeps its reply to node {from} back: both have number {number}, and node {self} is smaller'
  expect(namesIn(words)).toEqual(['from', 'number'])
  expect(reasonText({ words, values: { from: 2, number: 1 } }, 1)).toBe(
    'Node 1 keeps its reply to node 2 back: both have number 1, and node 1 is smaller.',
  )
})

test.each([
  [[], 'nobody'],
  [[3], 'node 3'],
  [[3, 1], 'nodes 3 and 1'],
  [[0, 1, 2], 'nodes 0, 1 and 2'],
  [[0, 1, 2, 3, 4, 5, 6, 7], 'nodes 0, 1, 2, 3, 4, 5 and 2 more'],
  [7, '7'],
  ['the token', 'the token'],
] as const)('the value %j is told as "%s"', (value, told) => {
  expect(reasonText({ words: 'it waits for {value}', values: { value } }, 0)).toBe(`It waits for ${told}.`)
})

test('a name without a value stays as it is written', () => {
  expect(reasonText({ words: '{self}: {toString} {from}', values: {} }, 4)).toBe('4: {toString} {from}.')
})

test('the nodes of a list by node number', () => {
  expect(nodesWhere([true, false, true], Boolean)).toEqual([0, 2])
})
