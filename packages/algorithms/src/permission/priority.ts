/**
 * Priority by sequence numbers, as Ricart and Agrawala decide it: the smaller number comes first, and among equal
 * numbers the smaller node. The comparison says its outcome, so that all that use it say it in the same words.
 */
import type { Here } from '@turnwise/core/algorithm'
import { precedes, type Timestamp } from '@turnwise/core/timestamp'

type Judge = Pick<Here, 'self' | 'because'>

/** Whether our request, if we have one, comes before another. */
export function comesFirst(ours: number | null, here: Judge, other: Timestamp): boolean {
  if (ours === null) {
    here.because?.('node {self} does not want to enter: it has no objection to node {from}', {
      from: other.node,
    })
    return false
  }
  sayWhoIsFirst(ours, here, other)
  return precedes({ time: ours, node: here.self }, other)
}

export function sayWhoIsFirst(ours: number, here: Judge, { time, node: from }: Timestamp): void {
  if (ours < time)
    here.because?.('node {self} comes before node {from}: its number {ours} is below {theirs}', {
      from,
      ours,
      theirs: time,
    })
  else if (ours > time)
    here.because?.('node {from} comes before node {self}: its number {theirs} is below {ours}', {
      from,
      ours,
      theirs: time,
    })
  else if (here.self < from)
    here.because?.(
      'node {self} comes before node {from}: both have number {ours}, and node {self} is smaller',
      {
        from,
        ours,
      },
    )
  else
    here.because?.(
      'node {from} comes before node {self}: both have number {ours}, and node {from} is smaller',
      {
        from,
        ours,
      },
    )
}
