/** Who holds and who waits, gathered from the answers of all members. */

import {
  type Caller,
  type Holding,
  LONGEST_MESSAGE,
  MOST_CIRCLES,
  type NameOverview,
  type Waiting,
} from '@turnwise/mesh/daemon/control-messages'
import { circlesIn, type Told } from '@turnwise/mesh/protocol/circles'
import { fenceNumber } from '@turnwise/mesh/protocol/fence'
import type { Standing } from '@turnwise/mesh/protocol/messages'
import { isGroup, kindOf, nameOf, namesHeld } from '@turnwise/mesh/protocol/names'

interface Gathered {
  readonly holders: Holding[]
  readonly waiters: Waiting[]
}

/** Characters of what its callers say. */
export function infoIn({ holders, waiters }: NameOverview): number {
  return [...holders, ...waiters].reduce((sum, { info }) => sum + (info?.length ?? 0), 0)
}

/** All names, and who waits for each other. */
export interface Overview {
  readonly names: readonly NameOverview[]
  readonly circles: readonly string[]
}

export function overviewWithCircles(answers: readonly Told[]): Overview {
  const circles = circlesIn(answers).slice(0, MOST_CIRCLES)
  return { names: overviewOf(answers), circles: circles.map((text) => text.slice(0, LONGEST_MESSAGE)) }
}

function callerOf(node: string, key: string, { mode, age, about, resources }: Standing): Caller {
  const caller: Caller = { node, mode, age, info: about?.info ?? null }
  return resources === undefined || !isGroup(key)
    ? caller
    : { ...caller, names: namesHeld(key, { resources }) }
}

/** The names in order. Nodes answer one after the other, so this is no moment of the whole mesh. */
function overviewOf(answers: readonly Told[]): NameOverview[] {
  const byKey = new Map<string, Gathered>()
  for (const { id: node, names } of answers) {
    for (const { name: key, held, pending } of names) {
      // Seats of a group whose callers have gone are nothing to show.
      if (held.length + pending.length === 0) continue
      const { holders, waiters } = byKey.get(key) ?? { holders: [], waiters: [] }
      byKey.set(key, { holders, waiters })
      for (const each of held)
        holders.push({ ...callerOf(node, key, each), fence: String(fenceNumber(each.fence)) })
      for (const each of pending) waiters.push({ ...callerOf(node, key, each), ahead: each.ahead ?? null })
    }
  }
  return [...byKey]
    .map(([key, { holders, waiters }]) => ({
      name: nameOf(key),
      kind: kindOf(key),
      holders: holders.toSorted((one, other) => other.age - one.age),
      // The sort is stable: those of one node stay in the order of their queue.
      waiters: waiters.toSorted(
        (one, other) =>
          (one.ahead ?? Number.MAX_VALUE) - (other.ahead ?? Number.MAX_VALUE) || other.age - one.age,
      ),
    }))
    .toSorted((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0))
}
