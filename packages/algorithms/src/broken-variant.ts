import type {
  Algorithm,
  AnyAlgorithm,
  AnyElection,
  AnyProtocol,
  Message,
  NodeId,
} from '@turnwise/core/algorithm'

/**
 * An algorithm with one rule changed, kept because it fails: either a rule as it was published, or a slip that
 * shows what the right rule is for. Judges and checker must catch it, by the property it names.
 */
export interface BrokenVariant<Protocol extends AnyProtocol = AnyAlgorithm> {
  /** Its name is the stem of its file. */
  readonly algorithm: Protocol
  /** The catalogue name of the algorithm it changes. */
  readonly of: string
  /** Paper and section of the broken rule; null for a slip that was never published. */
  readonly published: string | null
  /** Which property fails. */
  readonly fails:
    | 'exclusion'
    | 'one-token'
    | 'no-deadlock'
    | 'can-enter'
    | 'no-starvation'
    | 'fences-rise'
    | 'rules'
    | 'one-coordinator'
    | 'agreement'
    | 'highest'
    | 'can-end'
  /** The change, the failure and the repair, in a few short sentences each. */
  readonly rule: string
  readonly failure: string
  readonly repair: string
  /** The smallest world in which it shows. */
  readonly instance: {
    readonly nodes: number
    readonly requests: number | 'any'
    readonly channels: 'fifo' | 'unordered'
    readonly topology?: string
    readonly quorum?: string
    readonly structure?: string
    readonly k?: number
    /** How many resources there are, and which of them each node asks for: see `Asked.sets` of the checker. */
    readonly resources?: number
    readonly sets?: string
    readonly set?: readonly string[]
    /** Which nodes are dead when the world begins, and how many may crash later. */
    readonly dead?: string
    readonly crashes?: number
    /** Whether each request may choose to share. */
    readonly readers?: 'some'
    /** Whether a node inside may go on as a reader. */
    readonly downgrades?: true
    /** Whether a request may be for an update, which may become exclusive. */
    readonly updates?: true
    /** How many priorities a request may have. */
    readonly priorities?: number
    /** How many requests may be withdrawn. */
    readonly withdrawals?: number
    /** How many nodes may join and leave: see the budgets of the checker. */
    readonly restarts?: number
    readonly unlinks?: number
    readonly links?: number
    readonly joins?: number
    readonly leaves?: number
  }
  /** Its search takes a minute. `npm run check:all` runs it; tests play the run by hand. */
  readonly takesLong?: true
}

export type BrokenElection = BrokenVariant<AnyElection>

/** The same algorithm under another name; a broken variant claims nothing else of its own. */
export function renamed<Broken extends { readonly facts: { readonly name: string } }>(
  name: string,
  algorithm: Broken,
): Broken {
  return { ...algorithm, facts: { ...algorithm.facts, name } }
}

/**
 * The same algorithm in a world that one node joins at any moment, through a sponsor of our choice, so that runs
 * without faults show it too. No node sends to it before it has spoken, and no other node joins.
 */
export function comingLater<State, M extends Message, Options>(
  algorithm: Algorithm<State, M, Options>,
  newcomer: NodeId,
  sponsor: NodeId | null,
): Algorithm<State, M, Options> {
  const { facts } = algorithm
  const later: Algorithm<State, M, Options> = {
    ...algorithm,
    facts: { ...facts, timers: { ...facts.timers, come: 'pace' } },
    init: (self, setup) => algorithm.init(self, { ...setup, absent: [newcomer] }),
    start(_state, here) {
      if (here.self === newcomer) here.setTimer('come', 1)
    },
    timeout(state, here, timer) {
      if (timer === 'come') algorithm.join?.(state, here, sponsor)
      else algorithm.timeout?.(state, here, timer)
    },
  }
  delete later.join
  return later
}
