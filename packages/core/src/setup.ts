import type { Ask, Mode, NodeId, ResourceId } from './algorithm.ts'
import type { ProtocolFacts } from './facts.ts'
import { InvalidInput } from './invalid-input.ts'
import { kCoterieFrom } from './quorum/k-coterie.ts'
import { defaultKCoterie, defaultQuorums } from './quorum/quorum-from-text.ts'
import type { Quorums } from './quorum/quorums.ts'
import { fromQuorums } from './structure/classic.ts'
import type { NamedStructure } from './structure/structure.ts'
import { complete, isTree, ring, spanningTree, type Topology, tree } from './topology.ts'

/** What all nodes of one world have in common: shared by them, never copied, never changed. */
export interface Setup<Options = object> {
  readonly nodes: number
  readonly topology: Topology
  /** Present where the facts ask for quorums. */
  readonly quorums: Quorums | null
  /** Present where the facts ask for an information structure. */
  readonly structure: NamedStructure | null
  /** How many may be inside together: 1, or k. */
  readonly entries: number
  /** How many resources a request may choose from: 1, or as many as were asked for where the facts know several. */
  readonly resources: number
  /** Where the token lies, or who coordinates, in a world that begins with nobody inside. */
  readonly home: NodeId
  /** The nodes that are inside when the world begins. Their releases are still to come. */
  readonly inside: readonly NodeId[]
  /** The resources of each of them, in the same order. Null: they have the one lock, resource 0. */
  readonly insideWith: readonly (readonly ResourceId[])[] | null
  readonly insideMode: Mode
  /** Which of them is inside to update, where the others share; null if none is. */
  readonly updating: NodeId | null
  /** The nodes that are dead when the world begins. Predictions may look at it. Rules may not, since no node knows. */
  readonly dead: readonly NodeId[]
  /** The nodes that are absent when the world begins, and may join later. The topology already shows their channels. */
  readonly absent: readonly NodeId[]
  /** The zone of each node, where the host knows it. Nodes of one zone are near each other. Only the order of turns may depend on it. */
  readonly zoneOfNode: readonly number[] | null
  readonly options: Options
}

/** The node where the single token of a token algorithm begins. */
export function firstHolder({ updating, inside, home }: Setup): NodeId {
  return updating ?? inside[0] ?? home
}

/** The resources of a node that is inside when the world begins. Undefined: the one lock, or it is not inside. */
export function beginsWith(
  { inside, insideWith }: Pick<Setup, 'inside' | 'insideWith'>,
  node: NodeId,
): readonly ResourceId[] | undefined {
  return insideWith?.[inside.indexOf(node)]
}

/** What a node that is inside when the world begins has asked for. */
export function askAtFirst(setup: Setup, node: NodeId): Ask {
  const resources = beginsWith(setup, node)
  const ask: Ask = { mode: node === setup.updating ? 'update' : setup.insideMode, priority: 0 }
  return resources === undefined ? ask : { ...ask, resources }
}

/** Derived from the setup alone, once for all nodes that share it. */
export function oncePerSetup<Options, Value>(
  work: (setup: Setup<Options>) => Value,
): (setup: Setup<Options>) => Value {
  const known = new WeakMap<Setup<Options>, Value>()
  return (setup) => {
    const before = known.get(setup)
    if (before !== undefined) return before
    const value = work(setup)
    known.set(setup, value)
    return value
  }
}

