/**
 * Which messages of suzuki-kasami.ts make no difference any more, for `turnwise check --settle`: a request of node j, numbered q, once the
 * token says that it was served, LN[j] >= q.
 *
 * Proof. LN[j] never falls: only node j changes it, to RN[j], its own count. So the request stays settled. At node i it does nothing but
 * RN[j] := max(RN[j], q). Node i does not send the token for it: RN[j] > LN[j] does not hold because of q. Node i reads RN[j] in two
 * places. There RN[j] > LN[j], by the token that it has then, and q <= LN[j] decides nothing. So node i takes the same steps with this request
 * received and without, and in the end it has the same RN[j]. No other node sees RN of node i.
 *
 * Why the worlds are finite. A node asks again only when it was served. So all its requests but the last one are settled, every RN[j] is LN[j]
 * or one more, and a channel has at most one request.
 */
import type { NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'

interface HasToken {
  readonly token: { readonly served: readonly number[] } | null
}

type SomeMessage =
  | { readonly type: 'request'; readonly number: number }
  | { readonly type: 'privilege'; readonly token: NonNullable<HasToken['token']> }

interface UnderWay {
  readonly from: NodeId
  readonly message: SomeMessage
}

export function settled(states: readonly HasToken[], underWay: readonly UnderWay[]): boolean[] {
  const token = states.find((state) => state.token !== null)?.token ?? carried(underWay)
  return underWay.map(
    ({ message, from }) =>
      token !== null && message.type === 'request' && message.number <= get(token.served, from),
  )
}

/** The token, if a message has it. */
function carried(underWay: readonly UnderWay[]): HasToken['token'] {
  for (const { message } of underWay) if (message.type === 'privilege') return message.token
  return null
}
