import type { NodeId } from '../algorithm.ts'
import { get } from '../bounds.ts'
import { Findings } from './findings.ts'

/**
 * Election: exactly one process is chosen, and all agree on it (Kessler 2024, election). Every election here also
 * promises that it is the highest. Only living nodes count. At no moment may two take themselves for the coordinator.
 * At the end of the run all must agree on the highest living node, and every election must have ended.
 */
export class ElectionJudge {
  readonly oneCoordinator = new Findings('one-coordinator')
  readonly agreement = new Findings('agreement')
  readonly highest = new Findings('highest')
  readonly progress = new Findings('progress')
  /** The coordinator of each living node. */
  readonly #named = new Map<NodeId, NodeId>()
  /** When each living node that still waits for a result called its election. */
  readonly #open = new Map<NodeId, number>()
  readonly #dead = new Set<NodeId>()
  /**
   * The nodes that named themselves since a node last came back. A node that was dead may overrule an earlier coordinator.
   */
  #coordinators: NodeId[] = []

  get findings(): readonly Findings[] {
    return [this.oneCoordinator, this.agreement, this.highest, this.progress]
  }

  /** Whether an election of this node is open. */
  isOpen(node: NodeId): boolean {
    return this.#open.has(node)
  }

  called(at: number, node: NodeId): void {
    this.#open.set(node, at)
  }

  elected(at: number, node: NodeId, coordinator: NodeId): void {
    this.#open.delete(node)
    this.#named.set(node, coordinator)
    this.#coordinators = this.#coordinators.filter((other) => other !== node)
    if (coordinator !== node) return
    this.#coordinators.push(node)
    if (this.#coordinators.length === 1) return
    const nodes = this.#coordinators.toSorted((a, b) => a - b)
    this.oneCoordinator.add(at, nodes, `nodes ${nodes.join(', ')} each take themselves for the coordinator`)
  }

  crashed(node: NodeId): void {
    this.#dead.add(node)
    this.#named.delete(node)
    this.#open.delete(node)
    this.#coordinators = this.#coordinators.filter((other) => other !== node)
  }

  restarted(node: NodeId): void {
    this.#dead.delete(node)
    this.#coordinators = []
  }

  /** `unit` turns ticks into the units a person reads. */
  ended(at: number, nodes: number, unit: number): void {
    for (const [node, since] of [...this.#open].toSorted(([a], [b]) => a - b)) {
      this.progress.add(
        at,
        [node],
        `node ${node} called an election at ${since / unit} and never heard its result`,
      )
    }
    const living = Array.from({ length: nodes }, (_, node) => node).filter((node) => !this.#dead.has(node))
    const dissent = dissentAmong(living, (node) => this.#named.get(node) ?? null)
    if (dissent !== null) this[dissent.about].add(at, dissent.nodes, dissent.text)
  }

  /** The coordinator that all living nodes name, or null. */
  unanimous(nodes: number): NodeId | null {
    const living = Array.from({ length: nodes }, (_, node) => node).filter((node) => !this.#dead.has(node))
    const names = new Set(living.map((node) => this.#named.get(node) ?? null))
    return names.size === 1 ? ([...names][0] ?? null) : null
  }
}

export interface Dissent {
  readonly about: 'agreement' | 'highest'
  readonly nodes: readonly NodeId[]
  readonly text: string
}

/**
 * The flaw in the result when nothing is under way any more, or null. If no node names a coordinator, there was no
 * election.
 */
export function dissentAmong(
  living: readonly NodeId[],
  namedBy: (node: NodeId) => NodeId | null,
): Dissent | null {
  const speaker = living.find((node) => namedBy(node) !== null)
  if (speaker === undefined) return null
  const coordinator = namedBy(speaker) as NodeId
  const other = living.find((node) => namedBy(node) !== coordinator)
  if (other !== undefined) {
    const name = namedBy(other)
    const text = `node ${speaker} names ${coordinator}, node ${other} names ${name ?? 'nobody'}`
    return { about: 'agreement', nodes: [speaker, other], text }
  }
  const highest = get(living, living.length - 1)
  if (coordinator === highest) return null
  const text = `all living nodes name ${coordinator}, and the highest of them is ${highest}`
  return { about: 'highest', nodes: [coordinator, highest], text }
}
