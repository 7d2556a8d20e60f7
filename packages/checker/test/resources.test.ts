/** Requests for several resources: who excludes whom, whose tokens are counted, and which fences must rise. */
import type { Algorithm } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { resourcesOf } from '@turnwise/core/resources'
import { describe, expect, test } from 'vitest'
import { setsFrom } from '../src/asked-instance.ts'
import { checked, failures, fences, propertyOf, told } from './harness.ts'
import { FENCE, FENCE_VALUE, toyFacts } from './toys.ts'

type Silence = { readonly type: 'none' }

/** Lets everyone in at once. It has tokens of each resource as told. */
function openDoor(tokens: (resource: number | undefined) => number): Algorithm<{ fence: number }, Silence> {
  return {
    facts: { ...toyFacts('open-door', {}), resources: true },
    options: {},
    shapes: { state: { fence: FENCE_VALUE }, messages: { none: {} }, fence: FENCE },
    tokens: { held: (_state, resource) => tokens(resource), carried: () => 0 },
    init: () => ({ fence: 0 }),
    request(node, here, ask) {
      // The number falls for resource 2 and rises for the others.
      node.fence += 1
      here.enter(resourcesOf(ask).includes(2) ? 9 - node.fence : node.fence)
    },
    release: () => {},
    receive: { none: () => {} },
  }
}

const door = openDoor(() => 0)
const world = { nodes: 2, resources: 3 }

describe('which sets a node asks for', () => {
  const sets = (text: string, nodes = 2, resources = 3) => setsFrom(text, { nodes, resources })

  test('one word per node, the last for all further ones, choices by /', () => {
    expect(sets('0,1 2', 3)).toEqual([[[0, 1]], [[2]], [[2]]])
    expect(sets('2,0/1')).toEqual([
      [[2, 0], [1]],
      [[2, 0], [1]],
    ])
    expect(get(sets('any'), 0)).toEqual([[0], [1], [0, 1], [2], [0, 2], [1, 2], [0, 1, 2]])
  })

  test.each([
    ['0 1 2', 'at most one word per node: there are 2 nodes'],
    ['0,3', '"3" is not a resource: a whole number, 0 to 2'],
    ['0,0', '"0,0" is not a list of different resources'],
  ])('%s is refused', (text, why) => {
    expect(() => sets(text)).toThrow(why)
  })

  test('any of many is refused', () => {
    expect(() => sets('any', 2, 7)).toThrow('"any" of 7 resources is too much to explore')
  })
})

test('those with different resources may be inside together, and are', () => {
  const result = checked(door, { ...world, sets: '0,1 2' })
  expect(failures(result)).toEqual(['sometimes-compete'])
  expect(propertyOf(result, 'sometimes-together').holds).toBe(true)
})

test('those with a common resource may not: exclusion names it', () => {
  const exclusion = propertyOf(checked(door, { ...world, sets: '0,1 2,1' }), 'exclusion')
  expect(exclusion.reason).toBe('nodes 0, 1 are inside together with resource 1')
  expect(told(exclusion)).toEqual(['0 request', '1 request'])
  expect(exclusion.trace).toContainEqual(expect.objectContaining({ is: 'enter', node: 1, resources: [2, 1] }))
})

test('tokens are counted for each resource', () => {
  expect(
    propertyOf(
      checked(
        openDoor(() => 0),
        { ...world, sets: '0 1' },
      ),
      'one-token',
    ).holds,
  ).toBe(true)
  const two = propertyOf(
    checked(
      openDoor((resource) => (resource === 1 ? 1 : 0)),
      { ...world, sets: '0 2' },
    ),
    'one-token',
  )
  expect(two.reason).toBe('there are 2 tokens of resource 1')
})

test('fences must rise for each resource, and need not among them', () => {
  expect(fences(door, { ...world, requests: 2, sets: '0 1' }).holds).toBe(true)
  const falling = fences(door, { ...world, requests: 2, sets: '0 2' })
  expect(falling.reason).toBe('node 1 enters with fence 7 after fence 8')
  expect(fences(door, { ...world, requests: 'any', sets: '0 1' }).reason).toMatch(/^holds for 2 requests/)
})
