import { describe, expect, test } from 'vitest'
import type { Facts } from '../src/facts.ts'
import { exactly } from '../src/facts.ts'
import { InvalidInput } from '../src/invalid-input.ts'
import { quorumsFrom } from '../src/quorum/quorum-from-text.ts'
import { randomStream } from '../src/random.ts'
import { arrange, firstHolder } from '../src/setup.ts'
import { graph, grid, isTree, line, ring, topologyFrom, tree } from '../src/topology.ts'

const FACTS: Facts = {
  name: 'toy',
  title: 'Toy',
  year: 2024,
  family: 'permission',
  idea: 'None.',
  sources: [],
  entries: 1,
  sharedMode: false,
  channels: 'unordered',
  topology: 'complete',
  knows: 'everyone',
  quorums: false,
  messages: { formula: '0', light: () => exactly(0), heavy: () => exactly(0) },
  syncDelay: { formula: '0', hops: () => ({ min: 0, max: 0 }) },
  faults: [],
  fallsSilent: true,
  timing: 'any',
  timers: {},
}

const needing = (topology: Facts['topology']): Facts => ({ ...FACTS, topology })
const OPTIONS = {}

describe('a world in which nothing was wished for', () => {
  // shows velazquez-1993 2.1 The model, nodes and requests
  test('has the graph the algorithm needs, one entry, node 0 as home and nobody inside', () => {
    const { setup, notes } = arrange(FACTS, { nodes: 5, options: OPTIONS })
    expect(setup).toMatchObject({
      nodes: 5,
      quorums: null,
      structure: null,
      entries: 1,
      home: 0,
      inside: [],
      insideMode: 'exclusive',
    })
    expect(setup.options).toBe(OPTIONS)
    expect(notes).toEqual([])
  })

  test.each([
    ['complete', 'complete'],
    ['ring', 'ring'],
    ['tree', 'tree:2'],
    ['connected', 'complete'],
  ] as const)('that needs %s takes %s', (need, kind) => {
    expect(arrange(needing(need), { nodes: 7, options: OPTIONS }).setup.topology.kind).toBe(kind)
  })

  test('that needs k entries takes 2', () => {
    expect(arrange({ ...FACTS, entries: 'k' }, { nodes: 5, options: OPTIONS }).setup.entries).toBe(2)
    expect(arrange({ ...FACTS, entries: 'k' }, { nodes: 1, options: OPTIONS }).setup.entries).toBe(1)
  })

  test('that needs k entries refuses more than there are nodes', () => {
    expect(() => arrange({ ...FACTS, entries: 'k' }, { nodes: 3, options: OPTIONS, entries: 4 })).toThrow(
      '"4" of 3 nodes are never inside together: k is at most 3',
    )
  })

  test('that needs k entries and quorums takes a k-majority, or tells why not', () => {
    const facts = { ...FACTS, entries: 'k', quorums: true } as const
    const four = arrange(facts, { nodes: 4, options: OPTIONS })
    expect([four.setup.quorums?.kind, four.notes]).toEqual(['k-majority', []])
    const three = arrange(facts, { nodes: 3, options: OPTIONS })
    expect(three.setup.quorums?.kind).toBe('disjoint')
    expect(three.notes).toEqual(['no 2-majority fits 3 nodes: took disjoint quorums'])
  })

  test.each([
    [3, 'majority'],
    [7, 'projective'],
    [8, 'grid'],
  ])('that needs quorums of %i nodes takes %s, and says so unless it is a plane', (nodes, kind) => {
    const { setup, notes } = arrange({ ...FACTS, quorums: true }, { nodes, options: OPTIONS })
    expect(setup.quorums?.kind).toBe(kind)
    expect(notes).toEqual(
      kind === 'projective' ? [] : [`no projective plane has ${nodes} points: took ${kind} quorums`],
    )
  })
})

