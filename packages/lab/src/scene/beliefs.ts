import type { AnyProtocol, NodeId } from '@turnwise/core/algorithm'
import type { Shape as DataShape } from '@turnwise/core/shape'

/** What a node believes of another: one of its variables names it. */
export interface Pointer {
  readonly field: string
  /** Which of the algorithm's variables that name a node: each has its own kind of line. */
  readonly order: number
  readonly from: NodeId
  readonly to: NodeId
}

/** The nodes that wait at a node, in the order of service. */
export interface Tickets {
  readonly field: string
  readonly nodes: readonly NodeId[]
}

/** Variables of the state that hold the number of a node, by what the algorithm declares of them. */
export function pointersOf(protocol: AnyProtocol, self: NodeId, state: object): Pointer[] {
  const { state: shapes } = protocol.shapes
  const fields = Object.keys(shapes).filter((field) => shapes[field] === 'node')
  return fields.flatMap((field, order) => {
    const value = (state as Record<string, unknown>)[field]
    return typeof value !== 'number' || value === self ? [] : [{ field, order, from: self, to: value }]
  })
}

/** Names under which papers keep those who wait: their lists are drawn as tickets. */
const QUEUES = /queue|^deferred|^waiting|^pending/i

export function ticketsOf(protocol: AnyProtocol, state: object): Tickets | null {
  for (const [field, value] of Object.entries(state) as [string, unknown][]) {
    if (!QUEUES.test(field) || !Array.isArray(value)) continue
    const nodes = nodesIn(protocol.shapes.state[field], value)
    if (nodes !== null) return { field, nodes }
  }
  return null
}

/** Whether it is a flag per node; of a mesh, null for nodes that are not in its view. */
export function isFlags(value: readonly unknown[]): boolean {
  return (
    value.some((item) => typeof item === 'boolean') &&
    value.every((item) => item === null || typeof item === 'boolean')
  )
}

/** The nodes that a list names: a list of nodes, of records with a node, or a flag per node. */
export function nodesIn(shape: DataShape | undefined, value: readonly unknown[]): NodeId[] | null {
  if (shape === undefined || shape === 'data' || shape === 'node') return null
  if ('list' in shape) {
    if (shape.list === 'node') return value as NodeId[]
    const inner = shape.list
    if (inner === 'data' || !('fields' in inner) || inner.fields['node'] !== 'node') return null
    return (value as { node: NodeId }[]).map(({ node }) => node)
  }
  if (!('perNode' in shape)) return null
  if (isFlags(value)) return value.flatMap((isSet, node) => (isSet === true ? [node] : []))
  // Times by node, null for none: in the order of the times, as Lamport's queue is.
  if (!value.some((item) => item === null)) return null
  return value
    .flatMap((time, node) => (typeof time === 'number' ? [{ time, node }] : []))
    .toSorted((a, b) => a.time - b.time || a.node - b.node)
    .map(({ node }) => node)
}
