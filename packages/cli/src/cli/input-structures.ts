/** Files that hold a graph, quorums or an information structure. */
import { InvalidInput } from '@turnwise/core/invalid-input'
import { quorumsFromLists } from '@turnwise/core/quorum/quorum-from-text'
import type { Quorums } from '@turnwise/core/quorum/quorums'
import { type NamedStructure, structureFrom } from '@turnwise/core/structure/structure'
import { graph, type Topology } from '@turnwise/core/topology'
import { inFile, readJson } from '../terminal/input.ts'

/** Reads `{ "nodes": 5, "edges": [[0,1], …] }`. */
export function readGraph(path: string): Topology {
  const { nodes, edges } = fieldsOf(path, readJson(path), ['nodes', 'edges'])
  const count = nodesIn(path, nodes)
  if (!Array.isArray(edges) || !edges.every(isPair)) {
    throw new InvalidInput(`${path}: edges is not a list of pairs of nodes`)
  }
  return inFile(path, () => graph(count, edges, path))
}

/** Reads `{ "nodes": 3, "quorums": [[0,1],[1,2],[0,2]] }`, the quorum of node 0 first. */
export function readQuorums(path: string): Quorums {
  const { nodes, quorums } = fieldsOf(path, readJson(path), ['nodes', 'quorums'])
  const count = nodesIn(path, nodes)
  if (!Array.isArray(quorums) || quorums.length !== count || !quorums.every(isListOfNumbers)) {
    throw new InvalidInput(`${path}: quorums is not a list of ${count} lists of nodes`)
  }
  return inFile(path, () => quorumsFromLists(quorums, path))
}

/** Reads `{ "nodes": 2, "inform": [[0],[1]], "request": [[0,1],[0,1]] }`, the sets of node 0 first. */
export function readStructure(path: string): NamedStructure {
  const content = readJson(path)
  return inFile(path, () => ({ kind: path, ...structureFrom(content) }))
}

function fieldsOf(path: string, value: unknown, names: readonly string[]): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidInput(`${path} is not an object with ${names.join(' and ')}`)
  }
  const missing = names.find((name) => !Object.hasOwn(value, name))
  if (missing !== undefined) throw new InvalidInput(`${path}: ${missing} is missing`)
  const unknown = Object.keys(value).find((name) => !names.includes(name))
  if (unknown !== undefined) throw new InvalidInput(`${path}: "${unknown}" is not one of ${names.join(', ')}`)
  return value as Record<string, unknown>
}

function nodesIn(path: string, nodes: unknown): number {
  if (!Number.isSafeInteger(nodes) || (nodes as number) < 1) {
    throw new InvalidInput(`${path}: nodes is not a whole number, 1 or more`)
  }
  return nodes as number
}

function isListOfNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'number')
}

function isPair(value: unknown): value is [number, number] {
  return isListOfNumbers(value) && value.length === 2
}
