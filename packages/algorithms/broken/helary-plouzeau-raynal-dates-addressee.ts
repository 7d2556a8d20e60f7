import { precedes } from '@turnwise/core/timestamp'
import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import {
  first,
  giveToken,
  helaryPlouzeauRaynal,
  isNews,
  type Place,
  type State,
  takeRequest,
  unsatisfied,
} from '../src/token/helary-plouzeau-raynal.ts'

function transmitToken(node: State, here: Place): void {
  const oldest = first(unsatisfied(node.heard, node.token), precedes)
  if (oldest !== null) giveToken(node, here, oldest, oldest.node)
}

/** The algorithm with another transmit_token. */
export function transmittingBy(transmit: (node: State, here: Place) => void): typeof helaryPlouzeauRaynal {
  return {
    ...helaryPlouzeauRaynal,
    release(node, here) {
      node.inside = false
      transmit(node, here)
    },
    receive: {
      ...helaryPlouzeauRaynal.receive,
      request(node, here, request, from) {
        if (!isNews(node, request.id)) return
        takeRequest(node, here, request, from)
        if (node.token !== null && !node.inside) transmit(node, here)
      },
    },
  }
}

export const variant: BrokenVariant = {
  algorithm: renamed('helary-plouzeau-raynal-dates-addressee', transmittingBy(transmitToken)),
  of: 'helary-plouzeau-raynal',
  published: 'velazquez-1993 §4',
  fails: 'no-deadlock',
  rule: 'A node that sends the token away writes its own clock into the token under the name of the addressee.',
  failure:
    "The addressee's clock may be behind the sender's, and the token does not raise it. Its next request is " +
    'stamped no later than the date in the token, looks satisfied, and is never served.',
  repair: 'The sender dates its own entry: its next request is certain to be stamped later.',
  instance: { nodes: 3, requests: 2, channels: 'unordered', topology: 'line' },
}
