import type { NodeId } from './algorithm.ts'
import { get, outOfBounds } from './bounds.ts'
import { InvalidInput, invalid, wholeNumber } from './invalid-input.ts'
import type { Random } from './random.ts'

/**
 * Which nodes have a channel to which. Regular graphs are computed, not stored: a million nodes must fit.
 * Channels go both ways.
 */
export interface Topology {
  /** As it is written on the command line. */
  readonly kind: string
  readonly nodes: number
  /** In rising order. */
  neighbours(node: NodeId): readonly NodeId[]
  linked(a: NodeId, b: NodeId): boolean
  /** For each node its next hop on a shortest path to `root`; the root stands for itself. */
  towards(root: NodeId): Int32Array
}

export const TOPOLOGY_FORMS = 'complete, ring, line, star, tree[:ARITY], grid, random[:EDGES]'

/** Reads a topology as it is written on the command line. The caller reads files. */
export function topologyFrom(text: string, nodes: number, random: Random): Topology {
  const [, kind = text, argument] = /^([a-z]+):(.*)$/.exec(text) ?? []
  if (argument !== undefined && kind !== 'tree' && kind !== 'random')
    throw invalid(text, `one of ${TOPOLOGY_FORMS}`)
  switch (kind) {
    case 'complete':
      return complete(nodes)
    case 'ring':
      return ring(nodes)
    case 'line':
      return line(nodes)
    case 'star':
      return tree(nodes, Math.max(1, nodes - 1), 'star')
    case 'tree':
      return tree(nodes, argument === undefined ? 2 : wholeNumber(argument, 'the arity of a tree', 1))
    case 'grid':
      return grid(nodes)
    case 'random':
      return randomGraph(nodes, argument, random)
    default:
      throw invalid(text, `one of ${TOPOLOGY_FORMS}`)
  }
}

export function complete(nodes: number): Topology {
  return computed('complete', nodes, (node) => {
    const others: NodeId[] = []
    for (let other = 0; other < nodes; other += 1) if (other !== node) others.push(other)
    return others
  })
}

/** Node i is linked to i+1, and the last to the first. */
export function ring(nodes: number): Topology {
  return computed('ring', nodes, (node) => ascending([(node + 1) % nodes, (node + nodes - 1) % nodes], node))
}

export function line(nodes: number): Topology {
  return computed('line', nodes, (node) =>
    ascending(
      [node - 1, node + 1].filter((i) => i >= 0 && i < nodes),
      node,
    ),
  )
}

/** A balanced tree in heap order: the children of i are arity*i + 1 and the following. */
export function tree(nodes: number, arity: number, kind = `tree:${arity}`): Topology {
  return computed(kind, nodes, (node) => {
    const result: NodeId[] = node === 0 ? [] : [Math.floor((node - 1) / arity)]
    const first = arity * node + 1
    for (let child = first; child < Math.min(first + arity, nodes); child += 1) result.push(child)
    return result
  })
}

/** Rows as long as the grid is wide; the last may be shorter. */
export function grid(nodes: number): Topology {
  const width = Math.ceil(Math.sqrt(nodes))
  return computed('grid', nodes, (node) => {
    const column = node % width
    const around = [node - width, node + width]
    if (column > 0) around.push(node - 1)
    if (column < width - 1) around.push(node + 1)
    return ascending(
      around.filter((i) => i >= 0 && i < nodes),
      node,
    )
  })
}

/** A random tree (each node is tied to an earlier one) with further random edges up to the wanted number. */
function randomGraph(nodes: number, argument: string | undefined, random: Random): Topology {
  const most = (nodes * (nodes - 1)) / 2
  const least = nodes - 1
  const edges =
    argument === undefined
      ? Math.min(2 * nodes, most)
      : wholeNumber(argument, 'a number of edges', least, most)
  const chosen = new Set<number>()
  for (let node = 1; node < nodes; node += 1) chosen.add(random.below(node) * nodes + node)
  while (chosen.size < edges) {
    const a = random.below(nodes)
    const b = random.below(nodes)
    if (a !== b) chosen.add(Math.min(a, b) * nodes + Math.max(a, b))
  }
  const pairs = [...chosen].map((code): [NodeId, NodeId] => [Math.floor(code / nodes), code % nodes])
  return graph(nodes, pairs, argument === undefined ? 'random' : `random:${argument}`)
}

