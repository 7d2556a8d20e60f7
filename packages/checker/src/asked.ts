import type { AnyProtocol } from '@turnwise/core/algorithm'
import { searchTiming } from '@turnwise/core/facts'
import type { Setup } from '@turnwise/core/setup'
import { type Budgets, type Instance, NO_TROUBLE } from './instance.ts'
import { absentFor } from './surroundings.ts'

/** What is asked about a world, by a command, a page or a record. */
export interface Asked {
  /** How often each node may ask. `check` takes 1 if nothing is said. */
  readonly requests: number | 'any'
  /** Whether a channel keeps the order of its messages. Default: as the algorithm needs it. */
  readonly channels?: 'fifo' | 'unordered' | undefined
  /** When a time-out can fire: only when nothing else can happen, or at any moment. Default: as the algorithm needs it. */
  readonly timing?: 'bounded' | 'any' | undefined
  /** Which requests ask to share. Default `'none'`. */
  readonly readers?: 'none' | 'some' | 'all' | undefined
  /** Whether a node that is inside exclusively may go on as a reader. Default false. */
  readonly downgrades?: boolean | undefined
  /** Whether a request may be for an update, which may become exclusive. Default false. */
  readonly updates?: boolean | undefined
  /** Whether a node that runs again after a crash has its memory. Default: `'either'` if the algorithm has a rule for it, else `'kept'`. */
  readonly memory?: 'kept' | 'lost' | 'either' | undefined
}

/** Defaults: what the algorithm needs, and no trouble. */
export function instanceOf<Protocol extends AnyProtocol>(
  { algorithm, setup }: { readonly algorithm: Protocol; readonly setup: Setup },
  { requests, channels, timing, readers, downgrades, updates, memory }: Asked,
  trouble: Partial<Budgets> = {},
): Instance<Protocol> {
  const budgets = { ...NO_TROUBLE, ...trouble }
  return {
    algorithm,
    setup: { ...setup, absent: absentFor(setup.nodes, budgets.joins) },
    requests: requests === 'any' ? null : requests,
    channels: channels ?? algorithm.facts.channels,
    timing: timing ?? searchTiming(algorithm.facts),
    readers: readers ?? 'none',
    downgrades: downgrades ?? false,
    updates: updates ?? false,
    memory: memory ?? (algorithm.restart === undefined ? 'kept' : 'either'),
    budgets,
  }
}