describe('wishes', () => {
  test('for a plane that does not exist are granted by a larger one, and that is noted', () => {
    const wish = { nodes: 9, options: OPTIONS, quorums: quorumsFrom('projective', 9) }
    for (const entries of [1, 'k'] as const) {
      const { setup, notes } = arrange({ ...FACTS, entries, quorums: true }, wish)
      expect(setup.quorums?.kind).toBe('projective')
      expect(notes).toEqual([wish.quorums.fallback])
    }
  })

  test('are granted where they fit', () => {
    const { setup } = arrange(
      { ...FACTS, entries: 'k', quorums: true, topology: 'connected' },
      {
        nodes: 9,
        options: OPTIONS,
        topology: grid(9),
        quorums: quorumsFrom('tree', 9),
        entries: 3,
        home: 4,
        inside: [1, 2],
        insideMode: 'shared',
      },
    )
    expect(setup).toMatchObject({ entries: 3, home: 4, inside: [1, 2], insideMode: 'shared' })
    expect([setup.topology.kind, setup.quorums?.kind]).toEqual(['grid', 'tree'])
  })

  test('a graph that is complete, or has the ring, under another name will do', () => {
    expect(arrange(FACTS, { nodes: 3, options: OPTIONS, topology: ring(3) }).setup.topology.kind).toBe('ring')
    const square = topologyFrom('complete', 4, randomStream(1, 'x'))
    expect(arrange(needing('ring'), { nodes: 4, options: OPTIONS, topology: square }).setup.topology).toBe(
      square,
    )
  })

  test('a tree is taken as it is', () => {
    const wished = tree(6, 3)
    const { setup, notes } = arrange(needing('tree'), { nodes: 6, options: OPTIONS, topology: wished })
    expect(setup.topology).toBe(wished)
    expect(notes).toEqual([])
  })

  test.each([
    [{}, 0],
    [{ home: 5 }, 5],
    [{ home: 5, inside: [7] }, 7],
  ])(
    'of a graph that is no tree the shortest paths are taken, to where the token begins (%o)',
    (wishes, root) => {
      const { setup, notes } = arrange(needing('tree'), {
        nodes: 9,
        options: OPTIONS,
        topology: grid(9),
        ...wishes,
      })
      expect(isTree(setup.topology)).toBe(true)
      expect(notes).toEqual([`toy runs on a tree: took the shortest paths of grid to node ${root}`])
      expect([...setup.topology.towards(root)]).toEqual([...grid(9).towards(root)])
      expect(firstHolder(setup)).toBe(root)
    },
  )

  test.each([
    ['complete', line(4), 'line cannot carry toy: it needs a channel between every two nodes'],
    ['ring', line(4), 'line cannot carry toy: it needs channels 0-1-2-…-3-0'],
    ['complete', ring(5), 'the graph has 5 nodes, the run 4'],
    ['connected', ring(5), 'the graph has 5 nodes, the run 4'],
    ['tree', ring(5), 'the graph has 5 nodes, the run 4'],
  ] as const)('%s refuses %o', (need, topology, message) => {
    expect(() => arrange(needing(need), { nodes: 4, options: OPTIONS, topology })).toThrow(
      new InvalidInput(message),
    )
  })

  test('quorums for another number of nodes, or for an algorithm that asks none, are refused', () => {
    const quorums = quorumsFrom('majority', 5)
    expect(() => arrange({ ...FACTS, quorums: true }, { nodes: 4, options: OPTIONS, quorums })).toThrow(
      new InvalidInput('the quorums are for 5 nodes, the run has 4'),
    )
    expect(() => arrange(FACTS, { nodes: 5, options: OPTIONS, quorums })).toThrow(
      new InvalidInput('toy asks no quorums, so there is nothing to choose'),
    )
  })
})

test('the token begins at the node that is inside, else at home', () => {
  const at = (wishes: object) => firstHolder(arrange(FACTS, { nodes: 4, options: OPTIONS, ...wishes }).setup)
  expect([at({}), at({ home: 2 }), at({ home: 2, inside: [3] })]).toEqual([0, 2, 3])
})

test('a graph of one node fits every need', () => {
  for (const need of ['complete', 'ring', 'tree', 'connected'] as const) {
    const topology = graph(1, [])
    expect(arrange(needing(need), { nodes: 1, options: OPTIONS, topology }).setup.topology).toBe(topology)
  }
})
