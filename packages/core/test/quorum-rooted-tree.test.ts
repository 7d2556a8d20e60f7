import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { heapTree, holdsTreeQuorum, hungUp, type RootedTree, treeQuorum } from '../src/quorum/rooted-tree.ts'
import { tree as paths } from '../src/quorum/tree.ts'
import { graph } from '../src/topology.ts'

/** The paper's definition word for word: every quorum that some set of failed nodes can lead to. */
function dumbQuorums(tree: RootedTree, node: number): number[][] {
  const children = tree.children(node)
  if (children.length === 0) return [[node]]
  const below = children.map((child) => dumbQuorums(tree, child))
  const through = below.flat().map((path) => [node, ...path])
  const around = below.reduce<number[][]>(
    (sets, list) => sets.flatMap((set) => list.map((path) => [...set, ...path])),
    [[]],
  )
  return [...through, ...around]
}

/** Any rooted tree: each node hangs below an earlier one. */
const someTree = fc.array(fc.nat(), { minLength: 0, maxLength: 8 }).map((picks) =>
  hungUp(
    graph(
      picks.length + 1,
      picks.map((pick, i) => [pick % (i + 1), i + 1]),
    ),
    0,
  ),
)

const subset = fc.uniqueArray(fc.nat(8))

test('every two quorums of any tree meet, whatever each takes to be failed', () => {
  fc.assert(
    fc.property(someTree, (tree) => {
      const all = dumbQuorums(tree, tree.root)
      for (const a of all) for (const b of all) expect(a.some((node) => b.includes(node))).toBe(true)
    }),
    { seed: 1, numRuns: 60 },
  )
})

test('the quorum chosen is one of them, of nodes that work; there is one whenever there can be', () => {
  fc.assert(
    fc.property(someTree, fc.nat(), subset, subset, (tree, pick, lost, before) => {
      const down = lost.filter((node) => node < tree.nodes)
      const asked = before.filter((node) => node < tree.nodes)
      const possible = dumbQuorums(tree, tree.root).filter((set) => !set.some((node) => down.includes(node)))
      const quorum = treeQuorum(tree, pick % tree.nodes, down, asked)
      expect(quorum === null).toBe(possible.length === 0)
      if (quorum === null) return
      expect(possible.map((set) => set.toSorted((a, b) => a - b).join())).toContain(quorum.join())
    }),
    { seed: 1, numRuns: 300 },
  )
})

test('granted nodes hold a quorum exactly if one of them all lies within', () => {
  fc.assert(
    fc.property(someTree, subset, (tree, granted) => {
      const within = dumbQuorums(tree, tree.root).some((set) => set.every((node) => granted.includes(node)))
      expect(holdsTreeQuorum(tree, granted)).toBe(within)
    }),
    { seed: 1, numRuns: 500 },
  )
})

describe('seven nodes', () => {
  const seven = heapTree(7)

  test.each([
    { down: [], quorum: [0, 1, 3] },
    { down: [0], quorum: [1, 2, 3, 5] },
    { down: [0, 1], quorum: [2, 3, 4, 5] },
    { down: [0, 1, 2], quorum: [3, 4, 5, 6] },
    { down: [1], quorum: [0, 3, 4] },
    { down: [0, 3, 4], quorum: null },
    { down: [0, 1, 3], quorum: null },
  ])('without $down node 3 asks $quorum', ({ down, quorum }) => {
    expect(treeQuorum(seven, 3, down)).toEqual(quorum)
  })

  test('a path goes through those asked already', () => {
    expect(treeQuorum(seven, 3, [0, 3], [0, 1, 3, 6])).toEqual([1, 2, 4, 6])
  })
})

test('with all nodes up it is the path of the fixed quorums, but for a parent of one child', () => {
  for (let nodes = 1; nodes <= 40; nodes += 1) {
    const lonely = nodes % 2 === 0 ? nodes / 2 - 1 : -1
    for (let node = 0; node < nodes; node += 1) {
      const path = paths(nodes).of(node)
      expect(treeQuorum(heapTree(nodes), node)).toEqual(path.filter((member) => member !== lonely))
    }
  }
})

test('an only child speaks for its parent: of a line only the far end is asked', () => {
  const line = hungUp(
    graph(4, [
      [0, 1],
      [1, 2],
      [2, 3],
    ]),
    0,
  )
  expect(treeQuorum(line, 0)).toEqual([3])
  expect(treeQuorum(line, 0, [1])).toEqual([3])
  expect(treeQuorum(line, 0, [3])).toBeNull()
})