/** What a user may choose for a world. The algorithm's needs decide the rest. */
export interface Wishes<Options> {
  /** How many nodes. They are numbered from 0. */
  readonly nodes: number
  readonly options: Options
  /** Who can send to whom. */
  readonly topology?: Topology
  /** Of an algorithm that asks quorums. */
  readonly quorums?: Quorums
  /** Of an algorithm that takes an information structure. */
  readonly structure?: NamedStructure
  /** How many may be inside together. */
  readonly entries?: number
  /** Of an algorithm that serves several: how many resources there are. Default 1. */
  readonly resources?: number
  /** Where the token lies, or who coordinates, when nobody is inside at first. Default 0. */
  readonly home?: NodeId
  /** The nodes that are inside at first. */
  readonly inside?: readonly NodeId[]
  /** Of an algorithm that serves several resources: what each of them has, in the same order. No two have the same. */
  readonly insideWith?: readonly (readonly ResourceId[])[] | null
  /** Whether they share. Default `'exclusive'`. */
  readonly insideMode?: Mode
  /** Which of them is inside to update, while the others share. */
  readonly updating?: NodeId | null
  /** The nodes that are dead at first. */
  readonly dead?: readonly NodeId[]
  readonly absent?: readonly NodeId[]
  /** The zone of each node, if it is known. */
  readonly zoneOfNode?: readonly number[] | null
}

/** Builds the world an algorithm needs, or says why it cannot be built. `notes` tell what was chosen for the user. */
export function arrange<Options>(
  facts: Entries,
  wishes: Wishes<Options>,
): { setup: Setup<Options>; notes: string[] } {
  const notes: string[] = []
  const home = wishes.home ?? 0
  const entries = fitEntries(facts, wishes)
  const topology = fitTopology(facts, wishes.nodes, wishes.inside?.[0] ?? home, wishes.topology, notes)
  const setup: Setup<Options> = {
    nodes: wishes.nodes,
    topology,
    quorums: facts.quorums ? fitQuorums(facts, entries, wishes, notes) : null,
    structure: facts.structure ? fitStructure(wishes.nodes, wishes.structure, notes) : null,
    entries,
    resources: fitResources(facts, wishes.resources),
    home,
    inside: wishes.inside ?? [],
    insideWith: fitInsideWith(facts, wishes),
    insideMode: wishes.insideMode ?? 'exclusive',
    updating: wishes.updating ?? null,
    dead: fitDead(wishes.nodes, wishes.dead ?? []),
    absent: wishes.absent ?? [],
    zoneOfNode: wishes.zoneOfNode ?? null,
    options: wishes.options,
  }
  if (!facts.quorums && wishes.quorums !== undefined) {
    throw new InvalidInput(`${facts.name} asks no quorums, so there is nothing to choose`)
  }
  if (!facts.structure && wishes.structure !== undefined) {
    throw new InvalidInput(`${facts.name} takes no information structure, so there is nothing to choose`)
  }
  return { setup, notes }
}

/** In rising order, each once. */
function fitDead(nodes: number, wished: readonly NodeId[]): NodeId[] {
  const dead = [...new Set(wished)].toSorted((a, b) => a - b)
  const stray = dead.find((node) => !(node >= 0 && node < nodes))
  if (stray !== undefined) throw new InvalidInput(`"${stray}" is not a node from 0 to ${nodes - 1}`)
  if (dead.length === nodes) throw new InvalidInput(`all ${nodes} nodes are dead: at least one must be alive`)
  return dead
}

/** An election has no entries, and no resources. */
type Entries = ProtocolFacts & { readonly entries?: 1 | 'k'; readonly resources?: true }

/** The default for how many may be inside together: 1, or for an algorithm with k entries 2, if there are two nodes. */
export function defaultTogether({ entries }: Entries, nodes: number): number {
  return entries === 'k' ? Math.min(2, nodes) : 1
}

function fitEntries(facts: Entries, { nodes, entries }: Pick<Wishes<never>, 'nodes' | 'entries'>): number {
  if (facts.entries !== 'k' || entries === undefined) return defaultTogether(facts, nodes)
  if (entries <= nodes) return entries
  throw new InvalidInput(`"${entries}" of ${nodes} nodes are never inside together: k is at most ${nodes}`)
}

function fitResources({ name, resources: several }: Entries, wished = 1): number {
  if (several === true || wished === 1) return wished
  throw new InvalidInput(`${name} serves one lock, so there are no ${wished} resources to choose from`)
}

