import { isElection, type NodeId } from '@turnwise/core/algorithm'
import type { Fault } from '@turnwise/core/faults'
import type { Setup } from '@turnwise/core/setup'
import type { WorldConfig } from './engine.ts'
import { absentAtFirst } from './membership-faults.ts'

/**
 * What permanent faults leave behind, in words: no quorum, or nodes that cannot reach each other. Then some or all
 * requests can never be served, whatever the algorithm survives.
 */
export function aftermath({ algorithm, setup, faults }: Pick<WorldConfig, 'algorithm' | 'setup' | 'faults'>) {
  const flaws: string[] = []
  const down = downInTheEnd(setup, faults)
  if (down.size === 0 && !faults.some(({ kind }) => kind === 'unlink')) return flaws
  const up = Array.from({ length: setup.nodes }, (_, node) => node).filter((node) => !down.has(node))
  if (!isElection(algorithm) && !hasQuorum(algorithm, setup, up)) flaws.push('the faults leave no quorum')
  const apart = algorithm.facts.knows === 'neighbours' ? unreachable(setup, faults, up) : []
  if (apart.length > 0) {
    flaws.push(`the faults split the graph: node ${up[0]} cannot reach ${told(apart)}`)
  }
  return flaws
}

function downInTheEnd(setup: Setup, faults: readonly Fault[]): Set<NodeId> {
  const down = new Set([...setup.dead, ...absentAtFirst(faults)])
  for (const fault of inTime(faults)) {
    if (fault.kind === 'crash' || fault.kind === 'remove') down.add(fault.node)
    if (fault.kind === 'restart' || fault.kind === 'add') down.delete(fault.node)
  }
  return down
}

function hasQuorum(
  algorithm: { enough?(setup: Setup, up: readonly NodeId[]): boolean },
  setup: Setup,
  up: readonly NodeId[],
): boolean {
  if (algorithm.enough !== undefined) return algorithm.enough(setup, up)
  const { quorums } = setup
  if (quorums === null) return true
  const living = new Set(up)
  const isUp = (quorum: readonly NodeId[]) => quorum.every((member) => living.has(member))
  // If quorums are drawn, there may be others than these, which are not listed.
  if (quorums.choice !== undefined) return quorums.choice.lists?.some(isUp) ?? true
  return up.some((node) => isUp(quorums.of(node)))
}

/** The living nodes that the first living node cannot reach through living nodes. */
function unreachable({ topology }: Setup, faults: readonly Fault[], up: readonly NodeId[]): NodeId[] {
  const changed = new Map<string, boolean>()
  const channel = (a: NodeId, b: NodeId) => `${Math.min(a, b)}-${Math.max(a, b)}`
  for (const fault of inTime(faults)) {
    if (fault.kind === 'link' || fault.kind === 'unlink')
      changed.set(channel(...fault.ends), fault.kind === 'link')
  }
  const left = new Set(up)
  const border = up.slice(0, 1)
  for (let node = border.pop(); node !== undefined; node = border.pop()) {
    left.delete(node)
    for (const other of left) {
      if (changed.get(channel(node, other)) ?? topology.linked(node, other)) border.push(other)
    }
  }
  return [...left]
}

function inTime(faults: readonly Fault[]) {
  return faults.filter((fault) => 'at' in fault).toSorted((one, other) => one.at - other.at)
}

function told(nodes: readonly NodeId[]): string {
  const most = 3
  return nodes.length <= most
    ? nodes.join(', ')
    : `${nodes.slice(0, most).join(', ')} and ${nodes.length - most} more`
}
