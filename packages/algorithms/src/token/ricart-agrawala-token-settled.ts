/**
 * Which messages of ricart-agrawala-token.ts make no difference any more, for `turnwise check --settle`: with `stamps=counters` a request of node j
 * with a stamp that the token has for node j or above, served[j].
 *
 * Proof. served[j] never falls: only node j changes it, to its own count. So the request stays settled. At node i it does nothing but
 * requested[j] := max(requested[j], stamp). An idle token stays: it lies where every stamp heard is served, and this one is too. Node i reads
 * requested[j] only to compare it with served[j] of the token that it has then, and stamp <= served[j] decides nothing there.
 *
 * With `stamps=clock` a request raises the clock of its receiver, so none is settled.
 */
import type { NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import type { Setup } from '@turnwise/core/setup'
import type { Message, Options, State } from './ricart-agrawala-token.ts'

interface UnderWay {
  readonly from: NodeId
  readonly message: Message
}

export function settled(
  states: readonly Pick<State, 'token'>[],
  underWay: readonly UnderWay[],
  { options }: Pick<Setup<Options>, 'options'>,
): boolean[] {
  const carried = underWay.flatMap(({ message }) => (message.type === 'token' ? [message.token] : []))
  const { served } = states.find(({ token }) => token !== null)?.token ?? carried.at(0) ?? { served: null }
  return underWay.map(
    ({ message, from }) =>
      served !== null &&
      options.stamps === 'counters' &&
      message.type === 'request' &&
      message.stamp <= get(served, from),
  )
}
