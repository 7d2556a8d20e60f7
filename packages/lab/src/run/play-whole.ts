import type { AnyProtocol } from '@turnwise/core/algorithm'
import type { Hand } from './hand.ts'
import { emptyPart, headOf, MOST_EVENTS, type Played, type PlayedPart, playParts } from './play.ts'
import { playable, type RunSpec, worldOf } from './spec.ts'

/** Plays a run to its end, with hands in it. The same words and hands play the same run. */
export function play(
  spec: RunSpec,
  hands: readonly Hand[],
  all: readonly AnyProtocol[] = playable,
  most = MOST_EVENTS,
): Played {
  const world = worldOf(spec, all)
  const parts = playParts(world, hands, { most, partOf: Number.POSITIVE_INFINITY })
  let whole: PlayedPart = emptyPart()
  for (;;) {
    const { done, value } = parts.next()
    if (done === true) return { ...headOf(spec, world, hands), ...whole, ...value }
    whole = {
      events: whole.events.concat(value.events),
      steps: whole.steps.concat(value.steps),
      states: whole.states.concat(value.states),
      ahead: [...(whole.ahead ?? []), ...(value.ahead ?? [])],
    }
  }
}
