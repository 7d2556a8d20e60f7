import type { NodeId } from '@turnwise/core/algorithm'
import { get, intAt } from '@turnwise/core/bounds'
import type { ProtocolFacts } from '@turnwise/core/facts'
import { randomStream } from '@turnwise/core/random'
import type { Setup } from '@turnwise/core/setup'
import { distancesTo, isTree, type Topology } from '@turnwise/core/topology'
import { forceCenter, forceLink, forceManyBody, forceSimulation } from 'd3-force'

export interface Point {
  readonly x: number
  readonly y: number
}

/** Where the nodes stand in a box, and how large they are. */
export interface Layout {
  readonly width: number
  readonly height: number
  readonly points: readonly Point[]
  readonly radius: number
}

/** The topology as the algorithm sees it: its ring as a ring, its tree as a tree, its coordinator in the middle. */
export function layoutOf(
  facts: ProtocolFacts,
  setup: Pick<Setup, 'nodes' | 'topology' | 'home'>,
  width: number,
  height: number,
): Layout {
  const unit = unitPoints(facts, setup)
  const radius = Math.max(5, Math.min(24, 0.3 * nearest(unit) * Math.min(width, height)))
  // Beside a node stand its tickets and above it the ends of its pointers.
  const margin = radius + 26
  const points = unit.map(({ x, y }) => ({
    x: margin + x * (width - 2 * margin),
    y: margin + y * (height - 2 * margin),
  }))
  return { width, height, points, radius }
}

/** Positions from 0 to 1 in both directions. */
function unitPoints(
  facts: ProtocolFacts,
  { nodes, topology, home }: Pick<Setup, 'nodes' | 'topology' | 'home'>,
): Point[] {
  if (nodes === 1) return [{ x: 0.5, y: 0.5 }]
  if (facts.knows === 'coordinator' && facts.family === 'permission') return filling(around(nodes, home))
  const kind = topology.kind.replace(/:.*/, '')
  if (kind === 'complete' || kind === 'ring') return filling(circle(nodes))
  if (kind === 'star') return filling(around(nodes, 0))
  if (kind === 'grid') return grid(nodes)
  if (isTree(topology)) return layers(topology, kind === 'line' ? 0 : home)
  return springs(topology)
}

/** Clockwise from the top. */
function circle(nodes: number): Point[] {
  return Array.from({ length: nodes }, (_, node) => onCircle(node / nodes))
}

/** From edge to edge: a triangle does not reach down as far as its circle does. */
function filling(points: readonly Point[]): Point[] {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)]
  const fit = (value: number, all: readonly number[]) => {
    const [low, high] = [Math.min(...all), Math.max(...all)]
    // Points in one line stay in the middle. Rounding may move them a little out of it.
    return high - low < 1e-6 ? 0.5 : (value - low) / (high - low)
  }
  return points.map(({ x, y }) => ({ x: fit(x, xs), y: fit(y, ys) }))
}

function onCircle(turn: number): Point {
  const angle = 2 * Math.PI * turn - Math.PI / 2
  return { x: 0.5 + 0.5 * Math.cos(angle), y: 0.5 + 0.5 * Math.sin(angle) }
}

function around(nodes: number, centre: NodeId): Point[] {
  let place = -1
  return Array.from({ length: nodes }, (_, node) => {
    if (node === centre) return { x: 0.5, y: 0.5 }
    place += 1
    return onCircle(place / (nodes - 1))
  })
}

function grid(nodes: number): Point[] {
  const columns = Math.ceil(Math.sqrt(nodes))
  const rows = Math.ceil(nodes / columns)
  return Array.from({ length: nodes }, (_, node) => ({
    x: columns === 1 ? 0.5 : (node % columns) / (columns - 1),
    y: rows === 1 ? 0.5 : Math.floor(node / columns) / (rows - 1),
  }))
}

/** A tree from its root down; a node stands above the middle of its leaves. A path lies on its side. */
function layers(topology: Topology, root: NodeId): Point[] {
  const depths = distancesTo(topology, root)
  const deepest = Math.max(1, ...depths)
  const places = Array.from({ length: topology.nodes }, () => 0)
  let leaves = 0
  const place = (node: NodeId): number => {
    const children = topology.neighbours(node).filter((next) => intAt(depths, next) > intAt(depths, node))
    if (children.length === 0) {
      leaves += 1
      places[node] = leaves - 1
    } else {
      const below = children.map(place)
      places[node] = (get(below, 0) + get(below, below.length - 1)) / 2
    }
    return places[node]
  }
  place(root)
  const isPath = leaves === 1
  return places.map((across, node) => {
    const x = leaves === 1 ? 0.5 : across / (leaves - 1)
    const y = intAt(depths, node) / deepest
    return isPath ? { x: y, y: 0.5 } : { x, y }
  })
}

/** Any other graph as springs would hold it: the same every time, because the start is a circle and chance is seeded. */
function springs(topology: Topology): Point[] {
  const bodies = circle(topology.nodes).map(({ x, y }, index) => ({ index, x: 100 * x, y: 100 * y }))
  const links = bodies.flatMap(({ index }) =>
    topology
      .neighbours(index)
      .filter((other) => other > index)
      .map((target) => ({ source: index, target })),
  )
  const random = randomStream(1, 'layout')
  forceSimulation(bodies)
    .randomSource(() => random.fraction())
    .force('link', forceLink(links).distance(30))
    .force('charge', forceManyBody().strength(-60))
    .force('centre', forceCenter(50, 50))
    .stop()
    .tick(200)
  return filling(bodies)
}

/** The least distance between two nodes. */
function nearest(points: readonly Point[]): number {
  let least = 1
  points.forEach((a, i) => {
    for (let j = i + 1; j < points.length; j += 1)
      least = Math.min(least, Math.hypot(a.x - get(points, j).x, a.y - get(points, j).y))
  })
  return least
}
