/**
 * Nodes that fail and run again, join, or leave: what the host keeps about them, and what becomes of their callers. The
 * simulator's `Callers`, `Failures` and `Membership` do the same in runs.
 */
import type { NodeId } from '@turnwise/core/algorithm'
import type { Local, LocalEvent } from './local.ts'

/** What belongs to a node in a world in which nodes and channels come and go. */
export interface Churn {
  /** What happens to it before anything else does, in order; to a crashed node when it runs again. */
  readonly due: readonly LocalEvent[]
  /** Nodes that run again before this node's failure detector has named their crash, sorted. */
  readonly late: readonly NodeId[]
  /** What the caller of a crashed node wanted, if the node may remember it. */
  readonly caller: 'idle' | 'waiting' | 'inside'
  readonly isLeaving: boolean
}

export const CALM: Churn = { due: [], late: [], caller: 'idle', isLeaving: false }

/** The memory of an absent node does not matter: all nodes that have crashed for good, or are absent, are equal. */
export function away(node: NodeId, status: 'crashed' | 'absent', requestsLeft: number | null): Local {
  return {
    node,
    state: {},
    status,
    mode: null,
    resources: null,
    requestsLeft,
    timers: [],
    steps: [],
    suspected: [],
    coordinator: null,
    churn: null,
  }
}

/** A crash ends timers, steps and callers. A node that may come back keeps its memory; a node that was leaving is gone. */
export function crashed(local: Local, memory: 'kept' | 'lost' | 'none'): Local {
  const { node, status, churn, requestsLeft } = local
  if (churn?.isLeaving === true) return away(node, 'absent', requestsLeft)
  if (memory === 'none') return away(node, 'crashed', 0)
  const { due } = churn ?? CALM
  const bare = { ...away(node, 'crashed', requestsLeft), churn: { ...CALM, due } }
  if (memory === 'lost') return bare
  const caller = status.startsWith('inside') ? 'inside' : status.startsWith('waiting') ? 'waiting' : 'idle'
  const mode = caller === 'idle' ? null : local.mode
  return {
    ...bare,
    state: local.state,
    mode,
    resources: caller === 'idle' ? null : local.resources,
    suspected: local.suspected,
    churn: { ...bare.churn, caller },
  }
}

/**
 * A node runs again with its memory, but its caller is gone. A request is withdrawn, if there is a rule for that;
 * otherwise its grant is released when it comes. An entry is released; for the judges it ended with the crash. Then it
 * hears which channels have come and gone meanwhile.
 */
export function remembering(local: Local, { takesBack }: { takesBack: boolean }): Local {
  const { caller, due } = local.churn ?? CALM
  const back: LocalEvent[] = caller === 'waiting' && takesBack ? [{ is: 'withdraw' }] : []
  const out: LocalEvent[] = caller === 'inside' ? [{ is: 'leave' }] : []
  const status = caller === 'waiting' ? 'waiting unwanted' : caller === 'inside' ? 'inside no more' : 'idle'
  return { ...local, status, churn: { ...CALM, due: [...back, ...due, ...out] } }
}

/** This will happen to the node at once. */
export function withDue(local: Local, ...events: readonly LocalEvent[]): Local {
  const { churn } = local
  return churn === null ? local : { ...local, churn: { ...churn, due: [...churn.due, ...events] } }
}

/** The failure detector of this node will still name the crash of a peer that runs again. */
export function withLate(local: Local, peer: NodeId): Local {
  const { churn, suspected } = local
  if (churn === null || suspected.includes(peer) || churn.late.includes(peer)) return local
  return { ...local, churn: { ...churn, late: [...churn.late, peer].toSorted((a, b) => a - b) } }
}
