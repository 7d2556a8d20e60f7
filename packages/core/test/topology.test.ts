import { get } from '@turnwise/core/bounds'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import { present } from '../../../test/present.ts'
import { InvalidInput } from '../src/invalid-input.ts'
import { randomStream } from '../src/random.ts'
import {
  complete,
  distancesTo,
  graph,
  grid,
  isTree,
  line,
  ring,
  spanningTree,
  TOPOLOGY_FORMS,
  type Topology,
  topologyFrom,
  tree,
  treeDiameter,
  treeMeanDistance,
} from '../src/topology.ts'

const KINDS = ['complete', 'ring', 'line', 'star', 'tree', 'tree:1', 'tree:3', 'grid', 'random']
/** Of grids, those of up to four rows, with a last row of every length. */
const UP_TO = Array.from({ length: extent(20, 40) }, (_, i) => i + 1)

const from = (text: string, nodes: number, seed = 1) =>
  topologyFrom(text, nodes, randomStream(seed, 'topology'))

const nodesOf = (topology: Topology) => Array.from({ length: topology.nodes }, (_, node) => node)

const neighbourLists = (topology: Topology) => nodesOf(topology).map((node) => topology.neighbours(node))

function edgeCount(topology: Topology): number {
  return neighbourLists(topology).flat().length / 2
}

/** Floyd-Warshall: every pair over every node in between. */
function dumbDistances(topology: Topology): number[][] {
  const nodes = nodesOf(topology)
  const distance = nodes.map((a) => nodes.map((b) => (a === b ? 0 : Number.POSITIVE_INFINITY)))
  for (const a of nodes) for (const b of topology.neighbours(a)) get(distance, a)[b] = 1
  for (const via of nodes) {
    for (const a of nodes) {
      for (const b of nodes)
        get(distance, a)[b] = Math.min(
          get(get(distance, a), b),
          get(get(distance, a), via) + get(get(distance, via), b),
        )
    }
  }
  return distance
}

/** A tree in which every node hangs on a random earlier one. */
function randomTree(nodes: number, seed: number): Topology {
  return from(`random:${nodes - 1}`, nodes, seed)
}

function expectMeasures(topology: Topology): void {
  const distances = dumbDistances(topology).flat()
  const sum = distances.reduce((a, b) => a + b, 0)
  expect(treeDiameter(topology)).toBe(Math.max(...distances))
  expect(treeMeanDistance(topology)).toBeCloseTo(sum / topology.nodes ** 2, 10)
}

function expectRefusal(attempt: () => unknown, message: string): void {
  expect(attempt).toThrow(new InvalidInput(message))
  expect(attempt).toThrow(InvalidInput)
}

