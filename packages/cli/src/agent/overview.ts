/** Who holds and who waits, gathered from the answers of all members. */

import type { Holding, NameOverview, Waiting } from '@turnwise/mesh/daemon/words'
import { fenceNumber } from '@turnwise/mesh/protocol/fence'
import type { NameStanding } from '@turnwise/mesh/protocol/messages'
import { kindOf, nameOf } from '@turnwise/mesh/protocol/names'

interface Gathered {
  readonly holders: Holding[]
  readonly waiters: Waiting[]
}

/** The names in order. Nodes answer one after the other, so this is no moment of the whole mesh. */
export function overviewOf(
  answers: readonly { readonly id: string; readonly names: readonly NameStanding[] }[],
): NameOverview[] {
  const byKey = new Map<string, Gathered>()
  for (const { id: node, names } of answers) {
    for (const { name: key, held, pending } of names) {
      const { holders, waiters } = byKey.get(key) ?? { holders: [], waiters: [] }
      byKey.set(key, { holders, waiters })
      for (const { mode, age, fence } of held) {
        holders.push({ node, mode, age, fence: String(fenceNumber(fence)) })
      }
      for (const { mode, age } of pending) waiters.push({ node, mode, age })
    }
  }
  return [...byKey]
    .map(([key, { holders, waiters }]) => ({
      name: nameOf(key),
      kind: kindOf(key),
      holders: holders.toSorted((one, other) => other.age - one.age),
      // The sort is stable: those of one node stay in the order of their queue.
      waiters: waiters.toSorted((one, other) => other.age - one.age),
    }))
    .toSorted((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0))
}
