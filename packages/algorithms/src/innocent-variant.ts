import type { Algorithm, AnyProtocol, Here, Message } from '@turnwise/core/algorithm'

/**
 * A published rule that looked wrong, but passes the checker: every property holds in every model of it. We keep it
 * like a broken variant, so that nobody has to suspect it again.
 */
export interface InnocentVariant {
  /** The stem of its file. */
  readonly name: string
  /** A variant of that name with the rule, or the algorithm itself if the catalogue follows the rule. */
  readonly algorithm: AnyProtocol
  /** The catalogue name of the algorithm it changes. */
  readonly of: string
  /** Paper and section of the rule. */
  readonly published: string
  /** The rule, what seemed to be wrong with it, and why that does no harm: a sentence or two each. */
  readonly rule: string
  readonly suspicion: string
  readonly harmless: string
}

/**
 * The same algorithm, but each node may raise one false alarm, at any moment. A search that fires time-outs only when
 * nothing else can happen has no false alarms; one that fires them at will never ends.
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
