import type { Algorithm, AnyProtocol, Here, Message } from '@turnwise/core/algorithm'

/**
 * A published rule that was suspected, and in which the checker finds nothing wrong: every property holds in every
 * model of it. Kept like a broken variant, so that nobody need suspect it again.
 */
export interface InnocentVariant {
  /** The stem of its file. */
  readonly name: string
  /** The rule at work: a variant of that name; or, where the catalogue keeps the rule, the algorithm itself. */
  readonly algorithm: AnyProtocol
  /** The catalogue name of what it was made from. */
  readonly of: string
  /** Where the rule stands, as paper and section. */
  readonly published: string
  /** The rule, what seemed to be wrong with it, and why that does no harm: a sentence or two each. */
  readonly rule: string
  readonly suspicion: string
  readonly harmless: string
}

/**
 * The same algorithm where each node may give one false alarm, at any moment: time-outs that a search lets fire only
 * when nothing else can happen are never false, and ones that it lets fire at will never end.
 */
export function alarmedOnce<State, M extends Message, Options>(
  algorithm: Algorithm<State, M, Options>,
  alarm: (state: State, here: Here<M, Options>) => void,
): Algorithm<State, M, Options> {
  const { facts } = algorithm
  return {
    ...algorithm,
    facts: { ...facts, timers: { ...facts.timers, alarm: 'pace' } },
    start: (_state, here) => here.setTimer('alarm', 1),
    timeout(state, here, timer) {
      if (timer === 'alarm') alarm(state, here)
      else algorithm.timeout?.(state, here, timer)
    },
  }
}
