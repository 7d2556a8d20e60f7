import type { NodeId } from './algorithm.ts'

/** What decided: a number, a text, or nodes. Nodes are told as "node 2", "nodes 0 and 2" or "nobody". */
export type ReasonValue = number | string | readonly NodeId[]

export type ReasonValues = Readonly<Record<string, ReasonValue>>

/** Why a handler did what it did, in the words of its algorithm. */
export interface Reason {
  /** The same at every call of one place of the text; `{name}` stands for a value, `{self}` for the node. */
  readonly words: string
  readonly values: ReasonValues
}

/** A reason as a sentence: "Node 1 keeps its reply to node 2 back: both have number 1, and node 1 is smaller." */
export function reasonText({ words, values }: Reason, self: NodeId): string {
  const told = words.replace(PLACE, (place, name: string) => {
    if (name === 'self') return String(self)
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    return value === undefined ? place : valueText(value)
  })
  return `${told.charAt(0).toUpperCase()}${told.slice(1)}.`
}

/** The names of the values that the words want. */
export function namesIn(words: string): string[] {
  return Array.from(words.matchAll(PLACE), ([, name = '']) => name).filter((name) => name !== 'self')
}

/** The nodes for which a list by node number says yes. */
export function nodesWhere<Item>(
  list: readonly Item[],
  holds: (item: Item, node: NodeId) => boolean,
): NodeId[] {
  const nodes: NodeId[] = []
  list.forEach((item, node) => {
    if (holds(item, node)) nodes.push(node)
  })
  return nodes
}

const PLACE = /\{(\w+)\}/g

/** More are counted. */
const LISTED = 6

function valueText(value: ReasonValue): string {
  if (typeof value === 'number' || typeof value === 'string') return String(value)
  if (value.length === 0) return 'nobody'
  if (value.length === 1) return `node ${value.join('')}`
  if (value.length > LISTED)
    return `nodes ${value.slice(0, LISTED).join(', ')} and ${value.length - LISTED} more`
  return `nodes ${value.slice(0, -1).join(', ')} and ${String(value.at(-1))}`
}
