import type { AnyProtocol, NodeId } from '@turnwise/core/algorithm'
import type { Fault } from '@turnwise/core/faults'
import { InvalidInput } from '@turnwise/core/invalid-input'
import type { Setup } from '@turnwise/core/setup'

/** The changes of the world for which an algorithm needs a rule. */
const CHANGES = {
  add: { handler: 'join', what: 'nodes that join' },
  remove: { handler: 'leave', what: 'nodes that leave' },
  link: { handler: 'linked', what: 'new channels' },
  unlink: { handler: 'unlinked', what: 'channels that go away' },
} as const

export type Change = keyof typeof CHANGES

/** Each change by the name of what a search may spend on it. */
export const CHANGE_BY_BUDGET = { joins: 'add', leaves: 'remove', links: 'link', unlinks: 'unlink' } as const

/** Complains unless the algorithm has the rule. */
export function requireRule({ facts, ...algorithm }: AnyProtocol, change: Change): void {
  const { handler, what } = CHANGES[change]
  if (algorithm[handler] === undefined) throw new InvalidInput(`${facts.name} has no rule for ${what}`)
}

export type MembershipFault = Extract<Fault, { kind: Change }>

function isMembershipFault(fault: Fault): fault is MembershipFault {
  return Object.hasOwn(CHANGES, fault.kind)
}

/** The nodes that are absent when the world begins: their first change is a join. */
export function absentAtFirst(faults: readonly Fault[]): NodeId[] {
  const first = new Map<NodeId, Extract<Fault, { kind: 'add' | 'remove' }>>()
  for (const fault of faults) {
    if (fault.kind !== 'add' && fault.kind !== 'remove') continue
    if (fault.at < (first.get(fault.node)?.at ?? Number.POSITIVE_INFINITY)) first.set(fault.node, fault)
  }
  return [...first.values()].filter(({ kind }) => kind === 'add').map(({ node }) => node)
}

/** Throws if this fault cannot happen: nodes and channels come and go only if the algorithm has a rule for it. */
export function checkMembership(
  algorithm: AnyProtocol,
  setup: Setup,
  fault: Fault,
  faults: readonly Fault[],
): void {
  if (!isMembershipFault(fault)) return
  requireRule(algorithm, fault.kind)
  if (fault.kind !== 'add' || !absentAtFirst(faults).includes(fault.node)) return
  if (fault.node !== setup.home && !setup.inside.includes(fault.node)) return
  throw new InvalidInput(`node ${fault.node} cannot join later: the world begins with it`)
}