describe.each(KINDS)('%s', (kind) => {
  const topologies = UP_TO.map((n) => from(kind, n))

  test('has the nodes it was asked for', () => {
    topologies.forEach((topology, i) => expect(topology.nodes).toBe(i + 1))
  })

  test('neighbours rise, are nodes, and never the node itself', () => {
    for (const topology of topologies) {
      for (const node of nodesOf(topology)) {
        const neighbours = topology.neighbours(node)
        expect(neighbours).toEqual([...new Set(neighbours)].toSorted((a, b) => a - b))
        expect(neighbours).not.toContain(node)
        expect(neighbours.every((other) => other >= 0 && other < topology.nodes)).toBe(true)
      }
    }
  })

  test('channels go both ways, and linked says the same as neighbours', () => {
    for (const topology of topologies) {
      for (const a of nodesOf(topology)) {
        const linked = nodesOf(topology).filter((b) => topology.linked(a, b))
        expect(linked).toEqual(topology.neighbours(a))
        expect(linked.every((b) => topology.linked(b, a))).toBe(true)
      }
    }
  })

  // shows helary-plouzeau-raynal-1988 2.1 Required network properties
  test('every node reaches every other, and towards leads along a shortest path', () => {
    for (const topology of topologies) {
      const distance = dumbDistances(topology)
      const links = neighbourLists(topology)
      for (const root of nodesOf(topology)) {
        const towards = topology.towards(root)
        expect(towards).toHaveLength(topology.nodes)
        expect(towards[root]).toBe(root)
        expect(Math.max(...get(distance, root))).toBeLessThan(topology.nodes)
        const astray = nodesOf(topology).filter((node) => {
          const next = present(towards[node])
          return (
            node !== root &&
            !(
              get(links, node).includes(next) &&
              get(distance, next)[root] === get(get(distance, node), root) - 1
            )
          )
        })
        expect(astray).toEqual([])
        expect([...distancesTo(topology, root)]).toEqual(distance[root])
      }
    }
  })

  test('its spanning tree is a tree that keeps the distances to the root', () => {
    for (const topology of topologies.filter(({ nodes }) => nodes % 7 === 1 || nodes < 5)) {
      const root = topology.nodes - 1
      const spanning = spanningTree(topology, root)
      expect(isTree(spanning)).toBe(true)
      expect(spanning.nodes).toBe(topology.nodes)
      expect(distancesTo(spanning, root)).toEqual(distancesTo(topology, root))
      for (const node of nodesOf(spanning)) {
        for (const other of spanning.neighbours(node)) expect(topology.linked(node, other)).toBe(true)
      }
    }
  })

  test('is a tree exactly when it has n - 1 edges', () => {
    for (const topology of topologies)
      expect(isTree(topology)).toBe(edgeCount(topology) === topology.nodes - 1)
  })
})

describe('shapes', () => {
  test('complete: each with each', () => {
    expect(complete(4).neighbours(2)).toEqual([0, 1, 3])
    for (const n of UP_TO) expect(edgeCount(complete(n))).toBe((n * (n - 1)) / 2)
  })

  test('ring: the last with the first', () => {
    expect(ring(5).neighbours(0)).toEqual([1, 4])
    expect(ring(2).neighbours(0)).toEqual([1])
    expect(ring(1).neighbours(0)).toEqual([])
  })

  test('line: the ends have one neighbour', () => {
    expect([0, 1, 2].map((node) => line(3).neighbours(node))).toEqual([[1], [0, 2], [1]])
  })

  test('star: all around node 0', () => {
    expect(from('star', 5).neighbours(0)).toEqual([1, 2, 3, 4])
    expect(from('star', 5).neighbours(3)).toEqual([0])
  })

  test('tree: heap order, of two children unless told otherwise', () => {
    expect(from('tree', 6).neighbours(1)).toEqual([0, 3, 4])
    expect(from('tree', 6).neighbours(2)).toEqual([0, 5])
    expect(tree(6, 3).neighbours(0)).toEqual([1, 2, 3])
    expect(tree(6, 3).neighbours(1)).toEqual([0, 4, 5])
  })

  test('grid: beside and above, with a last row that may be short', () => {
    // 0 1 2
    // 3 4 5
    // 6 7
    expect(grid(8).neighbours(4)).toEqual([1, 3, 5, 7])
    expect(grid(8).neighbours(5)).toEqual([2, 4])
    expect(grid(8).neighbours(6)).toEqual([3, 7])
  })

  test.each(['complete', 'ring', 'line', 'star', 'tree:3', 'grid', 'random', 'random:9'])(
    '%s is called as it is written',
    (text) => {
      expect(from(text, 6).kind).toBe(text)
    },
  )

  test('a graph given by its edges, in any order and any direction', () => {
    const given = graph(4, [
      [3, 0],
      [1, 0],
      [0, 1],
      [2, 3],
    ])
    expect(neighbourLists(given)).toEqual([[1, 3], [0], [3], [0, 2]])
    expect(given.kind).toBe('file')
  })
})

