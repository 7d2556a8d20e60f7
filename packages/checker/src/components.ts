import { floatAt, intAt } from '@turnwise/core/bounds'

/** A directed graph given by its edges out of each vertex, as much of it as `keeps` lets through. */
export interface Subgraph {
  readonly vertices: number
  keepsVertex(vertex: number): boolean
  /** Edges are numbered; those of a vertex lie between `from` and `to`. */
  from(vertex: number): number
  to(vertex: number): number
  target(edge: number): number
}

/**
 * Strongly connected components (Tarjan 1972), without recursion: paths in these graphs are longer than any
 * call stack. Components are numbered so that edges between different ones lead to smaller numbers.
 */
export function components(graph: Subgraph): { of: Int32Array; count: number } {
  const { vertices } = graph
  const of = new Int32Array(vertices).fill(-1)
  const index = new Int32Array(vertices).fill(-1)
  const low = new Int32Array(vertices)
  const onPath: number[] = []
  const cursor = new Float64Array(vertices)
  const stack: number[] = []
  let visited = 0
  let count = 0

  const open = (vertex: number): void => {
    index[vertex] = visited
    low[vertex] = visited
    visited += 1
    cursor[vertex] = graph.from(vertex)
    stack.push(vertex)
    onPath.push(vertex)
  }
  const close = (vertex: number): void => {
    onPath.pop()
    const above = onPath.at(-1)
    if (above !== undefined) low[above] = Math.min(intAt(low, above), intAt(low, vertex))
    if (low[vertex] !== index[vertex]) return
    for (let member = stack.pop(); member !== undefined; member = stack.pop()) {
      of[member] = count
      if (member === vertex) break
    }
    count += 1
  }

  for (let root = 0; root < vertices; root += 1) {
    if (index[root] !== -1 || !graph.keepsVertex(root)) continue
    open(root)
    for (let vertex = onPath.at(-1); vertex !== undefined; vertex = onPath.at(-1)) {
      if (cursor[vertex] === graph.to(vertex)) {
        close(vertex)
        continue
      }
      const target = graph.target(floatAt(cursor, vertex))
      cursor[vertex] = floatAt(cursor, vertex) + 1
      if (!graph.keepsVertex(target)) continue
      if (index[target] === -1) open(target)
      else if (of[target] === -1) low[vertex] = Math.min(intAt(low, vertex), intAt(index, target))
    }
  }
  return { of, count }
}
