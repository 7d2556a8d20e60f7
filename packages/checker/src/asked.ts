import type { AnyProtocol } from '@turnwise/core/algorithm'
import { searchTiming } from '@turnwise/core/facts'
import type { Setup } from '@turnwise/core/setup'
import { type Budgets, type Instance, NO_TROUBLE } from './instance.ts'
import { absentFor } from './surroundings.ts'

/** What is asked about a world, by a command, a page or a record. */
export interface Asked {
  readonly requests: number | 'any'
  readonly channels?: Instance['channels'] | undefined
  readonly timing?: Instance['timing'] | undefined
  readonly readers?: Instance['readers'] | undefined
  readonly memory?: Instance['memory'] | undefined
}

/** Defaults: what the algorithm needs, and no trouble. */
export function instanceOf<Protocol extends AnyProtocol>(
  { algorithm, setup }: { readonly algorithm: Protocol; readonly setup: Setup },
  { requests, channels, timing, readers, memory }: Asked,
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
    memory: memory ?? (algorithm.restart === undefined ? 'kept' : 'either'),
    budgets,
  }
}