describe('measures of a tree against every pair', () => {
  test.each(['line', 'star', 'tree', 'tree:3'])(`%s of 1 to ${UP_TO.length} nodes`, (kind) => {
    for (const n of UP_TO) expectMeasures(from(kind, n))
  })

  test('any tree', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 25 }), fc.nat(), (nodes, seed) => {
        expectMeasures(randomTree(nodes, seed))
      }),
      { seed: 1, numRuns: 200 },
    )
  })

  test('formulas: a line has mean (n^2 - 1) / 3n, a star 2 (n - 1)^2 / n^2', () => {
    for (const n of UP_TO) {
      expect(treeMeanDistance(line(n))).toBeCloseTo((n * n - 1) / (3 * n), 10)
      expect(treeMeanDistance(from('star', n))).toBeCloseTo((2 * (n - 1) ** 2) / n ** 2, 10)
    }
  })
})

describe('random graphs', () => {
  const asked = fc
    .integer({ min: 1, max: 20 })
    .chain((nodes) =>
      fc.tuple(fc.constant(nodes), fc.integer({ min: nodes - 1, max: (nodes * (nodes - 1)) / 2 }), fc.nat()),
    )

  test('have as many edges as asked, and no node is cut off', () => {
    fc.assert(
      fc.property(asked, ([nodes, edges, seed]) => {
        const topology = from(`random:${edges}`, nodes, seed)
        expect(edgeCount(topology)).toBe(edges)
        expect(Math.min(...topology.towards(0))).toBeGreaterThanOrEqual(0)
      }),
      { seed: 1, numRuns: 300 },
    )
  })

  test('have 2n edges unless told otherwise, or all that fit', () => {
    for (const n of UP_TO) expect(edgeCount(from('random', n))).toBe(Math.min(2 * n, (n * (n - 1)) / 2))
  })

  test('are the same for the same seed, and differ between seeds', () => {
    expect(neighbourLists(from('random:40', 30, 7))).toEqual(neighbourLists(from('random:40', 30, 7)))
    const drawn = [1, 2, 3, 4, 5].map((seed) => JSON.stringify(neighbourLists(from('random:40', 30, seed))))
    expect(new Set(drawn).size).toBe(5)
  })
})

describe('refusals', () => {
  test('a graph that is not connected', () => {
    expectRefusal(
      () =>
        graph(4, [
          [0, 1],
          [2, 3],
        ]),
      'the graph is not connected: no path leads from node 0 to node 2',
    )
    expectRefusal(() => graph(2, []), 'the graph is not connected: no path leads from node 0 to node 1')
  })

  test('an edge from a node to itself', () => {
    expectRefusal(() => graph(2, [[1, 1]]), 'edge 1-1 ties a node to itself')
  })

  test('an edge to what is no node', () => {
    expectRefusal(() => graph(2, [[0, 2]]), 'edge 0-2: 2 is not a node from 0 to 1')
    expectRefusal(() => graph(2, [[-1, 0]]), 'edge -1-0: -1 is not a node from 0 to 1')
    expectRefusal(() => graph(2, [[0, 0.5]]), 'edge 0-0.5: 0.5 is not a node from 0 to 1')
  })

  test.each(['torus', '', 'Ring', 'ring:3', 'complete:', 'star:2', 'grid:4', 'toString'])('"%s"', (text) => {
    expectRefusal(() => from(text, 5), `"${text}" is not one of ${TOPOLOGY_FORMS}`)
  })

  test.each(['0', '-1', 'two', '1.5', ''])('an arity of "%s"', (arity) => {
    expectRefusal(
      () => from(`tree:${arity}`, 5),
      `"${arity}" is not the arity of a tree: a whole number, 1 or more`,
    )
  })

  test.each(['3', '11', 'many', ''])('%s edges between 5 nodes', (edges) => {
    expectRefusal(
      () => from(`random:${edges}`, 5),
      `"${edges}" is not a number of edges: a whole number, 4 to 10`,
    )
  })
})
