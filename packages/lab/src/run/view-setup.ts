import type { AnyProtocol, NodeId } from '@turnwise/core/algorithm'
import { type AskedWorld, worldOfView } from '@turnwise/core/asked-world'
import { get } from '@turnwise/core/bounds'
import { arrange, type Setup } from '@turnwise/core/setup'
import type { Topology } from '@turnwise/core/topology'

/** The world of one view of a mesh: as its members number themselves, and in the numbers of the record. */
export interface ViewSetup {
  /** For formulas, which need the number of nodes and their quorums. */
  readonly own: Setup
  /** For pictures: channels and quorums among the nodes of the record. */
  readonly drawn: Setup
}

const known = new WeakMap<readonly NodeId[], ViewSetup>()

/** `whole` is the world of all nodes of the record. The mesh arranges the world of a view in the same way. */
export function viewSetup(
  protocol: AnyProtocol,
  whole: Setup,
  members: readonly NodeId[],
  asked: AskedWorld,
): ViewSetup {
  const found = known.get(members) ?? makeSetup(protocol, whole, members, asked)
  known.set(members, found)
  return found
}

function makeSetup(
  { facts }: AnyProtocol,
  { nodes, options }: Setup,
  members: readonly NodeId[],
  asked: AskedWorld,
): ViewSetup {
  const built = worldOfView(asked, facts, members.length)
  const { setup: own } = arrange(facts, { nodes: members.length, options, ...built })
  const { topology, quorums, structure, home } = own
  /** The lists of a view, for all nodes of the record. A node outside the view has an empty list. */
  const renamed = (of: (place: number) => readonly number[]) => (node: NodeId) => {
    const place = members.indexOf(node)
    return place < 0
      ? []
      : of(place)
          .map((other) => get(members, other))
          .toSorted((a, b) => a - b)
  }
  const all = Array.from({ length: nodes }, (_, node) => node)
  const drawn: Setup = {
    ...own,
    nodes,
    home: get(members, home),
    topology: renamedTopology(topology, nodes, members, renamed),
    quorums: quorums === null ? null : { kind: quorums.kind, nodes, of: renamed((one) => quorums.of(one)) },
    structure:
      structure === null
        ? null
        : {
            ...structure,
            nodes,
            inform: all.map(renamed((one) => get(structure.inform, one))),
            request: all.map(renamed((one) => get(structure.request, one))),
          },
  }
  return { own, drawn }
}

function renamedTopology(
  topology: Topology,
  nodes: number,
  members: readonly NodeId[],
  renamed: (of: (place: number) => readonly number[]) => (node: NodeId) => readonly NodeId[],
): Topology {
  const neighbours = renamed((place) => topology.neighbours(place))
  return {
    kind: topology.kind,
    nodes,
    neighbours,
    linked: (a, b) => neighbours(a).includes(b),
    towards(root) {
      const hops = topology.towards(members.indexOf(root))
      const renamedHops = new Int32Array(nodes).fill(root)
      hops.forEach((next, place) => (renamedHops[get(members, place)] = get(members, next)))
      return renamedHops
    },
  }
}
