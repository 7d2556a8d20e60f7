import type { AnyProtocol, ResourceId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { searchTiming } from '@turnwise/core/facts'
import { InvalidInput, invalid } from '@turnwise/core/invalid-input'
import { resourcesFrom } from '@turnwise/core/resources'
import type { Setup } from '@turnwise/core/setup'
import { type Budgets, type Instance, NO_TROUBLE } from './instance.ts'
import type { PropertyName } from './property.ts'
import { reducibleOf, requireReducible } from './reducible.ts'
import { requireSettleable } from './settling.ts'
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
  /** How many priorities a request may have: 0, 1, and so on. Default 1: all requests are equal. */
  readonly priorities?: number | undefined
  /**
   * Which resources each node asks for: one word per node, such as `0,1 1,2/2`; `/` is between sets of which it may choose, and the last word is
   * that of all further nodes. Default `any`: every set that is not empty.
   */
  readonly sets?: string | undefined
  /** Whether a node that runs again after a crash has its memory. Default: `'either'` if the algorithm has a rule for it, else `'kept'`. */
  readonly memory?: 'kept' | 'lost' | 'either' | undefined
  /** No clock passes this: worlds beyond it are not entered, and nothing is proved about them. Default: no bound. */
  readonly clock?: number | undefined
  /** How many messages may be under way from one node to another: worlds with more are not entered, and nothing is proved about them. Default: no bound. */
  readonly room?: number | undefined
  /** Distances between values of a clock count up to this, and larger ones as one. What holds is proved. Default: all count. */
  readonly gaps?: number | undefined
  /**
   * Explore the steps of one node alone where that is enough. Then only properties of single worlds are decided, and a run against one
   * need not be a shortest. Default false.
   */
  readonly reduced?: boolean | undefined
  /** Receive messages at once when the algorithm says that it makes no difference any more when they arrive. Default false. */
  readonly settled?: boolean | undefined
  /** The properties to decide; the others may fail. Default: all, or with `reduced` those of single worlds. */
  readonly only?: readonly PropertyName[] | undefined
}

/** Defaults: what the algorithm needs, and no trouble. */
export function instanceOf<Protocol extends AnyProtocol>(
  { algorithm, setup }: { readonly algorithm: Protocol; readonly setup: Setup },
  {
    requests,
    channels,
    timing,
    readers,
    downgrades,
    updates,
    priorities,
    sets,
    memory,
    clock,
    room,
    gaps,
    reduced = false,
    settled = false,
    only,
  }: Asked,
  trouble: Partial<Budgets> = {},
): Instance<Protocol> {
  const budgets = { ...NO_TROUBLE, ...trouble }
  const asked = only ?? (reduced ? reducibleOf(algorithm) : undefined)
  const instance: Instance<Protocol> = {
    algorithm,
    setup: { ...setup, absent: absentFor(setup.nodes, budgets.joins) },
    requests: requests === 'any' ? null : requests,
    channels: channels ?? algorithm.facts.channels,
    timing: timing ?? searchTiming(algorithm.facts),
    readers: readers ?? 'none',
    downgrades: downgrades ?? false,
    updates: updates ?? false,
    priorities: priorities ?? 1,
    ...(setup.resources === 1 && sets === undefined ? {} : { sets: setsFrom(sets ?? 'any', setup) }),
    memory: memory ?? (algorithm.restart === undefined ? 'kept' : 'either'),
    ...(clock === undefined ? {} : { clock }),
    ...(room === undefined ? {} : { room }),
    ...(gaps === undefined ? {} : { gaps }),
    ...(asked === undefined ? {} : { only: asked }),
    ...(reduced ? { reduced } : {}),
    ...(settled ? { settled } : {}),
    budgets,
  }
  if (settled) requireSettleable(instance)
  if (reduced) requireReducible(instance)
  return instance
}

/** More sets are too many to explore. */
const MOST_CHOICES = 64

/** For each node the sets of which it asks for one. */
export function setsFrom(
  text: string,
  { nodes, resources }: Pick<Setup, 'nodes' | 'resources'>,
): ResourceId[][][] {
  const words = text.trim().split(/\s+/)
  if (words.length > nodes) throw invalid(text, `at most one word per node: there are ${nodes} nodes`)
  return Array.from({ length: nodes }, (_, node) =>
    choices(get(words, Math.min(node, words.length - 1)), resources),
  )
}

function choices(word: string, resources: number): ResourceId[][] {
  if (word !== 'any') return word.split('/').map((set) => resourcesFrom(set, resources))
  if (2 ** resources > MOST_CHOICES)
    throw new InvalidInput(
      `"any" of ${resources} resources is too much to explore: name the sets, as in "0,1 1,2"`,
    )
  const all = Array.from({ length: resources }, (_, resource) => resource)
  return Array.from({ length: 2 ** resources - 1 }, (_, i) =>
    all.filter((resource) => ((i + 1) >> resource) & 1),
  )
}
