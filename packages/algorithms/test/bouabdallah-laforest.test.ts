import { instanceOf } from '@turnwise/checker/asked-instance'
import type { AnyAlgorithm, NodeId, ResourceId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { randomStream } from '@turnwise/core/random'
import { arrange } from '@turnwise/core/setup'
import { Stage } from '@turnwise/simulator/stage'
import { describe, expect, test } from 'vitest'
import { checkModel } from '../../../scripts/models.ts'
import { extent, LONG } from '../../../test/extent.ts'
import { bouabdallahLaforest } from '../src/multi/bouabdallah-laforest.ts'
import { orderedResources } from '../src/multi/ordered-resources.ts'

/** Nodes that are inside at first, and the resources of each. */
type Inside = readonly (readonly [node: NodeId, ...resources: ResourceId[]])[]

function began(algorithm: AnyAlgorithm, nodes: number, resources: number, inside: Inside) {
  const { setup } = arrange(algorithm.facts, {
    nodes,
    options: {},
    resources,
    inside: inside.map(([node]) => node),
    insideWith: inside.map(([, ...held]) => held),
  })
  return { algorithm, setup }
}

describe.each<AnyAlgorithm>([bouabdallahLaforest, orderedResources])(
  'a world of $facts.name that begins with nodes inside holds',
  (algorithm) => {
    const worlds: readonly (readonly [nodes: number, resources: number, inside: Inside, sets: string])[] = [
      [
        2,
        2,
        [
          [0, 1],
          [1, 0],
        ],
        'any',
      ],
      [
        3,
        2,
        [
          [1, 1],
          [2, 0],
        ],
        '0,1 0 1',
      ],
      [
        3,
        3,
        [
          [0, 2],
          [2, 0, 1],
        ],
        '0,1 1,2 2,0',
      ],
      [3, 3, [[2, 1, 2]], '0,1 1,2 2,0'],
      [
        3,
        3,
        [
          [0, 1],
          [1, 2],
          [2, 0],
        ],
        '0,1 1,2 2,0',
      ],
    ]
    test.each(worlds)('%i nodes, %i resources, inside %j, sets %s', (nodes, resources, inside, sets) => {
      const world = began(algorithm, nodes, resources, inside)
      expect(checkModel(instanceOf(world, { requests: 1, sets })).failure).toBeNull()
    })

    const closed = worlds.slice(0, extent(1, 2))
    test.each(closed)(
      'in runs of any length: %i nodes, %i resources, %j',
      (nodes, resources, inside, sets) => {
        const world = began(algorithm, nodes, resources, inside)
        expect(checkModel(instanceOf(world, { requests: 'any', sets })).failure).toBeNull()
      },
    )

    test('with every set that a node may want', LONG, () => {
      const world = began(algorithm, 3, 2, [
        [1, 0],
        [2, 1],
      ])
      expect(checkModel(instanceOf(world, { requests: 1, sets: 'any' })).failure).toBeNull()
    })
  },
)

describe('the checker notices a beginning that is wrong', () => {
  const inside: Inside = [
    [1, 1],
    [2, 0],
  ]

  test.each<[string, Partial<typeof bouabdallahLaforest>]>([
    [
      'one-token',
      {
        init(self, setup) {
          const state = bouabdallahLaforest.init(self, setup)
          return { ...state, entries: state.entries && state.entries.map(() => ({ last: null, turn: 0 })) }
        },
      },
    ],
    [
      'exclusion',
      {
        init(self, setup) {
          const state = bouabdallahLaforest.init(self, setup)
          return { ...state, entries: state.entries && state.entries.map(() => ({ last: null, turn: 0 })) }
        },
        // Without it the judge of tokens sees the mistake before anybody comes in.
        tokens: { held: () => 0, carried: () => 0 },
      },
    ],
  ])('a resource that is held is free in the control token as well: %s', (property, mistake) => {
    const world = began({ ...bouabdallahLaforest, ...mistake }, 3, 2, inside)
    const { failure } = checkModel(instanceOf(world, { requests: 1, sets: '0,1 0 1' }))
    expect(failure?.name).toBe(property)
  })
})

test('those inside at first are served like all others: what they have is passed on when they leave', () => {
  for (let seed = 0; seed < extent(50, 2000); seed += 1) {
    const random = randomStream(seed, 'beginnings')
    const nodes = 2 + random.below(6)
    const resources = 1 + random.below(6)
    const held = Array.from({ length: nodes }, (): ResourceId[] => [])
    for (let resource = 0; resource < resources; resource += 1) held[random.below(2 * nodes)]?.push(resource)
    const inside = held.flatMap((of, node): Inside => (of.length === 0 ? [] : [[node, ...of]]))
    const { algorithm, setup } = began(bouabdallahLaforest, nodes, resources, inside)
    const stage = new Stage(algorithm, setup)
    const waiting = Array.from({ length: nodes }, (_, node) => node)
    let entries = 0
    for (let step = 0; step < 2000; step += 1) {
      const busy = waiting.filter((node) => stage.statusOf(node) === 'inside')
      const idle = waiting.filter((node) => stage.statusOf(node) === 'idle')
      const acts = [
        ...busy.map((node) => () => stage.release(node)),
        ...stage.underWay.map((envelope) => () => stage.deliver(envelope)),
        ...(entries < 30 ? idle : []).map((node) => () => {
          entries += 1
          const all = Array.from({ length: resources }, (_, resource) => resource)
          const some = all.filter(() => random.below(2) === 0)
          stage.request(node, { mode: 'exclusive', priority: 0, resources: some.length > 0 ? some : all })
        }),
      ]
      if (acts.length === 0) break
      get(acts, random.below(acts.length))()
    }
    expect(stage.jury.violations, `seed ${seed}`).toEqual([])
    expect(waiting.map((node) => stage.statusOf(node))).toEqual(waiting.map(() => 'idle'))
  }
})

describe('a beginning that cannot be is refused', () => {
  test.each<[string, Inside, number]>([
    [
      'resource 0 is named twice: one node at a time has it',
      [
        [0, 0],
        [1, 0],
      ],
      2,
    ],
    ['"2" is not a resource from 0 to 1', [[0, 2]], 2],
  ])('%s', (why, inside, resources) => {
    expect(() => began(bouabdallahLaforest, 2, resources, inside)).toThrow(why)
  })
})
