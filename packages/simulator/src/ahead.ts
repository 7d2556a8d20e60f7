import type { NodeId } from '@turnwise/core/algorithm'
import { type Engine, LINKED, NOTICE, PROCEED, RESTORE, SUSPECT, TIMER, UNLINKED } from './engine.ts'
import type { Pending } from './event-queue.ts'
import type { Timers } from './running-timers.ts'

/** What a node has before it, besides messages: it can happen now instead of when it is due. */
export type OwnAct =
  | { readonly does: 'timeout'; readonly node: NodeId; readonly timer: string }
  | { readonly does: 'proceed'; readonly node: NodeId; readonly step: string }
  /** What the detector of failures, or the network, tells it of another node. */
  | { readonly does: keyof typeof TOLD; readonly node: NodeId; readonly peer: NodeId }
  /** It hears that a message was not delivered. */
  | { readonly does: 'notice'; readonly node: NodeId; readonly message: number }

/** An act of its own, and when it is due, in ticks. */
export interface Ahead {
  readonly act: OwnAct
  readonly at: number
}

const TOLD = { suspect: SUSPECT, restore: RESTORE, linked: LINKED, unlinked: UNLINKED } as const

const KINDS: ReadonlySet<number> = new Set([TIMER, PROCEED, NOTICE, ...Object.values(TOLD)])

const OWN: ReadonlySet<string> = new Set<OwnAct['does']>([
  'timeout',
  'proceed',
  'notice',
  'suspect',
  'restore',
  'linked',
  'unlinked',
])

export function isOwnAct(act: { readonly does: string }): act is OwnAct {
  return OWN.has(act.does)
}

interface Parts {
  readonly engine: Engine
  readonly timers: Timers
}

/** Everything of that kind which is due some time, the earliest first. A cancelled timer and the steps of a node that crashed are not. */
export function aheadIn({ engine, timers }: Parts): Ahead[] {
  if (engine.live === 0) return []
  return engine.queue.listed(KINDS).flatMap((event) => {
    const act = actOf(event)
    return act !== null && isDue(event, { engine, timers }) ? [{ act, at: event.time }] : []
  })
}

/** Whether this pending event is what the act means. */
export function isMeant(event: Pending, act: OwnAct, parts: Parts): boolean {
  if (!KINDS.has(event.kind) || event.node !== act.node || !isDue(event, parts)) return false
  return JSON.stringify(actOf(event)) === JSON.stringify(act)
}

function isDue({ kind, node, id, payload }: Pending, { engine, timers }: Parts): boolean {
  if (engine.alive[node] === 0) return false
  if (kind === TIMER) return timers.isRunning(node, payload as string, id)
  return kind !== PROCEED || id === engine.incarnation[node]
}

function actOf({ kind, node, other, id, payload }: Pending): OwnAct | null {
  if (kind === TIMER) return { does: 'timeout', node, timer: payload as string }
  if (kind === PROCEED) return { does: 'proceed', node, step: payload as string }
  if (kind === NOTICE) return { does: 'notice', node, message: id }
  for (const does of ['suspect', 'restore', 'linked', 'unlinked'] as const)
    if (TOLD[does] === kind) return { does, node, peer: other }
  return null
}