function fitInsideWith(
  facts: Entries,
  { inside = [], insideWith = null, resources: wished }: Omit<Wishes<never>, 'options'>,
): Setup['insideWith'] {
  if (insideWith === null) return null
  const resources = fitResources(facts, wished)
  if (insideWith.length !== inside.length)
    throw new InvalidInput(
      `${inside.length} nodes are inside, but resources of ${insideWith.length} are named`,
    )
  const all = insideWith.flat()
  const stray = all.find((resource) => !(resource >= 0 && resource < resources))
  if (stray !== undefined) throw new InvalidInput(`"${stray}" is not a resource from 0 to ${resources - 1}`)
  const twice = all.find((resource, i) => all.indexOf(resource) !== i)
  if (twice !== undefined)
    throw new InvalidInput(`resource ${twice} is named twice: one node at a time has it`)
  return insideWith
}

function fitTopology(
  facts: ProtocolFacts,
  nodes: number,
  root: NodeId,
  wished: Topology | undefined,
  notes: string[],
): Topology {
  if (wished !== undefined && wished.nodes !== nodes) {
    throw new InvalidInput(`the graph has ${wished.nodes} nodes, the run ${nodes}`)
  }
  switch (facts.topology) {
    case 'complete':
      if (wished !== undefined && !isComplete(wished)) {
        throw new InvalidInput(
          `${wished.kind} cannot carry ${facts.name}: it needs a channel between every two nodes`,
        )
      }
      return wished ?? complete(nodes)
    case 'ring':
      if (wished !== undefined && !hasRing(wished)) {
        throw new InvalidInput(
          `${wished.kind} cannot carry ${facts.name}: it needs channels 0-1-2-…-${nodes - 1}-0`,
        )
      }
      return wished ?? ring(nodes)
    case 'tree':
      if (wished === undefined || isTree(wished)) return wished ?? tree(nodes, 2)
      notes.push(`${facts.name} runs on a tree: took the shortest paths of ${wished.kind} to node ${root}`)
      return spanningTree(wished, root)
    case 'connected':
      return wished ?? complete(nodes)
  }
}

function isComplete(topology: Topology): boolean {
  if (topology.kind === 'complete') return true
  for (let node = 0; node < topology.nodes; node += 1) {
    if (topology.neighbours(node).length !== topology.nodes - 1) return false
  }
  return true
}

function hasRing(topology: Topology): boolean {
  const { nodes } = topology
  for (let node = 0; node < nodes; node += 1) {
    const next = (node + 1) % nodes
    if (next !== node && !topology.linked(node, next)) return false
  }
  return true
}

function fitQuorums(
  facts: Entries,
  entries: number,
  { nodes, quorums: wished }: Pick<Wishes<never>, 'nodes' | 'quorums'>,
  notes: string[],
): Quorums {
  if (wished !== undefined && wished.nodes !== nodes) {
    throw new InvalidInput(`the quorums are for ${wished.nodes} nodes, the run has ${nodes}`)
  }
  if (wished?.fallback !== undefined) notes.push(wished.fallback)
  if (facts.entries === 'k') {
    if (wished !== undefined) return kCoterieFrom(wished)
    const coterie = defaultKCoterie(nodes, entries)
    if (coterie.kind !== 'k-majority')
      notes.push(`no ${entries}-majority fits ${nodes} nodes: took ${coterie.kind} quorums`)
    return coterie
  }
  if (wished !== undefined) return wished
  const quorums = defaultQuorums(nodes)
  if (quorums.kind !== 'projective')
    notes.push(`no projective plane has ${nodes} points: took ${quorums.kind} quorums`)
  return quorums
}

function fitStructure(nodes: number, wished: NamedStructure | undefined, notes: string[]): NamedStructure {
  if (wished !== undefined && wished.nodes !== nodes) {
    throw new InvalidInput(`the structure is for ${wished.nodes} nodes, the run has ${nodes}`)
  }
  if (wished !== undefined) return wished
  const quorums = defaultQuorums(nodes)
  notes.push(`took Maekawa's information structure with ${quorums.kind} quorums`)
  return { kind: 'maekawa', ...fromQuorums(quorums) }
}
