import type { NodeId } from '@turnwise/core/algorithm'
import type { LocalEvent, Outcome } from './local.ts'

/** One step from a world to the next, as the explorer sees it. */
export interface Step {
  /** What happened, where; `lose` and `duplicate` are the network's doing. */
  event: LocalEvent | { readonly is: 'lose'; readonly why: Loss } | { readonly is: 'duplicate' }
  node: NodeId
  /** The message that was received, lost, received twice or given back; -1 if none. */
  envelope: number
  messages: number
  /** Whether the node entered, or its election has ended. */
  entered: boolean
  /** What the handler did; null where none was called. */
  outcome: Outcome | null
  /** Why the fence given out is wrong after earlier ones, or null. */
  staleFence: string | null
  /** Why a message could not be delivered, or null. */
  obstacle: Exclude<Loss, 'drop'> | null
  /** Whether something comes back that was there before; as long as it can, it will. */
  returns: boolean
}

/** Why a message is lost. */
export type Loss = 'drop' | 'cut' | 'crash' | 'absent'
