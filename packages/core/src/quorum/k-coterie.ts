import type { NodeId } from '../algorithm.ts'
import { get } from '../bounds.ts'
import { InvalidInput } from '../invalid-input.ts'
import { cyclic } from './cyclic.ts'
import { type QuorumChoice, type Quorums, sizesOver } from './quorums.ts'

/**
 * k-coteries: sets of quorums that let k nodes in together, and no more (Kakugawa, Fujita, Yamashita and Ae 1993;
 * here after Velazquez 1993, section 6). With every request a node asks one of them. Three conditions:
 *
 *  - intersection: of any k + 1 quorums two meet, so that at most k are granted at a time;
 *  - non-intersection: for any h < k quorums that do not meet each other there is one that meets none of them, so that
 *    another node can be let in while fewer than k are inside. The survey asks only that it miss one of them, which is
 *    too weak: of {0}, {1,2}, {1,3} any two disjoint ones leave a quorum that misses one of the two, but three nodes
 *    are never inside together;
 *  - minimality: no quorum contains another.
 */
export type KCoterie = Quorums & { readonly choice: QuorumChoice }

/** Why a list of quorums is no k-coterie, or null if it is one. Tries all disjoint families. */
export function kCoterieFlaw(quorums: readonly (readonly NodeId[])[], k: number): string | null {
  const distinct = distinctLists(quorums)
  for (const one of distinct) {
    const larger = distinct.find((other) => other !== one && one.every((member) => other.includes(member)))
    if (larger !== undefined) return `${written([larger])} contains ${written([one])}`
  }
  const flawIn = (family: readonly (readonly NodeId[])[]): string | null => {
    if (family.length > k) return `${written(family)} do not meet, so that ${k + 1} nodes can be inside`
    const more = distinct.filter((quorum) => family.every((other) => !meet(quorum, other)))
    if (more.length === 0 && family.length < k)
      return `no quorum misses ${written(family)}, so that ${k} nodes are never inside together`
    for (const quorum of more) {
      const flaw = flawIn([...family, quorum])
      if (flaw !== null) return flaw
    }
    return null
  }
  return flawIn([])
}

/**
 * All sets of w nodes, w the least number of which k + 1 are more than all: of k + 1 such sets two meet. For k of
 * them to lie side by side k w must not exceed n; otherwise there is no k-majority, as for 2 of 3 nodes.
 */
export function kMajority(nodes: number, k: number): KCoterie {
  const size = majoritySize(nodes, k)
  if (!hasKMajority(nodes, k)) {
    const sets = `${k} sets of ${size}`
    throw new InvalidInput(`"k-majority" needs room for ${sets} that do not meet: ${nodes} nodes are too few`)
  }
  const all = range(0, nodes)
  return {
    ...cyclic('k-majority', nodes, range(0, size)),
    choice: {
      lists: null,
      apart: range(0, k).map((place) => range(place * size, (place + 1) * size)),
      draw: (node, from, random) => subset(all, from === 'own' ? node : null, size, random),
      others(from) {
        if (from === 'own' || size === nodes) return { min: size - 1, max: size - 1, mean: size - 1 }
        return { min: size - 1, max: size, mean: size - size / nodes }
      },
    },
  }
}

export function hasKMajority(nodes: number, k: number): boolean {
  return k * majoritySize(nodes, k) <= nodes
}

function majoritySize(nodes: number, k: number): number {
  return Math.ceil((nodes + 1) / (k + 1))
}

/** The first k nodes, each a quorum by itself: k coordinators. */
export function kSingleton(nodes: number, k: number): KCoterie {
  const members = range(0, k).map((node) => [node])
  return groups('k-singleton', nodes, members, (node) => (node < k ? node : null))
}

/** The nodes dealt out to k groups, and in each the majorities: always a k-coterie. */
export function disjointMajorities(nodes: number, k: number): KCoterie {
  const dealt = range(0, k).map((group) => range(0, nodes).filter((node) => node % k === group))
  return groups('disjoint', nodes, dealt, (node) => node % k)
}