/** A graph given by its edges. Refuses a graph in which some node cannot be reached. */
export function graph(nodes: number, edges: readonly (readonly [NodeId, NodeId])[], kind = 'file'): Topology {
  const adjacent = Array.from({ length: nodes }, () => new Set<NodeId>())
  for (const [a, b] of edges) {
    for (const end of [a, b]) {
      if (!(Number.isInteger(end) && end >= 0 && end < nodes)) {
        throw new InvalidInput(`edge ${a}-${b}: ${end} is not a node from 0 to ${nodes - 1}`)
      }
    }
    if (a === b) throw new InvalidInput(`edge ${a}-${b} ties a node to itself`)
    adjacent[a]?.add(b)
    adjacent[b]?.add(a)
  }
  const lists = adjacent.map((set) => [...set].toSorted((a, b) => a - b))
  const topology = computed(kind, nodes, (node) => get(lists, node))
  const unreached = topology.towards(0).indexOf(-1)
  if (unreached !== -1)
    throw new InvalidInput(`the graph is not connected: no path leads from node 0 to node ${unreached}`)
  return topology
}

/** The tree of shortest paths from `root`, for algorithms that need a tree on a network that is not one. */
export function spanningTree(topology: Topology, root: NodeId): Topology {
  const towards = topology.towards(root)
  const edges: [NodeId, NodeId][] = []
  towards.forEach((next, node) => {
    if (node !== root) edges.push([node, next])
  })
  return graph(topology.nodes, edges, `spanning tree of ${topology.kind}`)
}

export function isTree(topology: Topology): boolean {
  let ends = 0
  for (let node = 0; node < topology.nodes; node += 1) {
    ends += topology.neighbours(node).length
    // A complete graph need not be counted to its end.
    if (ends > 2 * (topology.nodes - 1)) return false
  }
  return ends === 2 * (topology.nodes - 1)
}

/** The number of hops from each node to `root`. */
export function distancesTo(topology: Topology, root: NodeId): Int32Array {
  const towards = topology.towards(root)
  const distances = new Int32Array(topology.nodes).fill(-1)
  distances[root] = 0
  for (let node = 0; node < topology.nodes; node += 1) {
    const path: NodeId[] = []
    let at = node
    while (distances[at] === -1) {
      path.push(at)
      at = towards[at] ?? outOfBounds()
    }
    let distance = distances[at] ?? outOfBounds()
    for (const passed of path.toReversed()) distances[passed] = ++distance
  }
  return distances
}

/** The longest distance between two nodes of a tree: from any node to the farthest, and from there again. */
export function treeDiameter(topology: Topology): number {
  const fromAny = distancesTo(topology, 0)
  return farthest(distancesTo(topology, fromAny.indexOf(farthest(fromAny))))
}

function farthest(distances: Int32Array): number {
  return distances.reduce((a, b) => Math.max(a, b), 0)
}

/**
 * The mean distance of two nodes of a tree drawn independently (so that they may be the same). An edge with
 * s nodes on one side lies between 2 s (n - s) of the n^2 ordered pairs.
 */
export function treeMeanDistance(topology: Topology): number {
  const { nodes } = topology
  const towards = topology.towards(0)
  const distances = distancesTo(topology, 0)
  const farthestFirst = Array.from(distances.keys()).toSorted(
    (a, b) => (distances[b] ?? outOfBounds()) - (distances[a] ?? outOfBounds()),
  )
  const below = new Float64Array(nodes).fill(1)
  let sum = 0
  for (const node of farthestFirst) {
    if (node === 0) continue
    const size = below[node] ?? outOfBounds()
    sum += 2 * size * (nodes - size)
    const parent = towards[node] ?? outOfBounds()
    below[parent] = (below[parent] ?? outOfBounds()) + size
  }
  return sum / (nodes * nodes)
}

/** Sorted, without repetition, without the node itself (a ring of one or two nodes would have them). */
function ascending(list: NodeId[], self: NodeId): NodeId[] {
  return [...new Set(list)].filter((node) => node !== self).toSorted((a, b) => a - b)
}

function computed(kind: string, nodes: number, neighbours: (node: NodeId) => NodeId[]): Topology {
  const paths = new Map<NodeId, Int32Array>()
  return {
    kind,
    nodes,
    neighbours,
    linked: (a, b) => (kind === 'complete' ? a !== b : neighbours(a).includes(b)),
    towards(root) {
      let found = paths.get(root)
      if (found === undefined) {
        found = kind === 'complete' ? starPaths(nodes, root) : shortestPaths(nodes, neighbours, root)
        paths.set(root, found)
      }
      return found
    },
  }
}

function starPaths(nodes: number, root: NodeId): Int32Array {
  return new Int32Array(nodes).fill(root)
}

/** Breadth first from the root; -1 marks what it cannot reach. */
function shortestPaths(nodes: number, neighbours: (node: NodeId) => NodeId[], root: NodeId): Int32Array {
  const towards = new Int32Array(nodes).fill(-1)
  const queue = new Int32Array(nodes)
  queue[0] = root
  towards[root] = root
  for (let head = 0, tail = 1; head < tail; head += 1) {
    const node = queue[head] ?? outOfBounds()
    for (const next of neighbours(node)) {
      if (towards[next] !== -1) continue
      towards[next] = node
      queue[tail] = next
      tail += 1
    }
  }
  return towards
}
