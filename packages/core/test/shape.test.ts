import { get } from '@turnwise/core/bounds'
import * as fc from 'fast-check'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { type DataShapes, reshape, type Shape, type ShapeVisitor } from '../src/shape.ts'

const SHAPES: { readonly [field: string]: Shape } = {
  flag: 'data',
  holder: 'node',
  time: { clock: 'time' },
  serial: { clock: 'serial', of: 'self' },
  queue: { list: { fields: { node: 'node', serial: { clock: 'serial', of: 'node' } } } },
  heard: { perNode: { clock: 'serial', of: 'index' } },
  pair: { perNode: { fields: { from: { clock: 'serial', of: 'index' }, by: 'node' } } },
}

const STATE = {
  flag: true,
  holder: 2,
  time: 17,
  serial: 4,
  queue: [
    { node: 1, serial: 5 },
    { node: 0, serial: 3 },
  ],
  heard: [10, 11, 12],
  pair: [{ from: 1, by: 2 }, null, { from: 3, by: 0 }],
}

const PLACE = { self: 1, sender: null }

function walk(
  visitor: ShapeVisitor,
  state: object = STATE,
  place: { self: number; sender: number | null } = PLACE,
) {
  return reshape(SHAPES, state, place, visitor)
}

describe('reshape', () => {
  test('without a visitor gives an equal copy that shares nothing', () => {
    const copy = walk({}) as typeof STATE
    expect(copy).toEqual(STATE)
    expect(copy).not.toBe(STATE)
    expect(copy.queue).not.toBe(STATE.queue)
    expect(copy.queue[0]).not.toBe(STATE.queue[0])
    expect(copy.heard).not.toBe(STATE.heard)
  })

  test('renames nodes where they stand, and moves what is indexed by node', () => {
    const rename = (node: number) => get([1, 2, 0], node)
    expect(walk({ node: rename })).toEqual({
      ...STATE,
      holder: 0,
      queue: [
        { node: 2, serial: 5 },
        { node: 1, serial: 3 },
      ],
      heard: [12, 10, 11],
      pair: [{ from: 3, by: 1 }, { from: 1, by: 0 }, null],
    })
  })

  test('tells for every clock value whose it is', () => {
    const seen: [string, number | null, number][] = []
    walk({
      clock(clock, owner, value) {
        seen.push([clock, owner, value])
        return value
      },
    })
    expect(seen).toEqual([
      ['time', null, 17],
      ['serial', 1, 4],
      ['serial', 1, 5],
      ['serial', 0, 3],
      ['serial', 0, 10],
      ['serial', 1, 11],
      ['serial', 2, 12],
      ['serial', 0, 1],
      ['serial', 2, 3],
    ])
  })

  test('replaces clock values', () => {
    expect(walk({ clock: (_clock, _owner, value) => value - 1 })).toMatchObject({
      time: 16,
      heard: [9, 10, 11],
    })
  })

  test('a clock of the sender', () => {
    const owners: (number | null)[] = []
    const clock = (_clock: string, owner: number | null, value: number) => {
      owners.push(owner)
      return value
    }
    reshape({ number: { clock: 'n', of: 'sender' } }, { number: 3 }, { self: 0, sender: 2 }, { clock })
    expect(owners).toEqual([2])
    expect(() => reshape({ number: { clock: 'n', of: 'sender' } }, { number: 3 }, PLACE, { clock })).toThrow(
      'a clock belongs to sender, which is no node here',
    )
  })

  test('renaming there and back changes nothing', () => {
    const permutations = fc.shuffledSubarray([0, 1, 2], { minLength: 3, maxLength: 3 })
    fc.assert(
      fc.property(permutations, (names) => {
        const there = walk({ node: (node) => get(names, node) })
        expect(walk({ node: (node) => names.indexOf(node) }, there)).toEqual(STATE)
      }),
    )
  })

  test('null may stand for anything', () => {
    const empty = Object.fromEntries(Object.keys(STATE).map((field) => [field, null]))
    expect(walk({ node: () => 0, clock: () => 0 }, empty)).toEqual(empty)
  })
})

describe('what a shape does not describe is an error', () => {
  test.each([
    ['an undeclared field', { extra: 1 }, 'field extra has no declared shape'],
    [
      'an undeclared field inside',
      { queue: [{ node: 1, serial: 1, late: true }] },
      'field late has no declared shape',
    ],
    ['a clock that is no number', { time: '17' }, 'a value of clock time is string'],
    ['a map', { flag: new Map() }, 'a state holds more than plain data'],
    ['a class instance deep inside', { flag: [{ at: new Date(0) }] }, 'a state holds more than plain data'],
    ['a function', { flag: [() => 1] }, 'a state holds a function'],
    ['undefined', { flag: { gone: undefined } }, 'a state holds a undefined'],
  ])('%s', (_what, state, message) => {
    expect(() => walk({}, state)).toThrow(new TypeError(message))
  })
})

test('a shape that is missing does not compile: npm run types decides it', () => {
  type M = { readonly type: 'ask'; readonly time: number; readonly late?: boolean } | { readonly type: 'go' }
  type Shapes = DataShapes<{ holder: number; queue: { node: number }[] }, M>
  type Queue<Item> = { holder: 'node'; queue: { list: { fields: Item } } }
  expectTypeOf<Queue<{ node: 'node' }>>().toExtend<Shapes['state']>()
  expectTypeOf<Queue<object>>().not.toExtend<Shapes['state']>()
  // A field of a state that is there at times needs its shape, too.
  expectTypeOf<Queue<{ node: 'node' }>>().not.toExtend<
    DataShapes<{ holder: number; queue: { node: number; late?: boolean }[] }>['state']
  >()
  expectTypeOf<Omit<Queue<{ node: 'node' }>, 'holder'>>().not.toExtend<Shapes['state']>()
  expectTypeOf<{ ask: { time: { clock: 'time' } }; go: Record<string, never> }>().toExtend<
    Shapes['messages']
  >()
  expectTypeOf<{ ask: object; go: Record<string, never> }>().not.toExtend<Shapes['messages']>()
})