/** The majorities of groups that do not meet. `own` is the group that a node belongs to, or null. */
function groups(
  kind: string,
  nodes: number,
  members: readonly (readonly NodeId[])[],
  own: (node: NodeId) => number | null,
): KCoterie {
  const size = (group: number) => Math.floor(get(members, group).length / 2) + 1
  const firstOf = (node: NodeId, group: number) => {
    const list = get(members, group)
    const from = Math.max(0, list.indexOf(node))
    return range(from, from + size(group))
      .map((place) => get(list, place % list.length))
      .toSorted((a, b) => a - b)
  }
  const groupsFor = (node: NodeId, from: 'own' | 'any') => {
    const mine = from === 'own' ? own(node) : null
    return mine === null ? range(0, members.length) : [mine]
  }
  return {
    kind,
    nodes,
    of: (node) => firstOf(node, own(node) ?? node % members.length),
    choice: {
      lists: null,
      apart: members.map((group, place) => firstOf(get(group, 0), place)),
      draw(node, from, random) {
        const allowed = groupsFor(node, from)
        const group = get(allowed, allowed.length === 1 ? 0 : random(allowed.length))
        return subset(get(members, group), own(node) === group ? node : null, size(group), random)
      },
      others: (from) =>
        sizesOver(nodes, (node) =>
          groupsFor(node, from).map((group) => size(group) - (own(node) === group ? 1 : 0)),
        ),
    },
  }
}

/** Quorums given one by one. They need not be a k-coterie: `kCoterieFlaw` tells. */
export function kCoterieFrom(quorums: Quorums): KCoterie {
  if (quorums.choice !== undefined) return { ...quorums, choice: quorums.choice }
  const { nodes } = quorums
  const lists = distinctLists(range(0, nodes).map((node) => quorums.of(node)))
  const listsFor = (node: NodeId, from: 'own' | 'any') => {
    const mine = from === 'own' ? lists.filter((list) => list.includes(node)) : []
    return mine.length === 0 ? lists : mine
  }
  return {
    ...quorums,
    choice: {
      lists,
      apart: mostApart(lists),
      draw(node, from, random) {
        const allowed = listsFor(node, from)
        return get(allowed, allowed.length === 1 ? 0 : random(allowed.length))
      },
      others: (from) =>
        sizesOver(nodes, (node) =>
          listsFor(node, from).map((list) => list.length - (list.includes(node) ? 1 : 0)),
        ),
    },
  }
}

/** A subset of the given size, `through` a member if one is named, every other equally likely. */
function subset(
  members: readonly NodeId[],
  through: NodeId | null,
  size: number,
  random: (bound: number) => number,
): readonly NodeId[] {
  const left = members.filter((member) => member !== through)
  const chosen = through === null ? [] : [through]
  // Where all are taken there is nothing to draw.
  if (left.length === size - chosen.length) return members
  while (chosen.length < size) chosen.push(...left.splice(random(left.length), 1))
  return chosen.toSorted((a, b) => a - b)
}

/** As many quorums as possible, no two of which meet. */
function mostApart(lists: readonly (readonly NodeId[])[]): readonly (readonly NodeId[])[] {
  let best: readonly (readonly NodeId[])[] = []
  const grow = (family: readonly (readonly NodeId[])[], from: number): void => {
    if (family.length > best.length) best = family
    for (let i = from; i < lists.length; i += 1) {
      if (family.every((other) => !meet(get(lists, i), other))) grow([...family, get(lists, i)], i + 1)
    }
  }
  grow([], 0)
  return best
}

function distinctLists(lists: readonly (readonly NodeId[])[]): readonly (readonly NodeId[])[] {
  return [...new Map(lists.map((list) => [list.join(), list])).values()]
}

function meet(a: readonly NodeId[], b: readonly NodeId[]): boolean {
  return a.some((member) => b.includes(member))
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, step) => from + step)
}

function written(quorums: readonly (readonly NodeId[])[]): string {
  return quorums.map((quorum) => `{${quorum.join()}}`).join(' ')
}
